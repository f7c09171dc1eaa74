// SPDX-License-Identifier: BSD-2-Clause
/* Fills in events of a trace.dat: a head of 8 bytes, then the fields that trace_dat_formats.c describes. */
#include "bpf/block.h"
#include "trace_dat_part.h"

#define COMM	       16
#define CALLS_MAX      4096 /* different numbers of calls that get a name */
#define FLAG_INTERRUPT 8    /* TRACE_FLAG_HARDIRQ */

static void put(struct dat *dat, const void *bytes, size_t len)
{
	if (len > sizeof(dat->data) - dat->len)
		len = sizeof(dat->data) - dat->len;
	memcpy(dat->data + dat->len, bytes, len);
	dat->len += len;
}

void dat_put_number(struct dat *dat, uint64_t number, size_t bytes)
{
	put(dat, &number, bytes);
}

static void put_chars(struct dat *dat, const char *text, size_t size)
{
	char chars[COMM] = {};

	memcpy(chars, text, strnlen(text, size - 1));
	put(dat, chars, size);
}

/* The kernel has an idle task for each processor. */
static void put_comm(struct dat *dat, int64_t tid)
{
	char idle[COMM];

	snprintf(idle, sizeof(idle), "swapper/%u", dat->event->cpu);
	put_chars(dat, tid ? recording_comm(dat->r, tid) : idle, COMM);
}

/* A text lies behind all fields. Only one can follow. `fields` is the size of what comes between. */
static void put_text_place(struct dat *dat, size_t fields, size_t len)
{
	if (len > DAT_DATA_MAX / 2)
		len = DAT_DATA_MAX / 2;
	dat_put_number(dat, (uint64_t)(len + 1) << 16 | (dat->len + 4 + fields), 4);
}

static void put_text(struct dat *dat, const char *text, size_t len)
{
	put(dat, text, len > DAT_DATA_MAX / 2 ? DAT_DATA_MAX / 2 : len);
	put(dat, "", 1);
}

void dat_begin(struct dat *dat, unsigned int id, int64_t pid)
{
	dat->len = 0;
	dat_put_number(dat, id + 1, 2);
	dat_put_number(dat, pid < 0 ? FLAG_INTERRUPT : 0, 1);
	dat_put_number(dat, 0, 1);
	dat_put_number(dat, pid < 0 ? 0 : pid, 4);
}

static void end(struct dat *dat)
{
	dat_pages_add(&dat->pages, dat->event->cpu, dat->event->time, dat->data, dat->len);
}

/* --- kinds --- */

static void add_exec(struct dat *dat, enum dat_event id)
{
	const struct recording_field *field = recording_field(dat->event, KNOWN_F_FILENAME);
	size_t len = 0;
	const char *text = field ? recording_chars(dat->r, dat->event, field, &len) : NULL;

	dat_begin(dat, id, dat->event->task);
	put_text_place(dat, 8, len);
	dat_put_number(dat, dat->event->task, 4);
	dat_put_number(dat, recording_known(dat->event, KNOWN_F_OLD_TASK, dat->event->task), 4);
	put_text(dat, str_or_empty(text), len);
	end(dat);
}

/* Six arguments; a record has fewer if the call takes fewer. */
static void put_args(struct dat *dat)
{
	const struct recording_field *field = recording_field(dat->event, KNOWN_F_ARGS);
	uint64_t args[6] = {};
	size_t n = 0;
	const uint64_t *words = field ? recording_words(dat->event, field, &n) : NULL;

	if (n)
		memcpy(args, words, (n < 6 ? n : 6) * sizeof(*args));
	put(dat, args, sizeof(args));
}

static void put_call(struct dat *dat, int64_t call)
{
	if (dat->calls.n < CALLS_MAX)
		set_add(&dat->calls, &call, sizeof(call));
	dat_put_number(dat, call, 8);
}

/* The kernel's letters: R, W, F, D. */
static void put_letter(struct dat *dat, size_t size)
{
	static const char *const letters[] = { "R", "W", "F", "D" };
	int64_t op = recording_known(dat->event, KNOWN_F_OP, BLOCK_OP_MASK) & BLOCK_OP_MASK;

	put_chars(dat, op < (int64_t)ARRAY_SIZE(letters) ? letters[op] : "N", size);
}

static void put_field(struct dat *dat, const struct dat_field *field)
{
	const struct recording_event *event = dat->event;
	int64_t number = field->known < 0 ? event->task : recording_known(event, field->known, field->otherwise);

	switch (field->how) {
	case DAT_BY_HAND:
		break;
	case DAT_NUMBER:
		dat_put_number(dat, number, field->size);
		break;
	case DAT_COMM:
		put_comm(dat, number);
		break;
	case DAT_CALL:
		put_call(dat, number);
		break;
	case DAT_ARGS:
		put_args(dat);
		break;
	case DAT_SECTORS:
		dat_put_number(dat, number / 512, field->size);
		break;
	case DAT_LETTER:
		put_letter(dat, field->size);
		break;
	}
}

/* An event whose fields are all in the table. A waker that is missing is whoever runs. */
static void add_fields(struct dat *dat, enum dat_event id)
{
	int64_t task = dat->event->task;

	if (id == DAT_SWITCH)
		task = recording_known(dat->event, KNOWN_F_PREV, 0);
	else if (id == DAT_WAKING)
		task = recording_known(dat->event, KNOWN_F_WAKER, task);
	dat_begin(dat, id, task);
	for (const struct dat_field *field = dat_formats[id].fields; field->declaration; field++)
		put_field(dat, field);
	end(dat);
}

static void add_probe(struct dat *dat, enum dat_event id)
{
	int64_t probe = recording_known(dat->event, KNOWN_F_PROBE, 0);
	const char *name = recording_text(dat->r, LAYOUT_SPACE_PROBES, probe);
	const struct recording_field *field = recording_field(dat->event, KNOWN_F_ARGS);
	bool is_return = recording_known(dat->event, KNOWN_F_SITE, 0);
	size_t n = 0;
	const uint64_t *words = field ? recording_words(dat->event, field, &n) : NULL;

	if (!name) {
		str_reset(&dat->text);
		str_addf(&dat->text, "probe %lld", (long long)probe);
		name = dat->text.data;
	}
	dat_begin(dat, is_return ? DAT_RETURN : id, dat->event->task);
	put_text_place(dat, is_return ? 12 : 52, strlen(name));
	dat_put_number(dat, 0, 4);
	if (is_return)
		dat_put_number(dat, n ? words[0] : 0, 8);
	else
		put_args(dat);
	put_text(dat, name, strlen(name));
	end(dat);
}

static void add_mark(struct dat *dat, enum dat_event id)
{
	const struct recording_field *field = recording_field(dat->event, KNOWN_F_TEXT);
	size_t len = 0;
	const char *text = field ? recording_chars(dat->r, dat->event, field, &len) : NULL;

	str_reset(&dat->text);
	str_add_shown(&dat->text, str_or_empty(text), len);
	dat_begin(dat, id, dat->event->task);
	put_text_place(dat, 0, dat->text.len);
	put_text(dat, str_or_empty(dat->text.data), dat->text.len);
	end(dat);
}

/* "field=value ..." of a kind that we know nothing of. */
static void add_other(struct dat *dat)
{
	const struct recording_info *info = recording_info(dat->r);
	const struct recording_kind *kind = dat->event->kind;
	size_t index = 0;

	while (index < info->n_kinds && info->kinds[index] != kind)
		index++;
	str_reset(&dat->text);
	for (uint32_t i = 0; i < kind->n; i++) {
		if (!recording_has(dat->event, &kind->fields[i]))
			continue;
		str_addf(&dat->text, "%s%s=", dat->text.len ? " " : "", kind->fields[i].name);
		recording_show(&dat->text, dat->r, dat->event, &kind->fields[i]);
	}
	dat_begin(dat, DAT_FIRST_OTHER + index, dat->event->task);
	put_text_place(dat, 0, dat->text.len);
	put_text(dat, str_or_empty(dat->text.data), dat->text.len);
	end(dat);
}

static const struct {
	void (*add)(struct dat *dat, enum dat_event id);
	enum dat_event id;
} adders[KNOWN_KINDS_N] = {
	[KNOWN_SWITCH] = { add_fields, DAT_SWITCH },
	[KNOWN_WAKING] = { add_fields, DAT_WAKING },
	[KNOWN_MIGRATE] = { add_fields, DAT_MIGRATE },
	[KNOWN_FORK] = { add_fields, DAT_FORK },
	[KNOWN_EXEC] = { add_exec, DAT_EXEC },
	[KNOWN_COMM] = { add_fields, DAT_RENAME },
	[KNOWN_EXIT] = { add_fields, DAT_EXIT },
	[KNOWN_SYS_ENTER] = { add_fields, DAT_SYS_ENTER },
	[KNOWN_SYS_EXIT] = { add_fields, DAT_SYS_EXIT },
	[KNOWN_BLOCK_ISSUE] = { add_fields, DAT_ISSUE },
	[KNOWN_BLOCK_COMPLETE] = { add_fields, DAT_COMPLETE },
	[KNOWN_PROBE] = { add_probe, DAT_PROBE },
	[KNOWN_MARK] = { add_mark, DAT_MARK },
};

void dat_events_add(struct dat *dat)
{
	int known = dat->event->kind->known;

	if (known == KNOWN_CALL)
		dat_calls_add(dat);
	else if (known < 0)
		add_other(dat);
	else if (adders[known].add)
		adders[known].add(dat, adders[known].id);
}

void dat_events_add_lost(struct dat *dat, uint32_t cpu, uint64_t time, uint64_t lost)
{
	dat_begin(dat, DAT_LOST, 0);
	dat_put_number(dat, lost, 8);
	dat_pages_add(&dat->pages, cpu, time, dat->data, dat->len);
}
