/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names frames of stacks (bpf/stack.h): user frames by the symbols of their file, by the perf map of a JIT, or by the
 * start of the function; kernel frames by kallsyms and BPF's lists. A name is given only where it is true: within the
 * symbol's size. Files and maps are foreign and read with limits. Knows no tool.
 */
#ifndef SONDE_SYMBOLS_H
#define SONDE_SYMBOLS_H

#include <sys/types.h>

#include "kernel/kernel.h"
#include "output/frame.h"
#include "unwind/unwind.h"

struct symbols;

struct symbols_options {
	bool raw;     /* --raw: addresses in place of names */
	bool mangled; /* names as the linker has them */
	/* Returns true if the user wants to stop; then frames that are not named yet get their address. May be NULL. */
	bool (*should_stop)(void *ctx);
	void *ctx;
};

/* The session and the kernel stay the caller's and must outlive the result. unwind NULL: only kernel frames. */
struct symbols *symbols_new(struct unwind *unwind, struct kernel *kernel, const struct symbols_options *options);
void symbols_free(struct symbols *symbols);

/*
 * Returns the frame's name. Equal frames give the same pointer, which stays valid until symbols_free(). Never NULL.
 * pid: the process, for frames in no file (module 0); else 0.
 */
const struct frame *symbols_user(struct symbols *symbols, pid_t pid, uint64_t frame);
const struct frame *symbols_kernel(struct symbols *symbols, uint64_t addr);
/*
 * Reads what names the JIT frames of a process and would be gone with it (/tmp/perf-PID.map). An engine calls it when
 * it first sees such a frame, while the process lives.
 */
void symbols_hold(struct symbols *symbols, pid_t pid);

/* Reports on stderr what was refused or not found: a debug file, a perf map of another user. */
void symbols_report(const struct symbols *symbols);

#endif
