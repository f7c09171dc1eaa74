/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within why/: adds up what the programs of bpf/why.bpf.c send, by thread, by cause and by the name of the process.
 * Knows neither maps nor pages.
 */
#ifndef SONDE_WHY_WHY_SUMS_H
#define SONDE_WHY_WHY_SUMS_H

#include "base/set.h"
#include "bpf/why.h"

/* The classes, and what the time on a processor is divided into: ns[WHY_RUNNING] is 0 then. */
enum why_cause {
	WHY_USER = WHY_CLASSES,
	WHY_SYSTEM,
	WHY_STOLEN, /* interrupts, and what the hypervisor gave to others */
	WHY_CAUSES,
};

/* What a thread, a name, or all threads did. */
struct why_split {
	uint64_t ns[WHY_CAUSES], count[WHY_CAUSES];
	int64_t ran;	       /* of ns[WHY_RUNNING], as the kernel has it; without interrupts */
	uint64_t user, system; /* in the proportion of which it ran there */
};

struct why_task {
	uint32_t tid, tgid;
	uint64_t began, ended;
	char comm[16];	/* its last name */
	bool has_ended; /* false: it was alive at the end */
	bool adopted;	/* it existed before tracing */
	struct why_split split;
};

struct why_name {
	char comm[17];
	struct why_split split;
};

/* Initialise with {}. */
struct why_sums {
	struct set tids;      /* numbers index latest */
	vec(uint32_t) latest; /* of the last thread with this tid, in tasks */
	vec(struct why_task) tasks;
	struct set comms; /* numbers index names */
	vec(struct why_name) names;
	struct why_split all;
	uint64_t processes;
	bool whole; /* of the time on processors no parts are known: it is not divided */
};

/* Ends a state of a thread: adds what it did since thread->since to its cells. */
void why_sums_state(struct why_thread *thread, uint32_t class, uint64_t until);
/* Adds a record. record: enum why_record; 0: the thread lives, and its cells cover its life until `since`. */
void why_sums_add(struct why_sums *sums, const struct why_thread *thread);
/* The sum of a name, which may be new; valid until the next call. */
struct why_name *why_sums_name(struct why_sums *sums, const char comm[16]);
/* Divides the time on processors of a split that is in no sum. */
void why_sums_divide(struct why_split *split);
/* Once all is added: divides the time on processors. */
void why_sums_finish(struct why_sums *sums);
/* The whole time of a split, once it is finished or before. */
uint64_t why_sums_life(const struct why_split *split);
/* A constant: "disk". */
const char *why_sums_cause(uint32_t cause);
void why_sums_release(struct why_sums *sums);

#endif
