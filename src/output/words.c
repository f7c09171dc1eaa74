// SPDX-License-Identifier: BSD-2-Clause
/* Errors by name, as libc knows them. */
#include "words.h"

static const char *error_name(int64_t ret)
{
	return ret < 0 && ret > -4096 ? strerrorname_np(-ret) : NULL;
}

void words_add_result(struct str *s, int64_t ret, enum output_format format)
{
	const char *name = format == OUTPUT_TEXT ? error_name(ret) : NULL;

	if (name)
		str_addf(s, "-%s", name);
	else
		str_add_s64(s, ret);
}

void words_add_error(struct str *s, int64_t ret)
{
	const char *name = error_name(ret);

	if (name)
		str_addf(s, "\"%s\"", name);
	else
		str_add(s, "null");
}
