/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of bpf/syscalls.bpf.c. Shared by both sides. */
#ifndef SONDE_BPF_SYSCALLS_H
#define SONDE_BPF_SYSCALLS_H

/* The indices of a shard: one for each syscall number, then those for the rest. */
enum syscalls_place {
	SYSCALLS_NUMBERS = 512,
	SYSCALLS_OTHER = SYSCALLS_NUMBERS, /* higher numbers */
	SYSCALLS_COMPAT,		   /* 32-bit calls, which have other numbers */
	SYSCALLS_PLACES,
	SYSCALLS_NONE, /* not a call: not counted */
};

struct syscalls_cell {
	unsigned long long calls, errors;
	unsigned long long ns, max; /* sum and maximum, of calls whose begin was seen */
};
_Static_assert(sizeof(struct syscalls_cell) == 32, "as on the other side");

struct syscalls_state {
	unsigned int begun; /* calls count only when this is set */
	/* User space only: which numbers have a row of their own when exported. It is kept with the counters. */
	unsigned char shown[SYSCALLS_PLACES];
};
_Static_assert(sizeof(struct syscalls_state) == 520, "as on the other side");

#define SYSCALLS_COMM_LEN 16

struct syscalls_process {
	struct syscalls_cell cell;
	char comm[SYSCALLS_COMM_LEN];
};
_Static_assert(sizeof(struct syscalls_process) == 48, "as on the other side");

/* The pending table holds the start of a call in one word: ns above these bits, the place in them. */
#define SYSCALLS_PLACE_BITS 10

struct syscalls_config {
	unsigned char timed, by_process;
	unsigned char failed; /* only calls that failed */
	unsigned char typed;  /* the kernel gives task and registers as BTF pointers, which plain loads can read */
	unsigned char some;   /* `one` or `ppid` is set */
	unsigned char one;    /* only the call with the place below */
	unsigned char unused[2];
	unsigned int place;
	unsigned int error;	/* only calls that failed with this error; 0: any */
	unsigned int ppid;	/* only calls of children of this process; 0: all */
	unsigned int pidns_ino; /* the pid namespace of ppid; 0: the host */
};
_Static_assert(sizeof(struct syscalls_config) == 24, "as on the other side");

#endif
