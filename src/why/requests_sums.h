/* SPDX-License-Identifier: BSD-2-Clause */
/* Within why/requests_*.c: what the page of requests has, as text or as data. */
#ifndef SONDE_WHY_REQUESTS_SUMS_H
#define SONDE_WHY_REQUESTS_SUMS_H

#include "why_part.h"

enum requests_column {
	REQUESTS_MEAN,
	REQUESTS_MIDDLE,      /* of the middle 10 % */
	REQUESTS_SLOWEST_ONE, /* of the slowest 1 % */
	REQUESTS_COLUMNS,
};

struct requests_cell {
	double ns[REQUESTS_COLUMNS];
};

/* Where threads ran: stacks, with the time of samples in them. */
struct requests_ran {
	struct set stacks; /* their numbers index cells */
	vec(struct requests_cell) cells;
};

/* The function in which they mostly were, with all time in it. */
struct requests_function {
	const char *name; /* with file and line, if it has them; NULL: not known */
	struct requests_cell all;
};

/* For what others waited. Between several, the one that has more than half of the time, if there is one. */
struct requests_vote {
	const char *lock;
	uint8_t via;   /* the class of these sleeps */
	double weight; /* ns ahead of the others */
};

/* A cause, with all requests' time in it. */
struct requests_line {
	struct requests_cell all;
	uint8_t where, class, inner, via; /* as in struct requests_state */
	struct requests_ran ran;
	struct requests_function in;
	const char *lock;		  /* what the program calls that for which the sleep was, or the one that has led to it; or NULL */
	vec(struct requests_line_object {
		char *name;
		double ns[REQUESTS_COLUMNS];
		/* of one that had the processor: its processes, with their times, which count more in the slowest requests */
		vec(struct requests_behind {
			uint32_t pid;
			double ns;
		}) processes;
	}) objects;
	/*
	 * Of a sum of what threads did for requests of their own: the part in which others waited for these threads, which are
	 * its objects. NULL: none did.
	 */
	struct requests_line *held;
	struct requests_vote held_for;
};

struct requests_percentiles {
	size_t n;
	uint64_t p50, p99, max;
};

/* Requests of one peer, port or thread. */
struct requests_by {
	uint32_t group;
	struct requests_group all;
	struct requests_percentiles times;
	uint8_t where, class; /* where most of their time went */
};

/* A state of a thread: how long others waited for it meanwhile, and how long it was for a request of its own. */
struct requests_holds {
	uint64_t others_ns, own_ns;
	struct requests_vote others_for;
	char *who; /* NULL: not known yet */
};

struct requests_page {
	struct why *why;
	const struct requests_request *split, *slowest;
	size_t n_split, n_slowest;
	const struct requests_request **cut; /* of `split`, those that have parts, the quickest first */
	size_t n_cut;
	vec(struct requests_line) lines;
	struct requests_line sum;
	/*
	 * Sums of lines: those in queues; those behind, by server; those that one lock has led to, by who held it. Each other
	 * line is a sum of its own. The largest first.
	 */
	vec(struct requests_line) sums;
	vec(struct requests_by) groups; /* the one with most time first */
	struct requests_counts counts;
	struct requests_percentiles server, client;
	bool merged; /* too many: no percentile of the slowest */
	/* threads, classes and objects; their numbers index states */
	struct set state_keys;
	vec(struct requests_holds) states;
};

void requests_page_make(struct requests_page *page, struct why *why);
void requests_page_free(struct requests_page *page);

/* What the thread of a state itself sleeps for, as the program calls it; NULL: it has no name, or it is a disk. */
const char *requests_page_lock(struct why *why, const struct requests_state *state);

/* Whether the line is part of the sum. */
bool requests_page_below(const struct requests_line *line, const struct requests_line *sum);

/*
 * Who is behind a state to which sleeps have led: of the last one that has a name, or that was for a lock, who has ended
 * it; else of the first one. lock: what the program calls that for which the first of them that has a name was, or NULL.
 * NULL: no sleeps have led to it.
 */
const struct why_requests_held *requests_page_held(struct why *why, uint32_t ended);

/* Appends what a number of why->requests.clients is, or of its groups. */
void requests_page_add_name(struct why *why, struct str *s, uint32_t number);
void requests_page_add_group(struct why *why, struct str *s, uint32_t number);
/* Appends the name of a thread, if it is known. */
void requests_page_add_thread(const struct why *why, struct str *s, uint32_t tid);
/* Appends what a state is for; nothing: it has no name. */
void requests_page_add_object(struct why *why, struct str *s, const struct requests_state *state);

/*
 * requests_behind.c: others have waited until then for a thread or a process, of which the first time counts; and whether
 * who has its id now is the same one. 0: it has no id.
 */
void requests_behind_met(struct why *why, uint32_t id, uint64_t time);
bool requests_behind_is(const struct why *why, uint32_t id);
/* The thread that had the processor, above it its process; 0: it is not known, or something else was waited for. */
uint64_t requests_behind_of(const struct why *why, const struct requests_state *state);
/* A process of an object had the processor. At the end: gives objects their processes' ids. */
void requests_behind_add(struct requests_line_object *object, uint32_t pid, double ns);
void requests_behind_name(struct why *why, struct requests_line *line);

/*
 * requests_ran.c: the stack of a sample; 0: it has none. Adds it. Where most of a column was: the innermost function with
 * half of it and more; of an interpreted language, if there is one. The same of steps that are one.
 */
uint64_t requests_ran_stack(const struct why *why, const struct requests_state *state);
void requests_ran_add(struct requests_ran *ran, uint64_t stack, double ns, const double *shares);
void requests_ran_release(struct requests_ran *ran);
struct requests_function requests_ran_in(struct why *why, const struct requests_ran *ran, enum requests_column of);
const char *requests_ran_of_steps(struct why *why, const struct requests_step *steps, size_t n);

/* requests_page.c: what a step is called, with its object: "disk /var/lib/x", "queue: processor behind sed". */
void requests_page_add_step(struct why *why, struct str *s, const struct requests_state *state);

/* requests_rows.c */
void requests_page_put(const struct requests_page *page, struct output *out);

#endif
