// SPDX-License-Identifier: BSD-2-Clause
/* The user side of the event engine: turns probes into links and events into rows, and reports losses. */
#include "base/clock.h"
#include "base/report.h"
#include "counted.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "engine/interval.h"
#include "engine/probes.h"
#include "engine/progs_life.h"
#include "engine/ring.h"
#include "engine/ring_stream.h"
#include "engine/stream.h"
#include "event.h"

#define BUFFER_MAX (1024 * 1024 * 1024)
/* So often the kernel is asked what was lost. */
#define LOOK_NS (100 * NS_PER_MS)

struct settings {
	uint64_t buffer_size;
	bool fail_on_loss, pidns, self;
};

/* MEGABYTES: the size of the buffer without --buffer-size. */
#define EVENT_OPTIONS(MEGABYTES) \
	{ \
		OPT(OPT_U64, struct settings, buffer_size, 0, "buffer-size", "BYTES", \
		    "size of the event buffer, with k, M or G: " #MEGABYTES "M", .min = 4096, .max = BUFFER_MAX), \
			OPT(OPT_BOOL, struct settings, fail_on_loss, 0, "fail-on-loss", NULL, \
			    "exit with 1 if an event was lost"), \
			OPT(OPT_BOOL, struct settings, pidns, 0, "pidns", NULL, \
			    "show process ids of sonde's own pid namespace, and only its processes"), \
			OPT(OPT_BOOL, struct settings, self, 0, "self", NULL, "also show what sonde itself does"), \
	}

struct events {
	struct engine_instance *instance;
	const struct event_source *source;
	struct progs progs;
	struct stream *stream; /* one of the two, the other is NULL */
	struct ring_stream *rings;
	struct counted *counted;	    /* NULL: each event is a row, or a sample */
	void *rows;			    /* of the tool's own struct event_rows */
	struct stacks_source stacks_source; /* with this instance's settings */
	struct stacks *stacks;		    /* NULL: events have none */
	struct output_clock clock;
	/* the losses that were reported, and when */
	uint64_t said, said_at;
	uint64_t looked_at; /* when it was last looked for more */
	bool knows_missed;
};

/* If somebody sets the clock, later events have the new time. */
static void look_at_clock(struct events *events)
{
	events->clock.wall_offset = clock_wall_offset();
	output_set_clock(events->instance->ctx->out, &events->clock);
}

/* --- rows --- */

void event_get_function(struct value *to, const void *slot, const void *instance)
{
	value_set_text(to, ((const struct engine_instance *)instance)->targets->slots[*(const unsigned int *)slot]);
}

void event_get_symbol(struct value *to, const void *slot, const void *instance)
{
	value_set_text(to, ((const struct engine_instance *)instance)->targets->symbols[*(const unsigned int *)slot]);
}

/* Whether events are counted by stack, in place of a row for each. */
static bool are_samples(const struct event_source *source)
{
	return source->key;
}

static void add_sample(struct events *events, const struct event *event)
{
	struct stack_key key = {};

	events->source->key(&key, event);
	stacks_add(events->stacks, &key, 1, 0);
}

static void on_record(const void *record, size_t size, void *ctx)
{
	const struct event *event = record;
	struct events *events = ctx;

	if (events->source->show && !events->source->show(events->instance, event))
		return;
	if (are_samples(events->source))
		add_sample(events, event);
	else if (events->counted)
		counted_add(events->counted, event, size);
	else if (events->source->rows)
		events->source->rows->add(events->rows, event);
	else if (events->stacks)
		output_row(events->instance->ctx->out, events->source->row(event, events->stacks));
	else
		output_row(events->instance->ctx->out, event);
}

/* Returns all losses so far, of whatever kind. */
struct lost {
	uint64_t dropped, own, unread, missed, uncounted, all;
};

static struct lost lost(struct events *events)
{
	const bool ringed = events->rings;
	struct lost lost = {
		.dropped = ringed ? ring_stream_lost(events->rings) : stream_dropped(events->stream, EVENT_LOSS_BUFFER),
		.own = ringed ? 0 : stream_dropped(events->stream, EVENT_LOSS_OWN),
		.unread = ringed ? ring_stream_unread(events->rings) : stream_unread(events->stream),
		.missed = progs_missed(&events->progs, &events->knows_missed),
		.uncounted = events->counted ? counted_lost(events->counted) : 0,
	};

	lost.all = lost.dropped + lost.own + lost.unread + lost.missed + lost.uncounted;
	return lost;
}

static const char *unit_of(const struct events *events)
{
	return events->source->unit ? events->source->unit : "event";
}

/* Reports losses soon, and then at most once a second. */
static void say_losses(struct events *events)
{
	uint64_t all, now = clock_boot_ns();

	/* to ask the kernel costs more than to print an event */
	if (now - events->looked_at < LOOK_NS)
		return;
	events->looked_at = now;
	all = lost(events).all;
	if (all == events->said || (events->said && now - events->said_at < NS_PER_SEC))
		return;
	report_note("%llu %s%s lost so far", (unsigned long long)all, unit_of(events), str_plural(all));
	events->said = all;
	events->said_at = now;
}

static int event_take(struct engine_instance *instance)
{
	struct events *events = instance->state;
	int ms;

	look_at_clock(events);
	ms = intake_take(instance->intake);
	output_flush(instance->ctx->out);
	say_losses(events);
	return ms;
}

static void event_emit(struct engine_instance *instance, bool last)
{
	struct events *events = instance->state;

	look_at_clock(events);
	if (last && events->source->rows)
		events->source->rows->stop(events->rows);
	if (last && events->rings)
		ring_stream_take_all(events->rings, instance->ctx->should_hurry, instance->ctx->should_stop_ctx);
	else if (last)
		stream_take_all(events->stream, instance->ctx->should_hurry, instance->ctx->should_stop_ctx);
	if (last && events->source->rows)
		events->source->rows->end(events->rows, instance);
	if (are_samples(events->source)) {
		stacks_print(events->stacks, last);
		return;
	}
	if (events->counted) {
		engine_table_begin(instance);
		counted_print(events->counted, instance->ctx->out);
	}
	output_table_end(instance->ctx->out);
}

static void event_losses(struct engine_instance *instance)
{
	const struct settings *settings = instance->settings;
	struct events *events = instance->state;
	struct lost n = lost(events);

	if (events->stacks)
		stacks_losses(events->stacks);
	if (n.dropped)
		report_note("%llu %s%s lost: the buffer was full (--buffer-size makes it larger)",
			    (unsigned long long)n.dropped, unit_of(events), str_plural(n.dropped));
	if (n.unread)
		report_note("%llu %s%s lost: not read at the end", (unsigned long long)n.unread, unit_of(events),
			    str_plural(n.unread));
	if (n.own)
		report_note("%llu %s%s lost: %s", (unsigned long long)n.own, events->source->lost_what, str_plural(n.own),
			    events->source->lost_why);
	if (n.missed)
		report_note("%llu %s%s lost: the kernel skipped the probe while it was busy with another%s%s",
			    (unsigned long long)n.missed, unit_of(events), str_plural(n.missed),
			    probes_why_missed_returns(events->progs.attach),
			    instance->filter.any ? " (events that the filter would exclude are included)" : "");
	if (n.uncounted)
		report_note("%llu event%s lost: the table has room for %u rows", (unsigned long long)n.uncounted,
			    str_plural(n.uncounted), COUNTED_MAX);
	n.all += progs_say_losses(&events->progs, n.missed);
	if (!events->knows_missed)
		report_verbose("this kernel does not count the hits that it misses");
	n.all += progs_no_room(&events->progs) + attach_pushed_out(events->progs.attach);
	probes_say_pushed_out(attach_pushed_out(events->progs.attach));
	if ((probes_say_switched_off(events->progs.attach) || n.all) && settings->fail_on_loss)
		instance->ctx->failed = true;
}

/* --- begin and end --- */

static int open_stacks(struct engine_instance *instance, struct events *events, struct err *err)
{
	const struct event_source *source = events->source;
	const void *settings = instance->tool_settings;

	if (!source->stacks || !setting_is(settings, source->with_stacks, true))
		return 0;
	if (source->row_schema)
		instance->schema = source->row_schema;
	events->stacks_source = *source->stacks;
	events->stacks_source.settings = setting_at(settings, source->stacks_settings);
	events->stacks_source.period = setting_at(settings, source->period);
	return stacks_open(&events->stacks, instance, &events->stacks_source, &events->progs.object, err);
}

/* Whether the filter may pass what sonde itself does. If not, programs need not ask for each event. */
static bool may_pass_own(const struct filter *filter)
{
	if (filter->by_members)
		return false;
	return !filter->by_tgid || filter->tgid == (filter->in_pidns ? (uint32_t)getpid() : filter_own_process());
}

/* Opens the object, and sizes and fills it according to the options. */
static int set_up(struct engine_instance *instance, struct events *events, struct err *err)
{
	const struct settings *settings = instance->settings;
	struct object *object = &events->progs.object;
	const struct event_setup setup = {
		.pidns_ino = settings->pidns ? filter_pidns() : 0,
		.reader = settings->self || !may_pass_own(&instance->filter) ? 0 : filter_own_process(),
	};
	int ret = progs_open(&events->progs, err);

	if (!ret)
		ret = object_fill(object, ".rodata.event", &setup, sizeof(setup), err);
	if (!ret && setting_is(instance->tool_settings, events->source->ringed, false))
		ret = ring_stream_new(&events->rings, object, settings->buffer_size, err);
	else if (!ret)
		ret = stream_set_size(object, settings->buffer_size, err);
	if (!ret && events->source->rows)
		ret = events->source->rows->open(instance, &events->progs.set, object, &events->rows, err);
	return ret ? ret : open_stacks(instance, events, err);
}

static int open_rings(struct events *events, struct err *err)
{
	struct pairs *pairs = &events->progs.pairs;
	struct image *images[] = { &pairs->entry, &pairs->ret, &pairs->session, &events->progs.freed.image };
	int ret = ring_stream_open(events->rings, events->instance->intake, on_record, events, err);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(images); i++)
		if (image_has(images[i], PATCH_RING_HOW)) /* it records something */
			ret = ring_patch(ring_stream_rings(events->rings), images[i], err);
	return ret;
}

static int load(struct engine_instance *instance, struct events *events, struct err *err)
{
	int ret = progs_configure(&events->progs, err);

	if (!ret)
		ret = set_up(instance, events, err);
	if (!ret)
		ret = progs_prepare(&events->progs, err);
	if (ret)
		return ret;
	instance->targets = &events->progs.set;
	output_set_context(instance->ctx->out, instance);
	if (setting_is(instance->tool_settings, events->source->count, false)) {
		instance->schema = events->source->counted;
		events->counted = counted_new(instance->schema);
	}
	if (events->rings)
		ret = open_rings(events, err);
	else
		ret = stream_open(&events->stream, &events->progs.object, instance->intake, on_record, events, err);
	return ret || !events->stacks ? ret : stacks_start(events->stacks, &events->progs.object, err);
}

/* Tools that print stacks at the end take [DURATION], as in bcc. */
static int parse_arguments(struct engine_instance *instance, struct err *err)
{
	const struct event_source *source = instance->source;

	if (are_samples(source))
		return interval_parse_duration(instance, err);
	if (!instance->args.n)
		return 0;
	return engine_unexpected(instance, instance->args.v[0], err);
}

static int event_open(struct engine_instance *instance, struct err *err)
{
	struct events *events = base_alloc(sizeof(*events));
	const struct event_source *source = instance->source;
	int ret;

	instance->state = events;
	events->instance = instance;
	events->source = source;
	events->progs = (struct progs){
		.source = &source->progs,
		.instance = instance,
		.settings = instance->tool_settings,
		.options = {
			.must_not_miss = true, /* a skipped hit is a lost event */
			.shared = true,
			.pid = instance->ctx->pid,
			.progress = engine_progress,
			.ctx = instance,
		},
	};
	ret = source->progs.pairs ? 0 : parse_arguments(instance, err);
	if (ret) {
		instance->ctx->usage = true;
		return ret;
	}
	ret = load(instance, events, err);
	if (ret)
		return ret;
	report_verbose("maps are ready");
	engine_hurry();
	events->clock.began = clock_boot_ns();
	return progs_attach(&events->progs, err);
}

static void event_armed(struct engine_instance *instance)
{
	struct events *events = instance->state;

	report_line("Tracing %s... Hit Ctrl-C to end.", events->progs.source->what);
	if (events->counted || are_samples(events->source))
		return;
	if (events->rings && events->source->rows && events->source->rows->lost)
		ring_stream_on_loss(events->rings, events->source->rows->lost, events->rows);
	if (events->source->rows)
		events->source->rows->begin(events->rows, instance, &events->progs.object, events->stacks);
	else
		output_table_begin(instance->ctx->out, instance->schema, NULL, true);
	output_flush(instance->ctx->out);
}

static void event_close(struct engine_instance *instance)
{
	struct events *events = instance->state;

	if (!events)
		return;
	stream_close(events->stream);
	ring_stream_free(events->rings);
	if (events->rows)
		events->source->rows->close(events->rows);
	counted_free(events->counted);
	progs_release(&events->progs);
	stacks_free(events->stacks);
	free(events);
}

#define EVENT(MEGABYTES) \
	{ \
		.options_title = "events", \
		.options = (const struct opt[])EVENT_OPTIONS(MEGABYTES), \
		.n_options = ARRAY_SIZE(((const struct opt[])EVENT_OPTIONS(MEGABYTES))), \
		.settings_size = sizeof(struct settings), \
		.defaults = &(const struct settings){ .buffer_size = MEGABYTES * 1024 * 1024 }, \
		.open = event_open, \
		.armed = event_armed, \
		.emit = event_emit, \
		.take = event_take, \
		.losses = event_losses, \
		.close = event_close, \
	}

const struct engine event_engine = EVENT(4);
/* The program sends a sample's frames once for each distinct stack, through a buffer of their own. */
const struct engine sample_engine = EVENT(1);
