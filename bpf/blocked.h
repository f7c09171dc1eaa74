/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocked threads: what is kept of one, and the configuration of the programs. Include bpf/pending.h first. */
#ifndef SONDE_BPF_BLOCKED_H
#define SONDE_BPF_BLOCKED_H

/* A thread that is off the processor, in the pending table. */
struct blocked_thread {
	struct pending pending;
	unsigned long long stack; /* id of its stack; 0: none */
	unsigned int pid, tid;	  /* ids of the host */
	char comm[16];
	unsigned long long unused[2];
};
_Static_assert(sizeof(struct blocked_thread) == 64, "as on the other side");

struct blocked_config {
	unsigned long long least, most; /* ns: times outside are not counted */
	unsigned int state;		/* bits of the thread's state; 0 with by_state: ready to run */
	unsigned char by_state;
	unsigned char user_threads, kernel_threads; /* only these */
	unsigned char targets;			    /* keep the stacks and ids of the blocked threads */
};
_Static_assert(sizeof(struct blocked_config) == 24, "as on the other side");

#endif
