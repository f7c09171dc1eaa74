/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests (bpf/request.h). These programs are attached only if they are wanted. A connection is measured if its port
 * is one of "request_ports", and if the thread that reads is one of the measured ones: arrivals come in interrupts,
 * whose current task says nothing. Unix sockets are measured by their names (bpf/request_unix.bpf.h).
 */
#ifndef SONDE_BPF_REQUEST_BPF_H
#define SONDE_BPF_REQUEST_BPF_H

#include "bpf/request_unix.bpf.h"

/* The client of a server of this machine reads. */
static __always_inline void request_client(__u64 client, struct request_head head)
{
	struct request_cell *cell = request_server(client, head.own, head.other);

	if (cell)
		cell->client_at = bpf_ktime_get_ns();
}

/* Whether the other end of a socket is at a port of the server. */
static __always_inline bool request_is_client(struct request_head head)
{
	return *request_port(head.other);
}

/* The current task has sent, or may have. written: the socket's write_seq. */
static __always_inline void request_sent(struct request_cell *cell, __u64 key, __u32 written)
{
	__u32 state;

	if (written == cell->sent_seq)
		return;
	/* the end of the stream has a number, too: the state is another one by then */
	state = tcp_state((void *)key);
	if (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT)
		request_note_sent(cell, key, written, bpf_ktime_get_ns());
}

/* Of the hit's own socket, which a task has locked: it takes what has come meanwhile when it unlocks it. */
static __always_inline bool request_is_locked(struct sock *sk)
{
	return typed_arguments() ? sk->sk_lock.owned : BPF_CORE_READ(sk, sk_lock.owned);
}

/*
 * The answer reaches its client on this machine. Mostly that is within the call that sends: the client can take the
 * processor of the sender before that call ends, and ask again.
 */
static __always_inline void request_reaches(struct sock *sk, __u64 key, struct request_head head)
{
	struct request_cell *cell;
	__u64 server;

	if (!request_is_client(head) || request_is_locked(sk) || !why_current())
		return;
	cell = request_server(key, head.own, head.other);
	server = cell ? cell->sock : 0;
	if (server)
		request_sent(cell, server, request_write_seq((void *)server));
}

/* --- hits --- */

#define REQUEST_MSG_PEEK 2

/* Its address may be that of an earlier connection, whose end the kernel has skipped. */
static __always_inline struct request_cell *request_of(__u64 key, struct request_head head)
{
	struct request_cell *cell = request_find(key);

	if (!cell || cell->client_port == head.other)
		return cell;
	request_end(key, 0);
	return NULL;
}

/* Bytes have arrived, or the end of the stream. */
SEC("raw_tp")
int arrives(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	__u64 now, key = typed_number(sk);
	struct request_head head;
	struct request_cell *cell;
	__u32 written;

	if (!why_shared.armed)
		return 0;
	head = request_head_of(sk);
	if (head.family == WHY_AF_UNIX) {
		request_unix_arrives(key);
		return 0;
	}
	if (!*request_port(head.own)) {
		if (request_shared.behind && !request_answered(key))
			request_note_reached(key);
		request_reaches(sk, key, head);
		return 0;
	}
	cell = request_of(key, head);
	if (cell && cell->state == REQUEST_ARRIVED)
		return 0;
	now = bpf_ktime_get_ns();
	/* one that listens has an arrival for each new connection */
	if (!cell && head.state == TCP_ESTABLISHED)
		cell = request_new(key, now);
	if (!cell)
		return 0;
	if (cell->aside && !cell->ours)
		cell->ours = why_current() != NULL;
	if (cell->state == REQUEST_READ) {
		written = request_own_seq(sk, key);
		if (written == cell->seq) {
			if (head.state == TCP_ESTABLISHED)
				cell->merged++;
			return 0;
		}
		request_finish(cell, key, written, now);
		cell->seq = written;
	}
	request_begin(cell, now);
	return 0;
}

/* A connection that is older than tracing: what was asked and when is not known. */
static __always_inline struct request_cell *request_adopt(__u64 key, __u64 now)
{
	struct request_cell *cell;

	if (!why_current() && !task_pass((void *)bpf_get_current_task()))
		return NULL;
	cell = request_new(key, now);
	if (!cell)
		return NULL;
	cell->owned = 1;
	*request_serving(bpf_get_current_pid_tgid() >> 32) = 1;
	return cell;
}

/* A task has got bytes of a socket. */
SEC("raw_tp")
int reads(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	__u64 now, key = typed_number(sk);
	struct request_head head;
	struct request_cell *cell;

	if (!why_shared.armed)
		return 0;
	head = request_head_of(sk);
	if (!*request_port(head.own)) {
		if (request_shared.behind)
			request_get(key);
		if (request_is_client(head))
			request_client(key, head);
		return 0;
	}
	now = bpf_ktime_get_ns();
	cell = request_of(key, head);
	if (!cell && *request_port(head.own) == REQUEST_OWN)
		cell = request_adopt(key, now);
	if (!cell || cell->state == REQUEST_READ || !request_is_own(cell, key))
		return 0;
	if (cell->state == REQUEST_IDLE)
		cell->arrived = 0;
	request_note_read(cell, key, request_own_seq(sk, key), now);
	return 0;
}

struct request_take {
	__u64 sock;
	int n, flags;
};

/* False: not a unix socket. */
static __always_inline bool request_read_take(void *ctx, struct request_take *take)
{
	struct unix_stream_read_state *state;
	struct sock *sk;

	if (context_is_function()) {
		state = (void *)context_arg(ctx, 3);
		take->n = context_arg(ctx, 2);
		take->sock = (__u64)BPF_CORE_READ(state, socket, sk);
		take->flags = BPF_CORE_READ(state, flags);
		return true;
	}
	sk = request_sock(ctx);
	if (request_head_of(sk).family != WHY_AF_UNIX)
		return false;
	take->sock = typed_number(sk);
	if (context_kind() == CONTEXT_RAW_TP) {
		take->n = context_word(ctx, 1);
		take->flags = context_word(ctx, 2);
	} else {
		take->n = context_half(ctx, 5);
		take->flags = context_half(ctx, 6);
	}
	return true;
}

/* A task has got bytes of a unix socket, or the end of the stream. Other sockets come here, too. */
SEC("raw_tp")
int takes(void *ctx)
{
	struct request_take take;

	if (!why_shared.armed)
		return 0;
	if (request_read_take(ctx, &take) && take.n >= 0 && !(take.flags & REQUEST_MSG_PEEK))
		request_unix_reads(take.sock, take.n);
	return 0;
}

/* A unix socket is closed. */
SEC("raw_tp")
int closes(void *ctx)
{
	if (!why_shared.armed)
		return 0;
	request_end((__u64)request_sock(ctx), 0);
	request_leave((__u64)request_sock(ctx), true);
	return 0;
}

/* A task has sent, or has unlocked the socket. */
SEC("raw_tp")
int sends(void *ctx)
{
	struct sock *sk = request_sock(ctx);
	__u64 key = typed_number(sk);
	struct request_head head;
	struct request_cell *cell;

	if (!why_shared.armed)
		return 0;
	head = request_head_of(sk);
	if (!*request_port(head.own)) {
		if (request_asks())
			request_ask(key, !context_is_function());
		return 0;
	}
	cell = request_find(key);
	if (cell)
		request_sent(cell, key, request_own_seq(sk, key));
	return 0;
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
	if (to == TCP_LISTEN && !config.one_port && *port != REQUEST_OWN &&
	    (why_current() || task_pass((void *)bpf_get_current_task())))
		*port = 1;
	if (to == TCP_SYN_SENT || from == TCP_SYN_SENT || (to == TCP_CLOSE && request_shared.behind))
		request_dial((__u64)sk, to);
	/* the port is given back by then */
	if (to == TCP_CLOSE)
		request_end((__u64)sk, 0);
	return 0;
}

#endif
