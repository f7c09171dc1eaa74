/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a thread goes to sleep: by the system call in progress, which is in the registers that the kernel saved when the
 * thread entered it, and by what its first argument stands for. The thread is the current task.
 */
#ifndef SONDE_BPF_WHY_CALL_BPF_H
#define SONDE_BPF_WHY_CALL_BPF_H

#include "bpf/why_futex.bpf.h"

#define WHY_IFMT  0xf000
#define WHY_FIFO  0x1000
#define WHY_CHR	  0x2000
#define WHY_SOCK  0xc000
#define WHY_MAJOR 20 /* of a device, in the kernel */

#define WHY_ANON_INODE_MAGIC 0x09041934

/* task_struct.flags: the thread is at its end, whatever call it was in; and it is frozen, before 6.1 */
#define WHY_PF_ENDS	(0x4 | 0x200 | 0x400) /* exits, dumps its memory, or has got a deadly signal */
#define WHY_PF_FROZEN	0x10000		      /* later: nothing, or threads of the kernel only */
#define WHY_PF_MEMALLOC 0x800		      /* reclaims or compacts memory */
#define WHY_FROZEN	0x8000		      /* a bit of the state since 6.1 */

/* restart_syscall(2), close(2) */
#if defined(__TARGET_ARCH_x86)
#define WHY_RESTART 219
#define WHY_CLOSE   3
#else
#define WHY_RESTART 128
#define WHY_CLOSE   57
#endif
#define WHY_RESTART_COMPAT 0

/* The most locks of a file that are looked at, and the last command of flock(2) that waits; fcntl(2) has higher ones */
#define WHY_FLOCKS  8
#define WHY_LOCK_EX 2

#define WHY_AF_UNIX  1
#define WHY_AF_INET  2
#define WHY_AF_INET6 10

const volatile __u8 why_calls[WHY_ABIS][WHY_CALLS] SEC(".rodata.calls");

/* The other end of a connection. A server's clients are one object for each address. */
static __always_inline void why_class_network(struct why_key *key, struct sock *sk, __u16 family)
{
	__u16 own = BPF_CORE_READ(sk, __sk_common.skc_num), peer = BPF_CORE_READ(sk, __sk_common.skc_dport);
	__u64 halves[2] = {};
	struct why_object *object;

	key->class = WHY_NETWORK;
	/* one that listens has no peer */
	if (!peer || __builtin_bswap16(peer) > own)
		peer = 0;
	else
		own = 0;
	if (family == WHY_AF_INET)
		halves[0] = BPF_CORE_READ(sk, __sk_common.skc_daddr);
	else
		BPF_CORE_READ_INTO(&halves, sk, __sk_common.skc_v6_daddr);
	key->a = halves[0] ^ halves[1];
	key->b = (__u64)family << 32 | (__u32)own << 16 | peer;
	object = why_object_of(key);
	if (!object || object->family)
		return;
	__builtin_memcpy(object->peer, halves, sizeof(halves));
	object->peer_port = peer;
	object->own_port = own;
	object->family = family;
}

static __always_inline bool why_is_tty(__u32 device)
{
	__u32 major = device >> WHY_MAJOR;

	return major == 4 || major == 5 || major == 204 || major == 229 || (major >= 136 && major <= 143);
}

/*
 * The following find the current task's thread themselves: they are global, so that the verifier follows them once, and
 * a global function takes numbers only.
 */
static __always_inline struct why_thread *why_current(void)
{
	return why_find(bpf_get_current_task());
}

/* Notes the path of the file for which the thread waits. */
__noinline int why_name(__u64 path)
{
	struct why_thread *thread = why_current();

	if (thread)
		why_name_file(&thread->key, (void *)path);
	return 0;
}

/* By a file that is no socket. */
__noinline int why_by_place(__u64 address)
{
	struct path *path = (void *)address;
	struct dentry *dentry = BPF_CORE_READ(path, dentry);
	struct inode *inode = BPF_CORE_READ(dentry, d_inode);
	__u32 type = BPF_CORE_READ(inode, i_mode) & WHY_IFMT;
	struct why_thread *thread = why_current();

	if (!thread)
		return 0;
	if (type == WHY_FIFO) {
		thread->key.class = WHY_PIPE;
		return 0;
	}
	if (type == WHY_CHR && why_is_tty(BPF_CORE_READ(inode, i_rdev))) {
		thread->key.class = WHY_TTY;
	} else if (type == WHY_CHR || !type || BPF_CORE_READ(inode, i_sb, s_magic) == WHY_ANON_INODE_MAGIC) {
		thread->key.class = WHY_EVENT;
		bpf_probe_read_kernel_str(&thread->key.a, 16, BPF_CORE_READ(dentry, d_name.name));
		return 0;
	} else {
		thread->key.class = WHY_DISK;
	}
	thread->key.a = BPF_CORE_READ(inode, i_ino);
	thread->key.b = BPF_CORE_READ(inode, i_sb, s_dev);
	why_name(address);
	return 0;
}

static __always_inline void why_by_socket(struct why_key *key, struct file *file)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sk = BPF_CORE_READ(socket, sk);
	__u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	key->class = WHY_SOCKET;
	if (family == WHY_AF_INET || family == WHY_AF_INET6)
		why_class_network(key, sk, family);
}

/* By a file that the thread has not used in the call before. */
__noinline int why_by_file(__u64 address)
{
	struct file *file = (void *)address;
	struct why_thread *thread = why_current();

	if (!thread)
		return 0;
	if ((BPF_CORE_READ(file, f_inode, i_mode) & WHY_IFMT) == WHY_SOCK)
		why_by_socket(&thread->key, file);
	else
		why_by_place((__u64)&file->f_path);
	thread->file_class = thread->key.class;
	thread->file_a = thread->key.a;
	thread->file_b = thread->key.b;
	thread->file = address;
	return 0;
}

/* fd_file() by plain loads where these are possible. Global: see bpf/typed.bpf.h. */
__noinline __u64 why_file_at(int fd)
{
	struct fdtable *table;
	struct file *file = NULL;

	if (!typed_current())
		return (__u64)fd_file(fd);
	table = bpf_get_current_task_btf()->files->fdt;
	if (fd < 0 || (__u32)fd >= table->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), table->fd + fd);
	return (__u64)file;
}

static __always_inline struct file *why_file(int fd)
{
	return (void *)why_file_at(fd);
}

/* sched_read_switch(), with a plain load of the state. */
static __always_inline void why_read_switch(void *ctx, struct sched_switch *sw)
{
	struct task_struct___state *prev;

	if (!typed_current()) {
		sched_read_switch(ctx, sw);
		return;
	}
	prev = (void *)bpf_get_current_task_btf();
	sched_set_switch(ctx, sw, prev->__state);
}

static __always_inline bool why_in_iowait(void)
{
	struct task_struct *task;

	if (typed_current()) {
		task = bpf_get_current_task_btf();
		return BPF_CORE_READ_BITFIELD(task, in_iowait);
	}
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ_BITFIELD_PROBED(task, in_iowait);
}

/* By the file of a descriptor. It is looked at once as long as the thread goes on with it. */
static __always_inline void why_by_fd(struct why_thread *thread, int fd)
{
	struct file *file = why_file(fd);

	if (!file) { /* closed meanwhile, or AT_FDCWD */
		thread->key.class = WHY_KERNEL;
		return;
	}
	if (thread->file == (__u64)file) {
		thread->key.class = thread->file_class;
		thread->key.a = thread->file_a;
		thread->key.b = thread->file_b;
		return;
	}
	why_by_file((__u64)file);
}

/*
 * By the file or the directory where the current task is on its way along a path, as the kernel notes it: at the end of
 * open(2), which waits for the other end of a FIFO, it is the file. Past the path, all that is known is the call.
 */
static __always_inline void why_by_path(struct why_thread *thread)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct nameidata *at = BPF_CORE_READ(task, nameidata);
	struct path *path = &at->path;

	thread->key.class = WHY_KERNEL;
	if (at && BPF_CORE_READ(path, dentry, d_inode))
		why_by_place((__u64)path);
}

/* A lock of a file, by its place in the file's list. *waits: what its list of waiters is, to be compared with at. */
static __always_inline __u32 why_flock_at(struct list_head *node, __u64 *waits, __u64 *at)
{
	struct file_lock_core *core = (void *)node;
	struct file_lock *lock = (void *)node;

	if (bpf_core_field_exists(core->flc_pid)) {
		core = (void *)node - bpf_core_field_offset(core->flc_list);
		*at = (__u64)&core->flc_blocked_requests;
		*waits = (__u64)BPF_CORE_READ(core, flc_blocked_requests.next);
		return BPF_CORE_READ(core, flc_pid);
	}
	lock = (void *)node - bpf_core_field_offset(lock->fl_list);
	*at = (__u64)&lock->fl_blocked_requests;
	*waits = (__u64)BPF_CORE_READ(lock, fl_blocked_requests.next);
	return BPF_CORE_READ(lock, fl_pid);
}

/*
 * The process for whose lock of the file the current task waits. The kernel keeps who waits with each lock that is
 * held. If locks of several processes are waited for, it is not known whose this is: 0. In the loop nothing branches,
 * so the verifier follows one path: numbers are all the same if their bits together are those that they have in common.
 */
__noinline int why_flock_holder(__u64 list)
{
	struct list_head *head = (void *)list, *node = BPF_CORE_READ(head, next);
	__u64 any = 0, common = -1, waits, at, pid, waited;

	for (int i = 0; i < WHY_FLOCKS && node != head; i++) {
		pid = why_flock_at(node, &waits, &at);
		waited = waits ^ at;
		waited |= -waited;
		barrier_var(waited);
		waited = (__s64)waited >> 63; /* each bit, or none */
		any |= pid & waited;
		common &= pid | ~waited;
		node = BPF_CORE_READ(node, next);
	}
	return node == head && any == common ? any : 0;
}

/* flock(2), fcntl(2): the lock is the file's. Those of the two are kept apart, and their commands are, too. */
static __always_inline void why_by_flock(struct why_thread *thread, const struct why_regs *regs)
{
	struct file *file = why_file(regs->args[0]);
	struct file_lock_context *locks;
	struct inode *inode;
	__u32 holder = 0;

	thread->key.class = WHY_FLOCK;
	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	locks = bpf_core_field_exists(inode->i_flctx) ? BPF_CORE_READ(inode, i_flctx) : NULL;
	if (locks)
		holder = why_flock_holder((__u32)regs->args[1] <= WHY_LOCK_EX ? (__u64)&locks->flc_flock
									      : (__u64)&locks->flc_posix);
	thread->key.a = BPF_CORE_READ(inode, i_ino);
	thread->key.b = (__u64)BPF_CORE_READ(inode, i_sb, s_dev) << 32 | holder;
	why_name((__u64)&file->f_path);
}

/* What a task that goes to sleep is beside its call. */
struct why_beside {
	__u32 flags;
	bool frozen, stalls;
};

static __always_inline void why_read_beside(struct why_beside *to)
{
	struct task_struct *task;

	if (typed_current()) {
		task = bpf_get_current_task_btf();
		to->flags = task->flags;
		to->frozen = bpf_core_field_exists(task->frozen) && BPF_CORE_READ_BITFIELD(task, frozen);
		to->stalls = bpf_core_field_exists(task->in_memstall) && BPF_CORE_READ_BITFIELD(task, in_memstall);
		return;
	}
	task = (void *)bpf_get_current_task();
	to->flags = BPF_CORE_READ(task, flags);
	to->frozen = bpf_core_field_exists(task->frozen) && BPF_CORE_READ_BITFIELD_PROBED(task, frozen);
	to->stalls = bpf_core_field_exists(task->in_memstall) && BPF_CORE_READ_BITFIELD_PROBED(task, in_memstall);
}

/*
 * Whether the current task is at its end, looks for memory, or is held up by somebody: then its system call does not
 * matter. Pages that come back from a disk count as stalls, too; these are in iowait. The kernel counts a parent that
 * waits for the child of its vfork as frozen.
 */
static __always_inline __u32 why_beside_call(__u32 state)
{
	struct why_beside task;

	why_read_beside(&task);
	if (task.flags & WHY_PF_ENDS)
		return WHY_EXIT;
	if (task.flags & WHY_PF_MEMALLOC || (task.stalls && !why_in_iowait()))
		return WHY_ALLOCATION;
	return state & (TASK_STOPPED | TASK_TRACED | WHY_FROZEN) || task.flags & WHY_PF_FROZEN ||
			       (task.frozen && state & TASK_INTERRUPTIBLE)
		       ? WHY_STOPPED
		       : 0;
}

/* The arguments of socketcall(2), of 32-bit programs, are in memory. */
static __always_inline int why_socketcall_fd(const struct why_regs *regs)
{
	__u32 fd = -1;

	bpf_probe_read_user(&fd, sizeof(fd), (void *)regs->args[1]);
	return fd;
}

static __always_inline void why_by_call(struct why_thread *thread)
{
	__u32 how = WHY_KERNEL, last = thread->call;
	struct why_regs regs;

	thread->call = WHY_NO_CALL;
	if (thread->worker) {
		thread->key.class = WHY_AIO;
		return;
	}
	if (!why_read_regs(&regs)) {
		thread->key.class = WHY_UNKNOWN;
		return;
	}
	thread->place = why_place_of(&regs, regs.args[0]);
	if (regs.nr < 0) {
		thread->key.class = WHY_FAULT;
		return;
	}
	thread->call = regs.abi == WHY_NATIVE ? regs.nr : regs.nr | WHY_COMPAT_CALL;
	if (thread->call == (regs.abi == WHY_NATIVE ? WHY_RESTART : WHY_RESTART_COMPAT | WHY_COMPAT_CALL)) {
		/* it was interrupted, and goes on under this number, with the same arguments */
		regs.nr = last & ~WHY_COMPAT_CALL;
		thread->call = last;
	}
	if (regs.nr < WHY_CALLS)
		how = why_calls[regs.abi & 1][regs.nr & (WHY_CALLS - 1)];
	if (how == WHY_BY_FD)
		why_by_fd(thread, regs.args[0]);
	else if (how == WHY_BY_SOCKETCALL)
		why_by_fd(thread, why_socketcall_fd(&regs));
	else if (how == WHY_BY_FUTEX)
		why_by_futex(thread, &regs);
	else if (how == WHY_BY_FLOCK)
		why_by_flock(thread, &regs);
	else if (how == WHY_BY_PATH)
		why_by_path(thread);
	else
		thread->key.class = how;
	/* io_uring waits in iowait, too, for whatever it may be */
	if (thread->key.class != WHY_AIO && thread->key.class != WHY_DISK &&
	    why_in_iowait()) {
		__builtin_memset(&thread->key, 0, sizeof(thread->key));
		thread->key.class = WHY_DISK;
	}
	if (thread->key.class == WHY_KERNEL || (thread->key.class == WHY_DISK && !thread->key.a))
		thread->key.call = thread->call;
}

/*
 * Sets the key and the call of a thread that goes to sleep. Classes whose key is their class alone get the waker's name
 * later.
 */
static __always_inline void why_classify(struct why_thread *thread, __u32 state)
{
	__builtin_memset(&thread->key, 0, sizeof(thread->key));
	thread->place = 0;
	thread->key.class = why_beside_call(state);
	if (!thread->key.class) /* else the call goes on later */
		why_by_call(thread);
	else if (thread->key.class == WHY_ALLOCATION) /* of a page fault, perhaps */
		thread->call = WHY_NO_CALL;
}

#define WHY_BIT(class) (1ULL << WHY_##class)

static __always_inline __u64 why_bit_of(__u32 class)
{
	return 1ULL << (class & (WHY_MOST_CLASSES - 1));
}

static __always_inline bool why_is_one_of(__u32 class, __u64 bits)
{
	return why_bit_of(class) & bits;
}

/* Whether it is always a task that wakes the thread, neither a timer nor the network nor a disk. */
static __always_inline bool why_woken_by_tasks(__u32 class)
{
	return why_is_one_of(class, WHY_BIT(PIPE) | WHY_BIT(SOCKET) | WHY_BIT(CHILD));
}

static __always_inline void why_current_comm(char comm[16])
{
	struct task_struct *task;

	if (!typed_current()) {
		bpf_get_current_comm(comm, 16);
		return;
	}
	task = bpf_get_current_task_btf();
	__builtin_memcpy(comm, task->comm, 16);
}

/* Whether a program is on another stack than the current task's: its arguments are on the stack that it uses. */
static __always_inline bool why_on_other_stack(void *ctx)
{
	struct task_struct___stack *task;
	__u64 from, to;

	if (typed_current()) {
		task = (void *)bpf_get_current_task_btf();
		from = (__u64)task->stack;
	} else {
		task = (void *)bpf_get_current_task();
		from = (__u64)BPF_CORE_READ(task, stack);
	}
	to = from + UNWIND_KERNEL_STACK;
	/* a program may compare its context with numbers, but not compute with it */
	barrier_var(to);
	return (__u64)ctx < from || (__u64)ctx >= to;
}

/*
 * Whether the current task only happens to run while an interrupt wakes a thread: it was interrupted outside of system
 * calls, or the interrupt is on its own stack. The network's interrupts are there, too, at the end of a call that sends
 * something to this machine itself: those are the task's own. class: what the thread sleeps for; WHY_UNKNOWN: it is
 * on its way to sleep.
 */
static __always_inline bool why_is_bystander(void *ctx, __u32 class)
{
	struct why_regs regs;
	struct file *file;
	__u64 call;

	if (!why_read_regs(&regs) || regs.nr < 0)
		return true;
	if (!why_on_other_stack(ctx))
		return false;
	if (!why_is_one_of(class, WHY_BIT(UNKNOWN) | WHY_BIT(POLL) | WHY_BIT(NETWORK)) || regs.nr >= WHY_CALLS)
		return true;
	call = regs.nr;
	/* else the compiler leaves the mask out, without which 5.10 rejects the program */
	barrier_var(call);
	if (why_calls[regs.abi & 1][call & (WHY_CALLS - 1)] != WHY_BY_FD)
		return true;
	file = why_file(regs.args[0]);
	if (!file) /* close(2) has removed it; threads of the kernel seem to be in read(2) */
		return regs.nr != WHY_CLOSE;
	return (BPF_CORE_READ(file, f_inode, i_mode) & WHY_IFMT) != WHY_SOCK;
}

/* Of a lock whose holder is not known: whoever has unlocked it. */
static __always_inline void why_learn_holder(struct why_thread *thread)
{
	if (thread->key.class == WHY_LOCK && !(__u32)thread->key.b && thread->waker_tgid == thread->tgid)
		thread->key.b |= thread->waker_tid;
}

#endif
