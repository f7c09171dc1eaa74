/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of signals that the user wants to see. Shared by both sides. */
#ifndef SONDE_BPF_SIGNAL_H
#define SONDE_BPF_SIGNAL_H

struct signal_set {
	unsigned long long numbers; /* bit N - 1: signal N */
	unsigned char zero;	    /* signal 0, which only asks whether a signal could be sent */
	unsigned char chosen;	    /* false: all signals are wanted */
};
_Static_assert(sizeof(struct signal_set) == 16, "as on the other side");

#endif
