/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event engine (bpf/event.bpf.h): rows as things happen. A tool says where its programs are
 * attached and what of an event is shown:
 *
 *	static const struct event_probe probes[] = {
 *		{ .program = "exit", .system = "sched", .name = "sched_process_exit" },
 *	};
 *	static const struct event_source source = { EVENT_OBJECT(exitsnoop), EVENT_PROBES(probes), ... };
 *	TOOL(exitsnoop, EVENT_ENGINE(source), .schema = &schema, ...);
 *
 * A row is the event as the program has submitted it: the schema's fields are members of the tool's struct.
 */
#ifndef SONDE_EVENT_ENGINE_H
#define SONDE_EVENT_ENGINE_H

#include "bpf/event.h"
#include "bpf/filter.h" /* skeletons name its struct */
#include "engine.h"

struct event_probe {
	const char *program; /* of the tool's object */
	/*
	 * One of: a tracepoint; the end of a syscall; a probe as a user writes it, which configure() may have made
	 * up.
	 */
	const char *system, *name;
	const char *syscall;
	const char *const *spec;
	const bool *when; /* only where this is set; NULL: always */
	bool optional;	  /* some kernels or machines have no such thing */
	bool raw;	  /* a raw tracepoint on every kernel: the program acts only where nothing preempts it */
	bool covered;	  /* what the kernel skips here another probe sees: no loss */
};

/* A map of the tool's own, whose size depends on the options. */
struct event_map {
	const char *name;
	const uint32_t *entries; /* 0: not used, and not created */
};

/*
 * Of a tool whose arguments are functions, probed at both ends: its programs. A program learns from slot_number() which
 * function it is, and has its cells in the table of bpf/latency.bpf.h.
 */
struct event_pairs {
	const char *entry, *ret, *session;
	const bool *regex, *mangled, *force;
	const uint32_t *calls; /* at a time */
	size_t cell;	       /* bytes */
};

struct event_source {
	const void *(*object)(size_t *size); /* the ELF file */
	const struct event_probe *probes;
	size_t n_probes;
	const struct event_pairs *pairs; /* instead of probes */
	/* What the program reads of the options: becomes its .rodata.config. */
	const void *config;
	size_t config_size;
	const struct event_map *maps;
	size_t n_maps;
	/* Checks the options and completes config, before anything is loaded. -EINVAL: wrong usage. May be NULL. */
	int (*configure)(struct engine_instance *instance, struct err *err);
	/* Whether the row is shown, for what only user space can tell. May be NULL. */
	bool (*show)(const struct event *event, size_t size);
	/* "execs": for "Tracing execs..." */
	const char *what;
	/*
	 * What EVENT_LOSS_OWN counts, in the singular, and why there is no row: "connection", "more were open than
	 * ..."
	 */
	const char *lost_what, *lost_why;
};

#define EVENT_OBJECT(NAME)  .object = NAME##_bpf__elf_bytes
#define EVENT_PROBES(table) .probes = table, .n_probes = ARRAY_SIZE(table)
#define EVENT_MAPS(table)   .maps = table, .n_maps = ARRAY_SIZE(table)
/* For TOOL(): this engine, with a struct event_source. */
#define EVENT_ENGINE(SOURCE) .engine = &event_engine, .source = ENGINE_SOURCE(struct event_source, SOURCE)
#define EVENT_CONFIG(value)  .config = &(value), .config_size = sizeof(value)

extern const struct engine event_engine;

/*
 * Columns for which the user asks: --time, --timestamp, and the names of errors with --verbose. Schemas name them by
 * these addresses; what is shown is what an instance's context says.
 */
struct event_columns {
	bool time, timestamp, errors;
};
extern const struct event_columns event_columns;

/* Fields that begin every schema: the wall time, and the seconds since tracing began; in data the ns since boot. */
#define EVENT_TIMES FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8, .shown = &event_columns.time), EVENT_TIMESTAMP
#define EVENT_TIMESTAMP \
	FIELD(FIELD_ELAPSED, struct event, time, "boot_ns", "TIME(s)", -12, .shown = &event_columns.timestamp)
/* Who did it: pid, tid, ppid or uid, as a column or in data only; and the command's name. */
#define EVENT_ID(MEMBER, TITLE, WIDTH, ...) \
	FIELD(FIELD_U32, struct event, MEMBER, #MEMBER, TITLE, WIDTH, .role = ROLE_TASK, ##__VA_ARGS__)
#define EVENT_ID_DATA(MEMBER, ...) \
	DATA(FIELD_U32, struct event, MEMBER, #MEMBER, .role = ROLE_TASK, ##__VA_ARGS__)
#define EVENT_COMM(TITLE, WIDTH, ...) \
	FIELD(FIELD_CHARS, struct event, comm, "comm", TITLE, WIDTH, .role = ROLE_TASK, ##__VA_ARGS__)
/* Behind what a call has returned, an int that is -errno where it failed: the error's number, and its name. */
#define EVENT_ERROR(STRUCT, MEMBER) DATA(FIELD_ERRNO, STRUCT, MEMBER, "errno"), EVENT_ERROR_NAME(STRUCT, MEMBER)
#define EVENT_ERROR_NAME(STRUCT, MEMBER) \
	FIELD(FIELD_ERROR, STRUCT, MEMBER, "error", "ERROR", -12, .shown = &event_columns.errors)

/* Getters of a tool that traces functions get its target set as ctx: slots[] and symbols[] by slot_number(). */

#endif
