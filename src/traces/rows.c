// SPDX-License-Identifier: BSD-2-Clause
/* Writes verdicts as rows: one for each item that has not the kernel's default. */
#include "rows.h"

struct row {
	char *file;
	const char *kind, *instance, *group, *name, *text, *owner, *state, *comm, *action, *why;
	pid_t pid;
	int error;
	bool done;
};

static void get_name(struct value *to, const void *row, const void *ctx)
{
	const struct row *r = row;

	if (!r->name)
		return;
	str_addf(to->room, "%s%s%s", r->group ? r->group : "", r->group ? "/" : "", r->name);
	value_set_made(to);
}

static const struct field fields[] = {
	DATA(FIELD_PATH, struct row, file, "file"),
	DATA(FIELD_STR, struct row, kind, "kind"),
	DATA(FIELD_STR, struct row, instance, "instance"),
	DATA_GET(FIELD_STR, get_name, "name"),
	DATA(FIELD_STR, struct row, text, "text"),
	DATA(FIELD_STR, struct row, owner, "owner"),
	DATA(FIELD_S32, struct row, pid, "pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_STR, struct row, state, "state"),
	DATA(FIELD_STR, struct row, comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_STR, struct row, action, "action"),
	DATA(FIELD_STR, struct row, why, "why"),
	DATA(FIELD_BOOL, struct row, done, "done"),
	DATA(FIELD_ERRNO, struct row, error, "errno"),
	DATA(FIELD_ERROR, struct row, error, "error"),
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
		.done = step->done,
		.error = step->error,
	};

	output_row(out, &row);
	free(row.file);
}

void traces_print_rows(struct output *out, const struct traces *traces, const struct trace_verdicts *verdicts)
{
	output_table_begin(out, &traces_schema, NULL, true);
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].set)
			print_row(out, traces, &traces->v[i], &verdicts->v[i]);
	output_table_end(out);
}
