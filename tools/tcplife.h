/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration and the record of tcplife's programs. Include bpf/tcp.h first. */
#ifndef SONDE_TOOLS_TCPLIFE_H
#define SONDE_TOOLS_TCPLIFE_H

struct tcplife_config {
	struct tcp_wanted wanted;
};
_Static_assert(sizeof(struct tcplife_config) == 16387, "as on the other side");

struct tcplife_event {
	struct tcp_event tcp; /* its time is that of the end */
	unsigned long long duration;
	unsigned long long sent, received;
	unsigned int owner_known;
};
_Static_assert(sizeof(struct tcplife_event) == 120, "as on the other side");

#endif
