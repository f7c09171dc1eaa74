/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between kernels, found by asking the kernel and remembered. No version is ever compared. */
#ifndef SONDE_ATTACH_QUIRKS_H
#define SONDE_ATTACH_QUIRKS_H

#include "base/base.h"

/* bpf_get_attach_cookie() and links of perf events (5.15). */
bool quirk_cookies(void);
/* Hits that recursion kept from a program are counted (5.12), which tells that recursion is prevented. */
bool quirk_counts_recursion(void);
/* A raw tracepoint's program is not run again within itself (6.1). */
bool quirk_guards_raw_tp(void);
/* Does the kernel have this helper, a BPF_FUNC_... of linux/bpf.h, for programs of kprobes? */
bool quirk_helper(int helper);
/* Compare-and-swap in programs, and other atomic operations that return the old value (5.12). */
bool quirk_swaps(void);
/* Can an array's value have this size? Older kernels allow 4 MB. */
bool quirk_value_size(size_t size);
/* Keys of hashes may be longer than a program's stack, which is 512 bytes (5.11). */
bool quirk_large_keys(void);
/* bpf_task_pt_regs() (5.15). */
bool quirk_task_regs(void);
/* bpf_get_func_arg() and bpf_get_func_ret() in programs on trampolines (5.17). */
bool quirk_func_args(void);
/* A trampoline finds a module's function among those of the module, and not by its name alone (6.3). */
bool quirk_trampolines_of_modules(void);
bool quirk_kprobe_multi(void);
/* struct kprobe has its address where programs read it (bpf/slot.h). */
bool quirk_kprobe_has_address(void);
/*
 * Does a kprobe that far behind a function's begin hang on ftrace, which has its place there, and not on a breakpoint?
 */
bool quirk_kprobe_by_ftrace(uint64_t offset);
/* One program on the trampolines of many functions (7.2; a kernel may lack it on some architecture). */
bool quirk_tracing_multi(void);
/* One program at entry and at return (6.10). */
bool quirk_kprobe_session(void);
/* Returns of kprobe.multi run what was linked last first, as entries do (6.14); before, what was linked first. */
bool quirk_multi_returns_last_first(void);
/* uprobe.multi is there, and its pid filter means the process and not one thread (6.6 to 6.9 were wrong). */
bool quirk_uprobe_multi(void);
/*
 * Programs that need 64 bytes of stack or more have one stack for each processor, not that of the task (6.13). It is
 * not safe for programs that can be preempted, such as those of uprobes: a hit of another task uses the same stack.
 */
bool quirk_private_stacks(void);
/*
 * May a task be preempted within the kernel? The scheduler says so in debugfs. Newer kernels then preempt
 * programs on tracepoints, too, and skip the program for all others on that processor until it goes on.
 */
bool quirk_preemptible(void);
/* The kernel's own code is not preempted, and that is known: not so without the right to mount debugfs. */
bool quirk_never_preempted(void);
/* Functions that do not return: a return trampoline on them would leak or is refused. */
bool quirk_never_returns(const char *function);
/* Why the kernel as a whole refuses kprobes, uprobes or BPF: lockdown, missing configuration; NULL: not known. */
const char *quirk_refusal(void);
/*
 * Why the kernel did not permit something (EPERM), and what would: lockdown, locked memory, a capability. Never NULL.
 */
const char *quirk_denial(void);
/* The same for perf events that count on a processor and not in a process of ours. */
const char *quirk_perf_denial(void);

#endif
