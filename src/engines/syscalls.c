// SPDX-License-Identifier: BSD-2-Clause
/*
 * The user side of the syscall engine: two programs on sys_enter and sys_exit, and what they have counted since the
 * last reading. Counters only grow, so nothing is lost between two readings.
 */
#include "attach/plan.h"
#include "attach/quirks.h"
#include "attach/shards.h"
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "bpf/syscalls.h"
#include "bpf/syscalls.skel.h"
#include "engine/filter.h"
#include "engine/object.h"
#include "engine/pairs.h"
#include "engine/probes.h"
#include "engine/sampling.h"
#include "syscalls.h"
#include "syscalls_counts.h"

#define CALLS_LEAST 4096
#define CALLS_MOST  1000000
/* There may be more threads later than now. */
#define CALLS_SPARE 2

/* The two targets, their slots and their images, in the order of attaching. */
enum end {
	END_EXIT,
	END_ENTER,
	ENDS,
};

struct syscalls {
	struct syscalls_settings settings;
	struct target_set set;
	struct object object;
	struct attach *attach;
	struct image images[ENDS];
	uint64_t pending_mask;
	uint32_t calls; /* the most that may be pending */
	struct shards shards;
	struct syscalls_counts now, before;
	struct syscalls_row *rows; /* the last reading */
};

/* --- begin --- */

/* From /proc/loadavg: "0.20 0.18 0.12 1/80 11206", where 80 is the number of threads. */
static uint32_t threads(void)
{
	unsigned int n = 0;
	char line[128];

	if (!base_read_line(line, sizeof(line), "/proc/loadavg") || sscanf(line, "%*s %*s %*s %*u/%u", &n) != 1)
		return 0;
	return n;
}

static uint32_t room_for_calls(const struct syscalls_settings *settings, const struct keep *keep)
{
	uint32_t wanted = settings->calls;

	if (!settings->timed)
		return 1;
	/* a kept table is as large as it was when there were more threads, or fewer */
	if (!wanted)
		wanted = pairs_kept_calls(keep, sizeof(struct pending));
	if (!wanted)
		wanted = threads() * CALLS_SPARE;
	if (!settings->calls && wanted < CALLS_LEAST)
		wanted = CALLS_LEAST;
	return wanted < CALLS_MOST ? wanted : CALLS_MOST;
}

static int size_maps(struct syscalls *syscalls, struct attach_options *options, struct err *err)
{
	const struct syscalls_settings *settings = &syscalls->settings;
	struct object *object = &syscalls->object;
	int ret;

	syscalls->shards = shards_of(SYSCALLS_PLACES * sizeof(struct syscalls_cell));
	if (settings->by_process)
		syscalls->shards.n = 1;
	options->shared = shards_are_shared(&syscalls->shards);
	ret = object_size_value(object, ".data.calls", shards_memory(&syscalls->shards), err);
	if (!ret)
		ret = object_size_map(object, "processes", settings->by_process ? settings->keys : 0, err);
	if (ret)
		return ret;
	syscalls->calls = room_for_calls(settings, options->keep);
	return pairs_size(object, syscalls->calls, sizeof(struct pending), &syscalls->pending_mask, err);
}

static int configure(struct syscalls *syscalls, struct err *err)
{
	const struct syscalls_config config = {
		.timed = syscalls->settings.timed,
		.by_process = syscalls->settings.by_process,
		.failed = syscalls->settings.failed,
		.typed = quirk_task_regs(),
		.some = syscalls->settings.number >= 0 || syscalls->settings.ppid,
		.one = syscalls->settings.number >= 0,
		.place = syscalls->settings.number,
		.error = syscalls->settings.error,
		.ppid = syscalls->settings.ppid,
		.pidns_ino = filter_pidns(),
	};

	return object_fill(&syscalls->object, ".rodata.config", &config, sizeof(config), err);
}

static int load_images(const struct engine_instance *instance, struct syscalls *syscalls, struct err *err)
{
	struct image *enter = &syscalls->images[END_ENTER], *exit = &syscalls->images[END_EXIT];
	int ret = object_image(&syscalls->object, "syscall_enter", enter, err);

	if (!ret)
		ret = object_image(&syscalls->object, "syscall_exit", exit, err);
	sampling_patch(instance, enter);
	sampling_patch(instance, exit);
	if (!ret)
		ret = shards_patch(&syscalls->shards, exit, err);
	if (!ret)
		ret = image_patch(enter, PATCH_PENDING_MASK, syscalls->pending_mask, err);
	return ret ? ret : image_patch(exit, PATCH_PENDING_MASK, syscalls->pending_mask, err);
}

static int prepare(struct syscalls *syscalls, struct engine_instance *instance, struct err *err)
{
	/* a skipped hit is a call that nobody counts */
	struct attach_options options = {
		.must_not_miss = true,
		.progress = engine_progress,
		.ctx = instance,
		.keep = engine_keep(instance),
	};
	struct object *object = &syscalls->object;
	int ret = object_open(object, syscalls_bpf__elf_bytes, err);

	if (!ret)
		ret = configure(syscalls, err);
	if (!ret)
		ret = size_maps(syscalls, &options, err);
	if (!ret)
		ret = sampling_size(instance, object, err);
	if (!ret)
		ret = filter_before(instance, object, err);
	if (!ret)
		ret = object_fill_slots(object, &syscalls->set, err);
	if (!ret)
		ret = object_prepare(object, engine_keep(instance), err);
	if (!ret)
		ret = load_images(instance, syscalls, err);
	if (ret)
		return ret;
	sampling_map(instance, object);
	syscalls->attach = attach_new(&syscalls->set, &options);
	attach_clear_at_resume(syscalls->attach, object_map_fd(object, ".data.pending"));
	return filter_after(instance, object, err);
}

static void add_target(struct syscalls *syscalls, enum end end, const char *name)
{
	struct target *target = vec_push(&syscalls->set);

	target->kind = TARGET_TRACEPOINT;
	target->object = "raw_syscalls";
	target->name = name;
	target->label = pool_addf(&syscalls->set.pool, "%s:%s", target->object, name);
	target->slot = end;
}

/* Attach the end first: a start whose end is not seen would stay in the table. */
static int attach_both(struct syscalls *syscalls, struct err *err)
{
	for (uint32_t end = 0; end < syscalls->set.n; end++) {
		const struct plan_step step = { .image = &syscalls->images[end], .targets = &end, .n = 1 };
		int ret = plan_run(syscalls->attach, &step, 1, err);

		if (ret)
			return ret;
	}
	return 0;
}

static size_t memory(const struct syscalls *syscalls)
{
	return shards_memory(&syscalls->shards) + object_value_size(&syscalls->object, ".data.pending");
}

static int choose(struct engine_instance *instance, struct syscalls *syscalls, struct err *err)
{
	const struct syscalls_source *source = instance->source;
	const struct syscalls_settings *settings = setting_at(instance->tool_settings, source->settings);
	int ret = 0;

	if (instance->args.n)
		ret = engine_unexpected(instance, instance->args.v[0], err);
	if (!ret && source->configure)
		ret = source->configure(instance, err);
	if (!ret && settings->by_process)
		ret = engine_check_key(instance, "process", err);
	instance->ctx->usage = ret == -EINVAL;
	syscalls->settings = *settings;
	syscalls->settings.failed |= syscalls->settings.error > 0;
	return ret;
}

static struct syscalls_state *state_of(const struct syscalls *syscalls)
{
	return object_memory(&syscalls->object, ".data.state", sizeof(struct syscalls_state));
}

static int syscalls_open(struct engine_instance *instance, struct err *err)
{
	struct syscalls *syscalls = base_alloc(sizeof(*syscalls));
	int ret;

	instance->state = syscalls;
	ret = choose(instance, syscalls, err);
	if (ret)
		return ret;
	add_target(syscalls, END_EXIT, "sys_exit");
	if (syscalls->settings.timed)
		add_target(syscalls, END_ENTER, "sys_enter");
	syscalls->set.n_slots = ENDS;
	ret = prepare(syscalls, instance, err);
	if (ret)
		return ret;
	report_verbose("maps are ready: %zu KB, room for %u calls at a time", memory(syscalls) / 1024, syscalls->calls);
	ret = attach_both(syscalls, err);
	/* with a command, counting starts when the command has been executed */
	if (!ret && !instance->ctx->command.pid)
		__atomic_store_n(&state_of(syscalls)->begun, 1, __ATOMIC_RELAXED);
	return ret;
}

static void syscalls_armed(struct engine_instance *instance)
{
	const struct syscalls *syscalls = instance->state;
	const struct syscalls_settings *settings = &syscalls->settings;
	__free char *top = settings->with_total ? base_strdup("") : base_printf(", printing top %u", settings->top);

	report_line("Tracing %ssyscalls%s... Hit Ctrl-C to end.", settings->failed ? "failed " : "", top);
}

/* --- tables --- */

/* Reads all counts into syscalls->now. make_room: removes ended processes from the map. */
static int look(struct syscalls *syscalls, bool make_room)
{
	const struct syscalls_settings *settings = &syscalls->settings;

	syscalls->now.n = 0;
	if (settings->by_process)
		return syscalls_counts_by_process(&syscalls->now, &syscalls->object, settings->keys, make_room);
	syscalls_counts_by_number(&syscalls->now, &syscalls->object, &syscalls->shards);
	return 0;
}

/* Returns what was added since the last reading: n rows that are not zero, in no order, valid until the next call. */
static struct syscalls_row *take(struct syscalls *syscalls, size_t *n)
{
	struct syscalls_counts old = syscalls->before;
	int ret = look(syscalls, true);

	if (ret)
		report_error("cannot read the counters: %s", strerror(-ret));
	free(syscalls->rows);
	syscalls->rows = base_alloc((syscalls->now.n + 1) * sizeof(*syscalls->rows));
	*n = syscalls_counts_added(syscalls->rows, &syscalls->now, &syscalls->before);
	syscalls->before = syscalls->now;
	syscalls_counts_forget_gone(&syscalls->before);
	syscalls->now = old;
	return syscalls->rows;
}

/* Whether a call is exported as a row of its own: the first that occur are, and stay so. */
static bool has_row(const struct engine_instance *instance, uint32_t key)
{
	const struct syscalls *syscalls = instance->state;
	unsigned char *shown = state_of(syscalls)->shown;
	size_t n = 0;

	if (!instance->ctx->metrics || shown[key])
		return true;
	for (size_t place = 0; place < SYSCALLS_PLACES; place++)
		n += shown[place];
	shown[key] = n < engine_max_rows(instance);
	return shown[key];
}

static void add_row(struct syscalls_row *to, const struct syscalls_row *row)
{
	to->calls += row->calls;
	to->errors += row->errors;
	to->ns += row->ns;
	to->max = row->max > to->max ? row->max : to->max;
	to->timed = row->timed;
}

static int syscalls_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	struct syscalls *syscalls = instance->state;
	struct syscalls_row others = {};
	int ret = look(syscalls, false);

	vec_each(row, &syscalls->now) {
		row->timed = syscalls->settings.timed;
		if (has_row(instance, row->key))
			fn(row, ctx);
		else
			add_row(&others, row);
	}
	if (others.calls)
		engine_row_of_others(instance, &others, fn, ctx);
	return ret;
}

static int larger_first(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int by_size(const void *pa, const void *pb)
{
	const struct syscalls_row *a = pa, *b = pb;
	int ret = larger_first(a->ns, b->ns);

	if (!ret)
		ret = larger_first(a->calls, b->calls);
	if (!ret && a->name && b->name)
		ret = strcmp(a->name, b->name);
	return ret ? ret : larger_first(b->key, a->key);
}

/* The sum of all rows, including those that --top leaves out. */
static struct syscalls_row total_of(const struct syscalls_row *rows, size_t n)
{
	struct syscalls_row total = { .name = "total", .percent = 100 };

	for (size_t i = 0; i < n; i++)
		add_row(&total, &rows[i]);
	return total;
}

static void syscalls_emit(struct engine_instance *instance, bool last)
{
	struct syscalls *syscalls = instance->state;
	const struct syscalls_settings *settings = &syscalls->settings;
	struct output *out = instance->ctx->out;
	size_t n;
	struct syscalls_row *rows = take(syscalls, &n);
	const struct syscalls_row total = total_of(rows, n);

	qsort(rows, n, sizeof(*rows), by_size);
	engine_table_begin(instance);
	for (size_t i = 0; i < n && i < settings->top; i++) {
		rows[i].timed = settings->timed;
		rows[i].percent = total.ns ? 100.0 * rows[i].ns / total.ns : 0;
		output_row(out, &rows[i]);
	}
	/* programs add up rows themselves */
	if (settings->with_total && output_is_text(out)) {
		output_rule(out);
		output_row(out, &total);
	}
	output_table_end(out);
}

/* --- end --- */

static void say(uint64_t n, const char *what)
{
	if (n)
		report_note("%llu call%s %s", (unsigned long long)n, str_plural(n), what);
}

/* What tables lack. */
struct losses {
	uint64_t compat;  /* calls of 32-bit programs */
	uint64_t crowded; /* calls of processes without a row */
	uint64_t no_room; /* calls that were not timed */
};

static struct losses losses_of(const struct syscalls *syscalls)
{
	struct losses losses = {
		.crowded = object_word(&syscalls->object, ".data.crowded", 0),
		.no_room = object_word(&syscalls->object, ".data.losses", PENDING_NO_ROOM),
	};

	if (!syscalls->settings.by_process)
		losses.compat = syscalls_counts_sum(&syscalls->object, &syscalls->shards, SYSCALLS_COMPAT).calls;
	return losses;
}

static void syscalls_losses(struct engine_instance *instance)
{
	struct syscalls *syscalls = instance->state;
	const struct losses losses = losses_of(syscalls);
	__free char *no_key = base_printf("not counted: of processes beyond the first %u (see --max-keys)",
					  syscalls->settings.keys);
	__free char *no_cell = base_printf("not timed: too many at a time (room is for %u, see --max-calls)",
					   syscalls->calls);
	uint64_t missed[ENDS] = {}, others = 0;
	bool knows = !attach_missed(syscalls->attach, missed, &others);

	probes_say_missed(instance, syscalls->attach, knows, missed[END_EXIT] + others, "calls not counted");
	probes_say_missed(instance, syscalls->attach, knows, missed[END_ENTER], "calls not timed");
	say(losses.compat, "of 32-bit programs not shown: their numbers have other meanings");
	say(losses.crowded, no_key);
	say(losses.no_room, no_cell);
}

static void syscalls_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct syscalls *syscalls = instance->state;
	const struct losses losses = losses_of(syscalls);
	const struct syscalls_state *state = state_of(syscalls);

	for (size_t place = 0; place < SYSCALLS_PLACES; place++) {
		uint64_t calls = syscalls_counts_sum(&syscalls->object, &syscalls->shards, place).calls;

		stats->hits += calls;
		if (place <= SYSCALLS_OTHER && instance->ctx->metrics && calls && !state->shown[place])
			stats->other += calls;
	}
	stats->memory = object_bytes(&syscalls->object);
	engine_stats_add(stats, "compat", losses.compat);
	if (syscalls->settings.timed)
		engine_stats_add(stats, "no_room", losses.no_room);
}

static struct attach *syscalls_attachment(const struct engine_instance *instance, size_t n)
{
	const struct syscalls *syscalls = instance->state;

	return n ? NULL : syscalls->attach;
}

static void syscalls_close(struct engine_instance *instance)
{
	struct syscalls *syscalls = instance->state;

	if (!syscalls)
		return;
	attach_free(syscalls->attach);
	for (size_t i = 0; i < ENDS; i++)
		image_release(&syscalls->images[i]);
	object_release(&syscalls->object);
	target_set_release(&syscalls->set);
	free(syscalls->now.v);
	free(syscalls->before.v);
	free(syscalls->rows);
	free(syscalls);
}

const struct engine syscalls_engine = {
	.open = syscalls_open,
	.armed = syscalls_armed,
	.snapshot = syscalls_snapshot,
	.emit = syscalls_emit,
	.losses = syscalls_losses,
	.stats = syscalls_stats,
	.attachment = syscalls_attachment,
	.close = syscalls_close,
};
