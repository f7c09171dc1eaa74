/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An unwinding session: the maps that BPF programs search (bpf/unwind.h), filled with the tables of files and the
 * mappings of processes, and kept up to date while processes start, map files and end. Several BPF objects can share
 * one session. It knows no tool and no names of functions.
 *
 *	unwind_new(&unwind, &options, err)
 *	object_reuse_map(..., "unwind_blocks", unwind_maps(unwind)->blocks) ...		before the object is prepared
 *	unwind_start(unwind, err)		reads records of the kernel, then /proc
 *	unwind_take(unwind)			whenever unwind_fd() is readable
 */
#ifndef SONDE_UNWIND_UNWIND_H
#define SONDE_UNWIND_UNWIND_H

#include <sys/types.h>

#include "base/base.h"
#include "base/file_id.h"
#include "bpf/unwind.h"
#include "interp/runtime.h"

struct unwind;
struct binary;

struct unwind_options {
	/* Which processes: pid, its threads and children; or, if pid is 0, all. */
	pid_t pid;
	bool tables; /* false: only mappings (for names), no tables: --unwind fp */
	/*
	 * Called before and after a file's table is made, which takes up to a second: a caller with a high priority
	 * lowers it. NULL: nobody wants to know.
	 */
	void (*long_work)(void *ctx, bool begins);
	void *ctx;
};

struct unwind_maps {
	int blocks, spaces, files, rules, plans;
};

/* Creates the maps. Returns 0, or -errno with err. */
int unwind_new(struct unwind **unwind, const struct unwind_options *options, struct err *err);
void unwind_free(struct unwind *unwind);
/* Returns descriptors, which stay the session's. */
const struct unwind_maps *unwind_maps(const struct unwind *unwind);

/*
 * Opens the kernel's records of mappings (perf events), then reads what exists. Without perf events it reads /proc
 * once, and unwind_report() says so. Returns 0, or -errno with err (-ESRCH: no such process; -EINTR: should_stop
 * returned true). should_stop, if not NULL, is also asked later, until unwind_free(): while it returns true no tables are
 * made, which can take seconds.
 */
int unwind_start(struct unwind *unwind, bool (*should_stop)(void *ctx), void *ctx, struct err *err);
/* Adds a process to a session of one; nothing if it is there. It is followed, and so are its children from now on. */
void unwind_add_process(struct unwind *unwind, pid_t pid);
/* Readable when there is something for unwind_take(). An epoll descriptor; -1: there are no records. */
int unwind_fd(const struct unwind *unwind);
/* Takes the records that have arrived and changes the maps accordingly. */
void unwind_take(struct unwind *unwind);

/*
 * Makes sure that the file of a command that will run soon, and the libraries it needs, have tables. Errors are
 * ignored: the file is looked at again when it is mapped.
 */
void unwind_prepare(struct unwind *unwind, const char *path);

/* A file, or other memory with code, that processes map. It stays valid until unwind_free(). */
struct unwind_module {
	uint16_t number;
	enum unwind_module_kind {
		UNWIND_FILE,
		UNWIND_VDSO,
	} kind;
	const char *path; /* as the process names it: foreign; "[vdso]" */
	struct file_id id;
	/*
	 * Where to open the file: held open (a descriptor of the session, -1: none), since the process may end, and the
	 * root of the process for its debug files ("/proc/PID/root" may be gone by then; NULL: our own).
	 */
	int fd;
	const char *root;
	const void *image; /* UNWIND_VDSO: its bytes */
	size_t size;
	const char *build_id; /* in hexadecimal, NULL: none */
	bool has_table;
	const struct runtime *runtime; /* the interpreter in it; NULL: none */
};
/* NULL: there is no module of this number. */
const struct unwind_module *unwind_module(const struct unwind *unwind, uint16_t number);
/*
 * The start of the function that contains a file offset, by .eh_frame, also as a file offset. -ENOENT: none does. For
 * frames that have no symbol.
 */
int unwind_function_at(struct unwind *unwind, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size);

/*
 * The interpreter of a process, and where it has its state in the process's memory. NULL: it has none, or is not known.
 * The result stays valid until unwind_free().
 */
const struct runtime *unwind_runtime(const struct unwind *unwind, pid_t pid, uint64_t *state);

/* Reports on stderr, in one line, interpreters whose frames cannot be found, and why. */
void unwind_report_runtimes(const struct unwind *unwind);
/* Reports on stderr, once, at the end: records lost, files that could not be read, tables that found no room. */
void unwind_report(const struct unwind *unwind);

#endif
