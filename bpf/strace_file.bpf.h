/* SPDX-License-Identifier: BSD-2-Clause */
/* What a descriptor of the current task is open on, when a call begins or ends: for -y and -P. */
#ifndef SONDE_BPF_STRACE_FILE_BPF_H
#define SONDE_BPF_STRACE_FILE_BPF_H

#include "bpf/path.bpf.h"
#include "bpf/pidfd.bpf.h"
#include "bpf/task.bpf.h"
#include "bpf/tcp.bpf.h"
#include "bpf/path.h"
#include "bpf/strace.h"

#define AF_UNIX	   1
#define AF_INET	   2
#define AF_NETLINK 16

#define FILE_DEPTH 40
#define FILE_ROOM  1024 /* bytes of the names, a power of two */

static __always_inline void read_inet(struct strace_file *to, struct sock *sk)
{
	to->own_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	to->peer_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	to->state = BPF_CORE_READ(sk, __sk_common.skc_state);
	if (to->family == AF_INET) {
		BPF_CORE_READ_INTO((__u32 *)to->own, sk, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((__u32 *)to->peer, sk, __sk_common.skc_daddr);
	} else {
		BPF_CORE_READ_INTO(&to->own, sk, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&to->peer, sk, __sk_common.skc_v6_daddr);
	}
}

static __always_inline void read_unix(struct strace_file *to, struct sock *sk)
{
	struct sock *peer = BPF_CORE_READ((struct unix_sock *)sk, peer);
	struct unix_address *address = BPF_CORE_READ((struct unix_sock *)sk, addr);
	struct socket *socket = BPF_CORE_READ(peer, sk_socket);

	to->peer_inode = socket ? BPF_CORE_READ(socket, file, f_inode, i_ino) : 0;
	if (!address)
		return;
	/* the family is part of the length; both are before the name */
	to->name_size = BPF_CORE_READ(address, len) - sizeof(short);
	/* before 5.18 a hash is between the length and the name */
	bpf_probe_read_kernel(to->name, sizeof(to->name),
			      (void *)address + bpf_core_field_offset(struct unix_address, name) + sizeof(short));
}

static __always_inline void read_socket(struct strace_file *to, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sk = BPF_CORE_READ(socket, sk);

	to->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	to->type = BPF_CORE_READ(socket, type);
	to->protocol = BPF_CORE_READ(sk, sk_protocol);
	if (to->family == AF_INET || to->family == AF_INET6)
		read_inet(to, sk);
	else if (to->family == AF_UNIX && bpf_core_type_exists(struct unix_sock))
		read_unix(to, sk);
	else if (to->family == AF_NETLINK && bpf_core_type_exists(struct netlink_sock))
		to->peer_inode = BPF_CORE_READ((struct netlink_sock *)sk, portid);
}

/* The protocol of a socket of netlink; -1: the descriptor is none. */
static __always_inline __s32 netlink_protocol(int fd)
{
	struct file *file = fd_file(fd);
	struct socket *socket;
	struct sock *sk;

	if (!file || BPF_CORE_READ(file, f_inode, i_sb, s_magic) != STRACE_SOCKETS)
		return -1;
	socket = BPF_CORE_READ(file, private_data);
	sk = BPF_CORE_READ(socket, sk);
	if (BPF_CORE_READ(sk, __sk_common.skc_family) != AF_NETLINK)
		return -1;
	return BPF_CORE_READ(sk, sk_protocol);
}

/* The number that the reader has for a process. */
static __always_inline __u32 id_of(struct pid *pid)
{
	struct upid *first = (void *)pid + bpf_core_field_offset(struct pid, numbers);

	return event_setup.pidns_ino ? task_id_in_pidns(pid, event_setup.pidns_ino) : BPF_CORE_READ(first, nr);
}

/* The file itself: false: the descriptor is not open. */
static __always_inline bool read_file(struct strace_file *to, int fd, struct path *path)
{
	struct file *file = fd == AT_FDCWD ? NULL : fd_file(fd);
	struct inode *inode;
	struct dentry *dentry;

	if (!path_find_base(fd, path))
		return false;
	dentry = path->dentry;
	inode = BPF_CORE_READ(dentry, d_inode);
	to->inode = BPF_CORE_READ(inode, i_ino);
	to->mode = BPF_CORE_READ(inode, i_mode);
	to->device = BPF_CORE_READ(inode, i_rdev);
	to->magic = BPF_CORE_READ(inode, i_sb, s_magic);
	to->unlinked = !BPF_CORE_READ(dentry, d_hash.pprev) && BPF_CORE_READ(dentry, d_parent) != dentry;
	if (file && to->magic == STRACE_SOCKETS)
		read_socket(to, file);
	else if (to->magic == PID_FS_MAGIC)
		to->pid = id_of(BPF_CORE_READ(inode, i_private));
	return true;
}

/* A blob: struct strace_file, with the names of the path from the innermost out. */
static __always_inline void file_blob(struct strace_blob *blob, int fd)
{
	struct strace_file *file = (void *)(blob + 1);
	struct path path = {};

	__builtin_memset(file, 0, sizeof(*file));
	if (!read_file(file, fd, &path))
		return;
	/* what is in no directory has a name by itself: anon_inode:[eventpoll], memfd:NAME */
	if (BPF_CORE_READ(path.dentry, d_parent) == path.dentry &&
	    path.dentry != BPF_CORE_READ(path.mnt, mnt_root)) {
		long n = bpf_probe_read_kernel_str(file->path.text, PATH_NAME_MAX, BPF_CORE_READ(path.dentry, d_name.name));

		file->path.dirs_size = n > 0 ? n : 0;
		file->unlinked = 1;
		return;
	}
	path_read_dirs(&file->path, &path, FILE_DEPTH, 0, FILE_ROOM);
}

#endif
