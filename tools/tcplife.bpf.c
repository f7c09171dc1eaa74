// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports connections when they end; they are remembered by socket. The owner is the task that calls connect(),
 * gets the socket from accept(), or at last closes it.
 */
#include "bpf/event.bpf.h"
#include "bpf/fd.bpf.h"
#include "bpf/tcp.bpf.h"
#include "tools/tcplife.h"

const volatile struct tcplife_config config SEC(".rodata.config");

struct connection {
	struct event owner; /* its time is the begin of the connection */
	__u8 owner_known;
	__u8 connected; /* this side has connected: its SYN counts among the bytes */
	__u8 crossed;	/* both sides connected at once: the socket is established as if accepted */
	__u8 unused[5]; /* else the verifier finds padding that is not initialised */
};

/* User space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct sock *);
	__type(value, struct connection);
} connections SEC(".maps");

/* Makes the current task the owner. False: the filters reject it. */
static __always_inline bool take_owner(struct connection *connection)
{
	__u64 began = connection->owner.time;

	if (!event_wanted())
		return false;
	event_fill(&connection->owner);
	connection->owner.time = began;
	connection->owner_known = 1;
	return true;
}

static __always_inline void begin(const struct tcp_change *change, bool connects)
{
	struct connection connection = { .owner.time = bpf_ktime_get_boot_ns(), .connected = connects };
	struct sock *sk = change->sk;
	struct tcp_ends ends = {};

	if (change->by_task && !take_owner(&connection))
		return;
	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, false);
	if (!tcp_is_wanted(&config.wanted, &ends))
		return;
	if (bpf_map_update_elem(&connections, &sk, &connection, BPF_ANY))
		event_lost(EVENT_LOSS_OWN);
}

static __always_inline void end(const struct tcp_change *change, const struct connection *connection)
{
	struct tcp_ends ends = {};
	struct tcplife_event *e;

	if (!connection->owner_known && event_chosen())
		return;
	tcp_read_addresses(change->sk, &ends);
	tcp_read_ports(change->sk, &ends, true);
	/* the other filters were applied at the begin */
	if (!tcp_port_wanted(&config.wanted.local, ends.lport))
		return;
	e = event_new_of(sizeof(*e), &connection->owner);
	if (!e)
		return;
	e->tcp.ends = ends;
	e->duration = e->tcp.event.time - connection->owner.time;
	e->owner_known = connection->owner_known;
	tcp_read_bytes(change, connection->connected, &e->sent, &e->received);
	event_submit(e);
}

SEC("raw_tp")
int state_changed(void *ctx)
{
	struct connection *connection;
	struct tcp_change change;
	bool connects, accepts, done;

	if (!tcp_read_change(ctx, &change))
		return 0;
	connection = bpf_map_lookup_elem(&connections, &change.sk);
	connects = change.to == TCP_SYN_SENT;
	accepts = change.from == TCP_SYN_RECV && change.to == TCP_ESTABLISHED;
	if (connects || (accepts && !(connection && connection->crossed))) {
		/* an old connection of this socket, whose end the kernel has skipped */
		if (connection)
			bpf_map_delete_elem(&connections, &change.sk);
		begin(&change, connects);
		return 0;
	}
	if (!connection)
		return 0;
	if (change.from == TCP_SYN_SENT && change.to == TCP_SYN_RECV)
		connection->crossed = 1;
	done = !connection->owner_known && change.by_task && !take_owner(connection);
	if (!done && change.to == TCP_CLOSE) {
		end(&change, connection);
		done = true;
	}
	if (done)
		bpf_map_delete_elem(&connections, &change.sk);
	return 0;
}

/* accept() returns the descriptor of the new connection. */
SEC("raw_tp")
int accepted(void *ctx)
{
	struct connection *connection;
	struct context_syscall call;
	struct sock *sk;

	if (!context_sys_exit(ctx, &call) || call.ret < 0)
		return 0;
	sk = fd_sock(call.ret);
	connection = bpf_map_lookup_elem(&connections, &sk);
	if (connection && !connection->owner_known && !take_owner(connection))
		bpf_map_delete_elem(&connections, &sk);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
