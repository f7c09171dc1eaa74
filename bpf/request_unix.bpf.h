/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests over unix stream sockets. Bytes arrive within the call that sends them, so an arrival at the client's socket
 * is a send of the server, and the current task is the one that sends. No socket is locked then: bytes can be read
 * before their arrival is noted, which is `late` in the cell; and a client that has read and asks again was answered,
 * whether the send was noted or not.
 */
#ifndef SONDE_BPF_REQUEST_UNIX_BPF_H
#define SONDE_BPF_REQUEST_UNIX_BPF_H

#include "bpf/request_behind.bpf.h"

/* An arrival that is noted at most so long after the read belongs to it, even if more bytes are there: ns. */
#define REQUEST_LATE_NS 10000

/* The server's connection, by its socket. Which process its client is, is kept here: the process may be gone at the end. */
__noinline int request_unix_new(__u64 key, __u64 now, bool by_reader)
{
	struct request_cell cell = { .sock = key, .birth = now, .version = REQUEST_UNIX };
	struct sock *sk = (void *)key;
	struct task_struct *client = request_unix_task(sk);
	struct request_known *known;

	cell.name = request_unix_name(key, by_reader);
	known = cell.name ? bpf_map_lookup_elem(&request_names, &cell.name) : NULL;
	if (!known)
		return 0;
	cell.aside = known->wanted == REQUEST_BEHIND;
	cell.peer = request_unix_inode(request_unix_peer(sk));
	if (client) {
		cell.client_pid = BPF_CORE_READ(client, tgid);
		BPF_CORE_READ_STR_INTO(&cell.client, client, comm);
	}
	return request_add(&cell) != NULL;
}

/* What the server has read before was this. */
static __always_inline void request_unix_arrives_late(struct request_cell *cell, __u64 key, __u64 late)
{
	__u32 seq = cell->sent_seq;

	cell->late = 0;
	if (cell->state != REQUEST_READ || seq == cell->seq)
		return;
	request_finish(cell, key, seq, late);
	request_begin(cell, late);
	cell->seq = seq;
	cell->state = REQUEST_READ;
	if (cell->arrived)
		request_write(cell, key, late, WHY_LINK_READ, request_sender(cell));
}

/* Bytes have arrived at the server's end of a connection. */
__noinline int request_unix_asked(__u64 key)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell = request_find(key);
	__u64 now = bpf_ktime_get_ns(), late;

	if (cell && cell->state == REQUEST_ARRIVED)
		return 0;
	/* another connection may have had the address before */
	if (cell && cell->peer != request_unix_inode(request_unix_peer(sk))) {
		request_end(key);
		cell = NULL;
	}
	if (!cell) {
		/* one that listens has an arrival for each new connection */
		if (tcp_state(sk) != TCP_ESTABLISHED || !request_unix_new(key, now, false))
			return 0;
		cell = request_find(key);
		if (!cell)
			return 0;
	}
	if (cell->aside && !cell->ours)
		cell->ours = why_current() != NULL;
	late = cell->late;
	if (late && (!BPF_CORE_READ(sk, sk_receive_queue.qlen) || now - late < REQUEST_LATE_NS)) {
		request_unix_arrives_late(cell, key, late);
		return 0;
	}
	cell->late = 0;
	if (cell->state == REQUEST_READ && cell->seq == cell->sent_seq) {
		if (!cell->client_at) {
			cell->merged++;
			return 0;
		}
		request_was_answered(cell, key);
	}
	if (cell->state == REQUEST_READ)
		request_finish(cell, key, cell->sent_seq, now);
	cell->seq = cell->sent_seq;
	request_begin(cell, now);
	return 0;
}

__noinline int request_unix_arrives(__u64 key)
{
	struct sock *sk = (void *)key, *peer;
	struct request_cell *cell;
	__u64 own, other;

	if (!bpf_core_type_exists(struct unix_sock))
		return 0;
	own = request_unix_address(sk);
	peer = request_unix_peer(sk);
	if (own && !request_is_foreign(own))
		request_unix_asked(key);
	if (own && peer && request_asks())
		request_unix_ask((__u64)peer);
	other = peer ? request_unix_address(peer) : 0;
	if (!other)
		return 0;
	if (!request_is_foreign(other)) {
		cell = request_find((__u64)peer);
		if (cell)
			request_note_sent(cell, (__u64)peer, cell->sent_seq + 1, bpf_ktime_get_ns());
	}
	if (request_shared.behind)
		request_answered(key);
	return 0;
}

/* The server reads n bytes; 0: the end of the stream. */
__noinline int request_unix_server_reads(__u64 key, int n)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell = request_find(key);
	__u64 now = bpf_ktime_get_ns(), address;

	if (!cell && n && !config.one_port && why_current() && tcp_state(sk) == TCP_ESTABLISHED) {
		address = request_unix_address(sk);
		/* not that of a client: it is shared */
		if (BPF_CORE_READ((struct unix_address *)address, refcnt.refs.counter) < 2 || !request_unix_new(key, now, true))
			return 0;
		cell = request_find(key);
		if (!cell)
			return 0;
		cell->owned = 1;
		*request_serving(bpf_get_current_pid_tgid() >> 32) = 1;
		/* what was asked and when is not known */
		request_note_read(cell, key, cell->sent_seq, now);
		return 0;
	}
	if (!cell)
		return 0;
	if (!n) {
		/* it may still answer */
		if (cell->state != REQUEST_READ || cell->seq != cell->sent_seq || cell->client_at)
			request_end(key);
		return 0;
	}
	if (!request_is_own(cell, key)) {
		request_add_foreign(request_unix_address(sk));
		return 0;
	}
	if (cell->state == REQUEST_ARRIVED) {
		request_note_read(cell, key, cell->sent_seq, now);
	} else if (cell->state == REQUEST_IDLE) {
		cell->late = now;
		request_begin(cell, now);
		request_note_read(cell, key, cell->sent_seq, now);
	} else if (cell->seq != cell->sent_seq && !cell->late) {
		/* of the next request, or what is left of this one */
		cell->late = now;
		request_note_sender(cell, bpf_get_current_pid_tgid());
	}
	return 0;
}

/* The client of a server of this machine reads. */
static __always_inline void request_unix_client_reads(__u64 server, int n)
{
	struct request_cell *cell = request_find(server);

	if (cell && !n)
		request_end(server);
	else if (cell)
		cell->client_at = bpf_ktime_get_ns();
}

__noinline int request_unix_reads(__u64 key, int n)
{
	struct sock *sk = (void *)key, *peer;
	__u64 own, other;

	if (!bpf_core_type_exists(struct unix_sock))
		return 0;
	own = request_unix_address(sk);
	if (own && !request_is_foreign(own))
		request_unix_server_reads(key, n);
	peer = request_unix_peer(sk);
	other = peer ? request_unix_address(peer) : 0;
	if (other && !request_is_foreign(other))
		request_unix_client_reads((__u64)peer, n);
	if (other && n && request_shared.behind)
		request_get(key);
	/* the end of the stream: its client has all answers, or the client asks no more and may still get one */
	if (!n)
		request_leave(key, true);
	if (!n && peer)
		request_leave((__u64)peer, false);
	return 0;
}

#endif
