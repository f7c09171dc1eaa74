// SPDX-License-Identifier: BSD-2-Clause
/* config: the settings of the program, as config = { } and the environment have made them, as a record of constants. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* From the next pass on it is a record as the program could have written it. */
static const struct type *check_config_record(struct checker *c, struct ast *ast)
{
	ast->kind = AST_RECORD;
	memset(&ast->list, 0, sizeof(ast->list));
	ast->list.first = check_config_members(c, ast->at);
	for (const struct ast *member = ast->list.first; member; member = member->next)
		ast->list.n++;
	return check_expression(c, ast);
}

BUILTIN(config, check_config_record, lower_nothing);
