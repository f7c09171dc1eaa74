// SPDX-License-Identifier: BSD-2-Clause
/* Reads the counters of the syscall programs, which go on counting meanwhile. */
#include <sched.h>
#include <signal.h>

#include <bpf/bpf.h>

#include "attach/quirks.h"
#include "base/cpus.h"
#include "engine/filter.h"
#include "kernel/syscalls.h"
#include "syscalls_counts.h"

static int by_key(const void *pa, const void *pb)
{
	const struct syscalls_row *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* A program counts a call before its error, so read errors first: there are never more errors than calls. */
static void add_cell(struct syscalls_row *row, const struct syscalls_cell *cell)
{
	uint64_t max = __atomic_load_n(&cell->max, __ATOMIC_RELAXED);

	row->ns += __atomic_load_n(&cell->ns, __ATOMIC_RELAXED);
	row->errors += __atomic_load_n(&cell->errors, __ATOMIC_ACQUIRE);
	row->calls += __atomic_load_n(&cell->calls, __ATOMIC_RELAXED);
	row->max = max > row->max ? max : row->max;
}

static const struct syscalls_cell *cell_at(const struct object *object, const struct shards *shards, size_t shard,
					   size_t place)
{
	const char *calls = object_memory(object, ".data.calls", shards_memory(shards));

	return (const struct syscalls_cell *)(calls + shard * shards->size) + place;
}

struct syscalls_row syscalls_counts_sum(const struct object *object, const struct shards *shards, size_t place)
{
	struct syscalls_row row = { .key = place };

	for (size_t i = 0; i < shards->n; i++)
		add_cell(&row, cell_at(object, shards, i, place));
	return row;
}

void syscalls_counts_by_number(struct syscalls_counts *counts, const struct object *object, const struct shards *shards)
{
	for (size_t place = 0; place <= SYSCALLS_OTHER; place++) {
		struct syscalls_row row = syscalls_counts_sum(object, shards, place);

		if (!row.calls)
			continue;
		row.name = syscall_name(place);
		*vec_push(counts) = row;
	}
}

/* True if the process has ended and was waited for: it does nothing more, and its id may be reused. */
static bool is_gone(uint32_t process)
{
	return kill(process, 0) && errno == ESRCH;
}

/* Removes ended processes from the map, at each table, once the map is half full. Needs ids of the host. */
static void remove_gone(struct syscalls_counts *counts, const struct object *object, uint32_t keys)
{
	int map = object_map_fd(object, "processes");

	if (counts->n < keys / 2 || filter_pidns())
		return;
	vec_each(row, counts) {
		struct syscalls_process last;

		if (!is_gone(row->key) || bpf_map_lookup_elem(map, &row->key, &last))
			continue;
		/* it may have counted more since we read all entries */
		row->calls = row->errors = row->ns = 0;
		add_cell(row, &last.cell);
		row->gone = !bpf_map_delete_elem(map, &row->key);
	}
}

static int look_at_processes(struct syscalls_counts *counts, const struct object *object, uint32_t keys, bool make_room)
{
	uint32_t n = keys + cpus_ids(); /* each processor may hold one entry in reserve */
	__free uint32_t *ids = base_alloc(n * sizeof(*ids));
	__free struct syscalls_process *values = base_alloc(n * sizeof(*values));
	uint32_t batch; /* where the kernel would continue; one call returns all entries */
	int ret = bpf_map_lookup_batch(object_map_fd(object, "processes"), NULL, &batch, ids, values, &n, NULL);

	/* that was the last */
	if (ret && ret != -ENOENT)
		return ret;
	for (uint32_t i = 0; i < n; i++) {
		struct syscalls_row *row = vec_push(counts);

		row->key = ids[i];
		memcpy(row->comm, values[i].comm, sizeof(row->comm));
		add_cell(row, &values[i].cell);
	}
	if (counts->n)
		qsort(counts->v, counts->n, sizeof(*counts->v), by_key);
	if (make_room)
		remove_gone(counts, object, keys);
	return 0;
}

/*
 * If a task is preempted while it reads a map, a preemptible kernel skips hits on that processor until the task
 * continues. So nobody must preempt us there.
 */
int syscalls_counts_by_process(struct syscalls_counts *counts, const struct object *object, uint32_t keys,
			       bool make_room)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct sched_param before = {};
	int policy = quirk_preemptible() ? sched_getscheduler(0) : -1, ret;

	if (policy < 0 || sched_getparam(0, &before) || sched_setscheduler(0, SCHED_FIFO, &first))
		return look_at_processes(counts, object, keys, make_room);
	ret = look_at_processes(counts, object, keys, make_room);
	sched_setscheduler(0, policy, &before);
	return ret;
}

/* Returns the row of the same key; both are sorted. */
static const struct syscalls_row *find_before(const struct syscalls_counts *before, size_t *at, uint32_t key)
{
	while (*at < before->n && before->v[*at].key < key)
		++*at;
	return *at < before->n && before->v[*at].key == key ? &before->v[*at] : NULL;
}

size_t syscalls_counts_added(struct syscalls_row *rows, const struct syscalls_counts *now,
			     const struct syscalls_counts *before)
{
	size_t n = 0, at = 0;

	vec_each(row, now) {
		const struct syscalls_row *old = find_before(before, &at, row->key);
		struct syscalls_row *new = &rows[n];

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

void syscalls_counts_forget_gone(struct syscalls_counts *counts)
{
	size_t kept = 0;

	vec_each(row, counts) {
		if (!row->gone)
			counts->v[kept++] = *row;
	}
	counts->n = kept;
}
