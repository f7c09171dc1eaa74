// SPDX-License-Identifier: BSD-2-Clause
/*
 * Text has one line for an event: who, where, when, what, and the fields as NAME=VALUE. Data have the fields as a row
 * of their own, whose schema is made of the recording's description of the kind.
 */
#include "timeline.h"

/* A field of the event in hand, as its getter sees it. */
struct slot {
	const struct recording *r;
	const struct recording_event *event;
	const struct recording_field *field;
};

struct timeline {
	const struct recording_event *event;
	const struct recording *r;
	uint64_t time;
	uint32_t cpu;
	struct slot slots[LAYOUT_FIELDS_MAX];
	struct schema schemas[LAYOUT_KINDS_MAX];
	struct field *fields[LAYOUT_KINDS_MAX];
};

static void get_slot(struct value *to, const void *row, const void *ctx)
{
	const struct slot *slot = row;
	const uint64_t *words;
	const char *text;
	size_t n;

	if (!recording_has(slot->event, slot->field))
		return;
	switch (slot->field->is) {
	case LAYOUT_WORDS:
		words = recording_words(slot->event, slot->field, &n);
		value_set_numbers(to, (const unsigned long long *)words, n);
		return;
	case LAYOUT_CHARS:
	case LAYOUT_LOC:
	case LAYOUT_TEXT:
		text = recording_chars(slot->r, slot->event, slot->field, &n);
		value_set_chars(to, text ? text : "", n);
		return;
	case LAYOUT_SYSCALL:
	case LAYOUT_STATE:
	case LAYOUT_PROBE:
	case LAYOUT_PROBE_SITE:
	case LAYOUT_DEVICE:
	case LAYOUT_OP:
		recording_show(to->room, slot->r, slot->event, slot->field);
		value_set_made(to);
		return;
	case LAYOUT_NUMBER:
	case LAYOUT_HEX:
	case LAYOUT_DURATION:
	case LAYOUT_TIME:
	case LAYOUT_BYTES:
	case LAYOUT_PRIO:
	case LAYOUT_ADDRESS:
	case LAYOUT_SECTOR:
		value_set_u64(to, recording_value(slot->event, slot->field));
		return;
	default:
		value_set_s64(to, recording_value(slot->event, slot->field));
	}
}

/* --- the row --- */

static void get_task(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	if (t->event->task == -1)
		return;
	str_addf(to->room, "%s-%d", recording_comm(t->r, t->event->task), t->event->task);
	value_set_made(to);
}

static void get_comm(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	value_set_text(to, t->event->task == -1 ? NULL : recording_comm(t->r, t->event->task));
}

static void get_tid(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	if (t->event->task != -1)
		value_set_s64(to, t->event->task);
}

static void get_cpu(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	str_addf(to->room, "[%03u]", t->cpu);
	value_set_made(to);
}

static void get_kind(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	value_set_text(to, t->event->kind ? t->event->kind->name : "lost");
}

/* Tasks have names beside their ids. */
static void add_field(struct str *s, const struct timeline *t, const struct recording_field *field)
{
	str_addf(s, "%s%s=", s->len ? " " : "", field->name);
	if (field->is == LAYOUT_TASK) {
		int64_t tid = recording_value(t->event, field);

		if (tid >= 0)
			str_addf(s, "%s-", recording_comm(t->r, tid));
		str_add_s64(s, tid);
	} else if (field->is == LAYOUT_CHARS || field->is == LAYOUT_LOC || field->is == LAYOUT_TEXT) {
		size_t n;
		const char *text = recording_chars(t->r, t->event, field, &n);

		str_addn(s, text ? text : "", n); /* the printer escapes it */
	} else {
		recording_show(s, t->r, t->event, field);
	}
}

static void get_details(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;
	const struct recording_kind *kind = t->event->kind;

	if (!kind)
		str_addf(to->room, "%llu record%s", (unsigned long long)t->event->lost,
			 str_plural(t->event->lost));
	for (uint32_t i = 0; kind && i < kind->n; i++) {
		const struct recording_field *field = &kind->fields[i];
		/* Filters are not what happened. */
		bool hidden = field->known == KNOWN_F_PREV_PASSES;
		/* The line begins with who it was. */
		bool said = field->known == KNOWN_F_TASK && field->is == LAYOUT_TASK &&
			    (int64_t)recording_value(t->event, field) == t->event->task;

		if (recording_has(t->event, field) && !said && !hidden)
			add_field(to->room, t, field);
	}
	value_set_made(to);
}

static void get_fields(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	if (t->event->kind)
		value_set_row(to, &t->schemas[t->event->kind->id], t->slots);
}

static void get_lost(struct value *to, const void *row, const void *ctx)
{
	const struct timeline *t = row;

	if (!t->event->kind)
		value_set_u64(to, t->event->lost);
}

static const struct field fields[] = {
	TEXT_GET(FIELD_STR, get_task, "TASK-PID", 24, .absent = "?"),
	TEXT_GET(FIELD_STR, get_cpu, "CPU", -5),
	FIELD(FIELD_ELAPSED, struct timeline, time, "monotonic_ns", "TIME", 13, .decimals = 6),
	DATA(FIELD_TIME, struct timeline, time, "time"),
	DATA(FIELD_U32, struct timeline, cpu, "cpu", .role = ROLE_LABEL),
	DATA_GET(FIELD_STR, get_comm, "comm", .role = ROLE_TASK),
	DATA_GET(FIELD_S32, get_tid, "tid", .role = ROLE_TASK),
	FIELD_GET(FIELD_STR, get_kind, "kind", "EVENT", -14, .role = ROLE_LABEL),
	DATA_GET(FIELD_ROW, get_fields, "fields"),
	DATA_GET(FIELD_U64, get_lost, "lost", .role = ROLE_COUNTER),
	TEXT_GET(FIELD_STR, get_details, "FIELDS", -20),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

/* The schema of a kind's fields; slot i has the value of field i. */
static void make_schema(struct timeline *t, const struct recording_kind *kind)
{
	struct field *made;

	if (t->fields[kind->id])
		return;
	made = t->fields[kind->id] = base_alloc((kind->n + 1) * sizeof(*made));
	for (uint32_t i = 0; i < kind->n; i++)
		made[i] = (struct field)DATA_GET(FIELD_STR, get_slot, kind->fields[i].name, .offset = i * sizeof(struct slot));
	t->schemas[kind->id] = (struct schema){ made, kind->n };
}

static void fill_slots(struct timeline *t)
{
	const struct recording_kind *kind = t->event->kind;

	make_schema(t, kind);
	for (uint32_t i = 0; i < kind->n; i++) {
		t->slots[i].r = t->r;
		t->slots[i].event = t->event;
		t->slots[i].field = &kind->fields[i];
	}
}

/* A flight recorder's file begins before the clocks were read. */
static void set_clock(const struct recording *r, struct output *out, uint64_t first)
{
	uint64_t began = recording_info(r)->start.monotonic;
	const struct output_clock clock = { recording_wall_offset(r), first < began ? first : began };

	output_set_clock(out, &clock);
}

int timeline_print(struct recording *r, struct output *out)
{
	struct timeline *t __free = base_alloc(sizeof(*t));
	struct recording_event event;
	bool text = output_is_text(out), begun = false;
	int ret;

	t->r = r;
	t->event = &event;
	output_table_begin(out, &schema, NULL, true);
	while ((ret = recording_next(r, &event)) > 0 && !output_error(out)) {
		if (!begun)
			set_clock(r, out, event.time);
		begun = true;
		t->time = event.time;
		t->cpu = event.cpu;
		if (event.kind && !text)
			fill_slots(t);
		output_row(out, t);
	}
	output_table_end(out);
	for (int i = 0; i < LAYOUT_KINDS_MAX; i++)
		free(t->fields[i]);
	return ret < 0 ? ret : 0;
}
