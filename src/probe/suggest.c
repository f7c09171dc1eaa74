// SPDX-License-Identifier: BSD-2-Clause
/*
 * Suggests another kind of probe for a name that was not found: it may be a tracepoint, a system call or a function
 * of the C library. Runs only after an error, so that it may take some time.
 */
#include "binary/binary.h"
#include "kernel/kernel.h"
#include "binary/library.h"
#include "kernel/syscalls.h"
#include "resolve.h"

struct wanted {
	const char *system; /* NULL: any */
	const struct match *name;
	char *found; /* the system of the first match */
};

static int offer_tracepoint(const struct ktracepoint *tp, void *ctx)
{
	struct wanted *wanted = ctx;

	if (!tp->system || (wanted->system && strcmp(tp->system, wanted->system)) || !match_test(wanted->name, tp->name))
		return 0;
	wanted->found = base_strdup(tp->system);
	return 1;
}

/* Whether the spec is SYSTEM:NAME without "t:", or the name of a tracepoint. */
static bool is_tracepoint(const struct query *query, struct err *err)
{
	struct wanted wanted = { .system = query->spec.object, .name = query->name };
	__free char *system = NULL;

	kernel_each_tracepoint(offer_tracepoint, &wanted, NULL);
	system = wanted.found;
	if (!system)
		return false;
	err_set(err, -ENOENT, "'%s' is a tracepoint, not a function: t:%s:%s", query->spec.text, system,
		query->spec.name);
	return true;
}

static bool is_syscall(const struct query *query, struct err *err)
{
	const char *name = query->spec.name;

	if (syscall_number(name) < 0 || !kernel_lists_tracepoints())
		return false;
	err_set(err, -ENOENT, "'%s' is a system call, not a kernel function: t:syscalls:sys_%s_%s", name,
		query->spec.ret ? "exit" : "enter", name);
	return true;
}

/* Whether a binary has a function of that name. object: a name for library_find(). */
static bool is_function_of(const struct query *query, const char *object, pid_t pid, struct err *err)
{
	__cleanup(library_release) struct library library = {};
	__cleanup(binary_closep) struct binary *binary = NULL;
	const struct binary_symbol *symbols;
	size_t n, i = 0;

	if (library_find(object, pid, &library, NULL) || binary_open(library.root, library.path, &binary, NULL))
		return false;
	if (binary_functions(binary, &symbols, &n, NULL))
		return false;
	while (i < n && strcmp(symbols[i].name, query->spec.name))
		i++;
	if (i == n)
		return false;
	err_set(err, -ENOENT, "'%s' is a function of %s, not of the kernel: %s%s:%s", query->spec.name, library.shown,
		query->spec.ret ? "r:" : "", object, query->spec.name);
	return true;
}

void resolve_suggest(const struct query *query, struct kernel *kernel, pid_t pid, struct err *err)
{
	const struct spec *spec = &query->spec;

	if (err->code != -ENOENT || !spec->name)
		return;
	/* sched:sched_switch was parsed as X:NAME, and no module or binary X exists */
	if (spec->kind == SPEC_UFUNC && query->no_module) {
		is_tracepoint(query, err);
		return;
	}
	if (spec->kind != SPEC_KFUNC || spec->object || !match_literal(query->name))
		return;
	if (resolve_renamed(query, kernel, err))
		return;
	/* kfree_skb+0x12 is in a function */
	if (!spec->offset && (is_tracepoint(query, err) || is_syscall(query, err)))
		return;
	if (!pid || !is_function_of(query, "exe", pid, err))
		is_function_of(query, "c", pid, err);
}
