// SPDX-License-Identifier: BSD-2-Clause
/* Reports attempts to connect: a socket enters SYN_SENT in the task that calls connect(). */
#include "bpf/event.bpf.h"
#include "bpf/tcp.bpf.h"
#include "tools/tcpconnect.h"

const volatile struct tcpconnect_config config SEC(".rodata.config");

/* The task that connects a socket without a local port yet. User space sets the size; created only if it is used. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct sock *);
	__type(value, struct event);
} connecting SEC(".maps");

static __always_inline void show(const struct event *who, const struct tcp_ends *ends)
{
	struct tcp_event *e = event_new_of(sizeof(*e), who);

	if (!e)
		return;
	e->ends = *ends;
	event_submit(e);
}

static __always_inline void began(struct sock *sk)
{
	struct tcp_ends ends = {};
	struct event who = {};

	if (!event_wanted())
		return;
	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, false);
	if (!tcp_is_wanted(&config.wanted, &ends))
		return;
	event_fill(&who);
	/* if the map is full, a row without the port is better than none */
	if (config.lport && !ends.lport && !bpf_map_update_elem(&connecting, &sk, &who, BPF_ANY))
		return;
	show(&who, &ends);
}

/* The socket is connected or has failed: its port is known now. */
static __always_inline void decided(struct sock *sk)
{
	struct event *who = bpf_map_lookup_elem(&connecting, &sk);
	struct tcp_ends ends = {};

	if (!who)
		return;
	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, true);
	show(who, &ends);
	bpf_map_delete_elem(&connecting, &sk);
}

SEC("raw_tp")
int state_changed(void *ctx)
{
	struct tcp_change change;

	if (!tcp_read_change(ctx, &change))
		return 0;
	if (change.to == TCP_SYN_SENT)
		began(change.sk);
	else if (config.lport && change.from == TCP_SYN_SENT)
		decided(change.sk);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
