/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes nearest to a tool, a command or an option of another tracer: the table of docs/coming-from.txt. */
#ifndef SONDE_RUN_ELSEWHERE_H
#define SONDE_RUN_ELSEWHERE_H

#include <stdbool.h>

struct elsewhere {
	const char *of;	  /* "bcc"; "" if the name says it: top */
	const char *here; /* the command; "-": nothing corresponds */
	const char *note; /* what differs; may be "" */
};

/* name: "strace", or with a word behind it: "perf stat", "strace -c". False: no tracer that we know has this name. */
bool elsewhere_find(const char *name, struct elsewhere *found);

#endif
