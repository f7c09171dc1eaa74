/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of tcpconnect's programs. Include bpf/tcp.h first. */
#ifndef SONDE_TOOLS_TCPCONNECT_H
#define SONDE_TOOLS_TCPCONNECT_H

struct tcpconnect_config {
	unsigned char lport; /* wait until the local port is chosen */
	struct tcp_wanted wanted;
};
_Static_assert(sizeof(struct tcpconnect_config) == 16388, "as on the other side");

#endif
