// SPDX-License-Identifier: BSD-2-Clause
/* Names frames of the kernel, and knows which of them are the machinery that ran our own program. */
#include "base/str.h"
#include "symbols_part.h"

static void name_by_address(struct symbols *symbols, struct named *named)
{
	named->frame.name = pool_addf(&symbols->strings, "0x%llx", (unsigned long long)named->key);
}

/* Neighbours in one function share their strings. */
static void name_by_place(struct symbols *symbols, struct named *named, const struct ksym_place *place,
			  const struct named *before)
{
	struct frame *frame = &named->frame;

	frame->start = place->start;
	if (before && before->frame.start == place->start) {
		frame->name = before->frame.name;
		frame->file = before->frame.file;
		return;
	}
	frame->name = pool_add(&symbols->strings, place->name);
	frame->file = place->module ? pool_add(&symbols->strings, place->module) : NULL;
}

/*
 * Names of BPF programs are read when one is missing, once in a batch. Not when frames arrive: it takes as long as 100 ms,
 * and meanwhile nobody would read what processes map.
 */
static int find_place(struct symbols *symbols, uint64_t addr, struct ksym_place *place, bool *again)
{
	int ret = kernel_symbol_at(symbols->kernel, addr, place);

	if (ret != -ENOENT || *again)
		return ret;
	*again = true;
	kernel_read_bpf(symbols->kernel);
	return kernel_symbol_at(symbols->kernel, addr, place);
}

void symbols_name_kernel(struct symbols *symbols, struct named **v, size_t n)
{
	struct named *before = NULL;
	struct ksym_place place;
	bool again = false;

	for (size_t i = 0; i < n; i++) {
		int ret;

		v[i]->done = true;
		if (symbols->options.raw || !symbols->kernel || symbols_should_stop(symbols)) {
			name_by_address(symbols, v[i]);
			continue;
		}
		ret = find_place(symbols, v[i]->key, &place, &again);
		if (!ret) {
			name_by_place(symbols, v[i], &place, before);
			before = v[i];
		} else if (ret == -ENOENT) {
			v[i]->frame.name = "[unknown]";
		} else {
			name_by_address(symbols, v[i]);
			symbols_note(symbols, "kernel functions have addresses for names: %s",
				     ret == -EPERM ? "the kernel hides where they are (kptr_restrict, lockdown)"
						   : strerror(-ret));
		}
	}
}

/*
 * What stacks of 5.10 to 7.2 begin with, if a program asks for its own (bpf_get_stack): fentry and fexit: the program and
 * its trampoline; raw tracepoints: the program and bpf_trace_runN, which the compiler mostly reaches by a jump;
 * tracepoints of system calls: perf's function, and on 7.x the one that it is called by. Kprobes and other tracepoints
 * begin with the function that was hit.
 */
static bool is_tracer(const struct frame *frame)
{
	static const char *const prefixes[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_", "perf_trace_" };
	static const char *const names[] = { "perf_syscall_enter", "perf_syscall_exit", "trace_syscall_enter", "trace_syscall_exit" };

	if (frame->kind != FRAME_KERNEL)
		return false;
	if (str_same(frame->file, "bpf"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(frame->name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(frame->name, names[i]))
			return true;
	return false;
}

size_t symbols_skip_tracers(const struct frame *const *v, size_t n)
{
	size_t skip = 0;

	/* a trampoline may have no name */
	for (size_t i = 0; i < n && i < skip + 2; i++)
		if (is_tracer(v[i]))
			skip = i + 1;
	return skip;
}
