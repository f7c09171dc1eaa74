/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a thread waits for in futex(2), told by the word that it waits at and by what libraries keep beside it: a lock
 * and its holder, the end of a thread, or a condition.
 */
#ifndef SONDE_BPF_WHY_FUTEX_BPF_H
#define SONDE_BPF_WHY_FUTEX_BPF_H

#include "bpf/why_regs.bpf.h"

#define WHY_FUTEX_CMD	  0x7f
#define WHY_FUTEX_PRIVATE 0x80
#define WHY_FUTEX_WAIT	  0
#define WHY_FUTEX_PI	  6
#define WHY_FUTEX_BITSET  9
#define WHY_FUTEX_PI2	  13
#define WHY_FUTEX_TID	  0x3fffffff
#define WHY_FUTEX_WAITERS 0x80000000

#define WHY_GLIBC_LOCKED 2  /* and somebody waits; in the locks of others, too */
#define WHY_GLIBC_RWLOCK 3  /* in a word of a lock for readers and writers: as above, and somebody waits */
#define WHY_MUSL_BUSY	 16 /* what musl has in place of an owner */
#define WHY_MUSL_NODE	 512
#define WHY_MUSL_JOIN	 2 /* at most: what the word has while musl's thread runs, or is about to end */
#define WHY_RUST_PARKED	 0xffffffff
#define WHY_RUST_RWLOCK	 0x40000000 /* readers wait; but nobody, if no other bit is set */

/* How far the word at which musl waits for the end of a thread is in the thread's own struct. */
#if defined(__TARGET_ARCH_x86)
#define WHY_MUSL_AT	   56
#define WHY_MUSL_AT_COMPAT 32
#else
#define WHY_MUSL_AT	   40
#define WHY_MUSL_AT_COMPAT 40
#endif

/* The word, those behind it, and those before it; aligned as user space has them, or not. */
struct why_futex {
	union {
		__u64 before[WHY_MUSL_AT / 8];
		__u32 narrow[WHY_MUSL_AT / 4];
	};
	__u32 word, second, third, fourth, fifth;
};
#define WHY_FUTEX_AT __builtin_offsetof(struct why_futex, word)

/*
 * glibc's mutex: the owner is 8 bytes behind the word. The other locks that have 2 there have 0 or data in its place.
 * musl waits for a condition at a word of its own on the stack.
 */
static __always_inline bool why_at_mutex(const struct why_regs *regs, const struct why_futex *at, __u32 *holder)
{
	*holder = at->third > WHY_FUTEX_TID ? 0 : at->third;
	return *holder || regs->args[0] - regs->sp >= WHY_MUSL_NODE;
}

/* glibc's lock for readers and writers has two such words, one after the other, before two zeros and the writer. */
static __always_inline bool why_at_rwlock(const struct why_futex *at, __u32 *holder)
{
	*holder = at->fourth ? at->fourth : at->fifth;
	return !at->third && *holder && *holder <= WHY_FUTEX_TID;
}

/* Whether it is a lock. *holder: 0: not known. */
static __always_inline bool why_at_lock(const struct why_regs *regs, const struct why_futex *at, __u32 *holder)
{
	__u32 command = regs->args[1] & WHY_FUTEX_CMD, value = regs->args[2];

	*holder = 0;
	if (command == WHY_FUTEX_PI || command == WHY_FUTEX_PI2) {
		*holder = at->word & WHY_FUTEX_TID;
		return true;
	}
	if ((command != WHY_FUTEX_WAIT && command != WHY_FUTEX_BITSET) || value == WHY_RUST_PARKED)
		return false;
	if (value == WHY_GLIBC_LOCKED)
		return why_at_mutex(regs, at, holder);
	if (value == WHY_GLIBC_RWLOCK)
		return command == WHY_FUTEX_BITSET && why_at_rwlock(at, holder);
	if (value & WHY_FUTEX_WAITERS) {
		*holder = (value & WHY_FUTEX_TID) == WHY_MUSL_BUSY ? 0 : value & WHY_FUTEX_TID;
		return true;
	}
	return value > WHY_RUST_RWLOCK;
}

/*
 * Ids in a pid namespace are not ours. Then, and where nobody is known, the holder is whoever wakes the thread.
 */
static __always_inline bool why_in_pidns(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, thread_pid, level);
}

/* musl's struct of a thread begins with a pointer to itself. */
static __always_inline bool why_at_musl_thread(const struct why_regs *regs, const struct why_futex *at)
{
	__u32 value = regs->args[2];

	if (!value || value > WHY_MUSL_JOIN)
		return false;
	if (regs->abi == WHY_NATIVE)
		return at->before[0] == regs->args[0] - WHY_MUSL_AT;
	return at->narrow[(WHY_MUSL_AT - WHY_MUSL_AT_COMPAT) / 4] == (__u32)regs->args[0] - WHY_MUSL_AT_COMPAT;
}

/* glibc's conditions have two words, of which waiters take now one, now the other. */
#define WHY_FUTEX_PAIR 7ULL

static __always_inline void why_by_futex(struct why_thread *thread, const struct why_regs *regs)
{
	__u32 command = regs->args[1] & (WHY_FUTEX_CMD | WHY_FUTEX_PRIVATE), value = regs->args[2], holder;
	struct why_futex at = {};

	thread->place = why_place_of(regs, regs->args[0] & ~WHY_FUTEX_PAIR);
	/* before the word, or behind it, may be nothing */
	if (bpf_probe_read_user(&at, sizeof(at), (void *)regs->args[0] - WHY_FUTEX_AT) &&
	    bpf_probe_read_user(&at.word, sizeof(at) - WHY_FUTEX_AT, (void *)regs->args[0]))
		bpf_probe_read_user(&at.word, sizeof(at.word), (void *)regs->args[0]);
	if (why_at_musl_thread(regs, &at)) {
		thread->key.class = WHY_CHILD;
	} else if (why_at_lock(regs, &at, &holder)) {
		thread->key.class = WHY_LOCK;
		thread->key.a = regs->args[0];
		if (holder && (holder == thread->tid || why_in_pidns()))
			holder = 0;
		thread->key.b = (__u64)thread->tgid << 32 | holder;
	} else if (value > 2 && value != thread->tid &&
		   (command == WHY_FUTEX_WAIT || command == WHY_FUTEX_BITSET)) {
		/* the kernel clears the word when the thread has ended, for pthread_join() */
		thread->key.class = WHY_CHILD;
	} else {
		thread->key.class = WHY_CONDITION;
	}
}

#endif
