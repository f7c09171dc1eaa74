// SPDX-License-Identifier: BSD-2-Clause
/*
 * The syscall engine's user side: two programs on sys_enter and sys_exit, and what they have counted since it was taken
 * before. Counters only grow, so nothing is lost between two looks at them.
 */
#include <sched.h>
#include <signal.h>

#include <bpf/bpf.h>

#include "attach/plan.h"
#include "attach/quirks.h"
#include "attach/shards.h"
#include "base/cpus.h"
#include "base/report.h"
#include "bpf/filter.h"
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "bpf/syscalls.h"
#include "bpf/syscalls.skel.h"
#include "kernel/syscalls.h"
#include "filter.h"
#include "object.h"
#include "pairs.h"
#include "probes.h"
#include "syscalls.h"

#define CALLS_LEAST 4096
#define CALLS_MOST  1000000
/* More threads may come than there are. */
#define CALLS_SPARE 2

/* The two targets, their slots and their images, in the order in which they are attached. */
enum end {
	END_EXIT,
	END_ENTER,
	ENDS,
};

struct snapshot {
	struct syscalls_row *v; /* by key */
	size_t n, cap;
};

struct syscalls {
	struct syscalls_settings settings;
	struct target_set set;
	struct object object;
	struct attach *attach;
	struct image images[ENDS];
	uint64_t pending_mask;
	uint32_t calls; /* room for so many under way */
	struct shards shards;
	struct snapshot now, before;
	struct syscalls_row *rows; /* what was taken */
};

/* --- begin --- */

/* From /proc/loadavg: "0.20 0.18 0.12 1/80 11206", where 80 is the number of threads. */
static uint32_t threads(void)
{
	__fclose FILE *f = fopen("/proc/loadavg", "re");
	unsigned int n = 0;

	if (!f || fscanf(f, "%*s %*s %*s %*u/%u", &n) != 1)
		return 0;
	return n;
}

static uint32_t room_for_calls(const struct syscalls_settings *settings)
{
	uint32_t wanted = settings->calls;

	if (!settings->timed)
		return 1;
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
	syscalls->calls = room_for_calls(settings);
	return pairs_size(object, syscalls->calls, sizeof(struct pending), &syscalls->pending_mask, err);
}

static int configure(struct syscalls *syscalls, struct err *err)
{
	const struct syscalls_config config = {
		.timed = syscalls->settings.timed,
		.by_process = syscalls->settings.by_process,
		.failed = syscalls->settings.failed,
		.typed = quirk_task_regs(),
		.one = syscalls->settings.number >= 0,
		.place = syscalls->settings.number,
		.error = syscalls->settings.error,
		.ppid = syscalls->settings.ppid,
		.pidns_ino = filter_pidns(),
	};

	return object_fill(&syscalls->object, ".rodata.config", &config, sizeof(config), err);
}

static int load_images(struct syscalls *syscalls, struct err *err)
{
	struct image *enter = &syscalls->images[END_ENTER], *exit = &syscalls->images[END_EXIT];
	int ret = object_image(&syscalls->object, "syscall_enter", enter, err);

	ret = ret ? ret : object_image(&syscalls->object, "syscall_exit", exit, err);
	ret = ret ? ret : shards_patch(&syscalls->shards, exit, err);
	ret = ret ? ret : image_patch(enter, PATCH_PENDING_MASK, syscalls->pending_mask, err);
	return ret ? ret : image_patch(exit, PATCH_PENDING_MASK, syscalls->pending_mask, err);
}

static int prepare(struct syscalls *syscalls, struct engine_instance *instance, struct err *err)
{
	/* a hit that the kernel skips is a call that nobody knows of */
	struct attach_options options = { .must_not_miss = true, .progress = engine_progress, .ctx = instance };
	struct object *object = &syscalls->object;
	int ret = object_open(object, syscalls_bpf__elf_bytes, err);

	if (!ret)
		ret = configure(syscalls, err);
	if (!ret)
		ret = size_maps(syscalls, &options, err);
	if (!ret)
		ret = filter_before(instance, object->core.bpf, err);
	if (!ret)
		ret = attach_fill_slots(object->core.bpf, &syscalls->set, err);
	if (!ret)
		ret = object_prepare(object, err);
	if (!ret)
		ret = load_images(syscalls, err);
	if (ret)
		return ret;
	syscalls->attach = attach_new(&syscalls->set, &options);
	return filter_after(instance, object->core.bpf, err);
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

/* The end first: a begin whose end is not seen would be kept for nothing. */
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

int syscalls_open(struct syscalls **to, struct engine_instance *instance, const struct syscalls_settings *settings, struct err *err)
{
	struct syscalls *syscalls = *to = base_alloc(sizeof(*syscalls));
	int ret;

	syscalls->settings = *settings;
	add_target(syscalls, END_EXIT, "sys_exit");
	if (settings->timed)
		add_target(syscalls, END_ENTER, "sys_enter");
	syscalls->set.n_slots = ENDS;
	ret = prepare(syscalls, instance, err);
	if (ret)
		return ret;
	report_verbose("maps are ready: %zu KB, room for %u calls at a time", memory(syscalls) / 1024, syscalls->calls);
	ret = attach_both(syscalls, err);
	/* a command begins by itself, when it has been executed */
	if (!ret && !instance->ctx->command.pid)
		__atomic_store_n((uint32_t *)object_memory(&syscalls->object, ".data.begun", sizeof(uint32_t)), 1,
				 __ATOMIC_RELAXED);
	return ret;
}

/* --- what was counted --- */

static int by_key(const void *pa, const void *pb)
{
	const struct syscalls_row *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* A call counts before its error: in the other order there are no more errors than calls. */
static void add_cell(struct syscalls_row *row, const struct syscalls_cell *cell)
{
	uint64_t max = __atomic_load_n(&cell->max, __ATOMIC_RELAXED);

	row->ns += __atomic_load_n(&cell->ns, __ATOMIC_RELAXED);
	row->errors += __atomic_load_n(&cell->errors, __ATOMIC_ACQUIRE);
	row->calls += __atomic_load_n(&cell->calls, __ATOMIC_RELAXED);
	row->max = max > row->max ? max : row->max;
}

static const struct syscalls_cell *cell_at(const struct syscalls *syscalls, size_t shard, size_t place)
{
	const char *calls = object_memory(&syscalls->object, ".data.calls", shards_memory(&syscalls->shards));

	return (const struct syscalls_cell *)(calls + shard * syscalls->shards.size) + place;
}

static struct syscalls_row sum_of(const struct syscalls *syscalls, size_t place)
{
	struct syscalls_row row = { .key = place };

	for (size_t i = 0; i < syscalls->shards.n; i++)
		add_cell(&row, cell_at(syscalls, i, place));
	return row;
}

/* Those of 32-bit programs have other numbers, and are told at the end. */
static void look_at_numbers(struct syscalls *syscalls)
{
	for (size_t place = 0; place <= SYSCALLS_OTHER; place++) {
		struct syscalls_row row = sum_of(syscalls, place);

		if (!row.calls)
			continue;
		row.name = syscall_name(place);
		*vec_push(&syscalls->now) = row;
	}
}

/* Nobody waits for it any more: what it did is counted, and its number may become another's. */
static bool is_gone(uint32_t process)
{
	return kill(process, 0) && errno == ESRCH;
}

/* Makes room: each table takes those that are gone out of the map, once that is half full. Ids are to be the host's. */
static void remove_gone(struct syscalls *syscalls)
{
	int map = object_map_fd(&syscalls->object, "processes");

	if (syscalls->now.n < syscalls->settings.keys / 2 || filter_pidns())
		return;
	vec_each(row, &syscalls->now) {
		struct syscalls_process last;

		if (!is_gone(row->key) || bpf_map_lookup_elem(map, &row->key, &last))
			continue;
		/* it may have gone on since we looked at all of them */
		row->calls = row->errors = row->ns = 0;
		add_cell(row, &last.cell);
		row->gone = !bpf_map_delete_elem(map, &row->key);
	}
}

static void look_at_processes(struct syscalls *syscalls)
{
	uint32_t n = syscalls->settings.keys + cpus_ids(); /* each processor may have one in reserve */
	__free uint32_t *keys = base_alloc(n * sizeof(*keys));
	__free struct syscalls_process *values = base_alloc(n * sizeof(*values));
	uint32_t batch; /* where the kernel would go on: all come at once */
	int ret = bpf_map_lookup_batch(object_map_fd(&syscalls->object, "processes"), NULL, &batch, keys, values, &n, NULL);

	/* that was the last */
	if (ret && ret != -ENOENT) {
		report_error("cannot read the counters: %s", strerror(-ret));
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct syscalls_row *row = vec_push(&syscalls->now);

		row->key = keys[i];
		memcpy(row->comm, values[i].comm, sizeof(row->comm));
		add_cell(row, &values[i].cell);
	}
	if (syscalls->now.n)
		qsort(syscalls->now.v, syscalls->now.n, sizeof(*syscalls->now.v), by_key);
	remove_gone(syscalls);
}

/*
 * A preemptible kernel skips hits on a processor where somebody was preempted in the midst of reading a map, until that one
 * goes on. So nobody is to preempt us there.
 */
static void look_undisturbed(struct syscalls *syscalls)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct sched_param before = {};
	int policy = quirk_preemptible() ? sched_getscheduler(0) : -1;

	if (policy < 0 || sched_getparam(0, &before) || sched_setscheduler(0, SCHED_FIFO, &first)) {
		look_at_processes(syscalls);
		return;
	}
	look_at_processes(syscalls);
	sched_setscheduler(0, policy, &before);
}

/* The same key's row of the last time: both are in order. */
static const struct syscalls_row *find_before(const struct snapshot *before, size_t *at, uint32_t key)
{
	while (*at < before->n && before->v[*at].key < key)
		++*at;
	return *at < before->n && before->v[*at].key == key ? &before->v[*at] : NULL;
}

static size_t subtract(struct syscalls *syscalls)
{
	size_t n = 0, at = 0;

	vec_each(row, &syscalls->now) {
		const struct syscalls_row *old = find_before(&syscalls->before, &at, row->key);
		struct syscalls_row *new = &syscalls->rows[n];

		*new = *row;
		if (old) {
			new->calls -= old->calls;
			new->errors -= old->errors;
			new->ns -= old->ns;
		}
		n += new->calls || new->errors || new->ns;
	}
	return n;
}

/* Of a process with the same id, there is nothing to subtract. */
static void forget_gone(struct snapshot *before)
{
	size_t kept = 0;

	vec_each(row, before) {
		if (!row->gone)
			before->v[kept++] = *row;
	}
	before->n = kept;
}

struct syscalls_row *syscalls_take(struct syscalls *syscalls, size_t *n)
{
	struct snapshot old = syscalls->before;

	if (syscalls->settings.by_process)
		look_undisturbed(syscalls);
	else
		look_at_numbers(syscalls);
	free(syscalls->rows);
	syscalls->rows = base_alloc((syscalls->now.n + 1) * sizeof(*syscalls->rows));
	*n = subtract(syscalls);
	syscalls->before = syscalls->now;
	forget_gone(&syscalls->before);
	syscalls->now = old;
	syscalls->now.n = 0;
	return syscalls->rows;
}

/* --- end --- */

static void say(uint64_t n, const char *what)
{
	if (n)
		report_note("%llu call%s %s", (unsigned long long)n, str_plural(n), what);
}

void syscalls_losses(struct syscalls *syscalls, struct engine_instance *instance)
{
	__free char *no_key = base_printf("not counted: of processes beyond the first %u (see --max-keys)",
					  syscalls->settings.keys);
	__free char *no_cell = base_printf("not timed: too many at a time (room is for %u, see --max-calls)",
					   syscalls->calls);
	uint64_t missed[ENDS] = {}, others = 0;
	bool knows = !attach_missed(syscalls->attach, missed, &others);

	probes_say_missed(instance, knows, missed[END_EXIT] + others, "calls not counted");
	probes_say_missed(instance, knows, missed[END_ENTER], "calls not timed");
	if (!syscalls->settings.by_process)
		say(sum_of(syscalls, SYSCALLS_COMPAT).calls,
		    "of 32-bit programs not shown: they have numbers of their own");
	say(object_word(&syscalls->object, ".data.crowded", 0), no_key);
	say(object_word(&syscalls->object, ".data.losses", PENDING_NO_ROOM), no_cell);
}

void syscalls_close(struct syscalls *syscalls)
{
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
