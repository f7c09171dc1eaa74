// SPDX-License-Identifier: BSD-2-Clause
/* Reports opened files at the end of the call: the kernel has read the path by then, so that its page is present. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/fd.bpf.h"
#include "tools/opensnoop.h"

#define PATH_MAX_SIZE 4096
#define NAME_MAX_SIZE 256
/* How many directories of a full path are read: in a first try, and if there are more. */
#define DEPTH_FEW 12
#define DEPTH_MAX 64

#define AT_FDCWD  -100
#define O_ACCMODE 3
#define O_WRONLY  1
#define O_CREAT	  0100
#define O_TRUNC	  01000
#define O_TMPFILE 020000000 /* without O_DIRECTORY, which user space includes */

const volatile struct opensnoop_config config SEC(".rodata.config");

struct call {
	__u64 path;
	int dir, ret;
	__u32 flags, mode;
};

static __always_inline void read_how(const struct context_syscall *at, struct call *call)
{
	struct {
		__u64 flags, mode;
	} how = {};

	bpf_probe_read_user(&how, sizeof(how), (void *)at->args[2]);
	call->flags = how.flags;
	call->mode = how.mode;
}

/* Reads the arguments of each call. */
static __always_inline bool read_call(void *ctx, struct call *call)
{
	__u64 probe = context_probe();
	struct context_syscall at;

	if (!context_sys_exit(ctx, &at))
		return false;
	call->ret = at.ret;
	call->dir = AT_FDCWD;
	call->path = at.args[0];
	if (probe == OPENSNOOP_OPENAT || probe == OPENSNOOP_OPENAT2) {
		call->dir = at.args[0];
		call->path = at.args[1];
	}
	if (probe == OPENSNOOP_OPENAT2) {
		read_how(&at, call);
	} else if (probe == OPENSNOOP_CREAT) {
		call->flags = O_CREAT | O_WRONLY | O_TRUNC;
		call->mode = at.args[1];
	} else {
		call->flags = probe == OPENSNOOP_OPENAT ? at.args[2] : at.args[1];
		call->mode = probe == OPENSNOOP_OPENAT ? at.args[3] : at.args[2];
	}
	/* mode is an argument only if a file may be created */
	if (!(call->flags & (O_CREAT | O_TMPFILE)))
		call->mode = 0;
	return true;
}

static __always_inline bool has_wanted_flags(const struct call *call)
{
	return !config.by_flags || config.modes & 1 << (call->flags & O_ACCMODE) || config.flags & call->flags;
}

/* A record with path_room bytes, a constant, and more. NULL: the buffer is full, or the path may be longer. */
static __always_inline struct opensnoop_event *open_read(const struct call *call, __u32 path_room, __u32 more)
{
	struct opensnoop_event *e = bpf_ringbuf_reserve(&events, sizeof(*e) + path_room + more, 0);
	long n;

	if (!e)
		return NULL;
	n = bpf_probe_read_user_str(e->data, path_room, (void *)call->path);
	if (n >= path_room && path_room < PATH_MAX_SIZE) {
		bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
		return NULL;
	}
	e->path_unread = n < 0; /* 0 is an empty path: older kernels do not count its NUL */
	e->dirs_at = 0;
	e->dirs_size = 0;
	e->dirs_cut = 0;
	return e;
}

/* The directory from which a relative path is resolved. */
static __always_inline bool base_of(const struct call *call, struct path *base)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct file *file;

	if (call->dir == AT_FDCWD) {
		base->mnt = BPF_CORE_READ(task, fs, pwd.mnt);
		base->dentry = BPF_CORE_READ(task, fs, pwd.dentry);
		return true;
	}
	file = fd_file(call->dir);
	base->mnt = BPF_CORE_READ(file, f_path.mnt);
	base->dentry = BPF_CORE_READ(file, f_path.dentry);
	return base->dentry != NULL;
}

/*
 * Copies the names of the directories from `at` up to the root of its mount namespace to `begin` in the record, one
 * after the other. False: there are more than `depth`, or they exceed `room`, a power of two; after that there is
 * room for one more name. The size is kept in the record: the verifier does not track memory there, so that all
 * turns of the loop look the same to it and it checks one.
 */
static __always_inline bool read_dirs(struct opensnoop_event *e, struct path *at, int depth, __u32 begin, __u32 room)
{
	struct mount *mount = (void *)at->mnt - bpf_core_field_offset(struct mount, mnt);
	struct dentry *dentry = at->dentry;

	e->dirs_at = begin;
	for (int i = 0; i < depth; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
		__u32 size = *(volatile __u32 *)&e->dirs_size & (2 * room - 1);
		long n;

		if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
			struct mount *above = BPF_CORE_READ(mount, mnt_parent);

			if (above == mount)
				return true;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mount = above;
			continue;
		}
		if (dentry == parent || size >= room)
			break;
		n = bpf_probe_read_kernel_str(e->data + begin + size, NAME_MAX_SIZE,
					      BPF_CORE_READ(dentry, d_name.name));
		if (n <= 0)
			break;
		e->dirs_size = size + n;
		dentry = parent;
	}
	e->dirs_cut = 1;
	return false;
}

/* A record with a relative path and its directory. NULL: the buffer is full, or one of the two may be longer. */
static __always_inline struct opensnoop_event *relative_read(const struct call *call, int depth, __u32 path_room,
							     __u32 dirs_room)
{
	struct opensnoop_event *e = open_read(call, path_room, dirs_room + NAME_MAX_SIZE);
	struct path base = {};

	if (!e || !base_of(call, &base) || read_dirs(e, &base, depth, path_room, dirs_room) || path_room == PATH_MAX_SIZE)
		return e;
	bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
	return NULL;
}

static __always_inline bool is_relative(const struct call *call)
{
	char first = 0;

	return !bpf_probe_read_user(&first, sizeof(first), (void *)call->path) && first != '/';
}

/* The smallest record that holds all. */
static __always_inline struct opensnoop_event *open_fit(const struct call *call)
{
	struct opensnoop_event *e;

	if (config.full_path && is_relative(call)) {
		e = relative_read(call, DEPTH_FEW, 128, 256);
		return e ? e : relative_read(call, DEPTH_MAX, PATH_MAX_SIZE, PATH_MAX_SIZE);
	}
	e = open_read(call, 64, 0);
	if (!e)
		e = open_read(call, 256, 0);
	return e ? e : open_read(call, PATH_MAX_SIZE, 0);
}

SEC("raw_tp")
int open_done(void *ctx)
{
	struct opensnoop_event *e;
	struct call call;

	if (config.failed && context_result(ctx) >= 0)
		return 0;
	if (!event_wanted() || !read_call(ctx, &call) || !has_wanted_flags(&call))
		return 0;
	e = open_fit(&call);
	if (!e) {
		event_dropped();
		return 0;
	}
	event_fill(&e->event);
	e->ret = call.ret;
	e->flags = call.flags;
	e->mode = call.mode;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
