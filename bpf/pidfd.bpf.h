/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process a pidfd stands for. */
#ifndef SONDE_BPF_PIDFD_BPF_H
#define SONDE_BPF_PIDFD_BPF_H

#include "bpf/fd.bpf.h"

#define PROC_SUPER_MAGIC 0x9fa0
#define PID_FS_MAGIC	 0x50494446

/* In place of a descriptor: the caller itself (Linux 6.15, where the second number was another one). */
#define PIDFD_SELF_THREAD	      -10000
#define PIDFD_SELF_THREAD_GROUP	      -10001
#define PIDFD_SELF_THREAD_GROUP_FIRST -20000

/*
 * The process of a descriptor that the kernel has accepted. It comes from pidfd_open(2), whose files are in a file
 * system of their own since 6.9 and anonymous before, or is a directory of /proc. flags: the call had flags. The
 * kernel checks flags before the descriptor, and kernels with anonymous files allow none.
 */
static __always_inline struct pid *pidfd_of_file(int fd, bool flags)
{
	struct file *file = fd_file(fd);
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	unsigned long magic = BPF_CORE_READ(inode, i_sb, s_magic);

	if (magic == PID_FS_MAGIC)
		return BPF_CORE_READ(inode, i_private);
	if (magic == PROC_SUPER_MAGIC) {
		struct proc_inode *proc = (void *)inode - bpf_core_field_offset(struct proc_inode, vfs_inode);

		return BPF_CORE_READ(proc, pid);
	}
	return flags ? NULL : BPF_CORE_READ(file, private_data);
}

/* The same, also for the numbers that stand for the caller. NULL: the descriptor is not open. */
static __always_inline struct pid *pidfd_pid(int fd, bool flags)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	if (fd == PIDFD_SELF_THREAD)
		return BPF_CORE_READ(task, thread_pid);
	if (fd == PIDFD_SELF_THREAD_GROUP || fd == PIDFD_SELF_THREAD_GROUP_FIRST)
		return BPF_CORE_READ(task, group_leader, thread_pid);
	return pidfd_of_file(fd, flags);
}

#endif
