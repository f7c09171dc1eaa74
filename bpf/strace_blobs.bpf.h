/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the steps of a plan copy from the memory of the task: blobs, into a record in a lane. The steps are functions of
 * their own, which get numbers only: the verifier then checks each one once, and not once for each step of each plan.
 * strace.bpf.c includes this file behind its configuration.
 */
#ifndef SONDE_BPF_STRACE_BLOBS_BPF_H
#define SONDE_BPF_STRACE_BLOBS_BPF_H

#include "bpf/strace.h"
#include "bpf/strace_file.bpf.h"

#define ERRORS_MAX 4095

/*
 * 1 if a call that returns this has failed, else 0. It is calculated, as some more is here: behind a branch, verifiers
 * follow the rest of a program twice if both ways lead to other values.
 */
static __always_inline __u32 has_failed(__s64 ret)
{
	__u64 failed = (__u64)(ret & ~(ret + ERRORS_MAX)) >> 63;

	barrier_var(failed);
	return failed;
}

const volatile struct strace_step strace_steps[STRACE_STEPS] SEC(".rodata.steps") = {};

/* STRACE_LANES for each processor; user space sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STRACE_LANES);
	__type(key, __u32);
	__type(value, struct strace_scratch);
} strace_lanes SEC(".maps");

static __always_inline struct strace_scratch *scratch_of(__u32 lane)
{
	return bpf_map_lookup_elem(&strace_lanes, &lane);
}

/* A number that a step names: from an argument, the result, or the bytes of an earlier step; 0 if these are fewer. */
static __always_inline __u64 number_of(struct strace_scratch *scratch, __u32 from, __u32 at, bool wide)
{
	__u64 index = from, value;

	if (from == STRACE_FROM_RET)
		return scratch->record.ret;
	if (from < STRACE_ARGS) {
		barrier_var(index);
		return index < STRACE_ARGS ? ((volatile __u64 *)scratch->record.args)[index] : 0;
	}
	if (from < STRACE_FROM_BLOB)
		return 0;
	index = scratch->at[from & (STRACE_BLOBS - 1)];
	barrier_var(index);
	if (index < sizeof(struct strace_blob) || index >= STRACE_ROOM)
		return 0;
	if (at + (wide ? 8 : 4) > ((struct strace_blob *)(scratch->data + index - sizeof(struct strace_blob)))->n)
		return 0;
	index += at & 0xff;
	value = *(volatile __u64 *)(scratch->data + index);
	return wide ? value : (__u32)value;
}

/* A blob of its own begins behind the last one. NULL: there is no room. */
static __always_inline struct strace_blob *new_blob(struct strace_scratch *scratch, __u32 *at)
{
	__u32 begin = scratch->record.size;

	barrier_var(begin);
	if (begin >= STRACE_ROOM - sizeof(struct strace_blob))
		return NULL;
	*at = begin + sizeof(struct strace_blob);
	return (void *)scratch->data + begin;
}

static __always_inline void end_blob(struct strace_scratch *scratch, struct strace_blob *blob, __u32 tag, __u32 status,
				     __u32 n, __u32 all)
{
	blob->tag = tag;
	blob->status = status;
	blob->n = n;
	blob->all = all;
	scratch->record.size += (sizeof(*blob) + n + 7) & ~7U;
}

#define TEXT 0x100 /* with the tag: a text that ends with a NUL, and not a number of bytes */
#define EDGE 0x400 /* with the tag: of memory that ends, what there is */

#define PAGE 4096

/*
 * Copies what of n bytes, which are less than STRACE_ROOM, is on the first two pages or on the first, if a later one
 * cannot be read. Returns how many these are.
 */
static __always_inline __u32 copy_to_edge(void *to, __u64 from, __u32 n)
{
	__u64 here = PAGE - (from & (PAGE - 1));

#pragma unroll
	for (__u32 pages = 2; pages; pages--) {
		__u64 some = here + (pages - 1) * PAGE;

		barrier_var(some);
		if (some < n && some <= pages * PAGE && !bpf_probe_read_user(to, some, (void *)from))
			return some;
	}
	return 0;
}

/* Copies a text, or `count` bytes, but `most` at most. */
__noinline int copy_blob(__u32 lane, __u32 tag, __u64 from, __u64 count, __u32 most)
{
	struct strace_scratch *scratch = scratch_of(lane);
	struct strace_blob *blob;
	__u32 at = 0, n = most;
	long length;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	if (!(tag & TEXT) && count < most)
		n = count;
	if (n > STRACE_ROOM - at)
		n = STRACE_ROOM - at;
	barrier_var(n);
	if (n > STRACE_ROOM)
		return 0;
	if (tag & TEXT) {
		length = bpf_probe_read_user_str(blob + 1, n, (void *)from);
		/* a path that fills a page, without an end: behind it there may be nothing */
		if (length < 0 && n > PAGE) {
			n = PAGE;
			length = bpf_probe_read_user_str(blob + 1, PAGE, (void *)from);
		}
		if (length < 0)
			end_blob(scratch, blob, tag, STRACE_UNREAD, 0, 0);
		else
			end_blob(scratch, blob, tag, length == n ? STRACE_SHORT : STRACE_WHOLE, length, 0);
		return 0;
	}
	if (n && bpf_probe_read_user(blob + 1, n, (void *)from)) {
		n = tag & EDGE ? copy_to_edge(blob + 1, from, n) : 0;
		end_blob(scratch, blob, tag, n ? STRACE_EDGE : STRACE_UNREAD, n, count);
		return 0;
	}
	end_blob(scratch, blob, tag, n < count ? STRACE_SHORT : STRACE_WHOLE, n, count);
	return 0;
}

#include "bpf/strace_arrays.bpf.h"

/* The arguments that the new program found, and the name that was executed. */
__noinline int copy_program(__u32 lane, __u32 tag, __u32 most)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 begin = BPF_CORE_READ(mm, arg_start), end = BPF_CORE_READ(mm, arg_end);

	copy_blob(lane, tag | TEXT, BPF_CORE_READ(mm, env_end), 0, most);
	copy_blob(lane, tag, begin, end - begin, most);
	return 0;
}

__noinline int copy_file(__u32 lane, __u32 tag, __u32 fd)
{
	struct strace_scratch *scratch = scratch_of(lane);
	struct strace_file *file;
	struct strace_blob *blob;
	__u32 at = 0, size;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	file_blob(blob, fd);
	file = (void *)(blob + 1);
	size = *(volatile __u32 *)&file->path.dirs_size;
	if (!*(volatile __u64 *)&file->inode)
		end_blob(scratch, blob, tag, STRACE_UNREAD, 0, 0);
	else
		end_blob(scratch, blob, tag, STRACE_WHOLE, sizeof(*file) + (size & (2 * FILE_ROOM - 1)), 0);
	return 0;
}

/* Most sockets are of no netlink, and have no blob. */
__noinline int copy_netlink(__u32 lane, __u32 tag, __u32 fd)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__s32 protocol = netlink_protocol(fd);
	struct strace_blob *blob;
	__u32 at = 0;

	if (!scratch || protocol < 0)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	scratch->netlink = 1;
	*(__s32 *)(blob + 1) = protocol;
	end_blob(scratch, blob, tag, STRACE_WHOLE, sizeof(protocol), sizeof(protocol));
	return 0;
}

/* How many bytes a step copies at most. */
static __always_inline __u32 most_of(struct strace_scratch *scratch, const volatile struct strace_step *step)
{
	__u32 most = step->most;

	return step->when & STRACE_MESSAGE && scratch->netlink && most < STRACE_NETLINK_MOST ? STRACE_NETLINK_MOST : most;
}

/* The descriptors are in the blob whose bytes are there. */
__noinline int copy_poll_files(__u32 lane, __u32 tag, __u32 begin)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, n;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	n = ((struct strace_blob *)(scratch->data + at - sizeof(struct strace_blob)))->n / STRACE_FILES_POLL;
	for (__u32 i = 0; i < STRACE_VECTOR; i++) {
		volatile __u32 *fd = (void *)scratch->data + at + i * STRACE_FILES_POLL;

		if (i >= n)
			break;
		copy_file(lane, tag, *fd);
	}
	return 0;
}

__noinline int copy_set_files(__u32 lane, __u32 tag, __u32 begin)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, bits;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	if (((struct strace_blob *)(scratch->data + at - sizeof(struct strace_blob)))->n < sizeof(bits))
		return 0;
	bits = *(volatile __u64 *)(scratch->data + at);
	for (__u32 fd = 0; fd < 64; fd++)
		if (bits >> fd & 1)
			copy_file(lane, tag, fd);
	return 0;
}

static __always_inline bool is_wanted_step(const volatile struct strace_step *step, __s64 ret)
{
	_Static_assert(STRACE_IF_FAILED == 2 && STRACE_IF_OK == 1, "the bit of what it must not be for");
	return !(step->when & (STRACE_IF_FAILED - has_failed(ret)));
}

/* Whether a step is for such a call. */
static __always_inline bool is_of_call(struct strace_scratch *scratch, const volatile struct strace_step *step)
{
	__u64 first = scratch->record.args[0];

	return !step->of.last || (first >= step->of.first && first <= step->of.last);
}

/* How many bytes STRACE_BYTES are: more than there can be if the number makes no sense. */
static __always_inline __u64 bytes_of(struct strace_scratch *scratch, const volatile struct strace_step *step)
{
	__u64 count = step->scale, number;

	if (step->wide == STRACE_OF_REQUEST)
		return strace_size_of_request(number_of(scratch, step->count_from, 0, true));
	if (step->count_from != STRACE_FROM_NONE) {
		number = number_of(scratch, step->count_from, step->count_at, step->wide);
		count *= step->wide == STRACE_OF_SHORT ? (__u16)number : number;
	}
	return (__s64)count < 0 ? PAGE * STRACE_ROOM : count;
}

/* A step that copies what a pointer points to. */
static __always_inline int take_memory(struct strace_scratch *scratch, __u32 lane,
				       const volatile struct strace_step *step, __u32 number, bool end)
{
	__u64 from = number_of(scratch, step->from, step->at, !(step->when & STRACE_NARROW));
	__u32 op = step->op;

	if (!from)
		return 0;
	scratch->at[number & (STRACE_BLOBS - 1)] = scratch->record.size + sizeof(struct strace_blob);
	if (op == STRACE_STRING)
		return copy_blob(lane, step->tag | TEXT, from, 0, step->most);
	if (op == STRACE_BYTES)
		return copy_blob(lane, step->when & STRACE_TO_EDGE ? step->tag | EDGE : step->tag, from,
				 bytes_of(scratch, step), most_of(scratch, step));
	if (op == STRACE_STRINGS)
		return copy_strings(lane, step->tag, from, step->most, step->scale);
	if (end && op == STRACE_ENTRIES)
		return count_entries(lane, step->tag, from, bytes_of(scratch, step));
	return count_pointers(lane, step->tag, from);
}

/* A step that copies what another step's blob leads to, which begins there. */
static __always_inline int take_blob(struct strace_scratch *scratch, __u32 lane,
				     const volatile struct strace_step *step, bool end)
{
	__u32 begin = scratch->at[step->from & (STRACE_BLOBS - 1)];
	__u32 narrow = step->when & STRACE_NARROW ? NARROW : 0;

	if (end && step->op == STRACE_VECTORS)
		return copy_vectors(lane, step->tag | narrow | (step->scale ? POINTERS : 0), begin,
				    most_of(scratch, step),
				    step->when & STRACE_IF_OK ? scratch->record.ret : ALL_BYTES);
	if (end && step->op == STRACE_MESSAGES)
		return copy_messages(lane, step->tag | narrow, begin, step->most, step->when & STRACE_IF_OK);
	if (!(config.how & STRACE_HOW_FILES))
		return 0;
	return step->scale == STRACE_FILES_POLL ? copy_poll_files(lane, step->tag, begin)
						: copy_set_files(lane, step->tag, begin);
}

/*
 * Takes a step of a plan; number: which of the plan's. end: a constant: the call ends, and there are the steps that no
 * plan has at its begin.
 */
static __always_inline int take_step(__u32 lane, __u32 index, __u32 number, bool end)
{
	struct strace_scratch *scratch = scratch_of(lane);
	const volatile struct strace_step *step;
	__u32 op;

	if (!scratch || index >= STRACE_STEPS)
		return 0;
	step = &strace_steps[index];
	if (!is_wanted_step(step, scratch->record.ret) || !is_of_call(scratch, step))
		return 0;
	op = step->op;
	if (op <= STRACE_OF_POINTER)
		return take_memory(scratch, lane, step, number, end);
	if (end && op == STRACE_PROGRAM)
		return copy_program(lane, step->tag, step->most);
	if (config.how & STRACE_HOW_FILES && op == STRACE_FILE)
		return copy_file(lane, step->tag, number_of(scratch, step->from, step->at, false));
	if (end && op == STRACE_NETLINK)
		return copy_netlink(lane, step->tag, number_of(scratch, step->from, step->at, false));
	return take_blob(scratch, lane, step, end);
}

/* Each program has the functions that its calls lead to, and the verifier checks all of them. */
__noinline int take_step_of_begin(__u32 lane, __u32 index, __u32 number)
{
	return take_step(lane, index, number, false);
}

__noinline int take_step_of_end(__u32 lane, __u32 index, __u32 number)
{
	return take_step(lane, index, number, true);
}

#endif
