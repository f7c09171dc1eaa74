// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfetto_states FILE
 *
 * Reads a trace of Perfetto's format as its trace processor does, as far as states of threads need it, and prints for
 * each thread that ran the sums of what it shows: TID RUNNING RUNNABLE SLEEPING, in ns and separated by tabs. The
 * reader is none of ours: it knows the encoding and the numbers of fields from Perfetto's own files.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum state {
	UNKNOWN,
	RUNNING,
	RUNNABLE,
	SLEEPING,
	STATES,
};

struct thread {
	enum state state;
	uint64_t since, sum[STATES];
};

/* A message: what is left of it. */
struct message {
	const unsigned char *at, *end;
};

struct event {
	uint64_t time, kind;
	size_t order;
	struct message fields;
};

static struct thread *threads;
static struct {
	struct event *v;
	size_t n, cap;
} events;

#define TIDS (1u << 23)

static uint64_t varint(struct message *m)
{
	uint64_t value = 0;

	for (int shift = 0; m->at < m->end; shift += 7) {
		value |= (uint64_t)(*m->at & 0x7f) << shift;
		if (!(*m->at++ & 0x80))
			break;
	}
	return value;
}

/* Returns the number of the next field, 0 at the end: a number in *value, or a message in *sub. */
static uint64_t next(struct message *m, uint64_t *value, struct message *sub)
{
	uint64_t key, n;

	if (m->at >= m->end)
		return 0;
	key = varint(m);
	*value = (key & 7) == 0 ? varint(m) : 0;
	n = (key & 7) == 2 ? varint(m) : (key & 7) == 1 ? 8
				 : (key & 7) == 5	? 4
							: 0;
	if (n > (uint64_t)(m->end - m->at))
		exit(1);
	*sub = (struct message){ m->at, m->at + n };
	m->at += n;
	return key >> 3;
}

static uint64_t number(struct message m, uint64_t field)
{
	uint64_t value, found;
	struct message sub;

	while ((found = next(&m, &value, &sub)))
		if (found == field)
			return value;
	return 0;
}

/* FtraceEvent: timestamp 1, sched_switch 4, sched_waking 20, task_newtask 235. */
static void read_event(struct message m)
{
	struct event event = { .time = number(m, 1), .order = events.n };
	struct message sub;
	uint64_t value, field;

	while ((field = next(&m, &value, &sub)))
		if (field == 4 || field == 20 || field == 235) {
			event.kind = field;
			event.fields = sub;
		}
	if (event.kind)
		*vec_push(&events) = event;
}

static void each(struct message m, uint64_t field, void (*read)(struct message))
{
	struct message sub;
	uint64_t value, found;

	while ((found = next(&m, &value, &sub)))
		if (found == field)
			read(sub);
}

/* Trace: packet 1; TracePacket: ftrace_events 1; FtraceEventBundle: event 2. */
static void read_bundle(struct message bundle)
{
	each(bundle, 2, read_event);
}

static void read_packet(struct message packet)
{
	each(packet, 1, read_bundle);
}

static int by_time(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void becomes(uint64_t tid, enum state state, uint64_t time)
{
	struct thread *thread = &threads[tid % TIDS];

	thread->sum[thread->state] += time - thread->since;
	thread->state = state;
	thread->since = time;
}

/* SchedSwitchFtraceEvent: prev_pid 2, prev_state 4, next_pid 6; the others: pid 2 and 1. */
static void play(const struct event *event)
{
	uint64_t state, tid;

	if (event->kind == 4) {
		state = number(event->fields, 4);
		becomes(number(event->fields, 2), state & 0xff ? SLEEPING : RUNNABLE, event->time);
		becomes(number(event->fields, 6), RUNNING, event->time);
	} else if (event->kind == 20) {
		tid = number(event->fields, 2);
		if (threads[tid % TIDS].state == SLEEPING || threads[tid % TIDS].state == UNKNOWN)
			becomes(tid, RUNNABLE, event->time);
	} else {
		becomes(number(event->fields, 1), RUNNABLE, event->time);
	}
}

int main(int argc, char **argv)
{
	__fclose FILE *f = fopen(argc > 1 ? argv[1] : "", "re");
	unsigned char *data = NULL;
	size_t size = 0, n;

	if (!f)
		return 1;
	do {
		data = base_realloc(data, size + 65536, 1);
		n = fread(data + size, 1, 65536, f);
		size += n;
	} while (n);
	each((struct message){ data, data + size }, 1, read_packet);
	threads = base_alloc(TIDS * sizeof(*threads));
	qsort(events.v, events.n, sizeof(*events.v), by_time);
	vec_each(event, &events)
		play(event);
	for (uint32_t tid = 1; tid < TIDS; tid++)
		if (threads[tid].sum[RUNNING])
			printf("%u\t%llu\t%llu\t%llu\n", tid, (unsigned long long)threads[tid].sum[RUNNING],
			       (unsigned long long)threads[tid].sum[RUNNABLE],
			       (unsigned long long)threads[tid].sum[SLEEPING]);
	return 0;
}
