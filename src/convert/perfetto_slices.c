// SPDX-License-Identifier: BSD-2-Clause
/*
 * Track events: calls and probed functions as slices on their threads, requests on their disks, losses on their
 * processors; marks, and whatever kind of record has no better place, as moments.
 *
 * Slices of a track must nest, or the trace processor assigns ends to wrong begins. So begin and end are written when
 * the end is known. What begins without an end is a moment: an entry whose return was lost, or a probe that has no
 * return. So is an end without a begin.
 */
#include "bpf/block.h"
#include "perfetto_part.h"

#define OPEN_MAX     256  /* of a thread; the oldest of more is taken for a moment */
#define REQUESTS_MAX 1024 /* as many are in flight, the oldest of more is taken for lost */

enum {
	TRACK_CATEGORIES = 3, /* event_category numbers */
	TRACK_ARGUMENTS = 4,
	TRACK_TYPE = 9,
	TRACK_NAME = 10,
	TRACK_TRACK = 11,
	TRACK_OWN_NAME = 23,
	TRACK_FLOW = 47,
	ARGUMENT_NAME = 1,
	DESCRIPTOR_ID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	THREAD_PROCESS = 1,
	THREAD_ID = 2,
};

uint64_t perfetto_named_track(struct perfetto *p, uint64_t id, uint64_t parent, const char *name)
{
	size_t before = p->tracks.n;

	if (set_add(&p->tracks, &id, sizeof(id)) < before)
		return id;
	protobuf_add_number(&p->message, DESCRIPTOR_ID, id);
	perfetto_add_text(&p->message, DESCRIPTOR_NAME, name, strlen(name));
	protobuf_add_number(&p->message, DESCRIPTOR_PARENT, parent);
	perfetto_add_packet(p, PACKET_TRACK_DESCRIPTOR, 0);
	return id;
}

/* At that time: earlier, the thread would not exist yet for the trace processor. */
uint64_t perfetto_thread_track(struct perfetto *p, struct perfetto_thread *thread, uint64_t time)
{
	uint64_t number = (uint64_t)(thread->generation & 0xffffff) << 32 | (uint32_t)thread->tid;
	uint64_t id = perfetto_track_id(TRACKS_THREAD, number);
	const struct recording_task *task = recording_task(p->r, thread->tid);

	if (thread->has_track)
		return id;
	thread->has_track = true;
	str_reset(&p->part);
	protobuf_add_present(&p->part, THREAD_PROCESS, task && task->tgid > 0 ? task->tgid : thread->tid);
	protobuf_add_present(&p->part, THREAD_ID, thread->tid);
	protobuf_add_number(&p->message, DESCRIPTOR_ID, id);
	protobuf_add_message(&p->message, DESCRIPTOR_THREAD, &p->part);
	perfetto_add_packet(p, PACKET_TRACK_DESCRIPTOR, time);
	return id;
}

static uint64_t cpu_track(struct perfetto *p, uint32_t cpu)
{
	char name[64];

	snprintf(name, sizeof(name), "processor %u, no thread", cpu);
	return perfetto_named_track(p, perfetto_track_id(TRACKS_CPU, cpu), 0, name);
}

/* --- a track event in p->message --- */

void perfetto_add_argument(struct perfetto *p, const char *name, enum argument_field field, uint64_t value)
{
	str_reset(&p->part);
	protobuf_add_number(&p->part, ARGUMENT_NAME, perfetto_intern(p, INTERN_ARGUMENT_NAME, name));
	protobuf_add_present(&p->part, field, value);
	protobuf_add_message(&p->message, TRACK_ARGUMENTS, &p->part);
}

void perfetto_add_text_argument(struct perfetto *p, const char *name, const char *text)
{
	str_reset(&p->part);
	protobuf_add_number(&p->part, ARGUMENT_NAME, perfetto_intern(p, INTERN_ARGUMENT_NAME, name));
	perfetto_add_text(&p->part, ARGUMENT_TEXT, text, strlen(text));
	protobuf_add_message(&p->message, TRACK_ARGUMENTS, &p->part);
}

/* A word that may be a number or an address. */
static void add_word_argument(struct perfetto *p, const char *name, uint64_t value)
{
	int64_t number = perfetto_plain(value);

	if (number >= -65536 && number < 1 << 24)
		perfetto_add_argument(p, name, ARGUMENT_SIGNED, number);
	else
		perfetto_add_argument(p, name, ARGUMENT_POINTER, value);
}

static void add_words(struct perfetto *p, const uint64_t *words, size_t n)
{
	char name[32];

	for (size_t i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "arg%zu", i);
		add_word_argument(p, name, words[i]);
	}
}

void perfetto_add_flow(struct perfetto *p, uint64_t id)
{
	protobuf_add_fixed(&p->message, TRACK_FLOW, id);
}

void perfetto_add_event(struct perfetto *p, uint64_t track, uint64_t time, enum track_type type, const char *category,
			const char *name)
{
	protobuf_add_number(&p->message, TRACK_TYPE, type);
	protobuf_add_number(&p->message, TRACK_TRACK, track);
	if (category)
		protobuf_add_number(&p->message, TRACK_CATEGORIES, perfetto_intern(p, INTERN_CATEGORY, category));
	if (name)
		protobuf_add_number(&p->message, TRACK_NAME, perfetto_intern(p, INTERN_EVENT_NAME, name));
	perfetto_add_packet(p, PACKET_TRACK_EVENT, time);
}

/* --- calls and probes --- */

/* Valid until p->text is used again. */
static const char *open_name(struct perfetto *p, bool is_probe, int64_t id)
{
	const char *name = recording_text(p->r, is_probe ? LAYOUT_SPACE_PROBES : LAYOUT_SPACE_SYSCALLS, id);

	if (name)
		return name;
	str_reset(&p->text);
	str_addf(&p->text, is_probe ? "probe %lld" : "call %lld", (long long)id);
	return str_or_empty(p->text.data);
}

static void add_open(struct perfetto *p, struct perfetto_thread *thread, const struct perfetto_open *open,
		     enum track_type type)
{
	uint64_t track = perfetto_thread_track(p, thread, open->time);

	add_words(p, open->args, open->n_args);
	perfetto_add_event(p, track, open->time, type, open->is_probe ? "probe" : "syscall",
			   open_name(p, open->is_probe, open->id));
}

static bool returns(struct perfetto *p, const struct perfetto_open *open)
{
	return !open->is_probe || set_find(&p->returning, &open->id, sizeof(open->id)) != SET_NONE;
}

static void begin_open(struct perfetto *p, const struct recording_event *event, bool is_probe, int64_t id)
{
	struct perfetto_thread *thread = perfetto_find_thread(p, event->task, event->time);
	const struct recording_field *field = recording_field(event, KNOWN_F_ARGS);
	struct perfetto_open *open;
	size_t n = 0;
	const uint64_t *words = field ? recording_words(event, field, &n) : NULL;

	if (thread->open.n == OPEN_MAX) {
		add_open(p, thread, &thread->open.v[0], TYPE_INSTANT);
		memmove(thread->open.v, thread->open.v + 1, (OPEN_MAX - 1) * sizeof(*thread->open.v));
		thread->open.n--;
	}
	open = vec_push(&thread->open);
	*open = (struct perfetto_open){ .time = event->time, .is_probe = is_probe, .id = id };
	open->n_args = n < ARRAY_SIZE(open->args) ? n : ARRAY_SIZE(open->args);
	if (open->n_args)
		memcpy(open->args, words, open->n_args * sizeof(*words));
}

/* Adds what an end says. */
static void add_result(struct perfetto *p, const struct recording_event *event, bool is_probe)
{
	const struct recording_field *field = recording_field(event, is_probe ? KNOWN_F_ARGS : KNOWN_F_RET);
	size_t n = 0;
	const uint64_t *words;

	if (!field || !recording_has(event, field))
		return;
	if (!is_probe) {
		str_reset(&p->text);
		recording_show(&p->text, p->r, event, field);
		add_word_argument(p, "ret", recording_value(event, field));
		if (p->text.len && p->text.data[0] == '-' && strspn(p->text.data + 1, "0123456789") < p->text.len - 1)
			perfetto_add_text_argument(p, "error", p->text.data + 1);
		return;
	}
	words = recording_words(event, field, &n);
	if (n)
		add_word_argument(p, "ret", words[0]);
}

static void end_open(struct perfetto *p, const struct recording_event *event, bool is_probe, int64_t id)
{
	struct perfetto_thread *thread = perfetto_find_thread(p, event->task, event->time);
	size_t i = thread->open.n;

	while (i && (thread->open.v[i - 1].is_probe != is_probe || thread->open.v[i - 1].id != id))
		i--;
	if (!i) {
		uint64_t track = perfetto_thread_track(p, thread, event->time);

		add_result(p, event, is_probe);
		perfetto_add_text_argument(p, "began", "not recorded");
		perfetto_add_event(p, track, event->time, TYPE_INSTANT, is_probe ? "probe" : "syscall",
				   open_name(p, is_probe, id));
		return;
	}
	for (size_t inner = thread->open.n; inner > i; inner--)
		add_open(p, thread, &thread->open.v[inner - 1], TYPE_INSTANT);
	add_open(p, thread, &thread->open.v[i - 1], TYPE_BEGIN);
	add_result(p, event, is_probe);
	perfetto_add_event(p, perfetto_thread_track(p, thread, event->time), event->time, TYPE_END, NULL, NULL);
	thread->open.n = i - 1;
}

/* exit_group does not return, nor does anything that the thread was in. time 0: the thread lives. */
static void end_thread(struct perfetto *p, struct perfetto_thread *thread, uint64_t time)
{
	vec_each(open, &thread->open)
		add_open(p, thread, open, returns(p, open) ? TYPE_BEGIN : TYPE_INSTANT);
	for (size_t i = thread->open.n; time && i > 0; i--)
		if (returns(p, &thread->open.v[i - 1]))
			perfetto_add_event(p, perfetto_thread_track(p, thread, time), time, TYPE_END, NULL, NULL);
	thread->open.n = 0;
}

void perfetto_slices_thread_end(struct perfetto *p, struct perfetto_thread *thread, uint64_t time)
{
	end_thread(p, thread, time);
}

static void see_enter(struct perfetto *p, const struct recording_event *event)
{
	begin_open(p, event, false, recording_known(event, KNOWN_F_SYSCALL, -1));
}

static void see_leave(struct perfetto *p, const struct recording_event *event)
{
	if (!recording_is_birth(p->r, event))
		end_open(p, event, false, recording_known(event, KNOWN_F_SYSCALL, -1));
}

static void see_probe(struct perfetto *p, const struct recording_event *event)
{
	int64_t id = recording_known(event, KNOWN_F_PROBE, 0);

	if (!recording_known(event, KNOWN_F_SITE, 0)) {
		begin_open(p, event, true, id);
		return;
	}
	set_add(&p->returning, &id, sizeof(id));
	end_open(p, event, true, id);
}

static void see_exit(struct perfetto *p, const struct recording_event *event)
{
	end_thread(p, perfetto_find_thread(p, event->task, event->time), event->time);
}

/* --- disks --- */

static uint32_t free_lane(struct perfetto *p, uint64_t device)
{
	uint64_t taken[REQUESTS_MAX / 64 + 1] = {};
	uint32_t lane = 0;

	vec_each(request, &p->requests)
		if (request->device == device)
			taken[request->lane / 64] |= 1ULL << request->lane % 64;
	while (taken[lane / 64] >> lane % 64 & 1)
		lane++;
	return lane;
}

static const char *const operations[] = { "read", "write", "flush", "discard" };

static const char *device_name(struct perfetto *p, uint64_t device)
{
	const char *name = recording_text(p->r, LAYOUT_SPACE_DEVICES, device);

	if (name)
		return name;
	str_reset(&p->text);
	str_addf(&p->text, "%u:%u", (unsigned int)(device >> 20), (unsigned int)(device & 0xfffff));
	return str_or_empty(p->text.data);
}

static void add_request(struct perfetto *p, const struct perfetto_request *request, enum track_type type)
{
	uint64_t all = perfetto_named_track(p, perfetto_track_id(TRACKS_DISKS, 0), 0, "disks");
	uint64_t track = perfetto_track_id(TRACKS_DISKS, request->device << 16 | (request->lane + 1));
	bool is_known = request->op < (int64_t)ARRAY_SIZE(operations);

	perfetto_named_track(p, track, all, device_name(p, request->device));
	perfetto_add_argument(p, "sector", ARGUMENT_UNSIGNED, request->sector);
	perfetto_add_argument(p, "bytes", ARGUMENT_UNSIGNED, request->bytes);
	perfetto_add_argument(p, "task", ARGUMENT_SIGNED, request->task);
	perfetto_add_event(p, track, request->time, type, "block", is_known ? operations[request->op] : "request");
}

static struct perfetto_request read_request(const struct recording_event *event)
{
	return (struct perfetto_request){
		.time = event->time,
		.device = (uint32_t)recording_known(event, KNOWN_F_DEVICE, 0),
		.sector = recording_known(event, KNOWN_F_SECTOR, 0),
		.bytes = recording_known(event, KNOWN_F_BYTES, 0),
		.op = recording_known(event, KNOWN_F_OP, BLOCK_OP_MASK) & BLOCK_OP_MASK,
		.id = recording_known(event, KNOWN_F_REQUEST, 0),
		.task = event->task,
	};
}

static void remove_request(struct perfetto *p, size_t i)
{
	memmove(p->requests.v + i, p->requests.v + i + 1, (p->requests.n - i - 1) * sizeof(*p->requests.v));
	p->requests.n--;
}

static void see_issue(struct perfetto *p, const struct recording_event *event)
{
	struct perfetto_request request = read_request(event);

	if (p->requests.n == REQUESTS_MAX) {
		add_request(p, &p->requests.v[0], TYPE_INSTANT);
		remove_request(p, 0);
	}
	request.lane = free_lane(p, request.device);
	*vec_push(&p->requests) = request;
}

/* Requests have ids; without them, one is where it is on the disk. */
static bool is_same(const struct perfetto_request *a, const struct perfetto_request *b)
{
	if (a->device != b->device)
		return false;
	return a->id || b->id ? a->id == b->id : a->sector == b->sector;
}

static void see_complete(struct perfetto *p, const struct recording_event *event)
{
	struct perfetto_request done = read_request(event);
	const struct recording_field *status = recording_field(event, KNOWN_F_STATUS);
	size_t i = 0;
	uint64_t track;

	while (i < p->requests.n && !is_same(&p->requests.v[i], &done))
		i++;
	if (i == p->requests.n) {
		/* a lane of its own, which no request in flight has */
		done.lane = free_lane(p, done.device);
		perfetto_add_text_argument(p, "began", "not recorded");
		add_request(p, &done, TYPE_INSTANT);
		return;
	}
	add_request(p, &p->requests.v[i], TYPE_BEGIN);
	if (status && recording_value(event, status))
		perfetto_add_argument(p, "status", ARGUMENT_SIGNED, recording_value(event, status));
	track = perfetto_track_id(TRACKS_DISKS, done.device << 16 | (p->requests.v[i].lane + 1));
	perfetto_add_event(p, track, event->time, TYPE_END, NULL, NULL);
	remove_request(p, i);
}

/* --- moments --- */

static void see_mark(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_field *field = recording_field(event, KNOWN_F_TEXT);
	uint64_t track = perfetto_named_track(p, perfetto_track_id(TRACKS_MARKS, 0), 0, "marks");
	size_t len = 0;
	const char *text = field ? recording_chars(p->r, event, field, &len) : NULL;

	protobuf_add_number(&p->message, TRACK_TYPE, TYPE_INSTANT);
	protobuf_add_number(&p->message, TRACK_TRACK, track);
	protobuf_add_number(&p->message, TRACK_CATEGORIES, perfetto_intern(p, INTERN_CATEGORY, "mark"));
	perfetto_add_text(&p->message, TRACK_OWN_NAME, str_or_empty(text), len);
	perfetto_add_packet(p, PACKET_TRACK_EVENT, event->time);
}

/* A kind that this file knows nothing of: all fields as they are described. */
static void see_other(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_kind *kind = event->kind;
	struct perfetto_thread *thread = event->task >= 0 ? perfetto_find_thread(p, event->task, event->time) : NULL;
	uint64_t track = thread ? perfetto_thread_track(p, thread, event->time) : cpu_track(p, event->cpu);

	for (uint32_t i = 0; i < kind->n; i++) {
		if (!recording_has(event, &kind->fields[i]))
			continue;
		str_reset(&p->text);
		recording_show(&p->text, p->r, event, &kind->fields[i]);
		perfetto_add_text_argument(p, kind->fields[i].name, str_or_empty(p->text.data));
	}
	perfetto_add_event(p, track, event->time, TYPE_INSTANT, "other", kind->name);
}

void perfetto_slices_event(struct perfetto *p, const struct recording_event *event)
{
	static void (*const see[KNOWN_KINDS_N])(struct perfetto *, const struct recording_event *) = {
		[KNOWN_SYS_ENTER] = see_enter,
		[KNOWN_SYS_EXIT] = see_leave,
		[KNOWN_EXIT] = see_exit,
		[KNOWN_BLOCK_ISSUE] = see_issue,
		[KNOWN_BLOCK_COMPLETE] = see_complete,
		[KNOWN_PROBE] = see_probe,
		[KNOWN_MARK] = see_mark,
		[KNOWN_CALL] = perfetto_calls_event,
		[KNOWN_REQUEST] = perfetto_requests_event,
	};
	int known = event->kind->known;
	bool is_call = known == KNOWN_SYS_ENTER || known == KNOWN_SYS_EXIT || known == KNOWN_PROBE ||
		       known == KNOWN_CALL;

	if (known < 0 || (is_call && event->task < 0))
		see_other(p, event);
	else if (see[known])
		see[known](p, event);
}

void perfetto_slices_loss(struct perfetto *p, const struct recording_event *loss)
{
	uint64_t began = loss->since ? loss->since : recording_info(p->r)->start.monotonic, ended = loss->time;
	uint64_t all = perfetto_named_track(p, perfetto_track_id(TRACKS_LOSSES, 0), 0, "lost events");
	char name[64];
	uint64_t track;

	snprintf(name, sizeof(name), "processor %u", loss->cpu);
	track = perfetto_track_id(TRACKS_LOSSES, (uint64_t)loss->lane << 32 | (loss->cpu + 1));
	perfetto_named_track(p, track, all, name);
	perfetto_add_argument(p, "lost", ARGUMENT_UNSIGNED, loss->lost);
	perfetto_add_event(p, track, began < ended ? began : ended, TYPE_BEGIN, "loss", "lost events");
	perfetto_add_event(p, track, ended, TYPE_END, NULL, NULL);
}

void perfetto_slices_end(struct perfetto *p)
{
	vec_each(thread, &p->threads)
		end_thread(p, thread, 0);
	vec_each(request, &p->requests)
		add_request(p, request, TYPE_BEGIN);
}
