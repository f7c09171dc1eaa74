// SPDX-License-Identifier: BSD-2-Clause
/* The columns of tracers: names, targets and owners, as text for people and as data for JSON. */
#include "base/report.h"
#include "options/setting.h"
#include "tracer_rows.h"

#define SHOWN(MEMBER) .shown = SETTING(bool, struct tracer_columns, MEMBER)

static const struct tracer *tracer_of(const void *row)
{
	return &((const struct tracer_row *)row)->tracer;
}

/* GROUP/EVENT of one event, the group and the number of several events. An instance's name comes first. */
static void get_shown_name(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = tracer_of(row);
	size_t n = ((const struct tracer_row *)row)->n;

	if (tracer->instance && strcmp(tracer->instance, tracer->name))
		str_addf(to->room, "%s: ", tracer->instance);
	if (tracer->group)
		str_addf(to->room, "%s/", tracer->group);
	if (n > 1)
		str_addf(to->room, "(%zu)", n);
	else
		str_add(to->room, tracer->name);
	value_set_made(to);
}

/* Shows "/usr/lib/libc.so.6:malloc" as "libc.so.6:malloc", and only the first of several targets; -v shows all in full. */
static void add_targets(struct str *s, const struct tracer *tracer)
{
	bool all = report_is_verbose();
	size_t n = all ? tracer->targets.n : 1;

	for (size_t i = 0; i < n; i++) {
		const char *name = tracer->targets.v[i] ?: "-", *slash = strrchr(name, '/');

		str_addf(s, "%s%s", i ? "," : "", !all && slash && slash[1] ? slash + 1 : name);
	}
	if (tracer->targets.n > n)
		str_addf(s, " +%zu", tracer->targets.n - n);
}

static void get_shown_targets(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = tracer_of(row);

	if (tracer->program && !tracer->attached)
		str_add(to->room, "not attached");
	else if (tracer->targets.n)
		add_targets(to->room, tracer);
	else if (tracer->links)
		str_addf(to->room, "(%zu)", tracer->links);
	else
		return;
	value_set_made(to);
}

static void get_targets(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = tracer_of(row);

	value_set_strings(to, tracer->targets.v, tracer->targets.n);
}

/* Only programs and events have a value. */
static void get_active(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = tracer_of(row);

	if (tracer->program || tracer->group)
		value_set_bool(to, tracer->attached || tracer->enabled);
}

/* ---- owners ---- */

static void add_processes(struct str *s, const struct tracer *tracer)
{
	const struct tracer_process *first = tracer->processes.v;

	str_addf(s, "%s (%d)", first->comm, first->pid);
	if (tracer->processes.n > 1)
		str_addf(s, " +%zu", tracer->processes.n - 1);
}

/* "orphan: bcc (pid 123, dead)" */
static void add_inferred(struct str *s, const struct tracer *tracer)
{
	const struct tracer_process *first = tracer->processes.v;

	str_add(s, tracer->state == TRACER_ORPHAN ? "orphan: " : "inferred: ");
	if (!tracer->tool) {
		add_processes(s, tracer);
		return;
	}
	str_add(s, tracer->tool);
	if (tracer->pid)
		str_addf(s, " (pid %d, %s)", tracer->pid, first ? first->comm : tracer->dead ? "dead"
											     : "unseen");
}

static void get_shown_owner(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = tracer_of(row);

	switch (tracer->state) {
	case TRACER_HELD:
		add_processes(to->room, tracer);
		break;
	case TRACER_PINNED:
		str_addf(to->room, "pin %s", tracer->pins.v[0]);
		break;
	case TRACER_INFERRED:
	case TRACER_ORPHAN:
		add_inferred(to->room, tracer);
		break;
	case TRACER_UNKNOWN:
		return;
	}
	value_set_made(to);
}

static void get_state(struct value *to, const void *tracer, const void *ctx)
{
	static const char *const states[] = {
		[TRACER_UNKNOWN] = "unknown",
		[TRACER_HELD] = "held",
		[TRACER_PINNED] = "pinned",
		[TRACER_INFERRED] = "inferred",
		[TRACER_ORPHAN] = "orphan",
	};

	value_set_text(to, states[((const struct tracer *)tracer)->state]);
}

static const struct field process_fields[] = {
	DATA(FIELD_S32, struct tracer_process, pid, "pid", .role = ROLE_TASK),
	DATA(FIELD_STR, struct tracer_process, comm, "comm", .role = ROLE_TASK),
};
static const struct schema process_schema = { process_fields, ARRAY_SIZE(process_fields) };

static void get_processes(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = row;

	value_set_rows(to, &process_schema, tracer->processes.v, tracer->processes.n, sizeof(struct tracer_process));
}

static void get_pins(struct value *to, const void *row, const void *ctx)
{
	const struct tracer *tracer = row;

	value_set_strings(to, tracer->pins.v, tracer->pins.n);
}

static const struct field owner_fields[] = {
	DATA_GET(FIELD_STR, get_state, "state"),
	DATA(FIELD_STR, struct tracer, tool, "tool"),
	DATA(FIELD_S32, struct tracer, pid, "pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_BOOL, struct tracer, dead, "dead"),
	DATA_GET(FIELD_LIST, get_processes, "processes"),
	DATA_GET(FIELD_LIST, get_pins, "pins"),
};
static const struct schema owner_schema = { owner_fields, ARRAY_SIZE(owner_fields) };

static void get_owner(struct value *to, const void *row, const void *ctx)
{
	value_set_row(to, &owner_schema, tracer_of(row));
}

static const struct field fields[] = {
	FIELD(FIELD_STR, struct tracer_row, tracer.kind, "kind", "KIND", -13),
	TEXT_GET(FIELD_STR, get_shown_name, "NAME", -15),
	DATA(FIELD_STR, struct tracer_row, tracer.name, "name"),
	DATA(FIELD_STR, struct tracer_row, tracer.group, "group"),
	DATA(FIELD_STR, struct tracer_row, tracer.instance, "instance"),
	DATA(FIELD_PATH, struct tracer_row, tracer.file, "file"),
	DATA(FIELD_U32, struct tracer_row, tracer.program, "program", .role = ROLE_LABEL, .null = NULL_ZERO),
	DATA(FIELD_U64, struct tracer_row, tracer.links, "links"),
	DATA_GET(FIELD_BOOL, get_active, "active"),
	TEXT_GET(FIELD_STR, get_shown_targets, "TARGET", -18, .may_cut = true),
	DATA_GET(FIELD_LIST, get_targets, "targets"),
	FIELD(FIELD_U64, struct tracer_row, tracer.hits, "hits", "HITS", 7, .role = ROLE_COUNTER, .null = NULL_MOST,
	      SHOWN(hits)),
	FIELD(FIELD_U64, struct tracer_row, tracer.missed, "missed", "MISSED", 6, .role = ROLE_COUNTER, .null = NULL_MOST,
	      SHOWN(missed)),
	FIELD(FIELD_BYTES, struct tracer_row, tracer.memory, "memory", "MEM", 5, .unit = UNIT_SHORT, .null = NULL_MOST),
	FIELD(FIELD_REAL, struct tracer_row, runs, "runs_per_second", "RUNS/S", 7, SHOWN(cost),
	      KNOWN_BY(struct tracer_row, has_cost)),
	FIELD(FIELD_REAL, struct tracer_row, cpu, "cpu_percent", "%CPU", 5, .decimals = 2, .data_decimals = 4,
	      SHOWN(cost), KNOWN_BY(struct tracer_row, has_cost)),
	TEXT_GET(FIELD_STR, get_shown_owner, "OWNER", -20),
	DATA_GET(FIELD_ROW, get_owner, "owner"),
};

const struct schema tracer_rows_schema = { fields, ARRAY_SIZE(fields) };
