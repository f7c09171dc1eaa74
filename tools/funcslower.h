/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that took long, and the configuration of the programs. Include bpf/event.h and bpf/pending.h first. */
#ifndef SONDE_FUNCSLOWER_H
#define SONDE_FUNCSLOWER_H

/* Arguments of a call. */
#define FUNCSLOWER_ARGS 6

/* A call that has not returned. */
struct funcslower_call {
	struct pending pending;
	unsigned long long args[FUNCSLOWER_ARGS];
};
_Static_assert(sizeof(struct funcslower_call) == 64, "as on the other side");

struct funcslower_event {
	struct event event; /* at its end */
	unsigned long long ns;
	long long ret;
	unsigned int function;
	unsigned long long args[FUNCSLOWER_ARGS];
};
_Static_assert(sizeof(struct funcslower_event) == 112, "as on the other side");

struct funcslower_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned char args;	  /* how many arguments to read */
};
_Static_assert(sizeof(struct funcslower_config) == 16, "as on the other side");

#endif
