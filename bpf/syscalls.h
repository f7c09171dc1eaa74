/* SPDX-License-Identifier: BSD-2-Clause */
/* What bpf/syscalls.bpf.c counts of system calls. Shared by both sides. */
#ifndef SONDE_SYSCALLS_ENGINE_H
#define SONDE_SYSCALLS_ENGINE_H

/* The places in a processor's shard: one for each number, then what has no place of its own. */
enum syscalls_place {
	SYSCALLS_NUMBERS = 512,
	SYSCALLS_OTHER = SYSCALLS_NUMBERS, /* numbers beyond these */
	SYSCALLS_COMPAT,		   /* of 32-bit programs, which have other numbers */
	SYSCALLS_PLACES,
	SYSCALLS_NONE, /* no call at all */
};

struct syscalls_cell {
	unsigned long long calls, errors;
	unsigned long long ns, max; /* of those whose begin was seen */
};

#define SYSCALLS_COMM_LEN 16

struct syscalls_process {
	struct syscalls_cell cell;
	char comm[SYSCALLS_COMM_LEN];
};

/* While a call is under way one word says since when and which it is: ns, and below them the place. */
#define SYSCALLS_PLACE_BITS 10

struct syscalls_config {
	unsigned char timed, by_process;
	unsigned char failed; /* only calls that failed */
	unsigned char typed;  /* the kernel gives the task and its registers as types that are read like our own */
	unsigned char one;    /* only the call that has this place */
	unsigned int place;
	unsigned int error;	/* only calls that failed with this, 0 with any */
	unsigned int ppid;	/* only of children of this process, 0 of all */
	unsigned int pidns_ino; /* whose number ppid is, 0 the host's */
};

#endif
