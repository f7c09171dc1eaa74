// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports signals that are sent by a system call, when the call returns. It also returns in a process that has just
 * killed itself, because a signal takes effect on the way back to user space.
 */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/fd.bpf.h"
#include "tools/killsnoop.h"

#define EBADF		 9
#define PROC_SUPER_MAGIC 0x9fa0
#define PID_FS_MAGIC	 0x50494446

/* In place of a descriptor: the caller itself (Linux 6.15, where the second number was another one). */
#define PIDFD_SELF_THREAD	      -10000
#define PIDFD_SELF_THREAD_GROUP	      -10001
#define PIDFD_SELF_THREAD_GROUP_FIRST -20000

#define SIGNALS_MAX 64

const volatile struct killsnoop_config config SEC(".rodata.config");

struct call {
	int signal, ret;
	int target, tgid;
	bool known; /* the target is known */
};

/*
 * The process of a descriptor that the call has accepted. It comes from pidfd_open(2), whose files are in a file
 * system of their own since 6.9 and anonymous before, or is a directory of /proc. flags: the kernel checks flags
 * before the descriptor, and kernels with anonymous files allow none.
 */
static __always_inline struct pid *pid_of(int fd, bool flags)
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

static __always_inline int number_of(struct pid *pid)
{
	if (event_setup.pidns_ino)
		return task_id_in_pidns(pid, event_setup.pidns_ino);
	return BPF_CORE_READ(pid, numbers[0].nr);
}

static __always_inline void find_target(struct call *call, int fd, bool flags)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct pid *pid;

	if (call->ret == -EBADF)
		return;
	if (fd == PIDFD_SELF_THREAD)
		pid = BPF_CORE_READ(task, thread_pid);
	else if (fd == PIDFD_SELF_THREAD_GROUP || fd == PIDFD_SELF_THREAD_GROUP_FIRST)
		pid = BPF_CORE_READ(task, group_leader, thread_pid);
	else
		pid = pid_of(fd, flags);
	call->known = pid;
	call->target = pid ? number_of(pid) : 0;
}

/* Reads the arguments. The calls differ only in which argument is the process, the thread and the signal. */
static __always_inline bool read_call(void *ctx, struct call *call)
{
	struct context_syscall sys;

	if (!context_sys_exit(ctx, &sys))
		return false;
	call->ret = sys.ret;
	call->target = sys.args[0];
	call->signal = sys.args[1];
	call->known = true;
	switch (context_probe()) {
	case KILLSNOOP_TGKILL:
	case KILLSNOOP_TGSIGQUEUE:
		call->tgid = sys.args[0];
		call->target = sys.args[1];
		call->signal = sys.args[2];
		break;
	case KILLSNOOP_PIDFD:
		call->known = false;
		find_target(call, sys.args[0], sys.args[3]);
		break;
	}
	return true;
}

static __always_inline bool signal_wanted(int signal)
{
	if (!config.by_signal)
		return true;
	if (signal <= 0 || signal > SIGNALS_MAX)
		return !signal && config.zero;
	return config.signals >> (signal - 1) & 1;
}

static __always_inline bool target_wanted(const struct call *call)
{
	int wanted = config.target;

	return !wanted || call->target == wanted || call->tgid == wanted;
}

SEC("raw_tp")
int signal_sent(void *ctx)
{
	struct killsnoop_event *e;
	struct call call = {};

	if ((config.failed && context_result(ctx) >= 0) || !event_wanted() || !read_call(ctx, &call))
		return 0;
	if (!signal_wanted(call.signal) || !target_wanted(&call) || !(e = event_new(sizeof(*e))))
		return 0;
	e->signal = call.signal;
	e->ret = call.ret;
	e->target = call.target;
	e->tgid = call.tgid;
	e->call = context_probe();
	e->target_known = call.known;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
