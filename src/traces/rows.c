// SPDX-License-Identifier: BSD-2-Clause
/* Writes a plan as rows: one for each item that has not the kernel's default. */
#include "output/words.h"
#include "rows.h"

struct row {
	char *file;
	const char *kind, *instance, *group, *name, *text, *owner, *state, *comm, *action, *why;
	pid_t pid;
	int error;
	const struct trace_step *step;
};

static void add_event(struct str *s, const void *row, enum output_format format)
{
	const struct row *r = row;
	__str struct str name = {};

	if (!r->name) {
		str_add(s, "null");
		return;
	}
	str_addf(&name, "%s%s%s", r->group ? r->group : "", r->group ? "/" : "", r->name);
	str_add_json(s, name.data, name.len);
}

static void add_pid(struct str *s, const void *row, enum output_format format)
{
	const struct row *r = row;

	if (r->pid)
		str_add_u64(s, r->pid);
	else
		str_add(s, "null");
}

static void add_done(struct str *s, const void *row, enum output_format format)
{
	str_add(s, ((const struct row *)row)->step->done ? "true" : "false");
}

#define JSON_STR(MEMBER, KEY) FIELD(FIELD_STR, struct row, MEMBER, KEY, NULL, 0, .json_only = true)
#define JSON_BY(ADD, KEY)     FIELD_BY(ADD, KEY, NULL, 0, .json_only = true)

static const struct field fields[] = {
	JSON_STR(file, "file"),
	JSON_STR(kind, "kind"),
	JSON_STR(instance, "instance"),
	JSON_BY(add_event, "name"),
	JSON_STR(text, "text"),
	JSON_STR(owner, "owner"),
	JSON_BY(add_pid, "pid"),
	JSON_STR(state, "state"),
	JSON_STR(comm, "comm"),
	JSON_STR(action, "action"),
	JSON_STR(why, "why"),
	JSON_BY(add_done, "done"),
	FIELD(FIELD_ERRNO, struct row, error, "errno", NULL, 0, .json_only = true),
	FIELD(FIELD_ERROR, struct row, error, "error", NULL, 0, .json_only = true),
};

const struct schema traces_schema = { fields, ARRAY_SIZE(fields) };

static const char *state_name(const struct trace_owner *owner)
{
	static const char *const names[] = {
		[OWNER_UNKNOWN] = NULL,
		[OWNER_DEAD] = "dead",
		[OWNER_REUSED] = "reused",
		[OWNER_ALIVE] = "alive",
		[OWNER_UNSEEN] = "unseen",
	};

	return names[owner->state];
}

static void print_row(struct output *out, const struct traces *traces, const struct trace_item *item,
		      const struct trace_step *step)
{
	/* a pin belongs to no instance, and there may be no instance */
	const struct trace_instance *instance = item->pin ? NULL : &traces->instances.v[item->instance];
	bool owned = item->pin || trace_is_event(item);
	const struct process_id *process = owned ? item->owner.process : instance->reader;
	struct row row = {
		.file = traces_file_name(traces, item->file),
		.kind = trace_kind_name(item->kind),
		.instance = instance && *instance->name ? instance->name : NULL,
		.group = item->group,
		.name = item->name,
		.text = item->text,
		.owner = item->owner.tool,
		.pid = process && !item->owner.pid ? process->pid : item->owner.pid,
		.state = state_name(&item->owner),
		.comm = process ? process->comm : NULL,
		.action = trace_step_action(item, step),
		.why = step->why,
		.step = step,
		.error = step->error,
	};

	output_row(out, &row);
	free(row.file);
}

void traces_print_rows(struct output *out, const struct traces *traces, const struct trace_plan *plan)
{
	output_table_begin(out, &traces_schema, NULL, true);
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].set)
			print_row(out, traces, &traces->v[i], &plan->v[i]);
	output_table_end(out);
}
