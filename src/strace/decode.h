/* SPDX-License-Identifier: BSD-2-Clause */
/* A call with its arguments as strace prints them, for a program that has seen only its begin, or only its end. */
#ifndef SONDE_STRACE_DECODE_H
#define SONDE_STRACE_DECODE_H

#include "base/str.h"
#include "lang/program/options.h"

#define STRACE_DECODE_ARGS 6

/* What was read of an argument's memory. */
struct strace_read {
	const void *data;
	size_t n;    /* bytes, without a NUL; 0: it could not be read, or is empty */
	bool is_cut; /* there is more */
};

/* Which memory of the call of this number is worth reading when it begins; returns how many. */
size_t strace_decode_memory(int call, struct lang_memory v[LANG_MEMORIES]);
/*
 * Appends `openat(AT_FDCWD, "/etc/passwd", O_RDONLY)`. read_as: the call by whose memory the n reads are ordered, which
 * may be another one with the same arguments. What was not read is an address.
 */
void strace_decode_call(struct str *out, int call, const uint64_t args[STRACE_DECODE_ARGS], int read_as,
			const struct strace_read *reads, size_t n);
/* Appends `openat = -1 ENOENT (No such file or directory)`. */
void strace_decode_result(struct str *out, int call, int64_t ret);

#endif
