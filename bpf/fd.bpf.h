/* SPDX-License-Identifier: BSD-2-Clause */
/* File descriptors of the current task. */
#ifndef SONDE_BPF_FD_BPF_H
#define SONDE_BPF_FD_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* The open file of a descriptor; NULL: not open. */
static __always_inline struct file *fd_file(int fd)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct file **files, *file = NULL;

	if (fd < 0 || (__u32)fd >= BPF_CORE_READ(task, files, fdt, max_fds))
		return NULL;
	files = BPF_CORE_READ(task, files, fdt, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + fd);
	return file;
}

/* The socket of a descriptor that is known to be one. */
static __always_inline struct sock *fd_sock(int fd)
{
	struct file *file = fd_file(fd);
	struct socket *socket = BPF_CORE_READ(file, private_data);

	return BPF_CORE_READ(socket, sk);
}

#endif
