/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads TCP sockets, and the tracepoints sock:inet_sock_set_state and tcp:tcp_retransmit_skb. */
#ifndef SONDE_BPF_TCP_BPF_H
#define SONDE_BPF_TCP_BPF_H

#include "bpf/context.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include "bpf/event.h"
#include "bpf/tcp.h"

#define AF_INET6    10
#define IPPROTO_TCP 6
#define SOCK_DONE   1 /* include/net/sock.h, a bit of sk_flags: the peer has closed its direction */

struct tcp_change {
	struct sock *sk;
	int from, to;
	bool by_task; /* the current task changes the state; false: the network, and the current task is a bystander */
};

/* False: not a TCP socket, or a change for the other probe (bpf/tcp.h). */
static __always_inline bool tcp_read_change(void *ctx, struct tcp_change *change)
{
	struct sock *sk; /* a variable: in change->sk CO-RE would search the kernel for struct tcp_change */

	if (context_kind() == CONTEXT_RAW_TP) {
		sk = (void *)context_word(ctx, 0);
		change->from = context_word(ctx, 1);
		change->to = context_word(ctx, 2);
	} else {
		__u64 states = context_word(ctx, 2);

		sk = (void *)context_word(ctx, 1);
		change->from = states;
		change->to = states >> 32;
	}
	change->sk = sk;
	change->by_task = context_probe() == TCP_BY_TASK;
	/* a task that works on a socket has locked it; packets that arrive meanwhile wait for that task */
	return !BPF_CORE_READ(sk, sk_lock.owned) != change->by_task && BPF_CORE_READ(sk, sk_protocol) == IPPROTO_TCP;
}

static __always_inline void tcp_read_ipv4(const struct sock *sk, struct tcp_ends *ends)
{
	BPF_CORE_READ_INTO(&ends->laddr, sk, __sk_common.skc_rcv_saddr);
	BPF_CORE_READ_INTO(&ends->raddr, sk, __sk_common.skc_daddr);
	ends->version = 4;
}

/* Whether an IPv6 address is a mapped IPv4 address, ::ffff:a.b.c.d. */
static __always_inline bool tcp_is_mapped(const unsigned char *address)
{
	const __u32 *words = (const __u32 *)address;

	return !words[0] && !words[1] && words[2] == bpf_htonl(0xffff);
}

static __always_inline void tcp_read_addresses(const struct sock *sk, struct tcp_ends *ends)
{
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_INET6 ||
	    !bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		tcp_read_ipv4(sk, ends);
		return;
	}
	BPF_CORE_READ_INTO(&ends->laddr, sk, __sk_common.skc_v6_rcv_saddr);
	BPF_CORE_READ_INTO(&ends->raddr, sk, __sk_common.skc_v6_daddr);
	ends->version = 6;
	if (tcp_is_mapped(ends->raddr))
		tcp_read_ipv4(sk, ends);
}

/*
 * Reads the ports. The local port is 0 while none is chosen, and again when a closing socket has given it back.
 * chosen: the socket must have had one by now, so that the last one is used then.
 */
static __always_inline void tcp_read_ports(struct sock *sk, struct tcp_ends *ends, bool chosen)
{
	struct inet_sock *inet = (void *)sk;

	ends->rport = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	ends->lport = BPF_CORE_READ(sk, __sk_common.skc_num);
	if (!ends->lport && chosen)
		ends->lport = bpf_ntohs(BPF_CORE_READ(inet, inet_sport));
}

static __always_inline bool tcp_port_wanted(const volatile struct tcp_ports *ports, __u32 port)
{
	/*
	 * hide the value: the compiler knows the bounds after a byte swap and drops the check, the verifier does
	 * not know them
	 */
	asm volatile(""
		     : "+r"(port));
	port &= 65535;
	return !ports->any || ports->bits[port / 8] & 1 << port % 8;
}

/* Whether the filters pass a connection. A local port that is not chosen yet passes: it may become a wanted one. */
static __always_inline bool tcp_is_wanted(const volatile struct tcp_wanted *wanted, const struct tcp_ends *ends)
{
	if (wanted->version && wanted->version != ends->version)
		return false;
	return tcp_port_wanted(&wanted->remote, ends->rport) &&
	       (!ends->lport || tcp_port_wanted(&wanted->local, ends->lport));
}

static __always_inline __u64 tcp_less(__u64 bytes, __u32 by)
{
	return bytes > by ? bytes - by : 0;
}

/*
 * Computes the bytes that a closing connection has carried, from sequence numbers, of which SYN and FIN use one each.
 * connected: this side has connected, so that its SYN counts among those sent.
 */
static __always_inline void tcp_read_bytes(const struct tcp_change *change, bool connected, __u64 *sent,
					   __u64 *received)
{
	struct sock *sk = change->sk;
	struct tcp_sock *tcp = (void *)sk;
	int from = change->from;
	bool all_acked = BPF_CORE_READ(tcp, snd_una) == BPF_CORE_READ(tcp, write_seq);
	bool syn_acked = connected && from != TCP_SYN_SENT && from != TCP_SYN_RECV;
	bool fin_acked = from == TCP_FIN_WAIT2 || ((from == TCP_LAST_ACK || from == TCP_CLOSING) && all_acked);
	bool fin_came = BPF_CORE_READ(sk, __sk_common.skc_flags) >> SOCK_DONE & 1;

	*sent = tcp_less(BPF_CORE_READ(tcp, bytes_acked), syn_acked + fin_acked);
	*received = tcp_less(BPF_CORE_READ(tcp, bytes_received), fin_came);
}

/* Reads both ends of a connection whose local port is chosen. False: the filters do not pass it. */
static __always_inline bool tcp_read_ends(struct sock *sk, const volatile struct tcp_wanted *wanted,
					  struct tcp_ends *ends)
{
	tcp_read_addresses(sk, ends);
	tcp_read_ports(sk, ends, true);
	return tcp_is_wanted(wanted, ends);
}

static __always_inline unsigned int tcp_state(const struct sock *sk)
{
	return BPF_CORE_READ(sk, __sk_common.skc_state);
}

/*
 * Reads tcp_retransmit_skb: the socket, and the sequence number of the segment. The raw tracepoint has the arguments
 * sk, skb and err; perf's has a record with skb, sk and, further on, err. err: the segment could not be sent; kernels
 * without it have no such events. False: not sent.
 */
static __always_inline bool tcp_read_retransmit(void *ctx, struct sock **sk, __u32 *seq)
{
	bool raw = context_kind() == CONTEXT_RAW_TP;
	struct trace_event_raw_tcp_retransmit_skb *record = ctx;
	struct sk_buff *skb = (void *)context_word(ctx, 1);
	struct tcp_skb_cb *cb = (void *)__builtin_preserve_access_index(&skb->cb);

	*sk = (void *)(raw ? context_word(ctx, 0) : context_word(ctx, 2));
	*seq = BPF_CORE_READ(cb, seq);
	if (!bpf_core_field_exists(record->err))
		return true;
	return !(raw ? (int)context_word(ctx, 2) : BPF_CORE_READ(record, err));
}

#endif
