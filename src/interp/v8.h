/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of JavaScript in V8, by the notes of bpf/interp.h and the address of the code: reads the process's memory as
 * names.h does, and keeps what it has read, for a process that ends. Compiled code stands for several functions, those
 * that were inlined among them.
 */
#ifndef SONDE_INTERP_V8_H
#define SONDE_INTERP_V8_H

#include "names.h"

/* A process as V8 is in it. */
struct v8_process {
	pid_t pid;
	const struct runtime *runtime; /* NULL: its memory cannot be read any more */
	const struct peek *peek;
};

/* Where a function was. */
struct v8_frame {
	const char *function, *file; /* UTF-8; file "": none; valid as long as the struct v8 */
	int line;		     /* 0: not known */
	bool is_begin;		     /* it is where the function begins: V8 has no lines of it */
};
#define V8_FRAMES 128 /* the most that code stands for */

struct v8;
struct v8 *v8_new(void);
void v8_free(struct v8 *v8); /* NULL: nothing */

/*
 * The frames of a note, the innermost first, of which there may be none: a builtin has its native frame only. note 0: of the
 * code alone. before: the addresses of the two frames in front of it, the nearer one first, where they are in no file; else
 * 0. *n_before: of how many of them the frames are, too: these are not to be shown. Returns how many; -1: the function could
 * not be read.
 */
int v8_frames(struct v8 *v8, const struct v8_process *process, uint64_t note, const uint64_t before[2],
	      struct v8_frame frames[V8_FRAMES], int *n_before);

#endif
