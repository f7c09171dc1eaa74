// SPDX-License-Identifier: BSD-2-Clause
/* Finds functions and builtins among the rows that the linker has collected. What those of other tracers are here. */
#include "base/nearest.h"
#include "function.h"

extern const struct function *const __start_lang_functions[], *const __stop_lang_functions[];
extern const struct function *const __start_lang_builtins[], *const __stop_lang_builtins[];

const struct function *const *function_list(size_t *n)
{
	*n = __stop_lang_functions - __start_lang_functions;
	return __start_lang_functions;
}

const struct function *const *builtin_list(size_t *n)
{
	*n = __stop_lang_builtins - __start_lang_builtins;
	return __start_lang_builtins;
}

/* bpftrace's library wraps its builtins by names such as __builtin_pid, which programs may use. */
static const struct function *find(const struct function *const *list, size_t n, const char *name)
{
	static const char prefix[] = "__builtin_";

	if (!strncmp(name, prefix, sizeof(prefix) - 1))
		name += sizeof(prefix) - 1;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, name))
			return list[i];
	return NULL;
}

const struct function *function_find(const char *name)
{
	size_t n;
	const struct function *const *list = function_list(&n);

	return find(list, n, name);
}

const struct function *builtin_find(const char *name)
{
	size_t n;
	const struct function *const *list = builtin_list(&n);

	return find(list, n, name);
}

const struct type *function_find_type(struct pool *pool, const char *name)
{
	size_t n;
	const struct function *const *list = function_list(&n);

	for (size_t i = 0; i < n; i++)
		if (list[i]->naming.written && !strcmp(list[i]->naming.written, name))
			return type_named(pool, &list[i]->naming);
	return NULL;
}

bool builtin_is(const struct ast *ast, const char *name)
{
	return ast->kind == AST_NAME && ast->name.builtin && !strcmp(ast->name.builtin->name, name);
}

/* Which of two functions is offered first: the one whose name's length is nearer to the wanted one's, then by name. */
static int compare(const void *a, const void *b, void *wanted)
{
	const struct function *const *f = a, *const *g = b;
	int n = strlen(wanted), x = abs((int)strlen((*f)->name) - n), y = abs((int)strlen((*g)->name) - n);

	return x == y ? strcmp((*f)->name, (*g)->name) : x - y;
}

/* Of several names that are as near, the first wins. The linker's order differs between builds. */
static void offer(const struct function *const *list, size_t n, struct nearest *nearest)
{
	const struct function **sorted __free = base_alloc(n * sizeof(*sorted));

	memcpy(sorted, list, n * sizeof(*sorted));
	qsort_r(sorted, n, sizeof(*sorted), compare, (void *)nearest->wanted);
	for (size_t i = 0; i < n; i++)
		nearest_offer(nearest, sorted[i]->name);
}

void function_offer(struct nearest *nearest, bool builtins)
{
	size_t n;
	const struct function *const *list = builtin_list(&n);

	if (builtins)
		offer(list, n, nearest);
	list = function_list(&n);
	offer(list, n, nearest);
}

/* What other tracers have, and what does the same here. */
static const struct {
	const char *name, *hint;
} elsewhere[] = {
	{ "copyinstr", "str(pointer) reads the text at an address" },
	{ "stringof", "str(pointer) reads the text at an address" },
	{ "copyin", "buf(pointer, length) reads bytes" },
	{ "speculation",
	  "keep the values in a map by tid, print them where it is known that they matter, and delete them" },
	{ "speculate", "keep the values in a map by tid, and print them where it is known that they matter" },
	{ "commit", "print what was kept in a map by tid, then delete(@map, tid)" },
	{ "discard", "delete(@map, tid) forgets what was kept by thread" },
	{ "normalize", "print(@map, 0, divisor) divides" },
	{ "denormalize", "print(@map, 0, divisor) divides only what it prints: the map stays as it is" },
	{ "trunc", "print(@map, n) shows the n largest; clear(@map) empties it" },
	{ "quantize", "hist(x) counts by powers of two" },
	{ "lquantize", "lhist(x, min, max, step) counts by equal steps" },
	{ "tracemem", "buf(pointer, length) is printed by %r" },
	{ "strjoin", "printf() joins texts: \"%s%s\"" },
	{ "str_concat", "printf() joins texts: \"%s%s\"" },
	{ "leader_tid", "pid is the id of the process" },
	{ "dw_ustack", "ustack also unwinds without frame pointers" },
	{ "usdt_arg", "arg0, arg1 ... are the arguments" },
};

const char *function_hint(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(elsewhere[i].name, name))
			return elsewhere[i].hint;
	return NULL;
}
