// SPDX-License-Identifier: BSD-2-Clause
/* Declarations of C in a program. */
#include "parser.h"

bool cdecl_is_next(struct parser *p)
{
	return parse_is_word(p, "struct") || parse_is_word(p, "union") || parse_is_word(p, "enum") || parse_is_word(p, "typedef");
}

void cdecl_parse(struct parser *p, bool is_header)
{
	(void)is_header;
	parse_fail(p, parse_peek(p, 0)->at, "declarations of C cannot be read yet");
}

bool cdecl_size(struct parser *p, const struct ast_type *type, int64_t *size)
{
	(void)p, (void)type, (void)size;
	return false;
}
