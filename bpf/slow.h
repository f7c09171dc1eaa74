/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that took long, and the configuration of the programs. Include bpf/event.h and bpf/pending.h first. */
#ifndef SONDE_BPF_SLOW_H
#define SONDE_BPF_SLOW_H

/* Arguments of a call. */
#define SLOW_ARGS 6

/* A call that has not returned. */
struct slow_call {
	struct pending pending;
	unsigned long long args[SLOW_ARGS];
};
_Static_assert(sizeof(struct slow_call) == 64, "as on the other side");

/* The same with its stack. The size of an entry must be a power of two. */
struct slow_stack_call {
	struct slow_call call;
	unsigned long long stack; /* id */
	unsigned long long unused[7];
};
_Static_assert(sizeof(struct slow_stack_call) == 128, "as on the other side");

struct slow_event {
	struct event event; /* at its end */
	unsigned long long ns;
	long long ret;
	unsigned int function;
	unsigned int returned; /* 0: the function jumped to another one, and ret is not known */
	unsigned long long args[SLOW_ARGS];
};
_Static_assert(sizeof(struct slow_event) == 112, "as on the other side");

struct slow_stack_event {
	struct slow_event event;
	unsigned long long stack; /* id; 0: lost */
};
_Static_assert(sizeof(struct slow_stack_event) == 120, "as on the other side");

struct slow_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned char args;	  /* how many arguments to read */
};
_Static_assert(sizeof(struct slow_config) == 16, "as on the other side");

#endif
