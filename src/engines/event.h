/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event engine (bpf/event.bpf.h): prints a row for each event. A tool says where its programs are attached, and
 * which parts of an event are columns:
 *
 *	static const struct progs_probe probes[] = {
 *		{ .program = "exit", .system = "sched", .name = "sched_process_exit" },
 *	};
 *	static const struct event_source source = { .progs = { PROGS(exitsnoop), PROGS_PROBES(probes), ... } };
 *	TOOL(exitsnoop, EVENT_ENGINE(source), .schema = &schema, ...);
 *
 * A row is the record as the program submitted it: the schema's fields are members of the tool's struct.
 */
#ifndef SONDE_ENGINES_EVENT_H
#define SONDE_ENGINES_EVENT_H

#include "bpf/event.h"
#include "bpf/filter.h" /* skeletons name its struct */
#include "engine/engine.h"
#include "engine/progs.h"
#include "engine/stacks.h"

/* Rows that a tool makes of events by itself: of several events, or later. Functions that return int: 0, or -errno with err. */
struct event_rows {
	/*
	 * The places are known, and maps are sized; data may be filled. The output has the instance as context. *state is
	 * what the other calls get.
	 */
	int (*open)(struct engine_instance *instance, const struct target_set *set, struct object *object, void **state,
		    struct err *err);
	/*
	 * The probes are armed: begins the table, with the instance's schema. The object and the stacks (NULL: there
	 * are none) stay valid until close().
	 */
	void (*begin)(void *state, struct engine_instance *instance, const struct object *object,
		      struct stacks *stacks);
	/* Each event, in the order of time; it is valid during the call. */
	void (*add)(void *state, const struct event *event);
	/* Tracing ends: what the buffer has comes still. */
	void (*stop)(void *state);
	/* The last call before close(): prints what is left. */
	void (*end)(void *state, struct engine_instance *instance);
	void (*close)(void *state);
	/* Events of rings are lost, which none that add() got so far comes after. NULL: it does not matter. */
	void (*lost)(void *state);
};

struct event_source {
	struct progs_source progs;
	/* Returns true if the row is printed, for filters that only user space can apply. May be NULL. */
	bool (*show)(const struct engine_instance *instance, const struct event *event);
	/*
	 * What EVENT_LOSS_OWN counts, in the singular, and why there is no row: "connection", "more were open than
	 * ..."
	 */
	const char *lost_what, *lost_why;
	/*
	 * Events have stacks (stacks.h), if SETTING(bool, ...) with_stacks is set. stacks NULL: none have; with_stacks 0: all
	 * have. stacks is without settings and period, which are SETTING(struct stacks_settings, ...) and SETTING(uint64_t,
	 * ...), or 0.
	 */
	const struct stacks_source *stacks;
	size_t with_stacks, stacks_settings, period;
	/*
	 * One of the two. Each event is a sample: there are no rows, and a table counts the stacks of samples by the
	 * members that key() fills in, which are 0 before. Or each event is a row of row_schema, which row() makes: it
	 * names the stacks by stacks_find(). The row is valid until the next call.
	 */
	void (*key)(struct stack_key *key, const struct event *event);
	const void *(*row)(const struct event *event, struct stacks *stacks);
	const struct schema *row_schema;
	/*
	 * If SETTING(bool, ...) ringed is set, the programs write into rings (bpf/ring.bpf.h), and rows->add() gets what is in
	 * a record from its time on, which is that of CLOCK_MONOTONIC; 0: they use bpf/event.bpf.h.
	 */
	size_t ringed;
	const struct event_rows *rows; /* instead of a row for each event; NULL: that */
	const char *unit;	       /* what messages call an event, in the singular; NULL: "event" */
	/*
	 * If SETTING(bool, ...) count is set, events have no rows; the end is a table of counts, by the labels of this
	 * schema (counted.h).
	 */
	const struct schema *counted;
	size_t count;
};

/* For TOOL(): this engine, with a struct event_source. SAMPLE_ENGINE is for a source with .key: its buffer is smaller. */
#define EVENT_ENGINE(SOURCE)  .engine = &event_engine, .source = ENGINE_SOURCE(struct event_source, SOURCE)
#define SAMPLE_ENGINE(SOURCE) .engine = &sample_engine, .source = ENGINE_SOURCE(struct event_source, SOURCE)

extern const struct engine event_engine, sample_engine;

/* The first fields of every schema: the wall time, and the seconds since tracing began; in data the ns since boot. */
#define EVENT_TIMES FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8, .with = FIELD_WITH_TIME), EVENT_TIMESTAMP
#define EVENT_TIMESTAMP \
	FIELD(FIELD_ELAPSED, struct event, time, "boot_ns", "TIME(s)", -12, .with = FIELD_WITH_TIMESTAMP)
/* The task that caused the event: pid, tid, ppid or uid, as a column or only in data; and the command's name. */
#define EVENT_ID(MEMBER, TITLE, WIDTH, ...) \
	FIELD(FIELD_U32, struct event, MEMBER, #MEMBER, TITLE, WIDTH, .role = ROLE_TASK, ##__VA_ARGS__)
#define EVENT_ID_DATA(MEMBER, ...) \
	DATA(FIELD_U32, struct event, MEMBER, #MEMBER, .role = ROLE_TASK, ##__VA_ARGS__)
#define EVENT_COMM(TITLE, WIDTH, ...) \
	FIELD(FIELD_CHARS, struct event, comm, "comm", TITLE, WIDTH, .role = ROLE_TASK, ##__VA_ARGS__)
/* For the result of a call, an int that is -errno if the call failed: the number of the error, and its name. */
#define EVENT_ERROR(STRUCT, MEMBER) DATA(FIELD_ERRNO, STRUCT, MEMBER, "errno"), EVENT_ERROR_NAME(STRUCT, MEMBER)
#define EVENT_ERROR_NAME(STRUCT, MEMBER) \
	FIELD(FIELD_ERROR, STRUCT, MEMBER, "error", "ERROR", -12, .with = FIELD_WITH_VERBOSE)

/*
 * Of a tool that traces functions: the function of a slot (slot_number(), an unsigned int), and what the linker calls
 * it. As all getters of this engine's rows they get the instance as ctx.
 */
#define EVENT_FUNCTION(STRUCT, MEMBER) \
	FIELD_GET(FIELD_STR, event_get_function, "func", "FUNC", -1, .may_cut = true, GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_STR, event_get_symbol, "symbol", GET_OF(STRUCT, MEMBER))
void event_get_function(struct value *to, const void *slot, const void *instance);
void event_get_symbol(struct value *to, const void *slot, const void *instance);

#endif
