/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within why/held*.c: `sonde why --over`, who held the processor while threads waited for it (bpf/held.h). A wait is cut
 * into parts, which sum to it: held_cut.c, which knows neither kernels nor output. held.c is the engine, held_page.c
 * prints.
 */
#ifndef SONDE_WHY_HELD_H
#define SONDE_WHY_HELD_H

#include "base/set.h"
#include "bpf/held.h"
#include "bpf/hist.h"
#include "engine/progs_life.h"
#include "engine/stacks.h"
#include "kernel/interrupts.h"
#include "why.h"

struct ring_buffer;

enum held_what {
	HELD_BY_TASK,
	HELD_BY_HARD,
	HELD_BY_SOFT,
	HELD_BY_SELF,	 /* sonde itself: its process */
	HELD_BY_IDLE,	 /* the processor was idle, and woke up */
	HELD_BY_QUOTA,	 /* nobody: its cgroup has used up its share of the processor */
	HELD_ELSEWHERE,	 /* the thread was in the queue of another processor */
	HELD_BY_UNKNOWN, /* more was done than is remembered, or it is lost */
};

/* Where a task was that held the processor. */
enum held_where {
	HELD_SOMEWHERE, /* not known */
	HELD_IN_USER,
	HELD_IN_KERNEL,
	HELD_NOT_PREEMPTED, /* in the kernel, though the thread that waits goes first */
	HELD_LATE,	    /* in user space, likewise: the interrupt that ends it was late */
};

/* Who: the bytes of this struct distinguish rows of the table. */
struct held_key {
	uint32_t what, where;
	uint32_t id;	 /* process, or number of the interrupt */
	uint32_t policy; /* of a task: SCHED_ */
	int32_t rt;	 /* of a task: held_rt() */
	uint32_t vector; /* the id is a vector */
	char comm[16];
};

struct held_who {
	struct held_key key;
	uint64_t times, ns, max; /* waits that it was part of; and of these */
	char *command;		 /* of a process: its arguments; NULL: none are known */
};

/* A part of a wait. */
struct held_part {
	uint32_t who; /* number in held_sums.whos */
	uint32_t tid; /* of a task */
	uint64_t ns;
	uint64_t stack; /* of that moment; 0: there is none */
	bool sampled;	/* the stack is of a sample, not of the place where the task left */
};

/* Time on one processor. */
struct held_leg {
	uint32_t cpu;
	uint64_t from, to;
	vec(struct held_span) spans;
};

/* A wait, with all of its messages. */
struct held_wait {
	uint32_t tid, tgid;
	int32_t prio;
	uint32_t policy;
	uint64_t start, ended;
	char comm[16];
	bool lasts;
	bool quota; /* it waited for the quota of its cgroup */
	vec(struct held_leg) legs;
	uint64_t left_from, left_ns; /* of legs that there was no room for: the last one's begin, and all their time */
	vec(struct held_part) parts; /* of held_cut(): the longest first */
};

struct held_sums {
	uint32_t worst; /* how many waits are kept */
	uint32_t own;	/* sonde's process */
	struct set keys;
	vec(struct held_who) whos; /* by the numbers of keys */
	struct set tids;	   /* threads that waited */
	bool more_tids;		   /* there were more than it may have */
	uint64_t waits, ns, last;  /* last: how many of these still last */
	uint64_t unsplit;	   /* of how many some time is not known, since they have too many legs */
	struct held_wait *longest; /* the longest first */
	size_t n_longest;
	uint64_t cells[HIST_BUCKETS + HIST_PRECISE_BUCKETS];
};

/* The real-time priority of what the kernel has as prio: 1 to 99, 100 with a deadline, 0: it has none. */
int32_t held_rt(int32_t prio);
/* Divides wait->ended - wait->start into wait->parts, which sum to it. */
void held_cut(struct held_sums *sums, struct held_wait *wait);
/* Cuts the wait and adds it. Takes it over. */
void held_sums_add(struct held_sums *sums, struct held_wait *wait);
void held_sums_release(struct held_sums *sums);
void held_wait_release(struct held_wait *wait);
/* The leg on this processor since `from`, which may be new. NULL: the wait has too many, and that time is not known. */
struct held_leg *held_leg(struct held_wait *wait, uint32_t cpu, uint64_t from, uint64_t to);

struct held {
	struct engine_instance *instance;
	const struct why_settings *settings;
	struct progs progs;
	struct progs_clock clock;
	bool samples;
	struct stacks *stacks;
	struct stacks_source stacks_source;
	struct ring_buffer *ring;
	struct held_shared *shared;
	bool *cpus; /* by number: whether it is looked at */
	bool some;  /* the user chose them */
	size_t n_cpus;
	uint32_t n_elements;	    /* of the map */
	vec(struct held_wait) open; /* more messages of it will come */
	uint64_t dropped;	    /* of how many there was no room for a message */
	struct held_sums sums;
	struct interrupts interrupts;
	uint64_t began, ended;
	bool knows_missed;
};

extern const struct engine held_engine;
/* Whether the user asked for it. */
bool held_wanted(const struct engine_instance *instance);

/* held_page.c. Of data, the caller has begun the table. */
void held_print(struct held *held, struct output *out);
extern const struct schema held_schema;

#endif
