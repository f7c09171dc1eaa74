/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests over unix stream sockets. Bytes arrive within the call that sends them, so an arrival at the client's socket
 * is a send of the server, and the current task is the one that sends. No socket is locked then: bytes can be read
 * before their arrival is noted, which is `late` in the cell, and even be answered; and a client that has read and asks
 * again was answered, whether the send was noted or not.
 */
#ifndef SONDE_BPF_REQUEST_UNIX_BPF_H
#define SONDE_BPF_REQUEST_UNIX_BPF_H

#include "bpf/request_behind.bpf.h"

/*
 * An arrival that is noted at most so long after the read belongs to it, even if more bytes are there; unless an answer was
 * sent meanwhile: ns.
 */
#define REQUEST_LATE_NS 10000
/* An arrival whose answer the client has read is noted at most so long after the read: by another thread of the client. */
#define REQUEST_STALE_NS 10000000
/* What is not read for so long may be of an earlier connection, whose end was not seen. */
#define REQUEST_UNREAD_NS 1000000

/* The server's connection, by its socket. Which process its client is, is kept here: the process may be gone at the end. */
__noinline int request_unix_new(__u64 key, __u64 now, bool by_reader)
{
	struct request_cell cell = { .sock = key, .birth = now, .life = now, .version = REQUEST_UNIX };
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

/*
 * Whether another connection had the address before. What the client has sent can be read when it has closed, and is
 * then not known to be another one's.
 */
static __always_inline bool request_unix_is_another(const struct request_cell *cell, struct sock *sk)
{
	__u64 peer = request_unix_inode(request_unix_peer(sk));

	return peer && peer != cell->peer;
}

/*
 * The earlier connection ends. False: another program does that, and this hit would be one of it: its request is
 * left out.
 */
static __always_inline bool request_unix_replaces(const struct request_cell *cell, __u64 key)
{
	const bool ended = request_end(key, cell->birth);

	if (!ended)
		atomic_add(&request_shared.in_midst, 1);
	return ended;
}

/* Whether that is to be asked though something has arrived that is not read. */
static __always_inline bool request_unix_is_overdue(const struct request_cell *cell, __u64 now)
{
	return cell->state == REQUEST_ARRIVED && now - cell->arrived > REQUEST_UNREAD_NS;
}

/* How many messages have arrived that nobody has read yet. */
static __always_inline __u32 request_unix_queued(struct sock *sk)
{
	return BPF_CORE_READ(sk, sk_receive_queue.qlen);
}

/* sent_seq, with the send that is not noted yet though its client has read, if there is one. */
static __always_inline __u32 request_unix_sent_seq(const struct request_cell *cell)
{
	return cell->sent_seq + (cell->state == REQUEST_READ && cell->sent_seq == cell->seq && cell->client_at);
}

/*
 * The current thread has read what may be of a request whose arrival is not noted yet. The arrival looks at this behind what
 * it stores: one of both sees the other.
 */
static __always_inline void request_unix_is_late(struct request_cell *cell, __u64 now)
{
	cell->late_seq = request_unix_sent_seq(cell);
	cell->late_sent = cell->late_seq == cell->sent_seq ? cell->sent_at : cell->client_at;
	cell->late_reader = bpf_get_current_pid_tgid();
	barrier();
	cell->late = now;
	atomic_barrier(&cell->late);
}

/*
 * Whether what was read at `late` has no arrival yet. Who sends cannot have read the answer before that comes back: else
 * this is an arrival that no program has seen, of a connection that is older than tracing.
 */
static __always_inline bool request_unix_is_awaited(const struct request_cell *cell, __u64 late, __u64 now)
{
	return cell->late_seq == request_unix_sent_seq(cell) || cell->client_at <= late || now - late < REQUEST_STALE_NS;
}

/* The request that has arrived is the one that was read at `late`. What was sent since then is of its answer. */
static __noinline int request_unix_was_read(struct request_cell *cell, __u64 key, __u64 late)
{
	__u64 reader = cell->late_reader;

	cell->late = 0;
	cell->seq = cell->late_seq;
	cell->state = REQUEST_READ;
	request_write(cell, key, late, WHY_LINK_READ, reader);
	if (cell->sent_seq == cell->seq) {
		request_note_sender(cell, reader);
		return 0;
	}
	cell->answered = cell->round;
	return request_write(cell, key, cell->sent_at, WHY_LINK_SEND, request_sender(cell));
}

/* The answer was over when the server read the next request. */
static __always_inline void request_unix_was_over(struct request_cell *cell, __u64 key)
{
	const bool as_noted = cell->sent_seq == cell->late_seq;

	if (cell->sent_seq == cell->seq)
		request_was_answered(cell, key);
	/* what was sent and read since then is of the next one */
	if (!as_noted)
		cell->sent_at = cell->late_sent;
	if (cell->client_at > cell->late)
		cell->client_at = 0;
	request_over(cell, key, cell->late);
}

/* What the server has read before was this. */
static __noinline int request_unix_arrives_late(struct request_cell *cell, __u64 key)
{
	__u64 late = cell->late, sent_at = cell->sent_at, client_at = cell->client_at;

	/* it has begun already */
	if (cell->state != REQUEST_READ || (cell->late_seq == cell->seq && cell->arrived)) {
		cell->late = 0;
		return 0;
	}
	/* else it is the first one of its connection */
	if (cell->late_seq != cell->seq)
		request_unix_was_over(cell, key);
	request_begin(cell, late);
	if (cell->sent_seq != cell->late_seq)
		cell->sent_at = sent_at;
	if (client_at > late)
		cell->client_at = client_at;
	return request_unix_was_read(cell, key, late);
}

/*
 * What has arrived on a new connection is read already. If its read is not noted yet, that begins the request; else nobody
 * knew the connection then, and the request counts as left out when it is over.
 */
static __always_inline void request_unix_is_unread(struct request_cell *cell)
{
	cell->state = REQUEST_READ;
	atomic_barrier(&cell->late);
	cell->late = 0;
}

/* Whether the last arrival was like that, and this is its read. */
static __always_inline bool request_unix_reads_it(const struct request_cell *cell)
{
	return cell->state == REQUEST_READ && !cell->arrived && !request_sender(cell) && cell->seq == cell->sent_seq;
}

/* Bytes have arrived at the server's end of a connection. */
__noinline int request_unix_asked(__u64 key)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell = request_find(key);
	__u64 now = bpf_ktime_get_ns(), late, read;

	if (cell && cell->state == REQUEST_ARRIVED && !request_unix_is_overdue(cell, now))
		return 0;
	if (cell && request_unix_is_another(cell, sk)) {
		if (!request_unix_replaces(cell, key))
			return 0;
		cell = NULL;
	}
	if (cell && cell->state == REQUEST_ARRIVED) {
		/* what was noted before is read, and even answered: nothing but this is there */
		if (now > cell->arrived && request_unix_queued(sk) <= 1)
			cell->arrived = now;
		return 0;
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
	if (cell->state == REQUEST_IDLE && !request_unix_queued(sk)) {
		request_unix_is_unread(cell);
		return 0;
	}
	late = cell->late;
	if (late && request_unix_is_awaited(cell, late, now) &&
	    (!request_unix_queued(sk) ||
	     (now - late < REQUEST_LATE_NS && cell->late_seq == request_unix_sent_seq(cell))))
		return request_unix_arrives_late(cell, key);
	if (cell->state == REQUEST_READ && cell->seq == cell->sent_seq) {
		if (!cell->client_at) {
			cell->late = 0;
			cell->merged++;
			return 0;
		}
		request_was_answered(cell, key);
	}
	if (cell->state == REQUEST_READ)
		request_finish(cell, key, cell->sent_seq, now);
	request_begin(cell, now);
	atomic_barrier(&cell->late);
	/* it was read in the midst of this; if the read is noted behind it, that sees what has arrived */
	read = cell->late;
	if (read && read != late)
		request_unix_was_read(cell, key, read > now ? read : now);
	else if (read)
		cell->late = 0;
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

/*
 * Whether what the server reads may be the next request, whose arrival is not noted yet; or it is what is left of this
 * one.
 */
static __always_inline bool request_unix_is_early(const struct request_cell *cell)
{
	__u32 seq = request_unix_sent_seq(cell);

	if (cell->state != REQUEST_READ)
		return cell->state == REQUEST_IDLE;
	return cell->seq != seq && (!cell->late || cell->late_seq != seq);
}

/* The server reads on a connection that is not known. */
static __always_inline int request_unix_adopt(__u64 key, __u64 now)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell;
	__u64 address;

	if (!why_current() || tcp_state(sk) != TCP_ESTABLISHED)
		return 0;
	address = request_unix_address(sk);
	/* not that of a client: it is shared */
	if (BPF_CORE_READ((struct unix_address *)address, refcnt.refs.counter) < 2 || !request_unix_new(key, now, true))
		return 0;
	cell = request_find(key);
	if (!cell)
		return 0;
	cell->owned = 1;
	*request_serving(bpf_get_current_pid_tgid() >> 32) = 1;
	/* what was asked and when is not known, unless its arrival is noted yet */
	request_unix_is_late(cell, now);
	request_note_read(cell, key, cell->sent_seq, now);
	return 0;
}

/* The server reads n bytes; 0: the end of the stream. */
__noinline int request_unix_server_reads(__u64 key, int n)
{
	struct sock *sk = (void *)key;
	struct request_cell *cell = request_find(key);
	__u64 now = bpf_ktime_get_ns();
	bool early = false, begun = false;

	if (cell && n) {
		early = request_unix_is_early(cell);
		if ((early || request_unix_is_overdue(cell, now)) && request_unix_is_another(cell, sk)) {
			if (!request_unix_replaces(cell, key))
				return 0;
			cell = NULL;
			/* later than that end */
			now = bpf_ktime_get_ns();
		}
	}
	if (!cell)
		return n ? request_unix_adopt(key, now) : 0;
	if (!n) {
		/* it may still answer */
		if (cell->state != REQUEST_READ || cell->seq != cell->sent_seq || cell->client_at)
			request_end(key, 0);
		return 0;
	}
	if (!request_is_own(cell, key)) {
		request_add_foreign(request_unix_address(sk));
		return 0;
	}
	if (early)
		request_unix_is_late(cell, now);
	/* its arrival is still to come, or came into the midst of this */
	if (cell->state == REQUEST_IDLE) {
		request_begin(cell, now);
		begun = true;
	} else if (request_unix_reads_it(cell)) {
		cell->late = 0;
		request_begin(cell, now);
		begun = true;
	} else if (early && cell->state == REQUEST_ARRIVED) {
		cell->late = 0;
	}
	barrier();
	/* one that has begun here is read, whatever its arrival stores meanwhile */
	if (begun || cell->state == REQUEST_ARRIVED) {
		if (now < cell->arrived)
			now = cell->arrived;
		/* what the client has read so far was no answer to this */
		cell->client_at = 0;
		request_note_read(cell, key, cell->sent_seq, now);
	}
	return 0;
}

/* The client of a server of this machine reads. */
static __always_inline void request_unix_client_reads(__u64 server, int n)
{
	struct request_cell *cell = request_find(server);

	if (cell && !n)
		request_end(server, 0);
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
