/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of tcpretrans. Include bpf/tcp.h first. */
#ifndef SONDE_TOOLS_TCPRETRANS_H
#define SONDE_TOOLS_TCPRETRANS_H

struct tcpretrans_event {
	struct tcp_event tcp;
	unsigned int state;   /* of the connection */
	unsigned int segment; /* 1: a segment is sent again, and seq is known; 0: a tail loss probe */
	unsigned int seq;
};
_Static_assert(sizeof(struct tcpretrans_event) == 104, "as on the other side");

#endif
