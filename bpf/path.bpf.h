/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads paths that system calls take, with the directories that relative ones begin in, into records (bpf/path.h). */
#ifndef SONDE_BPF_PATH_BPF_H
#define SONDE_BPF_PATH_BPF_H

#include "bpf/event.bpf.h"
#include "bpf/fd.bpf.h"
#include "bpf/path.h"

#define PATH_MAX_SIZE 4096
#define PATH_NAME_MAX 256
/* How many directories of a relative path are read: in a first try, and if there are more. */
#define PATH_DEPTH_FEW 12
#define PATH_DEPTH_MAX 64

#define AT_FDCWD -100

/* A path as a system call takes it. */
struct path_argument {
	__u64 text; /* in user memory */
	int dir;    /* a descriptor or AT_FDCWD: where a relative path begins */
};

/*
 * Reserves a record with room bytes for the path, and `more` bytes, both constants; `at` is the offset of its struct
 * path_record. NULL: the buffer is full, or the path may be longer.
 */
static __always_inline void *path_reserve(__u32 at, const struct path_argument *argument, __u32 room, __u32 more)
{
	struct path_record *path;
	long length;
	void *record = event_reserve_text(at + sizeof(*path), room, more, argument->text, room == PATH_MAX_SIZE,
					  &length);

	if (!record)
		return NULL;
	path = record + at;
	path->unread = length < 0;
	path->dirs_at = 0;
	path->dirs_size = 0;
	path->dirs_cut = 0;
	return record;
}

/* The directory that a relative path begins in. False: the descriptor is not open. */
static __always_inline bool path_find_base(int dir, struct path *base)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct file *file;

	if (dir == AT_FDCWD) {
		base->mnt = BPF_CORE_READ(task, fs, pwd.mnt);
		base->dentry = BPF_CORE_READ(task, fs, pwd.dentry);
		return true;
	}
	file = fd_file(dir);
	base->mnt = BPF_CORE_READ(file, f_path.mnt);
	base->dentry = BPF_CORE_READ(file, f_path.dentry);
	return base->dentry != NULL;
}

/*
 * Copies the names of the directories from `from` up to the root of its mount namespace to `begin` in the text, one
 * after the other. False: there are more than `depth`, or they exceed `room`, a power of two; after that there is
 * room for one more name. The size is kept in the record: the verifier does not track memory there, so that all
 * turns of the loop look the same to it and it checks one.
 */
static __always_inline bool path_read_dirs(struct path_record *path, const struct path *from, int depth, __u32 begin,
					   __u32 room)
{
	struct mount *mount = (void *)from->mnt - bpf_core_field_offset(struct mount, mnt);
	struct dentry *dentry = from->dentry;

	path->dirs_at = begin;
	for (int i = 0; i < depth; i++) {
		struct dentry *parent = BPF_CORE_READ(dentry, d_parent);
		__u32 size = *(volatile __u32 *)&path->dirs_size & (2 * room - 1);
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
		n = bpf_probe_read_kernel_str(path->text + begin + size, PATH_NAME_MAX,
					      BPF_CORE_READ(dentry, d_name.name));
		if (n <= 0)
			break;
		path->dirs_size = size + n;
		dentry = parent;
	}
	path->dirs_cut = 1;
	return false;
}

/* The same for a relative path and its directories. NULL: the buffer is full, or one of the two may be longer. */
static __always_inline void *path_reserve_relative(__u32 at, const struct path_argument *argument, int depth,
						   __u32 room, __u32 dirs_room)
{
	void *record = path_reserve(at, argument, room, dirs_room + PATH_NAME_MAX);
	struct path base = {};

	if (!record || !path_find_base(argument->dir, &base) ||
	    path_read_dirs(record + at, &base, depth, room, dirs_room) || room == PATH_MAX_SIZE)
		return record;
	event_discard(record);
	return NULL;
}

static __always_inline bool path_is_relative(const struct path_argument *argument)
{
	char first = 0;

	return !bpf_probe_read_user(&first, sizeof(first), (void *)argument->text) && first != '/';
}

/*
 * event_new() for a record with a path: the smallest that holds all. `at` is the offset of its struct path_record, a
 * constant. full: with the directories that a relative path begins in.
 */
static __always_inline void *path_new(__u32 at, const struct path_argument *argument, bool full)
{
	void *record;

	if (full && path_is_relative(argument)) {
		record = path_reserve_relative(at, argument, PATH_DEPTH_FEW, 128, 256);
		if (!record)
			record = path_reserve_relative(at, argument, PATH_DEPTH_MAX, PATH_MAX_SIZE, PATH_MAX_SIZE);
	} else {
		record = path_reserve(at, argument, 64, 0);
		if (!record)
			record = path_reserve(at, argument, 256, 0);
		if (!record)
			record = path_reserve(at, argument, PATH_MAX_SIZE, 0);
	}
	return event_begin(record) ? record : NULL;
}

#endif
