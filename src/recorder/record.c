// SPDX-License-Identifier: BSD-2-Clause
/* From arguments to a file: sets of events and probes are armed, rings are read, and what they hold is written. */
#include "base/clock.h"
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/pending.h"
#include "bpf/record.h"
#include "bpf/ring.h"
#include "bpf/slot.h"
#include "bpf/record.skel.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "kernel/syscalls.h"
#include "record.h"
#include "record/writer.h"
#include "record_part.h"
#include "strace/capture.h"

#define BUFFER_DEFAULT (8 * 1024 * 1024)
#define BUFFER_MIN     (64 * 1024)
/* How long the reader sleeps if no ring is half full sooner. */
#define READ_MS		40
#define PENDING_ENTRIES 4096

static const struct opt options[] = {
	OPT(OPT_STRING, struct record_settings, output, 'o', "output", "FILE", "write to FILE: sonde.trace"),
	OPT(OPT_BOOL, struct record_settings, force, 0, "overwrite", NULL, "replace FILE if it exists",
	    .also = "force"),
	OPT(OPT_U64, struct record_settings, buffer_size, 'b', "buffer-size", "BYTES",
	    "size of the rings of all processors together, with k, M or G: 8M", .min = BUFFER_MIN),
	OPT(OPT_U64, struct record_settings, flight, 0, "flight", "BYTES",
	    "keep the newest events in rings of this size; write them only on SIGUSR2 or if the command fails",
	    .min = BUFFER_MIN),
	OPT(OPT_STRING, struct record_settings, snapshot_on, 0, "snapshot-on", "TOOL",
	    "with --flight: write them at the first row of this tool, and end: 'funcslower -m 50 vfs_fsync'"),
	OPT(OPT_BOOL, struct record_settings, fail_on_loss, 0, "fail-on-loss", NULL,
	    "exit with 1 if an event was lost"),
	PROBES_REGEX(struct record_settings, probes),
	PROBES_MANGLED(struct record_settings, probes.mangled),
	PROBES_MECHANISM(struct record_settings, probes),
};

static const struct {
	const char *name;
	size_t at;
} known[] = {
	{ "sched", offsetof(struct record_sets, sched) },
	{ "syscalls", offsetof(struct record_sets, syscalls) },
	{ "block", offsetof(struct record_sets, block) },
	{ "strace", offsetof(struct record_sets, strace) },
};

void record_offer(const char *word, void (*fn)(const char *text, void *ctx), void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		fn(known[i].name, ctx);
}

/* --- what is recorded --- */

static bool take_set(struct record_sets *on, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].name, word))
			continue;
		*(bool *)((char *)on + known[i].at) = true;
		return true;
	}
	return false;
}

static void parse_arguments(struct recorder *recorder)
{
	const struct opt_list *args = &recorder->instance->args;

	if (!args->n)
		recorder->sets = (struct record_sets){ .sched = true, .syscalls = true, .block = true };
	for (size_t i = 0; i < args->n; i++)
		if (!take_set(&recorder->sets, args->v[i]))
			*vec_push(&recorder->probes.specs) = args->v[i];
}

/* Forks, names and ends of tasks are always recorded: who a task is depends on them. */
#define WITH(NAME) .when = SETTING(bool, struct recorder, sets.NAME)

static const struct progs_probe probes[] = {
	{ .program = "switched", .system = "sched", .name = "sched_switch", .raw = true, WITH(sched) },
	{ .program = "woken", .system = "sched", .name = "sched_waking", .raw = true, WITH(sched) },
	{ .program = "migrated", .system = "sched", .name = "sched_migrate_task", .raw = true, WITH(sched) },
	{ .program = "entered", .system = "raw_syscalls", .name = "sys_enter", WITH(syscalls) },
	{ .program = "left", .system = "raw_syscalls", .name = "sys_exit", WITH(syscalls) },
	{ .program = "inserted", .system = "block", .name = "block_rq_insert", .raw = true, .optional = true, WITH(block) },
	{ .program = "issued", .system = "block", .name = "block_rq_issue", .raw = true, WITH(block) },
	{ .program = "completed", .system = "block", .name = "block_rq_complete", .raw = true, WITH(block) },
	{ .program = "forked", .system = "sched", .name = "sched_process_fork", .raw = true },
	{ .program = "executed", .system = "sched", .name = "sched_process_exec", .raw = true },
	{ .program = "renamed", .system = "task", .name = "task_rename", .raw = true },
	{ .program = "exited", .system = "sched", .name = "sched_process_exit" },
};

static const struct progs_source source = {
	PROGS(record),
	PROGS_PROBES(probes),
	PROGS_CONFIG(struct recorder, config),
	.pending = { .what = "disk requests at a time", .entries = PENDING_ENTRIES, .fixed = true },
};

/* --- begin and end --- */

static int fill_arguments(struct object *object, struct err *err)
{
	unsigned char arguments[RECORD_CALLS];

	for (int i = 0; i < RECORD_CALLS; i++)
		arguments[i] = syscall_arguments(i);
	return object_fill(object, ".rodata.arguments", arguments, sizeof(arguments), err);
}

static int patch_images(struct recorder *recorder, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(probes); i++)
		if (image_has(&recorder->progs.images[i], PATCH_RING_HOW)) /* it records something */
			ret = ring_patch(recorder->ring, &recorder->progs.images[i], err);
	if (!ret)
		ret = record_marks_prepare(recorder, err);
	return ret ? ret : record_probes_prepare(recorder, err);
}

static bool flies(const struct recorder *recorder)
{
	const struct record_settings *settings = recorder->instance->settings;

	return settings->flight;
}

static int make_rings(struct recorder *recorder, struct err *err)
{
	const struct record_settings *settings = recorder->instance->settings;
	uint64_t size = settings->buffer_size ? settings->buffer_size : BUFFER_DEFAULT;

	return ring_new(&recorder->ring, &recorder->progs.object, flies(recorder) ? settings->flight : size,
			flies(recorder) ? RING_FLIGHT : RING_STREAM, err);
}

static int load(struct recorder *recorder, struct err *err)
{
	struct progs *progs = &recorder->progs;
	int ret = progs_open(progs, err);

	if (!ret)
		ret = fill_arguments(&progs->object, err);
	if (!ret)
		ret = record_probes_resolve(recorder, err);
	if (!ret)
		ret = make_rings(recorder, err);
	if (!ret && !flies(recorder))
		ret = record_file_open(recorder, record_output(recorder), err);
	if (!ret)
		ret = progs_prepare(progs, err);
	if (!ret)
		ret = ring_open(recorder->ring, err);
	if (!ret)
		ret = patch_images(recorder, err);
	if (!ret && recorder->sets.strace)
		ret = strace_capture_open(&recorder->capture, recorder->instance, &progs->object, recorder->writer,
					  err);
	return ret;
}

static int check_options(struct recorder *recorder, struct err *err)
{
	struct engine_instance *instance = recorder->instance;
	const struct record_settings *settings = instance->settings;
	const char *why = NULL;

	if (settings->snapshot_on && !settings->flight)
		why = "--snapshot-on is for --flight: it says when to write what the rings hold";
	else if (settings->flight && settings->buffer_size)
		why = "--flight has a size already, so --buffer-size has no meaning";
	else if (settings->flight && recorder->sets.strace)
		why = "strace is not for --flight: arguments of calls are not in rings; syscalls are";
	if (!why)
		return 0;
	instance->ctx->usage = true;
	return err_set(err, -EINVAL, "%s", why);
}

static int forget(const struct ring_run *run, void *unused)
{
	return 0;
}

/* A file that cannot be written any more ends the recording; how it ended, record_emit() says. */
static int take_ring(void *ctx)
{
	struct recorder *recorder = ctx;

	int ret = ring_read(recorder->ring, record_file_run, recorder);

	/* calls that wait for a full section would be lost with a recorder that is killed */
	if (recorder->capture)
		writer_flush(recorder->writer);
	if (ret || writer_error(recorder->writer))
		recorder->instance->ctx->done = true;
	return READ_MS;
}

/*
 * Probes are attached one after the other. What they have recorded until all are is no part of the recording: there,
 * calls would end that have no begin.
 */
static int arm(struct recorder *recorder, struct err *err)
{
	struct err marks;
	int ret = progs_attach(&recorder->progs, err);

	if (!ret)
		ret = record_probes_attach(recorder, err);
	if (!ret && recorder->capture)
		ret = strace_capture_arm(recorder->capture, err);
	if (!ret && record_marks_attach(recorder, &marks))
		report_verbose("there will be no marks: %s", marks.text);
	if (ret)
		return ret;
	if (flies(recorder))
		return record_flight_start(recorder, err);
	ring_read(recorder->ring, forget, NULL);
	intake_add(recorder->instance->intake, INTAKE_OWN, take_ring, recorder);
	ret = intake_watch(recorder->instance->intake, ring_fd(recorder->ring), err);
	return ret ? ret : record_file_tasks(recorder, record_output(recorder), err);
}

static int record_open(struct engine_instance *instance, struct err *err)
{
	struct recorder *recorder = base_alloc(sizeof(*recorder));
	int ret;

	instance->state = recorder;
	recorder->instance = instance;
	recorder->flight.signals = recorder->flight.rows = -1;
	recorder->config.own = filter_own_process();
	parse_arguments(recorder);
	ret = check_options(recorder, err);
	recorder->progs = (struct progs){
		.source = &source,
		.instance = instance,
		.settings = recorder,
		.options = {
			.must_not_miss = true,
			.shared = true,
			.pid = instance->ctx->pid,
			.progress = engine_progress,
			.ctx = instance,
		},
	};
	if (!ret)
		ret = load(recorder, err);
	if (ret)
		return ret;
	engine_hurry();
	return arm(recorder, err);
}

static void record_armed(struct engine_instance *instance)
{
	struct recorder *recorder = instance->state;

	recorder->armed = true;
	if (flies(recorder))
		report_line("Recording in memory, for snapshots to %s (kill -USR2 %d)... Hit Ctrl-C to end.",
			    record_output(recorder), (int)getpid());
	else
		report_line("Recording to %s... Hit Ctrl-C to end.", record_output(recorder));
}

/* Detaches, so that nothing is recorded any more, and writes what is left. */
static void stop_recording(struct recorder *recorder)
{
	static const char why[] = "the recording has ended";

	recorder->unattached = record_probes_say(recorder);
	attach_pause(recorder->progs.attach, why);
	recorder->missed = progs_missed(&recorder->progs, &recorder->knows_missed);
	record_probes_pause(recorder, why);
	recorder->missed += record_probes_missed(recorder);
	if (recorder->probes.attach)
		attach_missed_returns(recorder->probes.attach, &recorder->missed_returns);
	if (recorder->marks.attach)
		attach_pause(recorder->marks.attach, why);
	if (recorder->capture)
		strace_capture_end(recorder->capture, why);
	if (!flies(recorder) && !writer_error(recorder->writer))
		ring_read_last(recorder->ring, record_file_run, recorder);
	recorder->missed += ring_missed(recorder->ring);
}

/* There are no tables: this is the end. */
static void record_emit(struct engine_instance *instance, bool last)
{
	struct recorder *recorder = instance->state;

	if (!last)
		return;
	stop_recording(recorder);
	if (flies(recorder))
		record_flight_end(recorder);
	else if (record_file_close(recorder, record_output(recorder)))
		instance->ctx->failed = true;
}

static void record_losses(struct engine_instance *instance)
{
	const struct record_settings *settings = instance->settings;
	struct recorder *recorder = instance->state;

	if (recorder->lost)
		report_note("%llu event%s lost: the rings were full (--buffer-size makes them larger)",
			    (unsigned long long)recorder->lost, str_plural(recorder->lost));
	if (recorder->missed)
		report_note("%llu event%s lost: the kernel skipped the probe while it was busy with another%s",
			    (unsigned long long)recorder->missed, str_plural(recorder->missed),
			    instance->filter.any ? " (events that the filter would exclude are included)" : "");
	if (recorder->probes.attach)
		probes_say_missed_returns(instance, recorder->probes.attach, "not recorded");
	if (!recorder->knows_missed)
		report_verbose("this kernel does not count the hits that it misses");
	progs_say_losses(&recorder->progs, recorder->missed);
	if (recorder->capture && strace_capture_losses(recorder->capture) && settings->fail_on_loss)
		instance->ctx->failed = true;
	if (settings->fail_on_loss && (recorder->lost || recorder->missed || recorder->missed_returns))
		instance->ctx->failed = true;
}

static void record_close(struct engine_instance *instance)
{
	struct recorder *recorder = instance->state;
	struct err err = {};

	if (!recorder)
		return;
	/* a recording that has not begun leaves no file behind */
	if (recorder->writer && !recorder->armed)
		unlink(record_output(recorder));
	if (recorder->writer)
		writer_close(recorder->writer, NULL, &err);
	strace_capture_free(recorder->capture);
	record_flight_release(&recorder->flight);
	record_marks_release(recorder);
	record_probes_release(recorder);
	ring_free(recorder->ring);
	progs_release(&recorder->progs);
	free(recorder);
}

const struct engine record_engine = {
	.options_title = "recording",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct record_settings),
	.open = record_open,
	.armed = record_armed,
	.emit = record_emit,
	.take = engine_take,
	.losses = record_losses,
	.close = record_close,
};
