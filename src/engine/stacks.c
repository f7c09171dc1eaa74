// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks from the ring buffer to named frames: the unwinding session, frames by id, losses. stacks_table.c counts them.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/quirks.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/report.h"
#include "filter.h"
#include "intake.h"
#include "service.h"
#include "stacks_part.h"

/*
 * Bytes for frames that are not read yet. Programs wake the reader when a quarter is full; otherwise it comes each
 * PAUSE_MS.
 */
#define BUFFER	 (512 * 1024)
#define PAUSE_MS 200

/*
 * With source->calm: how often the reader wakes in a time. After that, records of processes wait for the end of the
 * time. A process that starts alone makes fewer: it is known at once.
 */
#define CALM_NS	   (40 * NS_PER_MS)
#define CALM_WAKES 8

const char *const stacks_unwinds[] = { "auto", "table", "fp", "none", NULL };

/* --- priority --- */

/*
 * After exec a process has no mappings in the maps until we have read the kernel's records of them: 40 us if we run as
 * soon as the kernel wakes us, milliseconds if we wait for a processor first.
 */
static void precede(struct stacks *stacks, bool on)
{
	if (on == stacks->precedes)
		return;
	stacks->precedes = on;
	engine_precede(on);
}

/* --- frames --- */

static const struct frame frame_lost = { .name = "[lost]", .kind = FRAME_MARK };
static const struct frame frame_missing = { .name = "[truncated]", .kind = FRAME_MARK };
static const struct frame *const lost_frames[] = { &frame_lost };

/* Whether frames are missing at the outer end of the user part. --unwind none asks for that. */
static bool is_cut(const struct stacks *stacks, enum stack_end end)
{
	return end != STACK_END_ROOT && end != STACK_END_NO_USER && stacks->settings->unwind != STACKS_UNWIND_NONE;
}

static struct stacks_kept *keep(struct stacks *stacks, const struct stack_record *record)
{
	size_t n_user = record->n_user, n_kernel = record->n_kernel, n = 0;
	const size_t most = stacks->settings->depth ? stacks->settings->depth : STACK_DEPTH;
	const struct frame *const *user;
	struct stacks_kept *kept;
	bool is_deep;

	for (size_t i = 0; i < n_user; i++)
		/* its name is read at once, which may take long */
		if (record->frames[i] & INTERP_FRAME)
			precede(stacks, false);
	user = symbols_stack(stacks->symbols, record, &n);
	is_deep = n > most;
	n = is_deep ? most : n;
	kept = base_alloc(sizeof(*kept) + (n + 1 + n_kernel) * sizeof(kept->frames[0]));
	if (n)
		memcpy(kept->frames, user, n * sizeof(*user));
	if (is_deep || is_cut(stacks, record->end))
		kept->frames[n++] = &frame_missing;
	kept->n_user = n;
	for (size_t i = 0; i < n_kernel; i++)
		kept->frames[n++] = symbols_kernel(stacks->symbols, record->frames[n_user + i]);
	kept->n_kernel = n_kernel;
	kept->end = is_deep ? STACK_END_DEPTH : record->end;
	kept->flags = record->flags;
	kept->pid = record->pid;
	stacks->unknown += !!(record->flags & STACK_UNKNOWN_RUNTIME);
	return kept;
}

/* Returns where the frames of an id are kept; NULL stands there if they have not come. */
static struct stacks_kept **place_of(struct stacks *stacks, uint64_t id)
{
	uint32_t number = set_add(&stacks->ids, &id, sizeof(id));

	if (number == stacks->kept.n)
		vec_push(&stacks->kept);
	return &stacks->kept.v[number];
}

/* Programs send frames again while there is no room to remember that they have sent them. */
static int take_record(void *ctx, void *data, size_t size)
{
	const struct stack_record *record = data;
	struct stacks *stacks = ctx;
	struct stacks_kept **kept;

	if (size < sizeof(*record) ||
	    (size - sizeof(*record)) / sizeof(record->frames[0]) < (size_t)record->n_user + record->n_kernel)
		return 0;
	kept = place_of(stacks, record->id);
	if (!*kept)
		*kept = keep(stacks, record);
	return 0;
}

struct stacks_kept *stacks_kept(struct stacks *stacks, uint64_t id)
{
	return id ? *place_of(stacks, id) : NULL;
}

/* Reads what is there now: where reading causes events that have stacks, it would never end. */
void stacks_drain(struct stacks *stacks)
{
	stream_ring_take(&stacks->ring, stream_ring_end(&stacks->ring), SIZE_MAX, take_record, stacks);
}

static void trim(struct stacks_kept *kept)
{
	const struct frame **kernel = kept->frames + kept->n_user;
	size_t n = symbols_skip_tracers(kernel, kept->n_kernel);

	kept->n_kernel -= n;
	memmove(kernel, kernel + n, kept->n_kernel * sizeof(*kernel));
	kept->trimmed = true;
}

/* A part that was not wanted, or that a kernel thread does not have, is null. */
struct stacks_named stacks_named(struct stacks *stacks, uint64_t id)
{
	struct stacks_kept *kept = stacks_kept(stacks, id);
	struct stacks_named named = {};

	if (!kept) {
		named.user = (struct frame_stack){ lost_frames, ARRAY_SIZE(lost_frames) };
		return named;
	}
	if (!kept->trimmed && !(kept->flags & STACK_NO_OWN))
		trim(kept);
	if (kept->n_user)
		named.user = (struct frame_stack){ kept->frames, kept->n_user };
	if (kept->n_kernel)
		named.kernel = (struct frame_stack){ kept->frames + kept->n_user, kept->n_kernel };
	return named;
}

/* While a table is made, other threads on this processor go on. */
static void make_way(void *ctx, bool begins)
{
	const struct stacks *stacks = ctx;

	if (stacks->precedes)
		engine_precede(!begins);
}

int stacks_name(struct stacks *stacks)
{
	/* Naming takes long, and so does the output that follows. */
	precede(stacks, false);
	return symbols_name(stacks->symbols);
}

bool stacks_find(struct stacks *stacks, uint64_t id, struct stacks_named *named)
{
	if (!stacks_kept(stacks, id))
		stacks_drain(stacks);
	stacks_name(stacks);
	*named = stacks_named(stacks, id);
	return stacks_kept(stacks, id);
}

/* --- begin and end --- */

static bool with_user(const struct stacks *stacks)
{
	return !stacks->settings->kernel_only;
}

static bool by_tables(const struct stacks_settings *settings)
{
	return settings->unwind == STACKS_UNWIND_AUTO || settings->unwind == STACKS_UNWIND_TABLE;
}

static int fill_setup(const struct stacks *stacks, struct object *object, struct err *err)
{
	const struct stacks_settings *settings = stacks->settings;
	uint32_t depth = settings->depth ? settings->depth : STACK_DEPTH;
	struct stack_setup setup = {
		.user = !with_user(stacks) ? 0 : settings->unwind == STACKS_UNWIND_NONE ? 1
											: depth,
		.kernel = settings->user_only ? 0 : depth,
		.tables = by_tables(settings),
		.pointers = settings->unwind != STACKS_UNWIND_TABLE,
		.native = settings->native,
		.interpreted = settings->unwind != STACKS_UNWIND_NONE,
		.func_ip = quirk_cookies(), /* of the same kernel */
		.page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE)),
	};

	if (stacks->source->limited)
		stacks_find_own(stacks->kernel, stacks->source->tracepoints, stacks->source->n_tracepoints, &setup);
	filter_read_pidns(&setup.pidns_dev, &setup.pidns_ino);
	return object_fill(object, ".rodata.stack", &setup, sizeof(setup), err);
}

static int share_maps(const struct stacks *stacks, struct object *object, struct err *err)
{
	const struct unwind_maps *maps = unwind_maps(stacks->unwind);
	int ret = object_reuse_map(object, "unwind_blocks", maps->blocks, err);

	if (!ret)
		ret = object_reuse_map(object, "unwind_spaces", maps->spaces, err);
	if (!ret)
		ret = object_reuse_map(object, "unwind_files", maps->files, err);
	if (!ret)
		ret = object_reuse_map(object, "unwind_rules", maps->rules, err);
	return ret ? ret : object_reuse_map(object, "interp_plans", maps->plans, err);
}

/* The first process to read; 0: all. */
static pid_t first_process(const struct engine_context *ctx)
{
	if (ctx->command.pid)
		return ctx->command.pid;
	return ctx->service && ctx->service->head ? ctx->service->head : ctx->pid;
}

static int make_session(struct stacks *stacks, struct err *err)
{
	const struct stacks_settings *settings = stacks->settings;
	const struct engine_context *ctx = stacks->instance->ctx;
	const struct unwind_options unwind = {
		.pid = first_process(ctx),
		.tables = with_user(stacks) && by_tables(settings),
		.long_work = make_way,
		.ctx = stacks,
	};
	const struct symbols_options symbols = {
		.raw = settings->raw,
		.mangled = settings->mangled,
		.should_stop = ctx->should_hurry,
		.ctx = ctx->should_stop_ctx,
	};
	int ret = unwind_new(&stacks->unwind, &unwind, err);

	if (ret)
		return ret;
	stacks->kernel = kernel_new();
	stacks->symbols = symbols_new(stacks->unwind, stacks->kernel, &symbols);
	return 0;
}

static int size_maps(const struct stacks *stacks, struct object *object, struct err *err)
{
	uint32_t storage = stacks->settings->storage ? stacks->settings->storage : STACKS_STORAGE;
	int ret = object_size_map(object, "stacks", BUFFER, err);

	if (!ret)
		ret = object_size_map(object, "stack_slots", STACK_SLOTS * cpus_ids(), err);
	if (!ret)
		ret = object_size_map(object, "stack_seen", storage, err);
	return ret ? ret : object_size_map(object, "stack_counts", stacks->source->keyed ? storage : 0, err);
}

int stacks_open(struct stacks **to, struct engine_instance *instance, const struct stacks_source *source,
		struct object *object, struct err *err)
{
	struct stacks *stacks = *to = base_alloc(sizeof(*stacks));
	const struct stacks_settings *settings = source->settings;
	int ret;

	stacks->instance = instance;
	stacks->source = source;
	stacks->settings = settings;
	if (settings->user_only && settings->kernel_only) {
		instance->ctx->usage = true;
		return err_set(err, -EINVAL, "only the user part or only the kernel part: choose one");
	}
	ret = stacks_table_open(stacks, err);
	if (!ret)
		ret = make_session(stacks, err);
	if (!ret)
		ret = share_maps(stacks, object, err);
	if (!ret)
		ret = fill_setup(stacks, object, err);
	return ret ? ret : size_maps(stacks, object, err);
}

static int take(void *stacks)
{
	return stacks_take(stacks);
}

static int open_ring(struct stacks *stacks, struct err *err)
{
	struct intake *intake = stacks->instance->intake;
	int map = object_map_fd(stacks->object, "stacks"), ret = stream_ring_open(&stacks->ring, map);

	if (ret)
		return err_set(err, ret, "cannot open the ring buffer of stacks: %s", strerror(-ret));
	intake_add(intake, INTAKE_STACKS, take, stacks);
	ret = intake_watch(intake, map, err);
	return ret ? ret : intake_watch(intake, unwind_fd(stacks->unwind), err);
}

static void add_process(uint32_t tgid, void *ctx)
{
	stacks_add_process(ctx, tgid);
}

int stacks_start(struct stacks *stacks, const struct object *object, struct err *err)
{
	const struct engine_context *ctx = stacks->instance->ctx;
	int ret = 0;

	stacks->object = object;
	/* what a process maps must be known before it runs on */
	engine_hurry();
	if (with_user(stacks))
		ret = unwind_start(stacks->unwind, ctx->should_stop, ctx->should_stop_ctx, err);
	if (!ret && ctx->service && ctx->service->head)
		service_each(ctx->service, add_process, stacks);
	if (!ret && with_user(stacks) && ctx->command.name)
		unwind_prepare(stacks->unwind, ctx->command.name);
	return ret ? ret : open_ring(stacks, err);
}

static void calm_down(struct stacks *stacks)
{
	struct intake *intake = stacks->instance->intake;
	uint64_t now = clock_monotonic_ns();
	int records = unwind_fd(stacks->unwind);
	struct err err;

	if (now - stacks->burst >= CALM_NS) {
		stacks->burst = now;
		stacks->wakes = 0;
		stacks->deaf = stacks->deaf && intake_watch(intake, records, &err);
	} else if (++stacks->wakes >= CALM_WAKES && !stacks->deaf) {
		stacks->deaf = intake_ignore(intake, records);
	}
}

int stacks_take(struct stacks *stacks)
{
	if (unwind_fd(stacks->unwind) >= 0)
		precede(stacks, true);
	unwind_take(stacks->unwind);
	if (stacks->source->calm && unwind_fd(stacks->unwind) >= 0)
		calm_down(stacks);
	stacks_drain(stacks);
	if (unwind_fd(stacks->unwind) >= 0)
		precede(stacks, true);
	return PAUSE_MS;
}

void stacks_add_process(struct stacks *stacks, uint32_t tgid)
{
	/* in a pid namespace, /proc has other ids */
	if (with_user(stacks) && !filter_pidns())
		unwind_add_process(stacks->unwind, tgid);
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	stacks_table_release(stacks);
	stream_ring_close(&stacks->ring);
	vec_each(kept, &stacks->kept)
		free(*kept);
	free(stacks->kept.v);
	set_release(&stacks->ids);
	symbols_free(stacks->symbols);
	kernel_free(stacks->kernel);
	unwind_free(stacks->unwind);
	free(stacks);
}

/* --- losses --- */

static uint64_t lost(const struct stacks *stacks, uint32_t why)
{
	__free uint64_t *each = base_alloc(cpus_ids() * sizeof(*each));
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(object_map_fd(stacks->object, "stack_losses"), &why, each))
		return 0;
	for (int i = 0; i < cpus_ids(); i++)
		sum += each[i];
	return sum;
}

static const char *const ends[STACK_ENDS] = {
	[STACK_END_ROOT] = "complete",
	[STACK_END_PROCESS] = "in a process that was not known yet",
	[STACK_END_MAPPING] = "in memory of no file",
	[STACK_END_NO_FDE] = "where .eh_frame has nothing",
	[STACK_END_EXPRESSION] = "at a rule too complex",
	[STACK_END_MEMORY] = "at a page not in memory",
	[STACK_END_DEPTH] = "too deep",
	[STACK_END_DAMAGED] = "at a damaged frame",
};

struct sums {
	uint64_t all, partial, loose, ends[STACK_ENDS];
};

static void add_up(struct stacks *stacks, uint64_t id, uint64_t count, struct sums *sums)
{
	const struct stacks_kept *kept = stacks_kept(stacks, id);

	if (!kept)
		return;
	sums->ends[kept->end] += count;
	sums->partial += kept->flags & STACK_PARTIAL ? count : 0;
	sums->loose += kept->flags & STACK_INTERP_LOOSE ? count : 0;
}

static void add_sum(struct str *s, uint64_t n, const char *what)
{
	if (n)
		str_addf(s, "%s%llu %s", s->len ? ", " : "", (unsigned long long)n, what);
}

/* "1 sample", "2 samples" */
static void add_counted(struct str *s, const struct stacks *stacks, uint64_t n)
{
	const char *counts = stacks->source->counts;

	str_addf(s, "%llu %.*s", (unsigned long long)n, (int)strlen(counts) - (n == 1), counts);
}

static struct sums sum_up(struct stacks *stacks)
{
	struct sums sums = {};

	for (size_t i = 0; i < stacks->entries.n; i++) {
		const struct stack_key *key = stacks->keys.v[i].bytes;

		sums.all += stacks->entries.v[i].count;
		add_up(stacks, key->stack, stacks->entries.v[i].count, &sums);
	}
	return sums;
}

static void say_some(const struct stacks *stacks, uint64_t n, const char *what)
{
	__str struct str text = {};

	if (!n)
		return;
	add_counted(&text, stacks, n);
	report_note("%s %s", text.data, what);
}

static void say_ends(struct stacks *stacks)
{
	__str struct str all = {}, text = {};
	struct sums sums = sum_up(stacks);

	for (size_t i = 0; i < STACK_ENDS; i++)
		if (ends[i] && (i == STACK_END_ROOT || is_cut(stacks, i)))
			add_sum(&text, sums.ends[i], ends[i]);
	add_counted(&all, stacks, sums.all);
	report_note("%s%s%s", all.data, text.len ? "; user stacks end: " : "", str_or_empty(text.data));
	say_some(stacks, sums.partial, "may lack frames: the process or file was not known yet");
	say_some(stacks, sums.loose, "with frames of an interpreter behind all native ones: their place was not found");
}

void stacks_add_note(struct stacks *stacks, struct str *note)
{
	uint64_t partial = stacks->source->counts ? sum_up(stacks).partial : 0;

	if (partial) {
		add_counted(note, stacks, partial);
		str_add(note, " may lack frames");
	}
	add_sum(note, lost(stacks, STACK_LOST_BUSY) + lost(stacks, STACK_LOST_COUNT), "lost");
}

void stacks_losses(struct stacks *stacks)
{
	uint64_t busy = lost(stacks, STACK_LOST_BUSY), buffer = lost(stacks, STACK_LOST_BUFFER);
	uint64_t count = lost(stacks, STACK_LOST_COUNT);

	if (stacks->source->counts)
		say_ends(stacks);
	if (busy)
		report_note("%llu stack%s lost: too many programs interrupted each other", (unsigned long long)busy,
			    str_plural(busy));
	if (buffer)
		report_note("the buffer was too full for the frames of a stack %llu time%s: they are sent again later, or are [lost]",
			    (unsigned long long)buffer, str_plural(buffer));
	if (count)
		report_note("%llu hit%s lost: there are more stacks than room for counts (--stack-storage-size)",
			    (unsigned long long)count, str_plural(count));
	if (stacks->hurried)
		report_note("some frames have addresses in place of names: a signal ended the naming");
	if (stacks->unknown)
		unwind_report_runtimes(stacks->unwind);
	stacks_say_jit(stacks);
	symbols_report(stacks->symbols);
	unwind_report(stacks->unwind);
}
