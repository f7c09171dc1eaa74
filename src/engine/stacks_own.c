// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the kernel's functions are that run our programs: stacks with a limit do not count them. symbols_skip_tracers()
 * finds the same by their names, once a stack is here.
 */
#include "base/str.h"
#include "stacks_part.h"

/* bpf_trace_run1() to bpf_trace_run12() stand one behind the other: they are the first of the setup. */
#define RUNS_SIZE (64 << 10)

/* One pass over all symbols, which come by address: to look for each name would take longer than the rest of a start */
struct search {
	struct stack_setup *setup;
	const char *const *tracepoints;
	size_t n_tracepoints, n;
	size_t n_of_tracepoints; /* of these n */
	struct stack_own *open;	 /* ends where the next symbol begins */
	uint64_t begin;		 /* of that symbol */
};

static const char *behind(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? NULL : name + len;
}

/* What runs programs at system calls, iterators and bodies of loops: there is always room for these. */
static const char *const always[] = {
	"perf_syscall_enter",
	"perf_syscall_exit",
	"trace_syscall_enter",
	"trace_syscall_exit",
	"__traceiter_sys_enter",
	"__traceiter_sys_exit",
	"__bpf_trace_sys_enter",
	"__bpf_trace_sys_exit",
	"bpf_iter_run_prog",
	"bpf_for_each_map_elem",
	"bpf_for_each_hash_elem",
	"bpf_for_each_array_elem",
	"bpf_loop",
};

/* The most that are of the program's own tracepoints, two for each; the first of the setup is another one. */
#define OF_TRACEPOINTS (STACK_OWN_MAX - 1 - ARRAY_SIZE(always))

static bool is_always_own(const struct ksym *sym)
{
	for (size_t i = 0; !sym->module && i < ARRAY_SIZE(always); i++)
		if (!strcmp(sym->name, always[i]))
			return true;
	return false;
}

static bool is_of_tracepoint(const struct search *search, const char *name)
{
	const char *tracepoint = behind(name, "__traceiter_");

	if (!tracepoint)
		tracepoint = behind(name, "__bpf_trace_");
	for (size_t i = 0; tracepoint && i < search->n_tracepoints; i++)
		if (!strcmp(tracepoint, search->tracepoints[i]))
			return true;
	return false;
}

/* NULL: there is no room. */
static struct stack_own *add(struct search *search)
{
	return search->n < STACK_OWN_MAX ? &search->setup->own[search->n++] : NULL;
}

static int take_symbol(const struct ksym *sym, void *ctx)
{
	struct search *search = ctx;
	struct stack_setup *setup = search->setup;
	struct stack_own *own = NULL;

	if (search->open && sym->addr != search->begin) {
		search->open->to = sym->addr;
		search->open = NULL;
	}
	/* a part that the compiler put elsewhere has a name with a dot, and calls nothing of ours */
	if (!sym->addr || !strchr("_bpt", *sym->name) || strchr(sym->name, '.'))
		return 0;
	if (!strcmp(sym->name, "_stext"))
		setup->text.from = sym->addr;
	else if (!strcmp(sym->name, "_etext"))
		setup->text.to = sym->addr;
	else if (behind(sym->name, "bpf_trace_run"))
		own = &setup->own[0];
	else if (is_always_own(sym))
		own = add(search);
	else if (search->n_of_tracepoints < OF_TRACEPOINTS && is_of_tracepoint(search, sym->name)) {
		search->n_of_tracepoints++;
		own = add(search);
	}
	if (!own)
		return 0;
	if (!own->from)
		own->from = sym->addr;
	search->open = own;
	search->begin = sym->addr;
	return 0;
}

void stacks_find_own(struct kernel *kernel, const char *const *tracepoints, size_t n, struct stack_setup *setup)
{
	struct search search = { .setup = setup, .tracepoints = tracepoints, .n_tracepoints = n, .n = 1 };
	struct stack_own *runs = &setup->own[0];

	kernel_each_symbol(kernel, take_symbol, &search, NULL);
	/* a first one that is empty would end the list */
	if (!runs->from || runs->to < runs->from || runs->to - runs->from > RUNS_SIZE)
		*runs = (struct stack_own){ .from = UINT64_MAX };
}
