/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tools that show TCP connections: options for struct tcp_wanted, columns of struct tcp_event. */
#ifndef SONDE_ENGINES_TCP_H
#define SONDE_ENGINES_TCP_H

#include "event.h"
#include "bpf/tcp.h"

/* -4 and -6, which exclude each other. STRUCT.MEMBER is a struct tcp_wanted. */
#define TCP_VERSION_OPTIONS(STRUCT, MEMBER) \
	OPT(OPT_CALL, STRUCT, MEMBER, '4', "ipv4", NULL, "only IPv4", .call = tcp_only_ipv4), \
		OPT(OPT_CALL, STRUCT, MEMBER, '6', "ipv6", NULL, "only IPv6", .call = tcp_only_ipv6)
int tcp_only_ipv4(void *wanted, const char *arg, struct err *err);
int tcp_only_ipv6(void *wanted, const char *arg, struct err *err);

/* For OPT_CALL: adds the ports of "80,443" to a struct tcp_ports. -EINVAL, and err names what is not a port. */
int tcp_add_ports(void *ports, const char *arg, struct err *err);

/* The probes of enum tcp_probe. NETWORK: as progs_probe.when, for what the network does. */
#define TCP_PROBES(PROGRAM, NETWORK) \
	[TCP_BY_TASK] = { .program = PROGRAM, .system = "sock", .name = "inet_sock_set_state", .covered = true }, \
	[TCP_BY_NETWORK] = { \
		.program = PROGRAM, .system = "sock", .name = "inet_sock_set_state", .when = NETWORK, .raw = true \
	}

/* Columns: addresses and ports of both sides. A local port that was never chosen is null. */
#define TCP_LADDR(KEY, TITLE, WIDTH) FIELD_GET(FIELD_ADDRESS, tcp_get_laddr, KEY, TITLE, WIDTH)
#define TCP_RADDR(KEY, TITLE, WIDTH) FIELD_GET(FIELD_ADDRESS, tcp_get_raddr, KEY, TITLE, WIDTH)
#define TCP_LPORT(WIDTH, ...) \
	FIELD(FIELD_U32, struct tcp_event, ends.lport, "lport", "LPORT", WIDTH, .role = ROLE_LABEL, .null = NULL_ZERO, \
	      ##__VA_ARGS__)
#define TCP_RPORT(KEY, TITLE, WIDTH) \
	FIELD(FIELD_U32, struct tcp_event, ends.rport, KEY, TITLE, WIDTH, .role = ROLE_LABEL)
#define TCP_VERSION(...) \
	FIELD(FIELD_U32, struct tcp_event, ends.version, "ip", "IP", -2, .role = ROLE_LABEL, ##__VA_ARGS__)
/* An end as one column of text, ADDRESS:PORT, and as two fields in data. */
#define TCP_LOCAL(WIDTH) \
	TEXT_GET(FIELD_STR, tcp_get_local, "LADDR:LPORT", WIDTH), DATA_GET(FIELD_ADDRESS, tcp_get_laddr, "laddr"), \
		DATA(FIELD_U32, struct tcp_event, ends.lport, "lport", .role = ROLE_LABEL, .null = NULL_ZERO)
#define TCP_REMOTE(WIDTH) \
	TEXT_GET(FIELD_STR, tcp_get_remote, "RADDR:RPORT", WIDTH), DATA_GET(FIELD_ADDRESS, tcp_get_raddr, "raddr"), \
		DATA(FIELD_U32, struct tcp_event, ends.rport, "rport", .role = ROLE_LABEL)
/* R> for a segment that is sent again, L> for a tail loss probe: whether an unsigned int is not 0. */
#define TCP_RETRANSMIT(STRUCT, MEMBER) \
	FIELD_GET(FIELD_STR, tcp_get_retransmit, "type", "T>", -2, GET_OF(STRUCT, MEMBER))
/* The name of a state, an unsigned int. */
#define TCP_STATE(STRUCT, MEMBER, WIDTH) \
	FIELD_GET(FIELD_STR, tcp_get_state, "state", "STATE", WIDTH, GET_OF(STRUCT, MEMBER))
void tcp_get_local(struct value *to, const void *row, const void *ctx);
void tcp_get_remote(struct value *to, const void *row, const void *ctx);
void tcp_get_retransmit(struct value *to, const void *segment, const void *ctx);
void tcp_get_state(struct value *to, const void *state, const void *ctx);
void tcp_get_laddr(struct value *to, const void *row, const void *ctx);
void tcp_get_raddr(struct value *to, const void *row, const void *ctx);

#endif
