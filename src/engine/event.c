// SPDX-License-Identifier: BSD-2-Clause
/* The event engine's user side: a tool's probes to links, its events to rows, and what was lost on the way. */
#include <sys/resource.h>

#include "base/clock.h"
#include "base/report.h"
#include "output/clock.h"
#include "event_object.h"
#include "event_probes.h"
#include "run/filter.h"
#include "probes.h"
#include "run/run.h"
#include "stream.h"

#define READER_NICE    -10
#define BUFFER_DEFAULT (4 * 1024 * 1024)
#define BUFFER_MAX     (1024 * 1024 * 1024)
/* So close together two clocks are read as if at once. */
#define CLOCKS_APART_NS 100000ULL

static struct {
	uint64_t buffer_size;
	bool fail_on_loss, pidns, self;
} settings;

static const struct opt options[] = {
	OPT(OPT_U64, typeof(settings), buffer_size, 0, "buffer-size", "BYTES",
	    "room for events on their way here, with k, M or G: 4M", .min = 4096, .max = BUFFER_MAX),
	OPT(OPT_BOOL, typeof(settings), fail_on_loss, 0, "fail-on-loss", NULL, "exit with 1 when an event was lost"),
	OPT(OPT_BOOL, typeof(settings), pidns, 0, "pidns", NULL,
	    "process ids of our own pid namespace, and only its processes"),
	OPT(OPT_BOOL, typeof(settings), self, 0, "self", NULL, "also what sonde itself does"),
};

/* When the first event can have come, and what turns time since boot into wall time: one run is all there is. */
static uint64_t began, wall_offset;
struct event_columns event_columns;
/* Of a tool that traces functions, by number. */
static const struct target_set *functions;

struct events {
	struct run *run;
	struct event_probes probes; /* with the tool's source and its object, which is ours */
	struct attach_options attach;
	struct stream *stream;
	/* what was said of losses, and when */
	uint64_t said, said_at;
	bool knows_missed;
};

/*
 * Somebody may set the clock, and then later events have the new time. Nobody is to have stood still between one clock and the
 * other: the closest of a few looks counts.
 */
static void look_at_clock(void)
{
	uint64_t closest = UINT64_MAX;

	for (int tries = 0; tries < 5 && closest > CLOCKS_APART_NS; tries++) {
		uint64_t boot = clock_boot_ns(), wall = clock_wall_ns();
		uint64_t apart = clock_boot_ns() - boot;

		if (apart >= closest)
			continue;
		closest = apart;
		wall_offset = wall - boot - apart / 2;
	}
}

uint64_t event_wall_ns(const struct event *event)
{
	return event->time + wall_offset;
}

const char *event_function(uint32_t slot)
{
	return functions->slots[slot];
}

const char *event_symbol(uint32_t slot)
{
	return functions->symbols[slot];
}

void event_add_time(struct str *s, const void *row, enum output_format format)
{
	uint64_t ns = event_wall_ns(row);

	if (format == OUTPUT_TEXT) {
		clock_add_time(s, ns);
		return;
	}
	str_addc(s, '"');
	clock_add_stamp(s, ns);
	str_addc(s, '"');
}

void event_add_elapsed(struct str *s, const void *row, enum output_format format)
{
	uint64_t time = ((const struct event *)row)->time;

	if (format == OUTPUT_TEXT)
		clock_add_seconds(s, time > began ? time - began : 0, 6);
	else
		str_add_u64(s, time);
}

/* --- rows --- */

static void on_record(const struct event *event, size_t size, void *ctx)
{
	struct events *events = ctx;

	if (!events->probes.source->show || events->probes.source->show(event, size))
		output_row(events->run->out, event);
}

/* All that was lost until now, wherever. */
struct lost {
	uint64_t dropped, own, missed, all;
};

static struct lost lost(struct events *events)
{
	struct lost lost = {
		.dropped = stream_dropped(events->stream, EVENT_LOSS_BUFFER),
		.own = stream_dropped(events->stream, EVENT_LOSS_OWN),
		.missed = event_probes_missed(&events->probes, &events->knows_missed),
	};

	lost.all = lost.dropped + lost.own + lost.missed;
	return lost;
}

/* As soon as there is something to say, and then no more than once a second. */
static void say_losses(struct events *events)
{
	uint64_t all = lost(events).all, now = clock_boot_ns();

	if (all == events->said || (events->said && now - events->said_at < NS_PER_SEC))
		return;
	report_note("%llu event%s lost until now", (unsigned long long)all, str_plural(all));
	events->said = all;
	events->said_at = now;
}

static int event_take(struct run *run)
{
	struct events *events = run->engine;
	int ms;

	look_at_clock();
	ms = stream_take(events->stream);
	output_flush(run->out);
	say_losses(events);
	return ms;
}

static int event_fd(const struct run *run)
{
	const struct events *events = run->engine;

	return stream_fd(events->stream);
}

static void event_emit(struct run *run, bool last)
{
	struct events *events = run->engine;

	look_at_clock();
	stream_take_all(events->stream);
	output_table_end(run->out);
}

static void event_losses(struct run *run)
{
	struct events *events = run->engine;
	struct lost n = lost(events);

	if (n.dropped)
		report_note("%llu event%s lost: the buffer was full (a larger one: --buffer-size)",
			    (unsigned long long)n.dropped, str_plural(n.dropped));
	if (n.own)
		report_note("%llu %s%s lost: %s", (unsigned long long)n.own, events->probes.source->lost_what, str_plural(n.own),
			    events->probes.source->lost_why);
	if (n.missed)
		report_note("%llu event%s lost: the kernel skipped the probe while it was busy with another%s",
			    (unsigned long long)n.missed, str_plural(n.missed),
			    run->filter.any ? " (those that the filter would leave out included)" : "");
	if (events->probes.source->pairs)
		event_probes_say_losses(run, &events->probes, n.missed);
	if (!events->knows_missed)
		report_verbose("this kernel does not count the hits that it misses");
	if ((probes_say_switched_off(events->probes.attach) || n.all) && settings.fail_on_loss)
		run->failed = true;
}

/* --- begin and end --- */

/* Opens the object, and sizes and fills what the options are for. */
static int set_up(struct run *run, struct events *events, struct err *err)
{
	struct object *object = &events->probes.object;
	const struct event_setup setup = {
		.pidns_ino = settings.pidns ? filter_pidns() : 0,
		.reader = settings.self ? 0 : filter_own_process(),
	};
	int ret = event_object_open(object, events->probes.source, err);

	if (!ret)
		ret = object_fill(object, ".rodata.event", &setup, sizeof(setup), err);
	if (!ret)
		ret = stream_set_size(object, settings.buffer_size ? settings.buffer_size : BUFFER_DEFAULT, err);
	if (!ret)
		ret = run_filter_before(run, object->core.bpf, err);
	return ret;
}

static int load(struct run *run, struct events *events, struct err *err)
{
	struct object *object = &events->probes.object;
	int ret = set_up(run, events, err);

	if (!ret)
		ret = event_probes_resolve(run, &events->probes, &events->attach, err);
	if (!ret)
		ret = object_prepare(object, err);
	if (ret)
		return ret;
	functions = &events->probes.set;
	ret = run_filter_after(run, object->core.bpf, err);
	return ret ? ret : stream_open(&events->stream, object, on_record, events, err);
}

static int progress(void *ctx, size_t done, size_t total)
{
	return run_should_stop(ctx);
}

/*
 * A machine that is too busy to let us read is the one whose events would be lost. What we take is what rows
 * cost, no more; the command, forked before, does not run any faster.
 */
static void hurry(void)
{
	int ret = setpriority(PRIO_PROCESS, 0, READER_NICE);

	if (ret)
		report_verbose("the reader's priority stays as it is: %s", strerror(errno));
}

static int event_open(struct run *run, struct err *err)
{
	struct events *events = base_alloc(sizeof(*events));
	const struct attach_options attach_options = {
		.filtered = true, /* a hit that is skipped is an event that is lost */
		.pid = run->options.pid,
		.progress = progress,
		.ctx = run,
	};
	int ret = 0;

	run->engine = events;
	events->run = run;
	events->attach = attach_options;
	events->probes.source = run->tool->events;
	events->probes.pid = run->options.pid;
	if (run->args.n && !run->tool->events->pairs) {
		run->usage = true;
		return err_set(err, -EINVAL, "unexpected argument '%s'", run->args.v[0]);
	}
	if (events->probes.source->configure)
		ret = events->probes.source->configure(run, err);
	if (ret) {
		run->usage = ret == -EINVAL;
		return ret;
	}
	ret = load(run, events, err);
	if (ret)
		return ret;
	report_verbose("maps are ready");
	hurry();
	began = clock_boot_ns();
	return event_probes_attach(&events->probes, &events->attach, err);
}

static void event_armed(struct run *run)
{
	struct events *events = run->engine;

	report_line("Tracing %s... Hit Ctrl-C to end.", events->probes.source->what);
	event_columns = (struct event_columns){ run->options.time, run->options.timestamp, run->options.verbose };
	output_table_begin(run->out, run->tool->schema, NULL, true);
	output_flush(run->out);
}

static void event_close(struct run *run)
{
	struct events *events = run->engine;

	if (!events)
		return;
	stream_close(events->stream);
	event_probes_release(&events->probes);
	free(events);
}

const struct engine event_engine = {
	.options_title = "events",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings = &settings,
	.open = event_open,
	.armed = event_armed,
	.emit = event_emit,
	.take = event_take,
	.fd = event_fd,
	.losses = event_losses,
	.close = event_close,
};
