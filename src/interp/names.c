// SPDX-License-Identifier: BSD-2-Clause
/* What the names of all languages have in common. */
#include "language.h"

int names_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	       uint64_t address)
{
	return runtime->language->read(code, runtime, state, peek, address);
}

void names_release(struct names_code *code)
{
	free(code->table);
	*code = (struct names_code){};
}

int names_line(const struct names_code *code, unsigned int place)
{
	return code->line ? code->line(code, place) : 0;
}
