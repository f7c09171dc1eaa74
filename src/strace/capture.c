// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the buffer of records into a recording. It decodes nothing. What the records mean, the table of calls says; the
 * recording has a fingerprint of it, so that no other table is taken for it.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/report.h"
#include "bpf/pending.h"
#include "capture.h"
#include "programs.h"
#include "record/writer.h"
#include "replay_part.h"

#define BUFFER (4 * 1024 * 1024)

struct strace_capture {
	struct strace_settings settings;
	struct strace_programs programs;
	struct writer *writer;
	uint64_t n, lost;	/* records written, and those lost before */
	uint64_t armed, paused; /* what is recorded is between */
	uint64_t missed;
	bool knows_missed;
	struct strace_begins begins;
};

void strace_replay_settings(struct strace_settings *settings)
{
	*settings = (struct strace_settings){
		.buffer_size = BUFFER,
		.size = 32,
		.column = 40,
		.follow = 1,
		.status = ~0U,
		.elsewhere = true,
	};
}

/* Everything that says what a record is: the plans with all steps, and the sizes of what they copy. */
uint64_t strace_replay_fingerprint(void)
{
	struct strace_plans *plans __free = base_alloc(sizeof(*plans));
	const struct strace_set all = {};
	struct strace_settings settings;
	uint32_t sizes[] = { sizeof(struct strace_record), sizeof(struct strace_file), STRACE_ENDED, STRACE_UNENDED };
	static uint64_t known;

	/* it takes some milliseconds, and is the same each time */
	if (known)
		return known;
	strace_replay_settings(&settings);
	settings.whole = true;
	settings.details = ~0U;
	strace_plans_make(plans, &settings, &all, false);
	known = hash_stable(hash_stable(HASH_STABLE_NONE, plans, sizeof(*plans)), sizes, sizeof(sizes));
	return known;
}

int strace_capture_describe(struct writer *writer)
{
	struct strace_settings settings;

	strace_replay_settings(&settings);
	return writer_calls_form(writer, strace_replay_fingerprint(), settings.size);
}

/* --- begins that came too early --- */

void strace_begins_keep(struct strace_begins *begins, const struct strace_record *record)
{
	size_t size = sizeof(*record) + record->size;
	struct strace_record *kept = base_alloc(size);

	memcpy(kept, record, size);
	free(strace_begins_take(begins, record));
	*vec_push(begins) = kept;
}

struct strace_record *strace_begins_take(struct strace_begins *begins, const struct strace_record *end)
{
	for (size_t i = 0; end->kind != STRACE_SIGNAL && i < begins->n; i++) {
		struct strace_record *kept = begins->v[i];

		if (kept->tid != end->tid)
			continue;
		begins->v[i] = begins->v[--begins->n];
		if (end->kind == STRACE_EXIT && !end->began && kept->nr == end->nr)
			return kept;
		free(kept);
		return NULL;
	}
	return NULL;
}

void strace_begins_release(struct strace_begins *begins)
{
	for (size_t i = 0; i < begins->n; i++)
		free(begins->v[i]);
	free(begins->v);
	*begins = (struct strace_begins){};
}

/* --- records --- */

static void write_record(struct strace_capture *capture, const struct strace_record *record)
{
	writer_call(capture->writer, record, sizeof(*record) + record->size);
	capture->n++;
}

/*
 * Programs are attached and detached one after the other: before all are and after the first is not, calls end that
 * have not begun, or begin and do not end.
 */
static void on_record(const void *record, size_t size, void *ctx)
{
	struct strace_capture *capture = ctx;
	const struct strace_record *head = record;
	struct strace_record *begin __free = NULL;
	uint64_t lost = strace_programs_lost(&capture->programs);

	/* a writer that has failed says so when it is closed */
	if (lost > capture->lost)
		writer_calls_lost(capture->writer, lost - capture->lost);
	capture->lost = lost;
	if (size < sizeof(*head) || size < sizeof(*head) + head->size)
		return;
	begin = strace_begins_take(&capture->begins, head);
	if (head->time < capture->armed && head->kind == STRACE_ENTER)
		strace_begins_keep(&capture->begins, head);
	if (head->time < capture->armed || head->time > capture->paused)
		return;
	if (begin)
		write_record(capture, begin);
	write_record(capture, head);
}

int strace_capture_open(struct strace_capture **to, struct engine_instance *instance, const struct object *members,
			struct writer *writer, struct err *err)
{
	struct strace_capture *capture = base_alloc(sizeof(*capture));
	int ret;

	strace_replay_settings(&capture->settings);
	capture->writer = writer;
	capture->armed = capture->paused = UINT64_MAX;
	capture->programs = (struct strace_programs){
		.instance = instance,
		.settings = &capture->settings,
		.names = true,
		.timed = true,
	};
	strace_programs_init(&capture->programs);
	ret = strace_programs_load(&capture->programs, members, on_record, capture, err);
	if (ret) {
		strace_capture_free(capture);
		capture = NULL;
	}
	*to = capture;
	return ret;
}

int strace_capture_arm(struct strace_capture *capture, struct err *err)
{
	int ret = progs_attach(&capture->programs.progs, err);

	capture->armed = clock_boot_ns();
	return ret;
}

void strace_capture_end(struct strace_capture *capture, const char *why)
{
	const struct engine_context *ctx = capture->programs.instance->ctx;

	capture->paused = clock_boot_ns();
	attach_pause(capture->programs.progs.attach, why);
	capture->missed = progs_missed(&capture->programs.progs, &capture->knows_missed);
	stream_take_all(capture->programs.stream, ctx->should_hurry, ctx->should_stop_ctx);
	writer_calls_lost(capture->writer, strace_programs_lost(&capture->programs) - capture->lost +
						   stream_unread(capture->programs.stream));
	capture->lost = strace_programs_lost(&capture->programs) + stream_unread(capture->programs.stream);
}

uint64_t strace_capture_calls(const struct strace_capture *capture)
{
	return capture->n;
}

uint64_t strace_capture_missed(const struct strace_capture *capture)
{
	return capture->missed;
}

bool strace_capture_losses(const struct strace_capture *capture)
{
	uint64_t untimed = object_word(&capture->programs.progs.object, ".data.losses", PENDING_NO_ROOM);

	if (capture->lost)
		report_note("%llu record%s of calls lost: their buffer was full", (unsigned long long)capture->lost,
			    str_plural(capture->lost));
	if (capture->missed)
		report_note("%llu hit%s at begins or ends of calls missed: the kernel was busy with another",
			    (unsigned long long)capture->missed, str_plural(capture->missed));
	if (untimed)
		report_note("%llu call%s without a begin: more at a time than there is room for",
			    (unsigned long long)untimed, str_plural(untimed));
	return capture->lost || capture->missed;
}

void strace_capture_free(struct strace_capture *capture)
{
	if (!capture)
		return;
	strace_programs_release(&capture->programs);
	strace_begins_release(&capture->begins);
	free(capture);
}
