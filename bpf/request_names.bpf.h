/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of unix sockets. The socket of a server's connection has the address of its listener, and shares it; that of
 * a client has none, or one of its own. So whether a connection is the server's is known by the address, but not by its
 * pointer, which comes again.
 */
#ifndef SONDE_BPF_REQUEST_NAMES_BPF_H
#define SONDE_BPF_REQUEST_NAMES_BPF_H

#include "bpf/request_cell.bpf.h"

#define REQUEST_STREAM	  1 /* SOCK_STREAM */
#define REQUEST_SUN_PATH  108
#define REQUEST_FOREIGN	  256
#define REQUEST_NO_LOOKUP 4096

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, REQUEST_NAMES);
	__type(key, __u64);
	__type(value, struct request_known);
} request_names SEC(".maps");

SEC(".data.request_foreign")
struct request_foreign request_foreign[REQUEST_FOREIGN] = {};

static __always_inline struct request_foreign *request_foreign_of(__u64 address)
{
	__u64 at = address * REQUEST_MIX >> 32;

	barrier_var(at);
	at &= REQUEST_FOREIGN - 1;
	return slot_begin(request_foreign) + at;
}

static __always_inline bool request_is_foreign(__u64 address)
{
	struct request_foreign *foreign = request_foreign_of(address);

	if (foreign->address != address || !foreign->left)
		return false;
	foreign->left--;
	return true;
}

static __always_inline void request_add_foreign(__u64 address)
{
	struct request_foreign *foreign = request_foreign_of(address);

	foreign->address = address;
	foreign->left = REQUEST_NO_LOOKUP;
}

static __always_inline __u64 request_unix_address(struct sock *sk)
{
	return (__u64)BPF_CORE_READ((struct unix_sock *)sk, addr);
}

static __always_inline struct sock *request_unix_peer(struct sock *sk)
{
	return BPF_CORE_READ((struct unix_sock *)sk, peer);
}

/* Tells connections apart whose sockets have the same address; 0: it is closed, or not accepted yet. */
static __always_inline __u64 request_unix_inode(struct sock *sk)
{
	struct socket *socket = BPF_CORE_READ(sk, sk_socket);

	return socket ? BPF_CORE_READ(socket, file, f_inode, i_ino) : 0;
}

/* The first thread of the process that a socket has as its peer; NULL: it has ended. */
static __always_inline struct task_struct *request_unix_task(struct sock *sk)
{
	struct pid *pid = BPF_CORE_READ(sk, sk_peer_pid);
	struct hlist_node *link = BPF_CORE_READ(pid, tasks[0].first);

	return link ? (void *)link - bpf_core_field_offset(struct task_struct, pid_links) : NULL;
}

static __always_inline void request_read_name(struct request_name *name, __u64 address)
{
	__u32 n = BPF_CORE_READ((struct unix_address *)address, len) - sizeof(short);
	const void *from = (void *)address + bpf_core_field_offset(struct unix_address, name) + sizeof(short);

	__builtin_memset(name, 0, sizeof(*name));
	barrier_var(n);
	n &= 127;
	if (n <= REQUEST_SUN_PATH)
		bpf_probe_read_kernel(name, n, from);
}

static __always_inline bool request_add_name(__u64 key, const struct request_known *known)
{
	if (!bpf_map_update_elem(&request_names, &key, known, BPF_ANY))
		return true;
	atomic_add(&request_shared.no_name, 1);
	return false;
}

/*
 * The key of the name of a socket whose connection is not known yet; 0: it is none of the server's. A measured process
 * listens, or a measured thread reads (by_reader), or user space knows the name.
 */
__noinline __u64 request_unix_name(__u64 sock, bool by_reader)
{
	struct sock *sk = (void *)sock, *client = request_unix_peer(sk);
	__u64 address = request_unix_address(sk), key;
	struct request_known known = {}, *before;
	struct task_struct *listener;

	if (BPF_CORE_READ(sk, sk_type) != REQUEST_STREAM || !client || !address) {
		request_add_foreign(address);
		return 0;
	}
	request_read_name(&known.name, address);
	key = request_name_key(&known.name);
	before = bpf_map_lookup_elem(&request_names, &key);
	if (before && before->wanted)
		return key;
	/* with a port, the server is there only */
	listener = by_reader || config.one_port ? NULL : request_unix_task(client);
	if (config.one_port || (!by_reader && (!listener || !task_pass(listener)))) {
		request_add_foreign(address);
		return 0;
	}
	known.wanted = REQUEST_OWN;
	return request_add_name(key, &known) ? key : 0;
}

/* The key of the name of the server that the other end of a connection belongs to; 0: there are too many. */
__noinline __u64 request_unix_server(__u64 sock)
{
	struct sock *server = request_unix_peer((void *)sock);
	__u64 address = server ? request_unix_address(server) : 0, key;
	struct request_known known = {};

	if (!address)
		return 0;
	request_read_name(&known.name, address);
	key = request_name_key(&known.name);
	if (!bpf_map_lookup_elem(&request_names, &key) && !request_add_name(key, &known))
		return 0;
	return key;
}

/* The other end of a connection is a server that is measured from now on. */
__noinline int request_unix_want(__u64 sock)
{
	struct sock *server = request_unix_peer((void *)sock);
	__u64 address = server ? request_unix_address(server) : 0, key = address ? request_unix_server(sock) : 0;
	struct request_known *known = key ? bpf_map_lookup_elem(&request_names, &key) : NULL;
	struct request_foreign *foreign;

	if (!known || known->wanted)
		return 0;
	known->wanted = REQUEST_BEHIND;
	foreign = request_foreign_of(address);
	if (foreign->address == address)
		foreign->left = 0;
	return 0;
}

#endif
