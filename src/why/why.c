// SPDX-License-Identifier: BSD-2-Clause
/* The life of the engine: loads the programs, takes what they send, and keeps the longest waits. */
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/report.h"
#include "bpf/filter.h" /* the skeleton names its structs */
#include "bpf/request.h"
#include "bpf/ring.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "bpf/why.h"
#include "bpf/why.skel.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "engine/probes.h"
#include "engine/service.h"
#include "held.h"
#include "locks.h"
#include "waits.h"
#include "why_part.h"

/* Of ended threads and long waits: 2,000 of the former. */
#define BUFFER (1024 * 1024)
/* While it sleeps, the reader looks so often. */
#define TAKE_MS 40
/* At the end, how often those that live are read until no thread ends meanwhile, and the pause before another try. */
#define TRIES  64
#define TRY_US 200

static const char *const bys[] = { "nothing", "peer", "port", "thread", NULL };

static const struct opt options[] = {
	OPT(OPT_BOOL, struct why_settings, by_thread, 't', "threads", NULL, "also a table of threads"),
	OPT(OPT_U32, struct why_settings, worst, 'n', "worst", "N", "print the N longest waits: 5, with --over 10", .max = 1000),
	OPT(OPT_BOOL, struct why_settings, without_stacks, 0, "no-stacks", NULL, "take no stacks of the waits"),
	OPT(OPT_STRING, struct why_settings, locks, 0, "locks", "FILE",
	    "names of what functions wait for, beside those that are known: lines MODULE FUNCTION NAME"),
	OPT(OPT_STRING, struct why_settings, perfetto, 0, "perfetto", "FILE",
	    "write each thread's running and waiting to FILE for Perfetto's UI"),
	OPT(OPT_BOOL, struct why_settings, requests, 0, "requests", NULL,
	    "requests of a server, and where their time goes; -n: the slowest ones"),
	OPT(OPT_U32, struct why_settings, port, 0, "port", "N", "with --requests: of the server at this TCP port", .min = 1,
	    .max = 65535),
	OPT(OPT_CHOICE, struct why_settings, by, 0, "by", "WHAT", "with --requests: also a table by peer, port or thread",
	    .choices = bys),
	OPT(OPT_U32, struct why_settings, slower, 0, "slower", "MS",
	    "with --requests: split only those that last so many ms and more", .min = 1),
	OPT(OPT_BOOL, struct why_settings, first_byte, 0, "first-byte", NULL,
	    "with --requests: until the answer begins, not until its end"),
	OPT(OPT_U32, struct why_settings, chain, 0, "chain", "N",
	    "with --requests: go into at most N servers behind each other on this machine: 5", .max = REQUESTS_MOST_DEEP),
	OPT(OPT_SECONDS, struct why_settings, over, 0, "over", "TIME",
	    "who held the processor when threads waited longer for it: 100us, 2ms, or seconds; -n: the longest waits"),
	OPT(OPT_STRING, struct why_settings, cpus, 0, "cpus", "LIST", "with --over: only on these processors, such as 0-3,8"),
	OPT(OPT_BOOL, struct why_settings, user_stacks, 0, "user-stacks", NULL,
	    "with --over: the user part of stacks, too, for which sonde reads each process"),
	STACKS_FILES(struct why_settings, stacks),
	STACKS_OPTIONS(struct why_settings, stacks),
};
static const struct why_settings defaults = { .worst = WHY_WORST_DEFAULT, .chain = WHY_CHAIN_DEFAULT };

/* Of threads that run, for files of stacks. No multiple of the clock tick, at which much begins. */
#define SAMPLES_IN_SECOND 499
static const struct progs_clock clock = { .period = NS_PER_SEC / SAMPLES_IN_SECOND };

#define OF_REQUESTS .when = SETTING(bool, struct why, requests.on)

static const struct progs_probe probes[] = {
	{ .program = "switches", .system = "sched", .name = "sched_switch", .raw = true },
	{ .program = "waker", .system = "sched", .name = "sched_waking", .raw = true },
	{ .program = "forks", .system = "sched", .name = "sched_wakeup_new", .raw = true },
	{ .program = "execs", .system = "sched", .name = "sched_process_exec", .raw = true },
	{
		.program = "sample",
		.clock = SETTING(struct progs_clock, struct why, clock),
		.when = SETTING(bool, struct why, samples),
	},
	/* not raw: on kernels that preempt raw programs, a thread that is preempted there makes others' hits skipped */
	{ .program = "arrives", .system = "sock", .name = "sk_data_ready", OF_REQUESTS, .optional = true },
	{ .program = "arrives", .function = "sock_def_readable", OF_REQUESTS, .optional = true, .otherwise = true },
	{ .program = "reads", .system = "tcp", .name = "tcp_rcv_space_adjust", OF_REQUESTS },
	{ .program = "takes", .system = "sock", .name = "sock_recv_length", OF_REQUESTS, .optional = true },
	{ .program = "takes", .function = "unix_stream_read_actor", OF_REQUESTS, .optional = true, .otherwise = true },
	{ .program = "closes", .function = "unix_release_sock", .when = SETTING(bool, struct why, requests.no_recv), .optional = true },
	{ .program = "sends", .system = "sock", .name = "sock_send_length", OF_REQUESTS, .optional = true },
	{ .program = "sends", .function = "tcp_release_cb", OF_REQUESTS, .optional = true, .otherwise = true },
	{ .program = "connections", .system = "sock", .name = "inet_sock_set_state", OF_REQUESTS },
};

static const struct progs_source source = {
	.object = why_bpf__elf_bytes,
	PROGS_PROBES(probes),
	.what = "where time goes",
};

/* --- what the programs send --- */

static int by_length(const void *pa, const void *pb)
{
	const struct why_wait *a = pa, *b = pb;

	return (a->ns < b->ns) - (a->ns > b->ns);
}

/* A timer has ended a piece of this wait, which is among the longest on its own: it makes room for the whole. */
static void drop_piece(struct why *why, const struct why_wait *whole)
{
	for (size_t i = 0; whole->before && i < why->n_waits; i++) {
		const struct why_wait *wait = &why->waits[i];

		if (wait->tid != whole->tid || wait->ns != whole->before || wait->key.class != whole->key.class)
			continue;
		why->n_waits--;
		memmove(&why->waits[i], &why->waits[i + 1], (why->n_waits - i) * sizeof(*wait));
		return;
	}
}

/* Once there are as many as are printed, the programs send only longer ones. */
void why_keep_wait(struct why *why, const struct why_wait *wait)
{
	size_t most = why->settings->worst, at;

	drop_piece(why, wait);
	at = why->n_waits < most ? why->n_waits : most;
	while (at > 0 && why->waits[at - 1].ns < wait->ns)
		at--;
	if (at == most || (wait->waker[0] == WHY_INTERRUPT && why_idle_classes(why) >> wait->key.class & 1))
		return;
	if (why->n_waits < most)
		why->n_waits++;
	memmove(&why->waits[at + 1], &why->waits[at], (why->n_waits - at - 1) * sizeof(*wait));
	why->waits[at] = *wait;
	if (why->shared && why->n_waits == most && why->waits[most - 1].ns > why->shared->least)
		__atomic_store_n(&why->shared->least, why->waits[most - 1].ns, __ATOMIC_RELAXED);
}

/*
 * Timers cut waits for locks into pieces, and also the time of a thread that looks at something each few ms: only who
 * has the lock makes it one wait.
 */
void why_settle_waits(struct why *why)
{
	struct why_wait *waits = why->waits;

	for (size_t i = 0; i < why->n_waits; i++) {
		struct stacks_named named = {};
		const char *lock = waits[i].before ? objects_lock(why, waits[i].key.class, waits[i].stack, &named) : NULL;

		if (!lock || !locks_has_holder(why->locks, lock))
			waits[i].ns -= waits[i].before;
		waits[i].before = 0;
	}
	if (why->n_waits)
		qsort(waits, why->n_waits, sizeof(*waits), by_length);
}

/*
 * When the command ended. A thread that executes a program takes the id of the first one, which may leave its processor
 * for the last time after that.
 */
static void note_end(struct why *why, const struct why_thread *thread)
{
	if (thread->record == WHY_PART && thread->tgid == why->command && thread->tid != thread->tgid) {
		why->executed = thread->since;
		why->ended = 0;
	} else if (thread->record == WHY_END && thread->tid == why->command && thread->began >= why->executed) {
		why->ended = thread->since;
	}
}

static int on_record(void *ctx, void *data, size_t size)
{
	struct why *why = ctx;
	const struct why_thread *thread = data;
	struct why_thread whole;

	if (*(const uint32_t *)data == WHY_WAIT) {
		why_keep_wait(why, data);
		return 0;
	}
	why->ends++;
	if (why->requests.export)
		return 0;
	whole = *thread;
	if (thread->adopted)
		why_before_replace(why, &whole);
	why_sums_add(&why->sums, &whole);
	why_path_add_thread(why, &whole);
	/* with a command, the only thread that existed before is the command */
	if (why->instance->ctx->command.pid && thread->adopted && !why->command)
		why->command = thread->tid;
	note_end(why, thread);
	return 0;
}

static int take_rings(void *ctx)
{
	struct why *why = ctx;

	ring_buffer__consume(why->ring);
	why_path_take(why);
	return TAKE_MS;
}

/* --- begin --- */

static int open_ring(struct why *why, struct err *err)
{
	struct intake *intake = why->instance->intake;
	int map = object_map_fd(&why->progs.object, "why_records"), ret;

	why->ring = ring_buffer__new(map, on_record, why, NULL);
	if (!why->ring)
		return err_set(err, -errno, "cannot open the ring buffer: %s", strerror(errno));
	intake_add(intake, INTAKE_OWN, take_rings, why);
	ret = intake_watch(intake, map, err);
	return ret ? ret : intake_watch(intake, why_path_fd(why), err);
}

static int set_up(struct why *why, struct err *err)
{
	const bool exported = why->requests.export;
	const struct why_config config = {
		.stacks = !why->settings->without_stacks,
		/* who sleeps for a time, or tries again for a lock, does so within a request: such waits get stacks, too */
		.link_stacks = !why->settings->without_stacks && why->requests.on,
		.links = why->instance->ctx->command.pid != 0 || why->settings->perfetto || why->requests.on,
		.drawn = why->stacks_source.keyed,
		.switches = why->settings->perfetto != NULL,
		.one_port = why->settings->port != 0,
		.chain = why->requests.on && why->settings->chain,
		.samples = why->requests.on && why->samples,
		/* of requests, samples say where a holder runs */
		.wakers = !why->settings->without_stacks && !why->requests.on,
		.sums = !exported,
		.turns = !exported,
		.by_waker = waits_with(WAITS_FOR_WAKER),
		.for_work = why_idle_classes(why),
		.behind = exported ? UINT64_MAX : WHY_BEHIND_NS,
		.is_long = why->requests.on ? WHY_OF_REQUEST_NS : WHY_LEAST_NS,
	};
	struct object *object = &why->progs.object;
	int ret = locks_new(&why->locks, why->settings->locks, err);

	if (!ret)
		ret = progs_open(&why->progs, err);

	waits_fill(why->calls);
	if (!ret)
		ret = object_fill(object, ".rodata.config", &config, sizeof(config), err);
	if (!ret)
		ret = object_fill(object, ".rodata.calls", why->calls, WHY_ABIS * WHY_CALLS, err);
	if (!ret)
		ret = object_size_value(object, ".data.why_threads", WHY_THREADS * sizeof(struct why_thread), err);
	if (!ret && config.turns)
		ret = object_size_value(object, ".data.why_processors", WHY_PROCESSORS * sizeof(struct why_processor), err);
	if (!ret)
		ret = object_size_map(object, "why_records", BUFFER, err);
	if (!ret)
		ret = stacks_open(&why->stacks, why->instance, &why->stacks_source, object, err);
	if (!ret)
		ret = why_record_open(why, err);
	if (!ret)
		ret = why_path_open(why, err);
	if (!ret)
		ret = why_requests_open(why, err);
	if (!ret)
		ret = progs_prepare(&why->progs, err);
	return ret ? ret : why_path_prepare(why, err);
}

/* Files of stacks need stacks of all waits. */
static int check_files(struct why *why, struct err *err)
{
	if (!why->stacks_source.keyed || !why->settings->without_stacks)
		return 0;
	why->instance->ctx->usage = true;
	return err_set(err, -EINVAL, "--no-stacks leaves nothing for files of stacks: choose one");
}

/* Measuring begins when all programs are attached. */
static int arm(struct why *why, struct err *err)
{
	int ret = progs_attach(&why->progs, err);

	if (ret)
		return ret;
	why_before_read(why);
	ret = why_requests_arm(why, err);
	if (ret)
		return ret;
	why->shared->least = why->requests.export ? UINT64_MAX : WHY_LEAST_NS;
	why->began = clock_monotonic_ns();
	__atomic_store_n(&why->shared->armed, why->began, __ATOMIC_RELEASE);
	return why_record_begin(why, err);
}

/* One names a service. A command without -- would be taken for the whole machine. */
static int check_arguments(struct engine_instance *instance, struct err *err)
{
	size_t most = instance->ctx->service != NULL;

	if (instance->args.n <= most)
		return 0;
	instance->ctx->usage = true;
	return engine_unexpected(instance, instance->args.v[most], err);
}

static int why_open(struct engine_instance *instance, struct err *err)
{
	const bool samples = why_flame_wanted(instance->settings);
	struct why_settings *settings = instance->settings;
	struct stacks_settings *stacks;
	struct why *why;
	int ret;

	if (held_wanted(instance) && !instance->ctx->metrics) {
		instance->engine = &held_engine;
		ret = check_arguments(instance, err);
		return ret ? ret : held_engine.open(instance, err);
	}
	if (settings->worst == WHY_WORST_DEFAULT)
		settings->worst = WHY_WORST;
	if (settings->chain == WHY_CHAIN_DEFAULT && settings->requests)
		settings->chain = REQUESTS_MOST_DEEP;
	why = base_alloc(sizeof(*why));
	instance->state = why;
	why->instance = instance;
	why->settings = instance->settings;
	ret = why_export_open(why, err);
	why->waits = base_alloc((why->settings->worst + 1) * sizeof(*why->waits));
	why->clock = clock;
	stacks = &((struct why_settings *)instance->settings)->stacks;
	/* without stacks nothing is read of processes: that takes time, and the right to do it */
	stacks->kernel_only |= why->settings->without_stacks;
	why->requests.on = why->settings->requests;
	/* of requests, an exporter has no names */
	why->samples = why->requests.on ? !why->requests.export && !why->settings->without_stacks : samples;
	why->stacks_source = (struct stacks_source){
		.settings = stacks,
		.keyed = samples,
		.by_time = true,
		.calm = true,
		.counts = samples ? "stacks" : NULL,
		.times = "wall",
	};
	why->progs = (struct progs){
		.source = &source,
		.instance = instance,
		.settings = why,
		.options = { .must_not_miss = true, .shared = true, .progress = engine_progress, .forget = why_requests_forget, .ctx = instance },
	};
	if (!ret)
		ret = check_arguments(instance, err);
	if (!ret)
		ret = check_files(why, err);
	if (!ret)
		ret = why_requests_check(why, err);
	if (!ret)
		ret = set_up(why, err);
	if (!ret)
		ret = stacks_start(why->stacks, &why->progs.object, err);
	if (!ret)
		ret = open_ring(why, err);
	if (ret)
		return ret;
	why->shared = object_memory(&why->progs.object, ".data.why_shared", sizeof(*why->shared));
	return arm(why, err);
}

static void why_armed(struct engine_instance *instance)
{
	const struct service *service = instance->ctx->service;

	if (!service)
		report_line("Tracing %s... Hit Ctrl-C to end.", source.what);
	else
		report_line("Tracing %s in %s (%zu process%s)... Hit Ctrl-C to end.", source.what, service->name,
			    service->processes, service->processes == 1 ? "" : "es");
}

/* --- end --- */

/*
 * The programs go on. A thread that ended while those that live were read can be among both, or among neither: then
 * they are read again.
 */
static void read_threads(struct why *why)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t ends;
		bool whole;

		ring_buffer__consume(why->ring);
		ends = why->ends;
		whole = why_live_read(why);
		ring_buffer__consume(why->ring);
		if (whole && why->ends == ends)
			return;
		usleep(TRY_US);
	}
}

static void print_page(struct engine_instance *instance)
{
	struct output *out = instance->ctx->out;
	struct why *why = instance->state;

	if (!output_is_text(out))
		engine_table_begin(instance);
	if (why->requests.on)
		why_requests_print(why, out);
	else
		why_page_print(why, out);
}

static void why_emit(struct engine_instance *instance, bool last)
{
	struct why *why = instance->state;
	uint64_t now;
	int ret;

	if (!last)
		return;
	intake_take(instance->intake);
	now = clock_monotonic_ns();
	if (instance->ctx->command.pid)
		why->began = instance->ctx->began;
	ret = why_flame_read(why);
	read_threads(why);
	if (!why->ended)
		why->ended = now;
	why_live_add(why);
	if (!ret)
		ret = objects_read(why);
	why_sums_finish(&why->sums);
	why_idle_find(why);
	why_path_find(why);
	why_requests_finish(why);
	objects_sort(why);
	if (ret)
		report_error("cannot read what threads waited for: %s", strerror(-ret));
	instance->ctx->failed |= ret < 0;
	if (!why_flame_has_stdout(why))
		print_page(instance);
	why_flame_write(why);
	why_record_write(why);
}

static void say(uint64_t n, const char *what, const char *lost)
{
	if (n)
		report_note("%llu %s%s %s", (unsigned long long)n, what, str_plural(n), lost);
}

static void why_losses(struct engine_instance *instance)
{
	struct why *why = instance->state;
	const struct why_shared *shared = why->shared;
	uint64_t missed = progs_missed(&why->progs, &why->knows_missed);

	probes_say_missed(instance, why->progs.attach, why->knows_missed, missed, "unknown time");
	/* a request is what threads did that have run */
	say(why->requests.on ? 0 : why->hidden, "thread", "not known before the first run: /proc does not show the cause of the wait");
	say(shared->no_room, "thread", "not measured: too many at a time");
	if (shared->lost_threads)
		report_note("%llu ended thread%s, %.3f s in all, missing from the sums: the buffer was full",
			    shared->lost_threads, str_plural(shared->lost_threads), shared->lost_ns / 1e9);
	say(shared->lost_waits, "long wait", "not shown: the buffer was full");
	if (shared->lost_objects)
		report_note("%llu wait%s counted, but not by object: more than %u objects", shared->lost_objects,
			    str_plural(shared->lost_objects), WHY_OBJECTS);
	say(why->path.unnamed, "wait", "without an object: more are different than can be kept");
	why_path_losses(why);
	why_requests_losses(why);
	why_record_losses(why);
	stacks_losses(why->stacks);
}

static struct attach *why_attachment(const struct engine_instance *instance, size_t n)
{
	const struct why *why = instance->state;

	return n ? NULL : why->progs.attach;
}

static void why_close(struct engine_instance *instance)
{
	struct why *why = instance->state;

	if (!why)
		return;
	ring_buffer__free(why->ring);
	/* before the stacks, whose maps the programs use */
	attach_free(why->progs.attach);
	why->progs.attach = NULL;
	stacks_free(why->stacks);
	locks_free(why->locks);
	why_path_release(why);
	why_requests_release(why);
	why_record_release(why);
	progs_release(&why->progs);
	why_sums_release(&why->sums);
	why_idle_release(why);
	set_release(&why->keys);
	free(why->before.v);
	free(why->live.v);
	free(why->objects.v);
	free(why->waits);
	free(why);
}

const struct engine why_engine = {
	.options_title = "why",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.settings_size = sizeof(struct why_settings),
	.defaults = &defaults,
	.names_service = true,
	.open = why_open,
	.armed = why_armed,
	.emit = why_emit,
	.take = engine_take,
	.losses = why_losses,
	.snapshot = why_export_snapshot,
	.tables = why_export_tables,
	.stats = why_export_stats,
	.attachment = why_attachment,
	.close = why_close,
};
