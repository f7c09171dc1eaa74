/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of measured threads to servers behind: when something is asked, and when the answer arrives and is read. */
#ifndef SONDE_BPF_REQUEST_BEHIND_BPF_H
#define SONDE_BPF_REQUEST_BEHIND_BPF_H

#include "bpf/request_names.bpf.h"

/* kind: of WHY_LINK_DIAL, _ASK and _GET. Global, with numbers: the verifier follows it once. */
__noinline int request_write_behind(__u64 key, __u64 now, __u32 kind)
{
	const struct request_behind *cell = bpf_map_lookup_elem(&request_behinds, &key);
	__u64 words = kind == WHY_LINK_GET ? REQUEST_WHOLE : REQUEST_SHORT, both;
	struct sock *sk = (void *)key;
	struct request_event *to;
	struct tcp_ends ends = {};
	struct ring_place place;
	__u64 *record, name = 0, server;
	struct request_cell *there = NULL;
	bool is_unix;

	if (!cell)
		return 0;
	is_unix = BPF_CORE_READ(sk, __sk_common.skc_family) == WHY_AF_UNIX;
	if (kind == WHY_LINK_GET && is_unix) {
		name = request_unix_server(key);
		server = (__u64)request_unix_peer(sk);
		if (config.chain && server)
			there = request_find(server);
	} else if (kind == WHY_LINK_GET) {
		tcp_read_addresses(sk, &ends);
		tcp_read_ports(sk, &ends, false);
		if (config.chain)
			there = request_server(key, ends.lport, ends.rport);
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
	to->round = there ? there->round : 0;
	to->merged = 0;
	if (kind == WHY_LINK_GET) {
		to->there = there ? there->sock : 0;
		to->there_birth = there ? there->birth : 0;
		to->name = name;
		request_copy(to->client, ends.raddr, ends.version);
		to->port = ends.lport;
		to->client_port = ends.rport;
		to->version = is_unix ? REQUEST_UNIX : ends.version;
	}
	ring_commit(&place, kind, words + 1);
	return 0;
}

/* A new connection, or one that was not known. state: whether something is asked. */
__noinline int request_add_behind(__u64 key, __u64 now, __u32 state)
{
	struct sock *sk = (void *)key;
	struct request_behind cell = { .birth = now, .state = state, .asked = state == REQUEST_IDLE };

	if (BPF_CORE_READ(sk, __sk_common.skc_family) == WHY_AF_UNIX)
		cell.inode = request_unix_inode(sk);
	else if (BPF_CORE_READ(sk, sk_protocol) == IPPROTO_TCP)
		cell.seq = request_write_seq(sk);
	else
		return 0;
	if (bpf_map_update_elem(&request_behinds, &key, &cell, BPF_ANY))
		atomic_add(&request_shared.no_room, 1);
	else
		atomic_add(&request_shared.behind, 1);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct request_reached);
} request_reached SEC(".maps");

/* Bytes have arrived at a socket, perhaps within the call of a measured thread that sends them. */
static __always_inline void request_note_reached(__u64 key)
{
	__u32 first = 0;
	struct request_reached *reached;

	if (!config.chain || !request_asks())
		return;
	reached = bpf_map_lookup_elem(&request_reached, &first);
	if (!reached)
		return;
	reached->sock = key;
	reached->task = bpf_get_current_task();
}

/* Whether what the current task has just sent has arrived on this machine: at the other end, by both ports. */
static __always_inline bool request_is_local(struct sock *sk)
{
	__u32 first = 0;
	struct request_reached *reached;
	struct sock *server;

	if (!config.chain)
		return false;
	reached = bpf_map_lookup_elem(&request_reached, &first);
	if (!reached || reached->task != bpf_get_current_task())
		return false;
	server = (void *)reached->sock;
	return __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport)) == BPF_CORE_READ(server, __sk_common.skc_num) &&
	       __builtin_bswap16(BPF_CORE_READ(server, __sk_common.skc_dport)) == BPF_CORE_READ(sk, __sk_common.skc_num);
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
	if (!cell->local)
		cell->local = request_is_local(sk);
	if (cell->state == REQUEST_IDLE)
		return 0;
	/* else its answer is there already */
	if (cell->state == REQUEST_READ)
		cell->state = REQUEST_IDLE;
	request_write_behind(key, now, WHY_LINK_ASK);
	return 0;
}

/* A measured thread has sent to another server over a unix socket, whose end this one is. */
__noinline int request_unix_ask(__u64 key)
{
	struct request_behind *cell = request_find_behind(key);
	__u64 now = bpf_ktime_get_ns();

	/* another connection may have had the address before */
	if (!cell || cell->inode != request_unix_inode((void *)key)) {
		if (!request_add_behind(key, now, REQUEST_IDLE))
			request_write_behind(key, now, WHY_LINK_ASK);
		return 0;
	}
	cell->asked = 1;
	if (cell->state == REQUEST_IDLE)
		return 0;
	/* else its answer is there already */
	if (cell->state == REQUEST_READ)
		cell->state = REQUEST_IDLE;
	request_write_behind(key, now, WHY_LINK_ASK);
	return 0;
}

/* The answer arrives, or more of it. What arrives unasked is none. Returns 0 if this is no connection to a server behind. */
__noinline int request_answered(__u64 key)
{
	struct request_behind *cell = request_find_behind(key);

	if (!cell)
		return 0;
	if (cell->state == REQUEST_ARRIVED ||
	    (!cell->asked && (cell->inode || request_write_seq((void *)key) == cell->seq)))
		return 1;
	cell->arrived = bpf_ktime_get_ns();
	cell->state = REQUEST_ARRIVED;
	return 1;
}

/* It is a server, and on this machine: from its next request on, it is measured. */
static __always_inline void request_go_behind(struct request_behind *cell, struct sock *sk)
{
	__u8 *port;

	if (!config.chain)
		return;
	if (cell->inode) {
		request_unix_want((__u64)sk);
		return;
	}
	port = request_port(__builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport)));
	if (cell->local && !*port)
		*port = REQUEST_BEHIND;
}

/* The answer is read. */
__noinline int request_get(__u64 key)
{
	struct request_behind *cell = request_find_behind(key);
	bool arrived = cell && cell->state == REQUEST_ARRIVED;

	if (!cell)
		return 0;
	cell->state = REQUEST_READ;
	if (!arrived)
		return 0;
	request_write_behind(key, bpf_ktime_get_ns(), WHY_LINK_GET);
	request_go_behind(cell, (void *)key);
	return 0;
}

/* A connection is over: at once, or once it is answered. Global, with numbers: the verifier follows it once. */
__noinline int request_leave(__u64 key, bool at_once)
{
	struct request_behind *cell = request_find_behind(key);

	if (cell && (at_once || cell->state == REQUEST_READ) && !bpf_map_delete_elem(&request_behinds, &key))
		atomic_add(&request_shared.behind, -1);
	return 0;
}

/* The state of a socket that connects. */
__noinline int request_dial(__u64 key, int to)
{
	struct request_behind *cell;
	__u64 now = bpf_ktime_get_ns();

	if (to == TCP_SYN_SENT && request_asks()) {
		request_add_behind(key, now, REQUEST_READ);
		request_write_behind(key, now, WHY_LINK_DIAL);
		return 0;
	}
	cell = request_find_behind(key);
	if (cell && to == TCP_ESTABLISHED)
		cell->seq = request_write_seq((void *)key);
	else if (cell && to == TCP_CLOSE)
		request_leave(key, true);
	return 0;
}

#endif
