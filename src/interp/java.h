/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Methods of Java in HotSpot, by the frames of bpf/interp.h: reads the process's memory as names.h does, and keeps what it
 * has read, for a process that ends. Compiled code stands for several methods, those that were inlined among them.
 */
#ifndef SONDE_INTERP_JAVA_H
#define SONDE_INTERP_JAVA_H

#include "names.h"

/* A process as HotSpot is in it. */
struct java_process {
	pid_t pid;
	const struct runtime *runtime; /* NULL: its memory cannot be read any more */
	uint64_t state;
	const struct peek *peek;
};

/* Where a method was. */
struct java_frame {
	const char *method, *file; /* UTF-8; file "": none; valid as long as the struct java */
	int line;		   /* 0: not known */
};
#define JAVA_FRAMES 128 /* the most that code stands for */

/* Whether what is read of a method's constant part is within it, and it is not too long: a file may say anything. */
bool java_fits(const struct java_layout *layout);

struct java;
struct java *java_new(void);
void java_free(struct java *java); /* NULL: nothing */

/* The methods of a frame, the innermost first. Returns how many; -1: they could not be read. */
int java_frames(struct java *java, const struct java_process *process, uint64_t frame,
		struct java_frame frames[JAVA_FRAMES]);

#endif
