/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests (bpf/request.h). These programs are attached only if they are wanted. A connection is measured if its port
 * is one of "request_ports", and if the thread that reads is one of the measured ones: arrivals come in interrupts,
 * whose current task says nothing.
 *
 * What was sent is known by the socket's write_seq: so an answer has begun even if the client has got it, and asks
 * again, before the send is noted.
 */
#ifndef SONDE_BPF_REQUEST_BPF_H
#define SONDE_BPF_REQUEST_BPF_H

#include "bpf/request.h"
#include "bpf/tcp.bpf.h"
#include "bpf/why_link.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_CELLS);
	__type(key, __u64);
	__type(value, struct request_cell);
} request_cells SEC(".maps");

/* The socket of a server by both ports, for the client's socket. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_CELLS);
	__type(key, __u64);
	__type(value, __u64);
} request_peers SEC(".maps");

/* Connections of measured threads to other servers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_CELLS);
	__type(key, __u64);
	__type(value, struct request_behind);
} request_behinds SEC(".maps");

/* A byte for each port of the server. User space sets the size. */
SEC(".data.request_ports")
__u8 request_ports[1] = {};

SEC(".data.requests")
struct request_shared request_shared = {};

static __always_inline __u8 *request_port(__u64 port)
{
	barrier_var(port);
	port &= REQUEST_PORTS - 1;
	return slot_begin(request_ports) + port;
}

/* Of a tracepoint's arguments or record, or of a function that has it as its first argument. */
static __always_inline struct sock *request_sock(void *ctx)
{
	if (context_kind() == CONTEXT_TP || context_kind() == CONTEXT_TP_REGS)
		return (void *)context_word(ctx, 1);
	return (void *)context_arg(ctx, 0);
}

static __always_inline __u32 request_write_seq(struct sock *sk)
{
	struct tcp_sock *tcp = (void *)sk;

	return BPF_CORE_READ(tcp, write_seq);
}

/* An address of version 4 has four bytes, what follows them is not of it. */
static __always_inline void request_copy(unsigned char to[16], const unsigned char from[16], __u32 version)
{
	__builtin_memcpy(to, from, 16);
	if (version == 4)
		((__u32 *)to)[1] = ((__u32 *)to)[2] = ((__u32 *)to)[3] = 0;
}

/* A connection that was not known, or an earlier one at this address whose end was not seen. */
static __noinline struct request_cell *request_new(__u64 key, __u64 now)
{
	struct sock *sk = (void *)key;
	struct request_cell cell = { .birth = now };
	struct tcp_ends ends = {};

	if (BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return NULL;
	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, true);
	request_copy(cell.address, ends.laddr, ends.version);
	request_copy(cell.client, ends.raddr, ends.version);
	cell.port = ends.lport;
	cell.client_port = ends.rport;
	cell.version = ends.version;
	cell.peer = (__u64)ends.lport << 16 | ends.rport;
	cell.seq = cell.sent_seq = request_write_seq(sk);
	if (bpf_map_update_elem(&request_cells, &key, &cell, BPF_ANY)) {
		atomic_add(&request_shared.no_room, 1);
		return NULL;
	}
	if (bpf_map_update_elem(&request_peers, &cell.peer, &key, BPF_ANY))
		atomic_add(&request_shared.no_peer, 1);
	return bpf_map_lookup_elem(&request_cells, &key);
}

/* Global, with numbers: the verifier follows it once. */
__noinline int request_write(__u64 key, __u64 now, __u32 kind, __u32 tid, __u32 tgid)
{
	struct request_cell *cell = bpf_map_lookup_elem(&request_cells, &key);
	__u64 words = kind == WHY_LINK_DONE ? REQUEST_WHOLE : REQUEST_SHORT;
	struct request_event *to;
	struct ring_place place;
	__u64 *record;

	if (!cell)
		return 0;
	record = ring_reserve_untimed(&place, words + 1);
	if (!record)
		return 0;
	to = (void *)(record + RING_TIME);
	to->time = now;
	to->sock = key;
	to->birth = cell->birth;
	to->arrived = cell->arrived;
	to->tid = tid;
	to->tgid = tgid;
	to->round = cell->round;
	to->merged = cell->merged;
	if (kind == WHY_LINK_DONE) {
		to->sent_at = cell->sent_at;
		to->client_at = cell->client_at;
		__builtin_memcpy(to->client, cell->client, sizeof(to->client));
		to->port = cell->port;
		to->client_port = cell->client_port;
		to->version = cell->version;
	}
	ring_commit(&place, kind, words + 1);
	return 0;
}

/* The answer that has begun is over. written: the socket's write_seq. */
static __always_inline void request_finish(struct request_cell *cell, struct sock *sk, __u32 written, __u64 now)
{
	/* the client has got it, and the send is on its way back */
	if (cell->sent_seq != written || cell->sent_at < cell->arrived)
		cell->sent_at = now;
	if (cell->arrived)
		request_write((__u64)sk, now, WHY_LINK_DONE, cell->sender, cell->sender_tgid);
	else
		atomic_add(&request_shared.in_midst, 1);
}

static __always_inline void request_begin(struct request_cell *cell, __u64 now)
{
	cell->arrived = now;
	cell->client_at = 0;
	cell->merged = 0;
	cell->round++;
	cell->state = REQUEST_ARRIVED;
}

/* --- servers behind --- */

/* kind: of WHY_LINK_DIAL, _ASK and _GET. Global, with numbers: the verifier follows it once. */
__noinline int request_write_behind(__u64 key, __u64 now, __u32 kind)
{
	const struct request_behind *cell = bpf_map_lookup_elem(&request_behinds, &key);
	__u64 words = kind == WHY_LINK_GET ? REQUEST_WHOLE : REQUEST_SHORT, both;
	struct sock *sk = (void *)key;
	struct request_event *to;
	struct tcp_ends ends = {};
	struct ring_place place;
	__u64 *record;

	if (!cell)
		return 0;
	if (kind == WHY_LINK_GET) {
		tcp_read_addresses(sk, &ends);
		tcp_read_ports(sk, &ends, false);
	}
	record = ring_reserve_untimed(&place, words + 1);
	if (!record)
		return 0;
	both = bpf_get_current_pid_tgid();
	to = (void *)(record + RING_TIME);
	to->time = now;
	to->sock = key;
	to->birth = cell->birth;
	to->arrived = cell->arrived;
	to->tid = both;
	to->tgid = both >> 32;
	to->round = to->merged = 0;
	if (kind == WHY_LINK_GET) {
		to->sent_at = to->client_at = 0;
		request_copy(to->client, ends.raddr, ends.version);
		to->port = ends.lport;
		to->client_port = ends.rport;
		to->version = ends.version;
	}
	ring_commit(&place, kind, words + 1);
	return 0;
}

/* A new connection, or one that was not known. state: whether something is asked. */
__noinline int request_add_behind(__u64 key, __u64 now, __u32 state)
{
	struct sock *sk = (void *)key;
	struct request_behind cell = { .birth = now, .state = state, .asked = state == REQUEST_IDLE };

	if (BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return 0;
	cell.seq = request_write_seq(sk);
	if (bpf_map_update_elem(&request_behinds, &key, &cell, BPF_ANY))
		atomic_add(&request_shared.no_room, 1);
	else
		atomic_add(&request_shared.behind, 1);
	return 0;
}

static __always_inline struct request_behind *request_find_behind(__u64 key)
{
	return request_shared.behind ? bpf_map_lookup_elem(&request_behinds, &key) : NULL;
}

/* A measured thread has sent to another server, or has unlocked a socket. */
__noinline int request_ask(__u64 key, bool has_sent)
{
	struct request_behind *cell = request_find_behind(key);
	struct sock *sk = (void *)key;
	__u64 now = bpf_ktime_get_ns();
	__u32 written;

	if (!cell) {
		/* older than tracing: what is in it now may have been sent before */
		if (request_add_behind(key, now, has_sent ? REQUEST_IDLE : REQUEST_READ) || !has_sent)
			return 0;
		request_write_behind(key, now, WHY_LINK_ASK);
		return 0;
	}
	written = request_write_seq(sk);
	if (written == cell->seq || tcp_state(sk) != TCP_ESTABLISHED)
		return 0;
	cell->seq = written;
	cell->asked = 1;
	if (cell->state == REQUEST_IDLE)
		return 0;
	/* else its answer is there already */
	if (cell->state == REQUEST_READ)
		cell->state = REQUEST_IDLE;
	request_write_behind(key, now, WHY_LINK_ASK);
	return 0;
}

/* The answer arrives, or more of it. What arrives unasked is none. */
__noinline int request_answered(__u64 key)
{
	struct request_behind *cell = request_find_behind(key);

	if (!cell || cell->state == REQUEST_ARRIVED ||
	    (!cell->asked && request_write_seq((void *)key) == cell->seq))
		return 0;
	cell->arrived = bpf_ktime_get_ns();
	cell->state = REQUEST_ARRIVED;
	return 0;
}

/* The answer is read. */
__noinline int request_get(__u64 key)
{
	struct request_behind *cell = request_find_behind(key);
	bool arrived = cell && cell->state == REQUEST_ARRIVED;

	if (!cell)
		return 0;
	cell->state = REQUEST_READ;
	if (arrived)
		request_write_behind(key, bpf_ktime_get_ns(), WHY_LINK_GET);
	return 0;
}

/* The state of a socket that connects. */
__noinline int request_dial(__u64 key, int to)
{
	struct request_behind *cell;
	__u64 now = bpf_ktime_get_ns();

	if (to == TCP_SYN_SENT && why_current()) {
		request_add_behind(key, now, REQUEST_READ);
		request_write_behind(key, now, WHY_LINK_DIAL);
		return 0;
	}
	cell = request_find_behind(key);
	if (cell && to == TCP_ESTABLISHED)
		cell->seq = request_write_seq((void *)key);
	else if (cell && to == TCP_CLOSE && !bpf_map_delete_elem(&request_behinds, &key))
		atomic_add(&request_shared.behind, -1);
	return 0;
}

/* The socket of the server for that of its client, if both are on this machine; 0: they are not. */
__noinline __u64 request_server(__u64 client)
{
	struct sock *sk = (void *)client;
	struct request_cell *cell;
	struct tcp_ends ends = {};
	unsigned char address[16];
	__u64 peer, *server;

	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, false);
	peer = (__u64)ends.rport << 16 | ends.lport;
	server = bpf_map_lookup_elem(&request_peers, &peer);
	cell = server ? bpf_map_lookup_elem(&request_cells, server) : NULL;
	if (!cell || cell->version != ends.version)
		return 0;
	request_copy(address, ends.raddr, ends.version);
	for (int i = 0; i < 4; i++)
		if (((__u32 *)cell->address)[i] != ((__u32 *)address)[i])
			return 0;
	/* another client may have the same port */
	request_copy(address, ends.laddr, ends.version);
	for (int i = 0; i < 4; i++)
		if (((__u32 *)cell->client)[i] != ((__u32 *)address)[i])
			return 0;
	return *server;
}

/* The client of a server of this machine reads. */
static __always_inline void request_client(__u64 client)
{
	__u64 key = request_server(client);
	struct request_cell *cell = key ? bpf_map_lookup_elem(&request_cells, &key) : NULL;

	if (cell)
		cell->client_at = bpf_ktime_get_ns();
}

/* Whether the other end of a socket is at a port of the server. */
static __always_inline bool request_is_client(struct sock *sk)
{
	__u16 port = BPF_CORE_READ(sk, __sk_common.skc_dport);

	return *request_port(__builtin_bswap16(port));
}

/* The current task has sent, or may have. */
__noinline int request_sent(__u64 key)
{
	struct request_cell *cell = bpf_map_lookup_elem(&request_cells, &key);
	struct sock *sk = (void *)key;
	__u32 written, state;
	__u64 now, both;

	if (!cell)
		return 0;
	written = request_write_seq(sk);
	state = tcp_state(sk);
	/* the end of the stream has a number, too */
	if (written == cell->sent_seq || (state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT))
		return 0;
	now = bpf_ktime_get_ns();
	both = bpf_get_current_pid_tgid();
	if (cell->state == REQUEST_IDLE)
		atomic_add(&request_shared.early, 1);
	cell->sender = both;
	cell->sender_tgid = both >> 32;
	*(volatile __u64 *)&cell->sent_at = now;
	*(volatile __u32 *)&cell->sent_seq = written;
	if (cell->state != REQUEST_READ || written == cell->seq || cell->answered == cell->round)
		return 0;
	cell->answered = cell->round;
	if (cell->arrived)
		request_write(key, now, WHY_LINK_SEND, both, both >> 32);
	return 0;
}

/*
 * The answer reaches its client on this machine. Mostly that is within the call that sends: the client can take the
 * processor of the sender before that call ends, and ask again.
 */
static __always_inline void request_reaches(struct sock *sk)
{
	__u64 key;

	/* a client that has locked its socket takes what has come meanwhile when it unlocks it */
	if (!request_is_client(sk) || BPF_CORE_READ(sk, sk_lock.owned) || !why_current())
		return;
	key = request_server((__u64)sk);
	if (key)
		request_sent(key);
}

/* --- hits --- */

/* The record says that nothing was sent. */
static __always_inline void request_unanswered(struct request_cell *cell, __u64 key)
{
	cell->sent_at = 0;
	request_write(key, bpf_ktime_get_ns(), WHY_LINK_DONE, cell->sender, cell->sender_tgid);
}

/* Clients with the same port share a place: the last one has it. */
static __always_inline void request_forget(struct request_cell *cell, __u64 key)
{
	__u64 peer = cell->peer, *of = bpf_map_lookup_elem(&request_peers, &peer);

	if (of && *of == key)
		bpf_map_delete_elem(&request_peers, &peer);
	bpf_map_delete_elem(&request_cells, &key);
}

/* A connection of the server is over. */
__noinline int request_end(__u64 key)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell = bpf_map_lookup_elem(&request_cells, &key);

	if (!cell)
		return 0;
	/* write_seq counts the end of the stream by now: what was sent is what was seen */
	if (cell->state == REQUEST_READ && cell->sent_seq != cell->seq)
		request_finish(cell, sk, cell->sent_seq, bpf_ktime_get_ns());
	else if (cell->state == REQUEST_READ && cell->arrived)
		request_unanswered(cell, key);
	request_forget(cell, key);
	return 0;
}

/* Its address may be that of an earlier connection, whose end the kernel has skipped. */
static __always_inline struct request_cell *request_of(struct sock *sk)
{
	__u64 key = (__u64)sk;
	struct request_cell *cell = bpf_map_lookup_elem(&request_cells, &key);

	if (!cell || cell->client_port == __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport)))
		return cell;
	request_end(key);
	return NULL;
}

/* Bytes have arrived, or the end of the stream. */
SEC("raw_tp")
int arrives(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	struct request_cell *cell;
	__u32 written;
	__u64 now;

	if (!why_shared.armed)
		return 0;
	if (!*request_port(BPF_CORE_READ(sk, __sk_common.skc_num))) {
		if (request_shared.behind)
			request_answered((__u64)sk);
		request_reaches(sk);
		return 0;
	}
	cell = request_of(sk);
	if (cell && cell->state == REQUEST_ARRIVED)
		return 0;
	now = bpf_ktime_get_ns();
	/* one that listens has an arrival for each new connection */
	if (!cell && tcp_state(sk) == TCP_ESTABLISHED)
		cell = request_new((__u64)sk, now);
	if (!cell)
		return 0;
	if (cell->state == REQUEST_READ) {
		written = request_write_seq(sk);
		if (written == cell->seq) {
			if (tcp_state(sk) == TCP_ESTABLISHED)
				cell->merged++;
			return 0;
		}
		request_finish(cell, sk, written, now);
		cell->seq = written;
	}
	request_begin(cell, now);
	return 0;
}

/* Whether the thread that reads is one of the server's: then its connection is. */
static __always_inline bool request_is_own(struct request_cell *cell, __u64 key)
{
	if (cell->owned)
		return true;
	if (!why_current() && !task_pass((void *)bpf_get_current_task())) {
		request_forget(cell, key);
		return false;
	}
	cell->owned = 1;
	return true;
}

/* A connection that is older than tracing: what was asked and when is not known. */
static __always_inline struct request_cell *request_adopt(struct sock *sk, __u64 now)
{
	struct request_cell *cell;

	if (!why_current() && !task_pass((void *)bpf_get_current_task()))
		return NULL;
	cell = request_new((__u64)sk, now);
	if (cell)
		cell->owned = 1;
	return cell;
}

/* A task has got bytes of a socket. */
SEC("raw_tp")
int reads(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	struct request_cell *cell;
	__u64 now, both, key = (__u64)sk;

	if (!why_shared.armed)
		return 0;
	if (!*request_port(BPF_CORE_READ(sk, __sk_common.skc_num))) {
		if (request_shared.behind)
			request_get(key);
		if (request_is_client(sk))
			request_client(key);
		return 0;
	}
	now = bpf_ktime_get_ns();
	cell = request_of(sk);
	if (!cell)
		cell = request_adopt(sk, now);
	if (!cell || cell->state == REQUEST_READ || !request_is_own(cell, key))
		return 0;
	if (cell->state == REQUEST_IDLE)
		cell->arrived = 0;
	cell->seq = request_write_seq(sk);
	cell->state = REQUEST_READ;
	both = bpf_get_current_pid_tgid();
	cell->sender = both;
	cell->sender_tgid = both >> 32;
	if (cell->arrived)
		request_write(key, now, WHY_LINK_READ, both, both >> 32);
	return 0;
}

/* A task has sent, or has unlocked the socket. */
SEC("raw_tp")
int sends(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	__u64 key = (__u64)sk;

	if (!why_shared.armed)
		return 0;
	if (!*request_port(BPF_CORE_READ(sk, __sk_common.skc_num))) {
		if (why_current())
			request_ask(key, !context_is_function());
		return 0;
	}
	return request_sent(key);
}

/* A thread connects or listens, or a connection is over. */
SEC("raw_tp")
int connections(void *ctx)
{
	struct sock *sk;
	int from, to;
	__u8 *port;

	if (context_kind() == CONTEXT_RAW_TP) {
		sk = (void *)context_word(ctx, 0);
		from = context_word(ctx, 1);
		to = context_word(ctx, 2);
	} else {
		__u64 states = context_word(ctx, 2);

		sk = (void *)context_word(ctx, 1);
		from = states;
		to = states >> 32;
	}
	port = request_port(BPF_CORE_READ(sk, __sk_common.skc_num));
	if (to == TCP_LISTEN && !config.one_port && !*port &&
	    (why_current() || task_pass((void *)bpf_get_current_task())))
		*port = 1;
	if (to == TCP_SYN_SENT || from == TCP_SYN_SENT || (to == TCP_CLOSE && request_shared.behind))
		request_dial((__u64)sk, to);
	/* the port is given back by then */
	if (to == TCP_CLOSE)
		request_end((__u64)sk);
	return 0;
}

#endif
