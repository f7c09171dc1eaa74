/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of strace.bpf.c that copy or count what an array leads to: vectors, messages, texts, entries of directories.
 * That file includes it behind copy_blob().
 */
#ifndef SONDE_BPF_STRACE_ARRAYS_BPF_H
#define SONDE_BPF_STRACE_ARRAYS_BPF_H

#define ALL_BYTES (~0ULL)
#define NARROW	  0x200 /* with the tag: the vectors are those of a 32-bit program */
#define POINTERS  0x800 /* with the tag: the array is of pointers, and `most` bytes are at each */

/*
 * Verifiers follow each round of a loop, about a microsecond for an instruction. So a round calls a function, which they
 * follow once; and a long loop is two, of which one calls the other.
 */

/* What an element of an array of struct iovec leads to; it is at `begin`. */
__noinline int copy_vector(__u32 lane, __u32 tag, __u32 begin, __u32 most)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, from, count, left;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at >= STRACE_ROOM)
		return 0;
	if (tag & NARROW) {
		volatile __u32 *vector = (void *)scratch->data + at;

		from = vector[0];
		count = vector[1];
	} else {
		volatile __u64 *vector = (void *)scratch->data + at;

		from = vector[0];
		count = tag & POINTERS ? most : vector[1];
	}
	left = scratch->left;
	count = count < left ? count : left;
	scratch->left = left == ALL_BYTES ? left : left - count;
	return copy_blob(lane, tag, from, count, most);
}

/*
 * The array of struct iovec is the blob whose bytes are there; left: the bytes that the call has filled in. Memory behind
 * them was perhaps never touched: it could not be read.
 */
__noinline int copy_vectors(__u32 lane, __u32 tag, __u32 begin, __u32 most, __u64 left)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u32 size = tag & (NARROW | POINTERS) ? 8 : 16;
	__u64 at = begin, end;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	end = at + ((struct strace_blob *)(scratch->data + at - sizeof(struct strace_blob)))->n;
	scratch->left = left;
	for (__u32 i = 0; i < STRACE_VECTOR; i++) {
		if (at + size > end)
			break;
		copy_vector(lane, tag, at, most);
		at += size;
	}
	return 0;
}

/*
 * A member of the struct mmsghdr that is there: a pointer or a size_t, or, of a 64-bit program, what is in the place of one.
 * Read when it is needed: what is kept over calls takes room on the stack, of which all frames together have 512 bytes.
 */
static __always_inline __u64 message_member(struct strace_scratch *scratch, __u32 tag, __u32 begin, __u32 i)
{
	__u64 at = begin;

	barrier_var(at);
	if (at >= STRACE_ROOM)
		return 0;
	if (tag & NARROW)
		return ((volatile __u32 *)((void *)scratch->data + at))[i];
	return ((volatile __u64 *)((void *)scratch->data + at))[i];
}

/* Its name, control messages and vectors; filled: the call has done so. */
__noinline int copy_message(__u32 lane, __u32 tag, __u32 begin, __u32 most, __u32 filled)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 from, n, at;

	if (!scratch)
		return 0;
	from = message_member(scratch, tag, begin, 0);
	copy_blob(lane, tag, from, from ? (__u32)message_member(scratch, tag, begin, 1) : 0, 128);
	from = message_member(scratch, tag, begin, 4);
	copy_blob(lane, tag, from, from ? message_member(scratch, tag, begin, 5) : 0, 128);
	n = message_member(scratch, tag, begin, 3);
	n = n < STRACE_VECTOR ? n : STRACE_VECTOR;
	at = scratch->record.size;
	copy_blob(lane, tag | EDGE, message_member(scratch, tag, begin, 2), tag & NARROW ? n * 8 : n * 16, STRACE_VECTOR * 16);
	return copy_vectors(lane, tag, at + sizeof(struct strace_blob), most,
			    filled ? (__u32)message_member(scratch, tag, begin, 7) : ALL_BYTES);
}

__noinline int copy_messages(__u32 lane, __u32 tag, __u32 begin, __u32 most, __u32 filled)
{
	__u32 size = tag & NARROW ? STRACE_MESSAGE_SIZE / 2 : STRACE_MESSAGE_SIZE;
	struct strace_scratch *scratch = scratch_of(lane);
	__u64 at = begin, n;

	if (!scratch)
		return 0;
	barrier_var(at);
	if (at < sizeof(struct strace_blob) || at >= STRACE_ROOM)
		return 0;
	n = ((struct strace_blob *)(scratch->data + at - sizeof(struct strace_blob)))->n;
	n /= size;
	for (__u32 i = 0; i < STRACE_MESSAGES_MAX; i++) {
		if (i >= n)
			break;
		copy_message(lane, tag, begin + i * size, most, filled);
	}
	return 0;
}

#define STRINGS_ROUNDS 16

/* Returns 1 if there may be others behind them. */
__noinline int copy_some_strings(__u32 lane, __u32 tag, __u64 from, __u32 most, __u32 n)
{
	for (__u32 i = 0; i < STRINGS_ROUNDS; i++) {
		__u64 text = 0;

		if (i >= n || bpf_probe_read_user(&text, sizeof(text), (void *)(from + i * sizeof(text))) || !text)
			return 0;
		copy_blob(lane, tag | TEXT, text, 0, most);
	}
	return 1;
}

__noinline int copy_strings(__u32 lane, __u32 tag, __u64 from, __u32 most, __u32 n)
{
	for (__u32 i = 0; i < STRACE_STRINGS_WHOLE; i += STRINGS_ROUNDS)
		if (i >= n || !copy_some_strings(lane, tag, from + i * sizeof(from), most, n - i))
			break;
	return 0;
}

#define POINTERS_ROUNDS 16
#define POINTERS_CALLS	32
#define POINTERS_UNREAD 0x100

/* How many pointers there are before a NULL, or with POINTERS_UNREAD before what cannot be read, up to POINTERS_ROUNDS. */
__noinline int count_some_pointers(__u64 from)
{
	__u64 pointer;
	__u32 i;

	for (i = 0; i < POINTERS_ROUNDS; i++) {
		pointer = 0;
		if (bpf_probe_read_user(&pointer, sizeof(pointer), (void *)(from + i * sizeof(pointer))))
			return POINTERS_UNREAD | i;
		if (!pointer)
			break;
	}
	return i;
}

__noinline int count_pointers(__u32 lane, __u32 tag, __u64 from)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u32 n = POINTERS_ROUNDS, all = 0, at;
	struct strace_blob *blob;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	for (__u32 i = 0; i < POINTERS_CALLS && n == POINTERS_ROUNDS; i++) {
		n = count_some_pointers(from + i * POINTERS_ROUNDS * sizeof(from));
		all += n & (2 * POINTERS_ROUNDS - 1);
	}
	end_blob(scratch, blob, tag,
		 n & POINTERS_UNREAD	? STRACE_UNREAD
		 : n == POINTERS_ROUNDS ? STRACE_SHORT
					: STRACE_WHOLE,
		 0, all);
	return 0;
}

#define ENTRIES_ROUNDS 16
#define ENTRIES_CALLS  16

/*
 * Entries of a directory follow each other; each says how long it is. Counts some more of them. Returns 1 if there may
 * be others behind them.
 */
__noinline int count_some_entries(__u32 lane, __u64 from, __u64 size)
{
	struct strace_scratch *scratch = scratch_of(lane);
	__u16 length;

	if (!scratch)
		return 0;
	for (__u32 i = 0; i < ENTRIES_ROUNDS; i++) {
		__u64 offset = *(volatile __u64 *)&scratch->offset;

		length = 0;
		/* the inode and the offset are before it */
		if (offset >= size ||
		    bpf_probe_read_user(&length, sizeof(length), (void *)(from + offset + 16)) || !length)
			return 0;
		*(volatile __u64 *)&scratch->offset = offset + length;
		scratch->entries++;
	}
	return 1;
}

__noinline int count_more_entries(__u32 lane, __u64 from, __u64 size)
{
	for (__u32 i = 0; i < ENTRIES_CALLS; i++)
		if (!count_some_entries(lane, from, size))
			return 0;
	return 1;
}

__noinline int count_entries(__u32 lane, __u32 tag, __u64 from, __u64 size)
{
	struct strace_scratch *scratch = scratch_of(lane);
	struct strace_blob *blob;
	__u32 at;

	if (!scratch)
		return 0;
	blob = new_blob(scratch, &at);
	if (!blob)
		return 0;
	scratch->offset = 0;
	scratch->entries = 0;
	for (__u32 i = 0; i < 2 * ENTRIES_CALLS; i++)
		if (!count_more_entries(lane, from, size))
			break;
	end_blob(scratch, blob, tag, scratch->offset < size ? STRACE_UNREAD : STRACE_WHOLE, 0, scratch->entries);
	return 0;
}

#endif
