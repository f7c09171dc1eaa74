/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls that threads are in when sonde attaches to them. */
#ifndef SONDE_STRACE_ATTACHED_H
#define SONDE_STRACE_ATTACHED_H

#include "engine/stream.h"
#include "interp/peek.h"
#include "strace_part.h"

struct strace_attached {
	struct strace_lines *lines;
	struct stream *stream; /* passes the records of programs on to lines */
	const struct strace_plans *plans;
	const struct strace_set *trace;
	const uint32_t *ids; /* the processes, or threads, that are named */
	size_t n_ids;
	bool all;   /* of processes all threads, not only the first */
	bool ip;    /* records have the instruction pointer, -i */
	bool space; /* they say in which pid namespace the thread is */
};

/*
 * Adds to the lines what each thread waits for: calls that began before sonde attached, as begins without a time. A
 * thread that has ended, or that we may not ask, has none. To be called once, when all programs are attached.
 */
void strace_attached_show(const struct strace_attached *attached);

/*
 * Fills in number and arguments from the text of /proc/PID/syscall, and *ip: where the program goes on. False: it is in no
 * call, or runs.
 */
bool strace_attached_parse(const char *text, struct strace_record *to, uint64_t *ip);

/*
 * Adds the blobs that the begin of the record's call has, by its plan: from the memory that peek reads, and from links of
 * /proc. Behind the record are STRACE_ROOM bytes.
 */
void strace_attached_fill(struct strace_record *record, const struct strace_plans *plans, const struct peek *peek);

/*
 * Fills in what the link /proc/PID/fd/N says of a descriptor (proc_pid_fd(5)), with room for PATH_MAX bytes behind it;
 * `link` loses its " (deleted)".
 */
void strace_attached_file(char *link, struct strace_file *file);

#endif
