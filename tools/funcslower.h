/* SPDX-License-Identifier: BSD-2-Clause */
/* A call that took long, and what funcslower's programs are told; include bpf/event.h and define LATENCY_ARGS first. */
#ifndef SONDE_FUNCSLOWER_H
#define SONDE_FUNCSLOWER_H

struct funcslower_event {
	struct event event; /* at its end */
	unsigned long long ns;
	long long ret;
	unsigned int function;
	unsigned long long args[LATENCY_ARGS];
};

struct funcslower_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned char args;	  /* how many are */
};

#endif
