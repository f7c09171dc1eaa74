// SPDX-License-Identifier: BSD-2-Clause
/*
 * pftrace FILE: the states of threads in a file for Perfetto, as its trace processor makes them from the scheduler's
 * events, for guests, which cannot run that (tests/host/why_perfetto.sh compares the two). Prints
 *
 *	state TID LETTERS NS BLOCKED	each state, in order of time; BLOCKED: what for, "-" if that is not known
 *	woken TID WAKER			who ended each sleep, or made the thread; 0: an interrupt
 *	name TID TGID NAME		the last name of each thread
 *	lost CPU			a gap
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIDS 4200000
#define KEEP 4000000 /* events, rows */

struct bytes {
	const uint8_t *at, *end;
};

struct field {
	uint64_t id, number;
	struct bytes bytes;
};

enum kind {
	SWITCH = 4,
	REASON = 18,
	WAKING = 20,
	NEW_TASK = 235,
	RENAME = 236,
};

struct event {
	uint64_t time, order;
	enum kind kind;
	int waker;
	uint64_t numbers[8]; /* of the message's fields */
	struct bytes texts[8];
};

struct row {
	int tid;
	int64_t state; /* of sched_switch's prev; -1: runs */
	uint64_t from, to;
	uint64_t reason;
};

struct thread {
	struct row *last, *blocked;
	int tgid;
	char name[17];
};

static struct event *events;
static struct row *rows;
static struct thread *threads;
static size_t n_events, n_rows;
static struct bytes symbols[100000];

static void die(const char *why)
{
	fprintf(stderr, "pftrace: %s\n", why);
	exit(1);
}

static uint64_t varint(struct bytes *from)
{
	uint64_t value = 0;

	for (int shift = 0; from->at < from->end && shift < 64; shift += 7) {
		uint8_t byte = *from->at++;

		value |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return value;
	}
	die("a number without an end");
	return 0;
}

static int next(struct bytes *from, struct field *field)
{
	uint64_t tag;

	if (from->at == from->end)
		return 0;
	tag = varint(from);
	field->id = tag >> 3;
	field->number = varint(from);
	if ((tag & 7) == 0)
		return 1;
	if ((tag & 7) != 2 || field->number > (uint64_t)(from->end - from->at))
		die("a field of an unknown type");
	field->bytes = (struct bytes){ from->at, from->at + field->number };
	from->at += field->number;
	return 1;
}

static struct thread *thread_of(int64_t tid)
{
	if (tid < 0 || tid >= TIDS)
		die("an odd thread");
	return &threads[tid];
}

/* --- reading --- */

static void read_message(struct event *event, struct bytes message)
{
	struct field field;

	while (next(&message, &field))
		if (field.id < 8) {
			event->numbers[field.id] = field.number;
			event->texts[field.id] = field.bytes;
		}
}

static void read_event(struct bytes bytes)
{
	struct event *event = &events[n_events];
	struct field field;

	if (n_events == KEEP)
		die("too many events");
	event->order = n_events;
	while (next(&bytes, &field)) {
		if (field.id == 1)
			event->time = field.number;
		if (field.id == 2)
			event->waker = field.number;
		if (field.id == SWITCH || field.id == REASON || field.id == WAKING || field.id == NEW_TASK ||
		    field.id == RENAME) {
			event->kind = field.id;
			read_message(event, field.bytes);
		}
	}
	n_events += event->kind != 0;
}

static void read_bundle(struct bytes bytes)
{
	struct field field;
	uint64_t cpu = 0;

	while (next(&bytes, &field)) {
		if (field.id == 1)
			cpu = field.number;
		else if (field.id == 2)
			read_event(field.bytes);
		else if (field.id == 3)
			printf("lost %llu\n", (unsigned long long)cpu);
	}
}

static void read_symbol(struct bytes bytes)
{
	struct field field;
	uint64_t id = 0;

	while (next(&bytes, &field)) {
		if (field.id == 1)
			id = field.number;
		else if (field.id == 2 && id < sizeof(symbols) / sizeof(*symbols))
			symbols[id] = field.bytes;
	}
}

static void set_name(struct thread *thread, struct bytes name)
{
	size_t n = name.end - name.at;

	n = n > 16 ? 16 : n;
	memset(thread->name, 0, sizeof(thread->name));
	if (n)
		memcpy(thread->name, name.at, n);
}

/* A process or a thread of the tree; a process's name is the first word of its line. */
static void read_task(struct bytes bytes, int is_thread)
{
	struct thread *thread = NULL;
	struct field field;

	while (next(&bytes, &field)) {
		if (field.id == 1) {
			thread = thread_of(field.number);
			thread->tgid = is_thread ? thread->tgid : (int)field.number;
			thread->name[0] = is_thread ? thread->name[0] : 0;
		} else if (thread && field.id == 3 && is_thread) {
			thread->tgid = field.number;
		} else if (thread && field.id == (is_thread ? 2 : 3) && !thread->name[0]) {
			set_name(thread, field.bytes);
		}
	}
}

static void read_tree(struct bytes bytes)
{
	struct field field;

	while (next(&bytes, &field))
		if (field.id == 1 || field.id == 2)
			read_task(field.bytes, field.id == 2);
}

static void read_packet(struct bytes bytes)
{
	struct field field, part;

	while (next(&bytes, &field)) {
		if (field.id == 1)
			read_bundle(field.bytes);
		else if (field.id == 2)
			read_tree(field.bytes);
		else if (field.id == 12)
			while (next(&field.bytes, &part))
				if (part.id == 26)
					read_symbol(part.bytes);
	}
}

/* --- states --- */

static void begin(int64_t tid, int64_t state, uint64_t time)
{
	struct thread *thread = thread_of(tid);

	if (thread->last && !thread->last->to)
		thread->last->to = time;
	if (n_rows == KEEP)
		die("too many states");
	thread->last = &rows[n_rows++];
	*thread->last = (struct row){ .tid = tid, .state = state, .from = time };
	/* as for Perfetto, a reason that comes once the thread runs is nobody's: that it left was missed */
	if (state < 0)
		thread->blocked = NULL;
	else if (state & 0xf)
		thread->blocked = thread->last;
}

static void see(const struct event *event)
{
	uint64_t tid = event->kind == SWITCH || event->kind == WAKING ? event->numbers[2] : event->numbers[1];
	struct thread *thread = thread_of(tid);

	switch (event->kind) {
	case SWITCH:
		begin(tid, event->numbers[4], event->time);
		set_name(thread_of(event->numbers[6]), event->texts[5]);
		begin(event->numbers[6], -1, event->time);
		break;
	case WAKING:
		if (thread->last && thread->last != thread->blocked)
			break;
		begin(tid, 0, event->time);
		printf("woken %d %d\n", (int)tid, event->waker);
		break;
	case NEW_TASK:
		thread->tgid = event->numbers[3] ? threads[event->waker].tgid : (int)tid;
		set_name(thread, event->texts[2]);
		thread->last = thread->blocked = NULL;
		begin(tid, 0, event->time);
		printf("woken %d %d\n", (int)tid, event->waker);
		break;
	case REASON:
		if (thread->blocked)
			thread->blocked->reason = event->numbers[2];
		break;
	case RENAME:
		set_name(thread, event->texts[3]);
		break;
	}
}

static int by_time(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void print_row(const struct row *row, uint64_t end)
{
	static const char letters[] = "SDTtXZPI";
	struct bytes text = row->reason < sizeof(symbols) / sizeof(*symbols) ? symbols[row->reason] : symbols[0];
	char state[16] = "";

	if (row->state < 0)
		strcpy(state, "Running");
	else if (!row->state || row->state == 0x100)
		strcpy(state, row->state ? "R+" : "R");
	for (int i = 0, n = 0; row->state > 0 && i < 8; i++)
		if (row->state & 1 << i)
			state[n++] = letters[i];
	printf("state %d %s %llu %.*s\n", row->tid, state, (unsigned long long)((row->to ? row->to : end) - row->from),
	       text.at ? (int)(text.end - text.at) : 1, text.at ? (const char *)text.at : "-");
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	static uint8_t data[256 << 20];
	struct bytes bytes = { data, data };
	struct field field;

	if (!f)
		die("usage: pftrace FILE");
	bytes.end += fread(data, 1, sizeof(data), f);
	events = calloc(KEEP, sizeof(*events));
	rows = calloc(KEEP, sizeof(*rows));
	threads = calloc(TIDS, sizeof(*threads));
	while (next(&bytes, &field))
		read_packet(field.bytes);
	qsort(events, n_events, sizeof(*events), by_time);
	for (size_t i = 0; i < n_events; i++)
		see(&events[i]);
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].tid)
			print_row(&rows[i], events[n_events - 1].time);
	for (int i = 1; i < TIDS; i++)
		if (threads[i].last)
			printf("name %d %d %s\n", i, threads[i].tgid, threads[i].name);
	return 0;
}
