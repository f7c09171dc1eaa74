// SPDX-License-Identifier: BSD-2-Clause
/*
 * A recording in Perfetto's format: a message Trace of https://perfetto.dev/docs/reference/trace-packet-proto. Packets
 * need no order, since the trace processor sorts by time; at the same time, the order in the file counts. All are of
 * one sequence, so that texts are numbered once; but for the descriptions of tracks, since the thread of the last one
 * on a sequence would be taken for the one that wrote all its events. Times are CLOCK_BOOTTIME, the only clock that
 * events of ftrace can have in Perfetto; time that the machine slept is not seen by our clock, and the first moment's
 * difference is used throughout.
 */
#include "perfetto_part.h"

#define MOST_CPUS	 1024
#define TRACE_PACKET	 1
#define SEQUENCE	 1
#define SEQUENCE_TRACKS	 2
#define SEQUENCE_CLEARED 1 /* nothing before this packet is referred to */
#define SEQUENCE_NEEDS	 2 /* refers to texts of packets before it */

enum {
	SNAPSHOT_CLOCKS = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_MONOTONIC = 3,
	CLOCK_ID_BOOTTIME = 6,
};
enum {
	SYSTEM_UTSNAME = 1,
	SYSTEM_SERVICE_VERSION = 4,
	UTSNAME_SYSNAME = 1,
	UTSNAME_RELEASE = 3,
	UTSNAME_MACHINE = 4,
};
enum {
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	PROCESS_PID = 1,
	PROCESS_PPID = 2,
	PROCESS_CMDLINE = 3,
	THREAD_TID = 1,
	THREAD_NAME = 2,
	THREAD_TGID = 3,
};

void perfetto_add_packet(struct perfetto *p, enum packet_field field, uint64_t time)
{
	struct str *packet = &p->packet;
	bool describes = field == PACKET_TRACK_DESCRIPTOR, first = field == PACKET_CLOCK_SNAPSHOT;

	str_reset(packet);
	if (time)
		protobuf_add_number(packet, PACKET_TIMESTAMP, time + p->to_boot);
	protobuf_add_number(packet, PACKET_SEQUENCE_ID, describes ? SEQUENCE_TRACKS : SEQUENCE);
	protobuf_add_number(packet, PACKET_FIRST_ON_SEQUENCE, first);
	if (!describes) {
		protobuf_add_number(packet, PACKET_SEQUENCE_FLAGS, first ? SEQUENCE_CLEARED : SEQUENCE_NEEDS);
		if (p->new_interned.len)
			protobuf_add_message(packet, PACKET_INTERNED_DATA, &p->new_interned);
		str_reset(&p->new_interned);
	}
	protobuf_add_message(packet, field, &p->message);
	protobuf_add_message(&p->sink->data, TRACE_PACKET, packet);
	str_reset(&p->message);
	sink_flush(p->sink);
}

void perfetto_add_text(struct str *s, unsigned int field, const char *text, size_t n)
{
	__str struct str shown = {};
	size_t plain = 0;

	/* most texts are */
	while (plain < n && text[plain] >= ' ' && text[plain] < 0x7f)
		plain++;
	if (plain == n) {
		protobuf_add_bytes(s, field, text, n);
		return;
	}
	str_add_plain(&shown, text, n);
	protobuf_add_message(s, field, &shown);
}

/* EventCategory, EventName, DebugAnnotationName and InternedString all have a number (1) and a text (2). */
uint64_t perfetto_intern(struct perfetto *p, enum intern_field field, const char *text)
{
	struct set *set = &p->interned[field];
	size_t len = strlen(text), before = set->n;
	uint64_t id = set_add(set, text, len) + 1;
	__str struct str message = {};

	if (id <= before)
		return id;
	protobuf_add_number(&message, 1, id);
	perfetto_add_text(&message, 2, text, len);
	protobuf_add_message(&p->new_interned, field, &message);
	return id;
}

static void add_clock(struct perfetto *p, uint64_t id, uint64_t time)
{
	__str struct str clock = {};

	protobuf_add_number(&clock, CLOCK_ID, id);
	protobuf_add_number(&clock, CLOCK_TIMESTAMP, time);
	protobuf_add_message(&p->message, SNAPSHOT_CLOCKS, &clock);
}

static void add_clocks(struct perfetto *p)
{
	const struct layout_clocks *start = &recording_info(p->r)->start;

	p->to_boot = start->boot - start->monotonic;
	add_clock(p, CLOCK_ID_BOOTTIME, start->boot);
	add_clock(p, CLOCK_ID_MONOTONIC, start->monotonic);
	add_clock(p, CLOCK_ID_REALTIME, start->wall);
	perfetto_add_packet(p, PACKET_CLOCK_SNAPSHOT, 0);
}

static void add_string(struct str *s, unsigned int field, const char *text)
{
	if (text && *text)
		perfetto_add_text(s, field, text, strlen(text));
}

/* The kernel's release says what the states of a sched_switch mean. */
static void add_system(struct perfetto *p)
{
	const struct layout_host *host = &recording_info(p->r)->host;
	__str struct str name = {}, version = {};

	add_string(&name, UTSNAME_SYSNAME, "Linux");
	add_string(&name, UTSNAME_RELEASE, host->release);
	add_string(&name, UTSNAME_MACHINE, host->machine);
	protobuf_add_message(&p->message, SYSTEM_UTSNAME, &name);
	str_addf(&version, "sonde %s", str_or_empty(host->version));
	add_string(&p->message, SYSTEM_SERVICE_VERSION, version.data);
	perfetto_add_packet(p, PACKET_SYSTEM_INFO, 0);
}

/* Appends the words of a command line; the first is the process's name. */
static void add_words(struct str *process, const char *line)
{
	while (*line) {
		size_t n = strcspn(line, " ");

		if (n)
			perfetto_add_text(process, PROCESS_CMDLINE, line, n);
		line += n + (line[n] == ' ');
	}
}

/* Adds a process or one of its threads to p->message, a ProcessTree. */
static void add_task(struct perfetto *p, const struct recording_task *task)
{
	str_reset(&p->part);
	if (task->tid == task->tgid) {
		protobuf_add_number(&p->part, PROCESS_PID, task->tid);
		protobuf_add_number(&p->part, PROCESS_PPID, task->ppid);
		if (*task->line)
			add_words(&p->part, task->line);
		else
			add_string(&p->part, PROCESS_CMDLINE, task->comm);
		protobuf_add_message(&p->message, TREE_PROCESSES, &p->part);
	} else {
		protobuf_add_number(&p->part, THREAD_TID, task->tid);
		protobuf_add_number(&p->part, THREAD_TGID, task->tgid);
		add_string(&p->part, THREAD_NAME, task->comm);
		protobuf_add_message(&p->message, TREE_THREADS, &p->part);
	}
}

static struct perfetto_thread *find_thread(struct perfetto *p, int32_t tid)
{
	uint32_t number = set_add(&p->tids, &tid, sizeof(tid));

	if (number == p->threads.n)
		*vec_push(&p->threads) = (struct perfetto_thread){ .tid = tid };
	return &p->threads.v[number];
}

bool perfetto_describe_task(struct perfetto *p, int32_t tid, uint64_t time)
{
	const struct recording_task *task = recording_task(p->r, tid);

	if (!task || task->tgid <= 0)
		return false;
	add_task(p, task);
	perfetto_add_packet(p, PACKET_PROCESS_TREE, time);
	return true;
}

struct perfetto_thread *perfetto_find_thread(struct perfetto *p, int32_t tid, uint64_t time)
{
	struct perfetto_thread *thread = find_thread(p, tid);

	if (!thread->is_known && tid > 0)
		thread->is_known = perfetto_describe_task(p, tid, time);
	return thread;
}

void perfetto_begin_thread(struct perfetto *p, int32_t tid, int32_t tgid, uint64_t time)
{
	size_t before = p->threads.n;
	struct perfetto_thread *thread = find_thread(p, tid);

	if (p->threads.n == before) {
		perfetto_slices_thread_end(p, thread, time);
		thread->generation++;
		thread->has_track = thread->has_ended = false;
		thread->others = 0;
	}
	/* its fork says whose it is */
	thread->is_known = true;
	if (tgid > 0 && tgid != tid)
		find_thread(p, tgid)->others++;
}

/* Those that existed when the recording began. The others come with their forks. */
static void add_tasks(struct perfetto *p)
{
	for (size_t i = 0; i < recording_tasks(p->r); i++) {
		const struct recording_task *task = recording_task_at(p->r, i);

		if (!(task->flags & LAYOUT_TASK_EXISTED) || task->tid <= 0 || task->tgid <= 0)
			continue;
		perfetto_begin_thread(p, task->tid, task->tgid, 0);
		add_task(p, task);
	}
	if (p->message.len)
		perfetto_add_packet(p, PACKET_PROCESS_TREE, recording_info(p->r)->start.monotonic);
}

struct perfetto_cpu *perfetto_find_cpu(struct perfetto *p, uint32_t cpu)
{
	while (cpu >= p->cpus.n)
		vec_push(&p->cpus);
	return &p->cpus.v[cpu];
}

static void release(struct perfetto *p)
{
	for (int i = 0; i < INTERN_FIELDS; i++)
		set_release(&p->interned[i]);
	str_release(&p->new_interned);
	str_release(&p->packet);
	str_release(&p->message);
	str_release(&p->part);
	str_release(&p->text);
	set_release(&p->tids);
	vec_each(thread, &p->threads)
		free(thread->open.v);
	free(p->threads.v);
	vec_each(cpu, &p->cpus)
		str_release(&cpu->events);
	free(p->cpus.v);
	free(p->requests.v);
	set_release(&p->connection_numbers);
	free(p->connections.v);
	free(p->stretches.v);
	free(p->asked.v);
	set_release(&p->texts);
	set_release(&p->returning);
	set_release(&p->tracks);
	set_release(&p->call_tracks);
	vec_each(calls, &p->calls)
		free(calls->v);
	free(p->calls.v);
}

static int write_perfetto(struct recording *r, struct sink *sink, struct err *err)
{
	struct perfetto p = { .r = r, .sink = sink };
	struct recording_event event;
	int ret;

	if (recording_info(r)->cpus > MOST_CPUS)
		return err_set(err, -E2BIG, "the recording has %u processors, Perfetto takes %u",
			       recording_info(r)->cpus, MOST_CPUS);
	add_clocks(&p);
	add_system(&p);
	add_tasks(&p);
	while ((ret = recording_next(r, &event)) > 0 && !sink->error) {
		if (event.kind) {
			perfetto_ftrace_event(&p, &event);
			perfetto_slices_event(&p, &event);
		} else {
			perfetto_ftrace_loss(&p, &event);
			perfetto_slices_loss(&p, &event);
		}
	}
	perfetto_ftrace_end(&p);
	perfetto_requests_end(&p);
	perfetto_slices_end(&p);
	perfetto_calls_end(&p);
	release(&p);
	if (ret < 0 && err)
		*err = *recording_error(r);
	return ret < 0 ? ret : 0;
}

const struct convert_format convert_perfetto = {
	.file = { .name = "perfetto", .binary = true },
	.write = write_perfetto,
};
