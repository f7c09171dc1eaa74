/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A condition on a call, an expression of the tracing language (lang/): `ret < 0 && flags & 64`. It has integers, texts,
 * names, errors (ENOENT) and operators. What a name is, the caller says for each call. Knows no function.
 */
#ifndef SONDE_GRAPH_CONDITION_H
#define SONDE_GRAPH_CONDITION_H

#include "base/base.h"

#define CONDITION_NAMES 8
#define CONDITION_TEXT	38 /* the most bytes of a text: of an argument one more is read, so a longer one is no equal */

struct condition;

/* Returns NULL with err, -EINVAL: it is no condition. The text need not last. */
struct condition *condition_new(const char *text, struct err *err);
void condition_free(struct condition *condition);

/* The names in it, without repetitions: "ret", "dfd"; of args.dfd the second word. NULL: there are no more. */
const char *condition_name(const struct condition *condition, size_t number);

struct condition_value {
	bool known; /* false: what depends on it is not known either */
	bool is_unsigned;
	int64_t number;
	const char *text; /* what it stands for; NULL: it is no text */
};

/* Returns the value that the name with this number has now. */
typedef struct condition_value (*condition_fn)(void *ctx, size_t number);

/* Whether the condition is true; false if that is not known. */
bool condition_holds(const struct condition *condition, condition_fn fn, void *ctx);
/* Whether the name is compared with a text. */
bool condition_wants_text(const struct condition *condition, size_t number);

#endif
