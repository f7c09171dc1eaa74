/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What threads wait for: adds waits to the map "why_objects". A thread mostly waits for the same object again, so its
 * waits are added up in the thread, and go to the map when it waits for another one.
 */
#ifndef SONDE_BPF_WHY_OBJECT_BPF_H
#define SONDE_BPF_WHY_OBJECT_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/fd.bpf.h"
#include "bpf/why.h"

/* Written by both sides. User space sets `armed` last. */
SEC(".data.why_shared")
struct why_shared why_shared = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WHY_OBJECTS);
	__type(key, struct why_key);
	__type(value, struct why_object);
} why_objects SEC(".maps");

/* What new entries are made of. */
SEC(".data.why_none")
struct why_object why_no_object = {};

static __always_inline struct why_object *why_object_of(const struct why_key *key)
{
	struct why_object *object = bpf_map_lookup_elem(&why_objects, key);

	if (object)
		return object;
	bpf_map_update_elem(&why_objects, key, &why_no_object, BPF_NOEXIST);
	return bpf_map_lookup_elem(&why_objects, key);
}

/* Global, so that the verifier follows it once: it gets numbers only, and not more than five. */
__noinline int why_object_add_parts(__u64 a, __u64 b, __u64 rest, __u64 ns, __u64 max)
{
	struct why_key key = { .a = a, .b = b, .class = rest & 0xff, .call = rest >> 8 & 0xffff };
	struct why_object *object = why_object_of(&key);
	__u64 count = rest >> 32;

	if (!object) {
		atomic_add(&why_shared.lost_objects, count);
		return 0;
	}
	atomic_add(&object->ns, ns);
	atomic_add(&object->count, count);
	if (max > object->max)
		object->max = max;
	return 0;
}

static __always_inline void why_object_add(const struct why_key *key, __u64 ns, __u32 count, __u64 max)
{
	why_object_add_parts(key->a, key->b, (__u64)count << 32 | key->call << 8 | key->class, ns, max);
}

static __always_inline bool why_same_key(const struct why_key *a, const struct why_key *b)
{
	return a->a == b->a && a->b == b->b && a->class == b->class && a->call == b->call;
}

static __always_inline void why_flush(struct why_thread *thread)
{
	if (!thread->held_count)
		return;
	why_object_add(&thread->held, thread->held_ns, thread->held_count, thread->held_max);
	thread->held_ns = thread->held_count = thread->held_max = 0;
}

/* A wait of the thread for its object, thread->key, has ended. */
static __always_inline void why_hold(struct why_thread *thread, __u64 ns)
{
	if (!why_same_key(&thread->held, &thread->key)) {
		why_flush(thread);
		thread->held = thread->key;
	}
	thread->held_ns += ns;
	thread->held_count++;
	if (ns > thread->held_max)
		thread->held_max = ns;
}

/* Notes the path of a file, once for each: WHY_NAMES names from the innermost out. */
static __always_inline void why_name_file(const struct why_key *key, const struct path *path)
{
	struct why_object *object = why_object_of(key);
	struct dentry *dentry, *parent;
	struct mount *mount;

	if (!object || object->names[0][0])
		return;
	dentry = BPF_CORE_READ(path, dentry);
	mount = (void *)BPF_CORE_READ(path, mnt) - bpf_core_field_offset(struct mount, mnt);
	for (int i = 0; i < WHY_NAMES; i++) {
		/* the root of a file system: go on where it is mounted, twice at most */
		for (int up = 0; up < 2 && dentry == BPF_CORE_READ(mount, mnt.mnt_root); up++) {
			struct mount *above = BPF_CORE_READ(mount, mnt_parent);

			if (above == mount)
				break;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mount = above;
		}
		bpf_probe_read_kernel_str(object->names[i], WHY_NAME_SIZE, BPF_CORE_READ(dentry, d_name.name));
		parent = BPF_CORE_READ(dentry, d_parent);
		if (parent == dentry)
			break;
		dentry = parent;
	}
}

#endif
