/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cells of connections (bpf/request.h), and the records that are made of them. What was sent over TCP is known by the
 * socket's write_seq: so an answer has begun even if the client has got it, and asks again, before the send is noted.
 */
#ifndef SONDE_BPF_REQUEST_CELL_BPF_H
#define SONDE_BPF_REQUEST_CELL_BPF_H

#include "bpf/request.h"
#include "bpf/request_joined.bpf.h"
#include "bpf/tcp.bpf.h"
#include "bpf/typed.bpf.h"
#include "bpf/why_link.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_CELLS);
	__type(key, __u64);
	__type(value, struct request_cell);
} request_cells SEC(".maps");

/* The socket of a server by both ends of its connection, for the client's socket; and by the client's, once it is known. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * (REQUEST_CELLS + REQUEST_PLACES));
	__type(key, __u64);
	__type(value, __u64);
} request_peers SEC(".maps");

/*
 * Connections of measured threads to other servers. Not each unix socket shows its end: what was not used for longest
 * makes room.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, REQUEST_CELLS);
	__type(key, __u64);
	__type(value, struct request_behind);
} request_behinds SEC(".maps");

/* User space sets both sizes: REQUEST_PLACES. */
SEC(".data.request_places")
struct request_cell request_places[1] = {};
SEC(".data.request_pairs")
struct request_pair request_pairs[1] = {};

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

/* What each hit asks of a socket. */
struct request_head {
	__u16 own, other; /* ports */
	__u16 family;
	__u8 state;
};

/* Without types one read: in the kernel's struct, the other port, the own one, the family and the state follow each other. */
static __always_inline struct request_head request_read_head(struct sock *sk)
{
	__u32 ports = bpf_core_field_offset(sk->__sk_common.skc_portpair);
	__u64 words = 0;

	bpf_probe_read_kernel(&words, sizeof(words), (void *)sk + ports);
	return (struct request_head){
		.other = __builtin_bswap16(words),
		.own = words >> 16,
		.family = words >> (bpf_core_field_offset(sk->__sk_common.skc_family) - ports) * 8,
		.state = words >> (bpf_core_field_offset(sk->__sk_common.skc_state) - ports) * 8,
	};
}

/* Of the hit's own socket. */
static __always_inline struct request_head request_head_of(struct sock *sk)
{
	if (!typed_arguments())
		return request_read_head(sk);
	return (struct request_head){
		.other = __builtin_bswap16(sk->__sk_common.skc_dport),
		.own = sk->__sk_common.skc_num,
		.family = sk->__sk_common.skc_family,
		.state = sk->__sk_common.skc_state,
	};
}

/* The write_seq of the hit's own socket, whose key that is. */
static __always_inline __u32 request_own_seq(struct sock *sk, __u64 key)
{
	struct tcp_sock *tcp;

	if (!typed_arguments())
		return request_write_seq((void *)key);
	tcp = bpf_skc_to_tcp_sock(sk);
	return tcp ? tcp->write_seq : 0;
}

/* An address of version 4 has four bytes, what follows them is not of it. */
static __always_inline void request_copy(unsigned char to[16], const unsigned char from[16], __u32 version)
{
	__builtin_memcpy(to, from, 16);
	if (version == 4)
		((__u32 *)to)[1] = ((__u32 *)to)[2] = ((__u32 *)to)[3] = 0;
}

#define REQUEST_MIX 0x9e3779b97f4a7c15ULL

static __always_inline __u64 request_mix(__u64 key, __u64 word)
{
	key = (key ^ word) * REQUEST_MIX;
	return key ^ key >> 32;
}

static __always_inline bool request_is_loopback(const unsigned char address[16], __u32 version)
{
	const __u64 *words = (const __u64 *)address;

	return version == 4 ? address[0] == 127 : !words[0] && words[1] == bpf_cpu_to_be64(1);
}

/*
 * The key of a connection in "request_peers", the same for both of its sockets. Each network namespace has a loopback of
 * its own.
 */
static __always_inline __u64 request_pair(struct sock *sk, const void *address, const void *client_address, __u64 port,
					  __u64 client_port, __u32 version)
{
	const __u64 *server = address, *client = client_address;
	__u64 key = request_mix(port << 16 | client_port, server[0]);

	key = request_mix(key, server[1]);
	key = request_mix(key, client[0]);
	key = request_mix(key, client[1]);
	if (request_is_loopback(address, version) && bpf_core_field_exists(sk->__sk_common.skc_net.net))
		key = request_mix(key, (__u64)BPF_CORE_READ(sk, __sk_common.skc_net.net));
	return key;
}

/* --- places --- */

static __always_inline __u64 request_at(__u64 key, __u32 second)
{
	__u64 at = key * REQUEST_MIX >> 32 ^ second;

	barrier_var(at);
	return at & (REQUEST_PLACES - 1);
}

/* The first or the second place of a connection. */
static __always_inline struct request_cell *request_place(__u64 key, __u32 second)
{
	return (void *)slot_begin(request_places) + request_at(key, second) * sizeof(struct request_cell);
}

/* key: not 0. */
static __always_inline struct request_cell *request_find(__u64 key)
{
	struct request_cell *cell = request_place(key, 0);

	if (cell->sock == key)
		return cell;
	cell = request_place(key, 1);
	if (cell->sock == key)
		return cell;
	return request_shared.hashed ? bpf_map_lookup_elem(&request_cells, &key) : NULL;
}

/* Takes a place if it is free; as why_take(). */
static __always_inline bool request_take_place(struct request_cell *to, const struct request_cell *cell)
{
	bool taken = false;

	if (to->sock)
		return false;
	atomic_add(&to->busy, 1);
	if (*(volatile __u32 *)&to->busy == 1 && !*(volatile __u64 *)&to->sock) {
		__builtin_memcpy((__u64 *)to + 2, (const __u64 *)cell + 2, sizeof(*to) - 16);
		*(volatile __u64 *)&to->sock = cell->sock;
		taken = true;
	}
	atomic_add(&to->busy, -1);
	return taken;
}

/*
 * NULL: there is no room. Another processor may add the same unix socket: of two places that have it, the first one stays,
 * which is the one that is found.
 */
static __noinline struct request_cell *request_add(const struct request_cell *cell)
{
	__u64 key = cell->sock;
	struct request_cell *first = request_place(key, 0), *second = request_place(key, 1), *hashed;

	if (request_take_place(first, cell)) {
		if (*(volatile __u64 *)&second->sock == key)
			*(volatile __u64 *)&second->sock = 0;
		return first;
	}
	if (request_take_place(second, cell)) {
		if (*(volatile __u64 *)&first->sock != key)
			return second;
		*(volatile __u64 *)&second->sock = 0;
		return first;
	}
	if (!bpf_map_update_elem(&request_cells, &key, cell, BPF_NOEXIST))
		atomic_add(&request_shared.hashed, 1);
	hashed = bpf_map_lookup_elem(&request_cells, &key);
	if (!hashed)
		atomic_add(&request_shared.no_room, 1);
	return hashed;
}

/* key: the caller's; the cell may be another connection's by now. */
static __always_inline void request_remove(struct request_cell *cell, __u64 key)
{
	if (*(volatile __u64 *)&cell->sock != key)
		return;
	if (cell == request_place(key, 0) || cell == request_place(key, 1))
		*(volatile __u64 *)&cell->sock = 0;
	else if (!bpf_map_delete_elem(&request_cells, &key))
		atomic_add(&request_shared.hashed, -1);
}

/* --- cells --- */

/* A connection that was not known, or an earlier one at this address whose end was not seen. */
static __noinline struct request_cell *request_new(__u64 key, __u64 now)
{
	struct sock *sk = (void *)key;
	struct request_cell cell = { .sock = key, .birth = now, .life = now }, *added;
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
	cell.peer = request_pair(sk, cell.address, cell.client, cell.port, cell.client_port, cell.version);
	cell.seq = cell.sent_seq = request_write_seq(sk);
	cell.aside = *request_port(cell.port) == REQUEST_BEHIND;
	added = request_add(&cell);
	if (added && bpf_map_update_elem(&request_peers, &cell.peer, &key, BPF_ANY))
		atomic_add(&request_shared.no_peer, 1);
	return added;
}

/* By both ends of the connection. It is remembered by the socket. */
static __noinline struct request_cell *request_find_server(__u64 client)
{
	struct sock *sk = (void *)client;
	struct request_cell *cell;
	struct tcp_ends ends = {};
	__u64 address[2] = {}, own[2] = {}, *server, key;

	tcp_read_addresses(sk, &ends);
	tcp_read_ports(sk, &ends, false);
	request_copy((void *)address, ends.raddr, ends.version);
	request_copy((void *)own, ends.laddr, ends.version);
	key = request_pair(sk, address, own, ends.rport, ends.lport, ends.version);
	server = bpf_map_lookup_elem(&request_peers, &key);
	if (!server)
		return NULL;
	key = *server;
	cell = request_find(key);
	if (cell && !cell->client_sock && !bpf_map_update_elem(&request_peers, &client, &key, BPF_ANY))
		cell->client_sock = client;
	return cell;
}

static __always_inline struct request_pair *request_pair_of(__u64 client)
{
	return (void *)slot_begin(request_pairs) + request_at(client, 0) * sizeof(struct request_pair);
}

/* Else another socket has the address by now, whose connection has other ports. */
static __always_inline bool request_is_of(const struct request_cell *cell, __u64 client, __u32 own, __u32 other)
{
	return cell && cell->client_sock == client && cell->client_port == own && cell->port == other;
}

/* The server's end of a connection, by the socket of its client. NULL: it is not on this machine, or not known. */
static __noinline struct request_cell *request_server(__u64 client, __u32 own, __u32 other)
{
	struct request_pair *pair = request_pair_of(client);
	struct request_cell *cell;
	__u64 *known, server;

	if (pair->client == client) {
		cell = request_find(pair->server);
		if (request_is_of(cell, client, own, other))
			return cell;
		/* another processor may have written to it, too: the hash says what is right */
		pair->client = 0;
	}
	known = bpf_map_lookup_elem(&request_peers, &client);
	if (!known)
		return request_find_server(client);
	server = *known;
	cell = request_find(server);
	if (request_is_of(cell, client, own, other)) {
		pair->server = server;
		pair->client = client;
		return cell;
	}
	bpf_map_delete_elem(&request_peers, &client);
	if (cell && cell->client_sock == client)
		cell->client_sock = 0;
	return request_find_server(client);
}

/* key: as of request_remove(). both: of the thread, as the helper has it. */
static __noinline int request_write(const struct request_cell *cell, __u64 key, __u64 now, __u32 kind, __u64 both)
{
	__u64 words = kind == WHY_LINK_DONE ? REQUEST_WHOLE : REQUEST_SHORT;
	struct request_event *to;
	struct ring_place place;
	__u64 *record;

	if (*(volatile __u64 *)&cell->sock != key)
		return 0;
	record = ring_reserve_untimed(&place, words + 1);
	if (!record)
		return 0;
	to = (void *)(record + RING_TIME);
	to->time = now;
	to->sock = key;
	to->birth = cell->birth;
	to->arrived = cell->arrived;
	*(__u64 *)&to->tid = both;
	to->round = cell->round;
	to->merged = kind == WHY_LINK_READ ? cell->aside : cell->merged;
	if (kind == WHY_LINK_DONE) {
		to->sent_at = cell->sent_at;
		to->client_at = cell->client_at;
		to->name = cell->version == REQUEST_UNIX ? cell->name : 0;
		__builtin_memcpy(to->client, cell->client, sizeof(to->client));
		to->client_pid = cell->client_pid; /* or both ports */
		to->version = cell->version;
	}
	ring_commit(&place, kind, words + 1);
	return 0;
}

/* Who has sent last, or has read. */
static __always_inline __u64 request_sender(const struct request_cell *cell)
{
	return *(const __u64 *)&cell->sender;
}

static __always_inline void request_note_sender(struct request_cell *cell, __u64 both)
{
	*(__u64 *)&cell->sender = both;
}

/* The answer is over since cell->sent_at. */
static __always_inline void request_over(const struct request_cell *cell, __u64 key, __u64 now)
{
	if (cell->arrived)
		request_write(cell, key, now, WHY_LINK_DONE, request_sender(cell));
	else
		atomic_add(&request_shared.in_midst, 1);
}

/* The answer that has begun is over. written: the socket's write_seq. */
static __always_inline void request_finish(struct request_cell *cell, __u64 key, __u32 written, __u64 now)
{
	/* the client has got it, and the send is on its way back */
	if (cell->sent_seq != written || cell->sent_at < cell->arrived)
		cell->sent_at = now;
	request_over(cell, key, now);
}

/* The current task has read of it. seq: as in the cell, now. */
static __always_inline void request_note_read(struct request_cell *cell, __u64 key, __u32 seq, __u64 now)
{
	__u64 both = bpf_get_current_pid_tgid();

	cell->seq = seq;
	cell->state = REQUEST_READ;
	request_note_sender(cell, both);
	if (cell->arrived)
		request_write(cell, key, now, WHY_LINK_READ, both);
}

/* The current task has sent. written: what the cell is to have as sent_seq. */
static __always_inline void request_note_sent(struct request_cell *cell, __u64 key, __u32 written, __u64 now)
{
	__u64 both = bpf_get_current_pid_tgid();

	if (cell->state == REQUEST_IDLE)
		atomic_add(&request_shared.early, 1);
	request_note_sender(cell, both);
	*(volatile __u64 *)&cell->sent_at = now;
	*(volatile __u32 *)&cell->sent_seq = written;
	if (cell->state != REQUEST_READ || written == cell->seq || cell->answered == cell->round)
		return;
	cell->answered = cell->round;
	if (cell->arrived)
		request_write(cell, key, now, WHY_LINK_SEND, both);
}

static __always_inline void request_begin(struct request_cell *cell, __u64 now)
{
	cell->arrived = now;
	cell->client_at = 0;
	cell->merged = 0;
	cell->round++;
	barrier();
	cell->state = REQUEST_ARRIVED;
}

/* The record says that nothing was sent. */
static __always_inline void request_unanswered(struct request_cell *cell, __u64 key)
{
	cell->sent_at = 0;
	request_over(cell, key, bpf_ktime_get_ns());
}

/* An earlier connection between the same ends may not be over yet: the last one has the place. */
static __noinline int request_forget(struct request_cell *cell, __u64 key)
{
	const bool is_unix = cell->version == REQUEST_UNIX;
	__u64 peer = cell->peer, client = is_unix ? 0 : cell->client_sock, *of = NULL;

	if (*(volatile __u64 *)&cell->sock != key)
		return 0;
	if (!is_unix)
		of = bpf_map_lookup_elem(&request_peers, &peer);
	if (of && *of == key)
		bpf_map_delete_elem(&request_peers, &peer);
	if (client)
		bpf_map_delete_elem(&request_peers, &client);
	request_remove(cell, key);
	return 0;
}

/*
 * Unix: its client has read, and asks again or has closed: the send has not come back yet. Who read is the one that
 * sends, as far as is known.
 */
static __always_inline void request_was_answered(struct request_cell *cell, __u64 key)
{
	cell->sent_at = cell->client_at;
	cell->sent_seq++;
	cell->answered = cell->round;
	if (cell->arrived)
		request_write(cell, key, cell->client_at, WHY_LINK_SEND, request_sender(cell));
}

/* False: another program notes the end of this connection, or has done so. Before Linux 5.12, two can do so at once. */
static __always_inline bool request_claim_end(struct request_cell *cell, __u64 birth)
{
	if (__sync_val_compare_and_swap(&cell->life, birth, 0) != birth)
		return false;
	*(volatile __u64 *)&cell->life = 0;
	return true;
}

/*
 * A connection of the server is over: the one that was born then; 0: whichever has the address. False: another program is
 * about to note its end.
 */
__noinline int request_end(__u64 key, __u64 birth)
{
	struct request_cell *cell = request_find(key);

	if (!cell)
		return true;
	if (!request_claim_end(cell, birth ?: cell->birth))
		return false;
	if (cell->version == REQUEST_UNIX && cell->state == REQUEST_READ && cell->sent_seq == cell->seq && cell->client_at)
		request_was_answered(cell, key);
	/* write_seq counts the end of the stream by now: what was sent is what was seen */
	if (cell->state == REQUEST_READ && cell->sent_seq != cell->seq)
		request_finish(cell, key, cell->sent_seq, bpf_ktime_get_ns());
	else if (cell->state == REQUEST_READ)
		request_unanswered(cell, key);
	request_forget(cell, key);
	return true;
}

/* As request_is_own(), of a connection of which nobody has read. A function of its own for its frame. */
static __noinline int request_own(struct request_cell *cell, __u64 key)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (cell->aside && cell->ours)
		request_join(tgid);
	if (!why_current() && !task_pass((void *)bpf_get_current_task()) && !request_has_joined(tgid)) {
		request_forget(cell, key);
		return false;
	}
	cell->owned = 1;
	*request_serving(tgid) = 1;
	return true;
}

/* Whether the thread that reads is one of the server's, or of a server behind: then its connection is. */
static __always_inline bool request_is_own(struct request_cell *cell, __u64 key)
{
	return cell->owned || request_own(cell, key);
}

/* Whether the current thread is measured, and may ask servers behind. */
static __always_inline bool request_asks(void)
{
	return *request_serving(bpf_get_current_pid_tgid() >> 32) && why_current();
}

#endif
