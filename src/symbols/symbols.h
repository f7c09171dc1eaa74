/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names frames of stacks (bpf/stack.h): user frames by the symbols of their file, by the perf map of a JIT, or by the
 * start of the function; kernel frames by kallsyms. A name is given only where it is true: within the symbol's size.
 * Files and maps are foreign and read with limits. Knows no tool.
 *
 *	frame = symbols_user(symbols, pid, record->frames[i])		when a stack arrives: one lookup in a hash
 *	symbols_name(symbols)						before frames are printed
 *
 * Frames are named in batches: the symbol table of a file is read from front to back for all frames of a batch, and
 * nothing of it is kept but their names.
 *
 * Names of user frames, the first that is true:
 *	malloc, shop::Cart::add		a symbol; C++ without parameters, since they would fill a flame graph. The symbol as
 *					the linker has it is in frame->symbol.
 *	main.main			a function of Go, by Go's own table
 *	memcpy				the implementation to which an IFUNC is bound on this machine
 *	memcpy@resolver			the function that chooses it
 *	malloc@plt			a stub that calls it in another file; FILE+plt if the stub is not understood
 *	FILE+fn@0xSTART			an unnamed function, by .eh_frame
 *	FILE+0xADDRESS
 *	0xADDRESS			in no file
 *	by_sort (load.py:52)		a function of Python, PHP, Ruby, Java or JavaScript, its file and line; [python] and the like
 *					if it cannot be read. load.js:52+: V8 has no lines of it, it begins there
 * FILE is the last component of the path; addresses in files are as linked, as nm, addr2line and gdb show them. So they
 * are the same in each run.
 */
#ifndef SONDE_SYMBOLS_SYMBOLS_H
#define SONDE_SYMBOLS_SYMBOLS_H

#include <sys/types.h>

#include "bpf/stack.h"
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

/*
 * The session and the kernel stay the caller's and must outlive the result. unwind NULL: only kernel frames. kernel
 * NULL: only user frames.
 */
struct symbols *symbols_new(struct unwind *unwind, struct kernel *kernel, const struct symbols_options *options);
void symbols_free(struct symbols *symbols);

/*
 * Returns the frame. Equal frames give the same pointer, which stays valid until symbols_free(). Never NULL. A new frame
 * has the name "" until symbols_name(). pid: the process (host's tgid) for frames in no file (module 0); else it is
 * ignored. The first frame of a process in no file opens its perf map (/tmp/perf-PID.map), which would be gone with the
 * process, and frames of an interpreter are read from the process's memory: so call this as soon as the stack arrives.
 */
const struct frame *symbols_user(struct symbols *symbols, pid_t pid, uint64_t frame);
/*
 * The same for the user part of a record, the innermost frame first. There may be more of them than numbers: functions that
 * were inlined have none; or fewer. The result is valid until the next call.
 */
const struct frame *const *symbols_stack(struct symbols *symbols, const struct stack_record *record, size_t *n);
/*
 * The same for an address in the kernel. The first call reads the names of BPF programs: so call it while the programs that
 * take the stacks are attached.
 */
const struct frame *symbols_kernel(struct symbols *symbols, uint64_t addr);

/*
 * Names all frames that have no name yet. Returns 0, or -EINTR if should_stop() returned true: the frames that it did not
 * come to have addresses for names then, and stay so.
 */
int symbols_name(struct symbols *symbols);

/* Whether a user frame has no name because it is in no file, and in no perf map: "[unknown]". */
bool symbols_is_unknown(const struct frame *frame);
/*
 * The name of the program that a process with frames in no file executes, "" if it is not known, cut after 15 bytes.
 * NULL: the process has a perf map, or one that symbols_report() says is refused.
 */
const char *symbols_without_map(struct symbols *symbols, pid_t pid);

/*
 * How many of the n innermost frames, which have names, belong to the machinery that ran our BPF program: the program, its
 * trampoline, perf. Not for stacks of perf events, which begin where the processor was.
 */
size_t symbols_skip_tracers(const struct frame *const *v, size_t n);

/*
 * Reports on stderr, once, what was refused or not found: a damaged debug file, a perf map of another user, kernel
 * addresses that are hidden.
 */
void symbols_report(const struct symbols *symbols);

#endif
