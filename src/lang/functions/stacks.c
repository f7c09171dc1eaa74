// SPDX-License-Identifier: BSD-2-Clause
/* kstack and ustack. */
#include "bpf/stack.h"
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static const struct type *check_stack_call(struct checker *c, struct ast *call)
{
	static const char *const modes[] = { [STACK_BPFTRACE] = "bpftrace",
					     [STACK_PERF] = "perf",
					     [STACK_RAW] = "raw",
					     [STACK_BUILD_ID] = "build_id" };
	struct type *type = (struct type *)type_copy(c->pool, type_simple(call->call.function->result));
	unsigned int n = 0;
	int64_t limit = 0;

	type->mode = c->program->config.stack_mode;
	if (call->call.args && call->call.args->kind == AST_NAME) {
		const char *name = call->call.args->name.name;
		size_t mode = 0;

		while (mode < ARRAY_SIZE(modes) && strcmp(modes[mode], name))
			mode++;
		if (mode == ARRAY_SIZE(modes))
			check_error(c, call->call.args->at,
				    "Invalid stack mode: '%s': there are bpftrace, perf, raw and build_id", name);
		else
			type->mode = mode;
		n++;
	}
	if (call->call.n > n + 1)
		check_error(c, call->at, "Invalid number of arguments: %s([mode,] [limit])", call->call.name);
	else if (call->call.n > n && check_constant_argument(c, call, n, &limit) && (limit < 0 || limit > STACK_DEPTH))
		check_error(c, check_argument(call, n)->at, "%s() limit must be from 0 to %d", call->call.name,
			    STACK_DEPTH);
	type->limit = limit;
	return type;
}

static struct low_value lower_stack_value(struct lower *l, struct ast *ast)
{
	return lower_stack(l, ast->type->kind == TYPE_USTACK, ast->type);
}

FUNCTION(kstack, 0, 2, check_stack_call, lower_stack_value, .result = TYPE_KSTACK);
FUNCTION(ustack, 0, 2, check_stack_call, lower_stack_value, .result = TYPE_USTACK);

static const struct type *check_stack(struct checker *c, struct ast *ast)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(ast->name.builtin->result));

	type->mode = c->program->config.stack_mode;
	return type;
}

BUILTIN(kstack, check_stack, lower_stack_value, .result = TYPE_KSTACK);
BUILTIN(ustack, check_stack, lower_stack_value, .result = TYPE_USTACK);
