/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who held a processor while a thread waited for it. The programs remember of each processor what it did last, and
 * send that part of it that a long wait lasted. Shared by both sides.
 *
 * What a processor did is a list of spans for each kind. They nest: an interrupt is within the span of the task that it
 * interrupted. The innermost one holds the processor, which user space finds out.
 */
#ifndef SONDE_BPF_HELD_H
#define SONDE_BPF_HELD_H

/* From the outermost in. Each kind is written at one level of interrupts only, so no two programs write one list. */
enum held_kind {
	HELD_TASK,
	HELD_SOFT,
	HELD_HARD,
	HELD_SAMPLE, /* no span, but a moment: where a task was then */
	HELD_KINDS,
};

enum held_flag {
	HELD_PREEMPTED = 1, /* the task could have run on */
	HELD_LASTS = 2,	    /* it goes on */
	HELD_VECTOR = 4,    /* who is a vector of the processor, not the number of an interrupt */
	/* of a sample, and of a task that was preempted: where it was; neither: not known */
	HELD_USER = 8,
	HELD_KERNEL = 16,
};

/* Times in ns of the monotonic clock. */
struct held_span {
	unsigned long long began, ended;
	unsigned long long stack; /* of a task: where it left the processor; 0: not taken */
	unsigned int who;	  /* tid (0: idle), number of the interrupt, number of the softirq */
	unsigned int tgid;
	char comm[16]; /* of a task; of an interrupt between processors: its name, or "" */
	short prio;    /* of a task, as the kernel has it: less goes first */
	unsigned char kind, flags;
	unsigned int policy;
};
_Static_assert(sizeof(struct held_span) == 56, "as on the other side");

/* How many spans of a kind are remembered: a power of two. */
#define HELD_SPANS 512

/* An element of the map "held_cpus", by the processor's number. */
struct held_cpu {
	unsigned long long wanted; /* set by user space before the programs are armed */
	unsigned long long heads[HELD_KINDS];
	unsigned long long task, tid;  /* address of the current task, 0: not known yet; and its id */
	unsigned long long began;      /* when it came */
	unsigned long long soft, hard; /* when an interrupt began that lasts; 0: none does */
	unsigned int soft_number, hard_number;
	unsigned long long hard_flags; /* HELD_VECTOR */
	unsigned long long hard_name;  /* address of the kernel's text, of an interrupt between processors; 0: none */
	struct held_span spans[HELD_KINDS][HELD_SPANS];
};
_Static_assert(sizeof(struct held_cpu) == 104 + HELD_KINDS * HELD_SPANS * sizeof(struct held_span), "no gap in it");

enum held_state {
	HELD_WOKEN = 1,
	HELD_WOKEN_EARLY, /* woken while it still ran: it may have run on */
	HELD_READY,	  /* it left a processor, and could run on */
	HELD_QUOTA,	  /* it must not run: its cgroup has used up its share of the processor */
};

/* A thread that waits, in the pending table by the address of its task. Begins as struct pending. */
struct held_waiter {
	unsigned long long key;
	unsigned long long start;  /* when it became ready */
	unsigned long long queued; /* since when it is in the queue of `cpu` */
	unsigned int tid;
	unsigned short cpu;
	unsigned char state;
	unsigned char told; /* what it waited for before in other queues was sent */
};
_Static_assert(sizeof(struct held_waiter) == 32, "as on the other side: a power of two");

/* The most that may wait at a time. */
#define HELD_WAITERS 16384

/* The most spans in a message. */
#define HELD_SENT 48

/*
 * In the ring buffer "held_messages": spans of the processor on which a thread waited until `ended`. The last message
 * of a wait has `last`. The rest of it was in queues of other processors, or their messages are lost. One for a quota
 * has no spans: nobody held a processor.
 */
struct held_message {
	unsigned long long start, queued, ended; /* queued: since when on this processor */
	unsigned int tid, tgid;
	unsigned short cpu, n;
	short prio;
	unsigned char last;
	unsigned char state; /* enum held_state, when the wait began */
	unsigned int policy, unused2;
	char comm[16];
	struct held_span spans[HELD_SENT];
};
#define HELD_HEAD 64
_Static_assert(sizeof(struct held_message) == HELD_HEAD + HELD_SENT * sizeof(struct held_span), "no gap before spans");

struct held_config {
	unsigned long long over; /* ns: shorter waits are not sent */
	unsigned int cpus;	 /* elements of "held_cpus" */
	unsigned char stacks;
	unsigned char some; /* only some processors are looked at: a wait must be that long on one of them */
	unsigned char unused[2];
};
_Static_assert(sizeof(struct held_config) == 16, "as on the other side");

/* .data.held_shared: written by both sides. */
struct held_shared {
	unsigned long long armed;  /* when measuring began; 0: not yet, or no longer */
	unsigned long long lost;   /* messages that found no room */
	unsigned long long unseen; /* waits whose end was not seen */
};
_Static_assert(sizeof(struct held_shared) == 24, "as on the other side");

#endif
