/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections, as both sides know them; include bpf/event.h first. */
#ifndef SONDE_TCP_H
#define SONDE_TCP_H

/*
 * The first two in the table of probes of a tool that follows sockets: the one tracepoint, twice. A socket changes its state
 * in the name of the task that has locked it, or of the network, with soft interrupts off. A soft interrupt may come
 * while the program runs for a task, and the kernel gives no program a hit while it is at work on that processor.
 * So each kind of change has a probe of its own, which nothing of its kind interrupts.
 */
enum tcp_probe {
	TCP_BY_TASK,
	TCP_BY_NETWORK,
};

/* As they are on the wire; of an IPv4 address the first four bytes. */
struct tcp_ends {
	unsigned char laddr[16], raddr[16];
	unsigned int lport, rport; /* lport 0: not chosen yet */
	unsigned int version;	   /* 4 or 6 */
};

/* A row of every tool that shows connections begins with this. */
struct tcp_event {
	struct event event;
	struct tcp_ends ends;
};

/* A bit for each port. */
struct tcp_ports {
	unsigned char any; /* bit set; where there is none, all ports are meant */
	unsigned char bits[65536 / 8];
};

/* Which connections the user asked for. */
struct tcp_wanted {
	unsigned char version; /* 4 or 6, 0 both */
	struct tcp_ports local, remote;
};

#endif
