/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections. Shared by both sides; include bpf/event.h first. */
#ifndef SONDE_BPF_TCP_H
#define SONDE_BPF_TCP_H

/*
 * The first two probes of a tool that follows sockets: the same tracepoint twice. A task that has locked the socket
 * changes its state, or the network does, in a soft interrupt. A soft interrupt may interrupt the program while it
 * runs for a task, and the kernel skips hits of a program that is already running on that processor. So each kind
 * of change has a program of its own, which no change of its kind interrupts.
 */
enum tcp_probe {
	TCP_BY_TASK,
	TCP_BY_NETWORK,
};

/* Both ends. Addresses are in network byte order; an IPv4 address has the first four bytes. */
struct tcp_ends {
	unsigned char laddr[16], raddr[16];
	unsigned int lport, rport; /* lport 0: not chosen yet */
	unsigned int version;	   /* 4 or 6 */
};
_Static_assert(sizeof(struct tcp_ends) == 44, "as on the other side");

/* The row of every tool that shows connections begins with this. */
struct tcp_event {
	struct event event;
	struct tcp_ends ends;
};
_Static_assert(sizeof(struct tcp_event) == 88, "as on the other side");

/* A bit for each port. */
struct tcp_ports {
	unsigned char any; /* a bit is set; 0: all ports are wanted */
	unsigned char bits[65536 / 8];
};
_Static_assert(sizeof(struct tcp_ports) == 8193, "as on the other side");

/* The filters on connections. */
struct tcp_wanted {
	unsigned char version; /* 4 or 6; 0: both */
	struct tcp_ports local, remote;
};
_Static_assert(sizeof(struct tcp_wanted) == 16387, "as on the other side");

#endif
