/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of tools that count by stack: how often places are reached, or how long threads are blocked. Programs add
 * to the map "stack_counts" (bpf/stack.bpf.h); a table has a row for each stack, the hottest last. A tool says where its
 * programs are attached (progs.h):
 *
 *	static const struct stack_counts_source source = {
 *		.progs = { PROGS(NAME), PROGS_PROBES(probes), .what = "off-CPU time" },
 *		.stacks = { .by_time = true },
 *	};
 *	TOOL(NAME, STACK_COUNTS_ENGINE(source), .schema = &schema, ...);
 */
#ifndef SONDE_ENGINES_STACK_COUNTS_H
#define SONDE_ENGINES_STACK_COUNTS_H

#include "engine/progs.h"
#include "engine/stacks.h"
#include "event.h"

struct progs;

/* Receives what a program would add to a key. */
typedef void (*stack_counts_fn)(const struct stack_key *key, uint64_t ns, void *ctx);

struct stack_counts_source {
	struct progs_source progs;
	struct stacks_source stacks; /* without the settings, which are the engine's */
	bool kernel_only;	     /* only the kernel part of stacks is wanted */
	/*
	 * Calls fn for each thing that began and has not ended, for the last table. Returns how many there are. NULL: they
	 * are not counted.
	 */
	size_t (*unended)(struct progs *progs, stack_counts_fn fn, void *ctx);
	const char *unended_what, *unended_state; /* "thread", "off the processor" */
};

/* For TOOL(): this engine, with a struct stack_counts_source. */
#define STACK_COUNTS_ENGINE(SOURCE) \
	.engine = &stack_counts_engine, .source = ENGINE_SOURCE(struct stack_counts_source, SOURCE), .tables = true

/* Fields of a schema over struct stacks_row. A part of a stack: */
#define STACK_COUNTS_PART(MEMBER, KEY, INDENT, ...) \
	FIELD(FIELD_STACK, struct stacks_row, MEMBER, KEY, INDENT, 0, ##__VA_ARGS__)
/* The process or thread, where tools count by it: */
#define STACK_COUNTS_COMM(MEMBER, KEY) \
	DATA(FIELD_CHARS, struct stacks_row, key.MEMBER, KEY, .role = ROLE_TASK, \
	     .known = offsetof(struct stacks_row, key.MEMBER), .known_size = 1)
#define STACK_COUNTS_ID(MEMBER, KEY) DATA(FIELD_U32, struct stacks_row, key.MEMBER, KEY, .role = ROLE_TASK)
/* The probe, of a tool whose arguments are probes. */
#define STACK_COUNTS_PROBE \
	DATA_GET(FIELD_STR, event_get_function, "func", GET_OF(struct stacks_row, key.slot), .role = ROLE_LABEL)
/* The time in microseconds, and in data also how often. */
#define STACK_COUNTS_TIME(TITLE) \
	FIELD(FIELD_DURATION, struct stacks_row, ns, "ns", TITLE, 0, .unit = UNIT_US), \
		DATA(FIELD_U64, struct stacks_row, count, "count", .role = ROLE_COUNTER)

/* For the text of such a field: "NAME BEFORE ID AFTER" without the blanks. comm: of a struct stack_key. */
void stack_counts_set_task(struct value *to, const char *comm, const char *before, uint32_t id, const char *after);

extern const struct engine stack_counts_engine;

#endif
