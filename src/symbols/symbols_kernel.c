// SPDX-License-Identifier: BSD-2-Clause
/* Names frames of the kernel, and knows which of them are the machinery that ran our own program. */
#include "base/str.h"
#include "symbols_part.h"

static void name_by_address(struct symbols *symbols, struct named *named)
{
	named->frame.name = pool_addf(&symbols->strings, "0x%llx", (unsigned long long)named->key);
}

static void set_name(struct symbols *symbols, struct named *named, const struct ksym_wanted *found)
{
	struct frame *frame = &named->frame;

	if (!found->ret) {
		frame->start = found->start;
		frame->name = found->name;
		frame->file = found->module;
	} else if (found->ret == -ENOENT) {
		frame->name = "[unknown]";
	} else {
		name_by_address(symbols, named);
		symbols_note(symbols, "kernel functions have addresses for names: %s",
			     found->ret == -EPERM ? "the kernel hides where they are (kptr_restrict, lockdown)"
						  : strerror(-found->ret));
	}
}

void symbols_name_kernel(struct symbols *symbols, struct named **v, size_t n)
{
	bool raw = symbols->options.raw || !symbols->kernel || symbols->stopped;
	struct ksym_wanted *found __free = base_alloc(n * sizeof(*found));

	for (size_t i = 0; i < n; i++)
		found[i].addr = v[i]->key;
	if (!raw) {
		/* programs may have been loaded since the first frame was seen */
		kernel_read_bpf(symbols->kernel);
		kernel_find_symbols(symbols->kernel, found, n, &symbols->strings);
	}
	for (size_t i = 0; i < n; i++) {
		v[i]->done = true;
		if (raw)
			name_by_address(symbols, v[i]);
		else
			set_name(symbols, v[i], &found[i]);
	}
}

/*
 * What stacks of 5.10 to 7.2 begin with, if a program asks for its own (bpf_get_stack): fentry and fexit: the program and
 * its trampoline; raw tracepoints: the program and bpf_trace_runN, which the compiler mostly reaches by a jump;
 * tracepoints of system calls: perf's function, and on 7.x the one that it is called by; iterators: the program and
 * what runs it. The body of a loop may be a function that a helper calls. Kprobes and other tracepoints begin with the
 * function that was hit.
 */
static bool is_tracer(const struct frame *frame)
{
	static const char *const prefixes[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_", "perf_trace_",
						"bpf_for_each_" };
	static const char *const names[] = { "perf_syscall_enter", "perf_syscall_exit", "trace_syscall_enter",
					     "trace_syscall_exit", "bpf_iter_run_prog", "bpf_loop" };

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
	size_t skip = 0, unnamed = 0;

	/* a trampoline may have no name; and on some kernels no program has one, nor a function of a program */
	while (unnamed < n && v[unnamed]->kind == FRAME_KERNEL && !strcmp(v[unnamed]->name, "[unknown]"))
		unnamed++;
	for (size_t i = 0; i < n && i < (skip ? skip : unnamed) + 2; i++)
		if (is_tracer(v[i]))
			skip = i + 1;
	return skip || unnamed == n ? skip : unnamed;
}
