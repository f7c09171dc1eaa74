// SPDX-License-Identifier: BSD-2-Clause
/*
 * The mappings that programs see lie in runs, which processes share after a fork. A run never changes; a process that
 * changes gets another one. A program may still read the old run, so it waits before it is used again.
 */
#include <bpf/bpf.h>

#include "base/clock.h"
#include "interp/thread_keys.h"
#include "interp/runtime.h"
#include "spaces.h"

/* Much longer than any program runs. */
#define WAIT_NS NS_PER_SEC

#define CLASS_FIRST 8

struct spaces_run {
	struct spaces_run *next; /* free, or waiting */
	struct unwind_mapping *memory;
	uint32_t block;
	uint16_t first, n, class;
	uid_t uid;	/* on whose share it is */
	uint32_t users; /* processes */
	uint64_t freed; /* when it began to wait */
};

int spaces_init(struct spaces *spaces, struct blocks *blocks, struct shares *shares, uint32_t n_max)
{
	*spaces = (struct spaces){ .blocks = blocks, .shares = shares, .n_max = n_max, .part.keep = true };
	spaces->waiting_end = &spaces->waiting;
	spaces->fd = bpf_map_create(BPF_MAP_TYPE_HASH, "unwind_spaces", sizeof(uint32_t), sizeof(struct unwind_space), n_max,
				    NULL);
	return spaces->fd < 0 ? -errno : 0;
}

static void space_free(struct space *space)
{
	free(space->v);
	free(space);
}

static void runs_free(struct spaces_run *run)
{
	while (run) {
		struct spaces_run *next = run->next;

		free(run);
		run = next;
	}
}

void spaces_release(struct spaces *spaces)
{
	for (size_t i = 0; i < SPACES_BUCKETS; i++)
		while (spaces->buckets[i])
			spaces_remove(spaces, spaces->buckets[i]->pid);
	for (size_t i = 0; i < SPACES_CLASSES; i++)
		runs_free(spaces->free[i]);
	runs_free(spaces->waiting);
	free(spaces->changed.v);
	if (spaces->fd >= 0)
		close(spaces->fd);
	*spaces = (struct spaces){ .fd = -1 };
}

/* --- runs --- */

static uint32_t class_size(uint32_t class)
{
	return class == SPACES_CLASSES - 1 ? UNWIND_BLOCK_MAPPINGS : CLASS_FIRST << class;
}

static size_t class_bytes(uint32_t class)
{
	return class_size(class) * sizeof(struct unwind_mapping);
}

static uint32_t class_of(size_t n)
{
	uint32_t class = 0;

	while (class_size(class) < n)
		class ++;
	return class;
}

/* Makes runs that have waited long enough free. */
static void end_waits(struct spaces *spaces)
{
	uint64_t now = clock_monotonic_ns();

	while (spaces->waiting && now - spaces->waiting->freed > WAIT_NS) {
		struct spaces_run *run = spaces->waiting;

		spaces->waiting = run->next;
		run->next = spaces->free[run->class];
		spaces->free[run->class] = run;
	}
	if (!spaces->waiting)
		spaces->waiting_end = &spaces->waiting;
}

static void run_put(struct spaces *spaces, struct spaces_run *run)
{
	if (!run || --run->users)
		return;
	shares_return(spaces->shares, run->uid, USERS_RUNS, class_bytes(run->class));
	run->freed = clock_monotonic_ns();
	run->next = NULL;
	*spaces->waiting_end = run;
	spaces->waiting_end = &run->next;
}

static struct spaces_run *run_new(struct spaces *spaces, uint32_t class)
{
	struct blocks_piece piece;
	struct spaces_run *run;

	if (spaces->n_blocks == SPACES_BLOCKS ||
	    blocks_take(spaces->blocks, &spaces->part, class_bytes(class), &piece))
		return NULL;
	spaces->n_blocks += !piece.at;
	run = base_alloc(sizeof(*run));
	run->memory = piece.memory;
	run->block = piece.block;
	run->first = piece.at / sizeof(*run->memory);
	run->class = class;
	return run;
}

/* A run for the mappings of a process. NULL: there is no room. */
static struct spaces_run *run_take(struct spaces *spaces, const struct space *space)
{
	uint32_t class = class_of(space->n);
	struct spaces_run *run = spaces->free[class];

	if (shares_left(spaces->shares, space->uid, USERS_RUNS) < class_bytes(class))
		return NULL;
	if (run)
		spaces->free[class] = run->next;
	else
		run = run_new(spaces, class);
	if (!run)
		return NULL;
	memcpy(run->memory, space->v, space->n * sizeof(*space->v));
	run->n = space->n;
	run->uid = space->uid;
	shares_take(spaces->shares, run->uid, USERS_RUNS, class_bytes(class));
	run->users = 1;
	return run;
}

/* --- processes --- */

static struct space **bucket_of(const struct spaces *spaces, pid_t pid)
{
	return (struct space **)&spaces->buckets[(uint32_t)pid % SPACES_BUCKETS];
}

struct space *spaces_find(const struct spaces *spaces, pid_t pid)
{
	struct space *space = *bucket_of(spaces, pid);

	while (space && space->pid != pid)
		space = space->next;
	return space;
}

/* A process may change hands. Its run stays on the share of whoever it was. */
static void own(struct spaces *spaces, struct space *space, uid_t uid)
{
	shares_return(spaces->shares, space->uid, USERS_PROCESSES, 1);
	shares_take(spaces->shares, uid, USERS_PROCESSES, 1);
	space->uid = uid;
}

struct space *spaces_add(struct spaces *spaces, pid_t pid, uid_t uid)
{
	struct space *space = spaces_find(spaces, pid), **bucket = bucket_of(spaces, pid);

	if (space) {
		own(spaces, space, uid);
		return space;
	}
	if (spaces->n == spaces->n_max) {
		spaces->refused++;
		return NULL;
	}
	if (!shares_left(spaces->shares, uid, USERS_PROCESSES)) {
		shares_refuse(spaces->shares, uid, USERS_NO_RUN, NULL);
		return NULL;
	}
	spaces->n++;
	shares_take(spaces->shares, uid, USERS_PROCESSES, 1);
	space = base_alloc(sizeof(*space));
	space->pid = pid;
	space->uid = uid;
	space->next = *bucket;
	*bucket = space;
	return space;
}

static void forget_change(struct spaces *spaces, const struct space *space)
{
	for (size_t i = 0; i < spaces->changed.n; i++)
		if (spaces->changed.v[i] == space) {
			spaces->changed.v[i] = spaces->changed.v[--spaces->changed.n];
			return;
		}
}

void spaces_remove(struct spaces *spaces, pid_t pid)
{
	struct space **at = bucket_of(spaces, pid), *space;
	uint32_t key = pid;

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	space = *at;
	if (!space)
		return;
	*at = space->next;
	if (space->changed)
		forget_change(spaces, space);
	bpf_map_delete_elem(spaces->fd, &key);
	shares_return(spaces->shares, space->uid, USERS_PROCESSES, 1);
	run_put(spaces, space->run);
	space_free(space);
	spaces->n--;
}

void spaces_remove_older(struct spaces *spaces, uint64_t than)
{
	for (size_t i = 0; i < SPACES_BUCKETS; i++)
		for (struct space *space = spaces->buckets[i], *next; space; space = next) {
			next = space->next;
			if (space->since < than)
				spaces_remove(spaces, space->pid);
		}
}

/* Begins to change a process: copies what it has. */
static void begin_change(struct spaces *spaces, struct space *space)
{
	if (space->changed)
		return;
	space->changed = true;
	*vec_push(&spaces->changed) = space;
	for (size_t i = 0; space->run && i < space->run->n; i++)
		*vec_push(space) = space->run->memory[i];
}

void spaces_clear(struct spaces *spaces, struct space *space)
{
	begin_change(spaces, space);
	space->n = 0;
	space->vdso = 0;
	space->runtime = (struct space_runtime){};
	space->keys = THREAD_KEYS_USUAL;
}

static int show(struct spaces *spaces, const struct space *space)
{
	const struct spaces_run *run = space->run;
	struct unwind_space value = {
		.vdso = space->vdso,
		.block = run->block,
		.first = run->first,
		.n = run->n,
		.runtime = space->runtime.state,
		.plan = space->runtime.plan,
		.keys = space->keys,
	};
	uint32_t key = space->pid;

	return bpf_map_update_elem(spaces->fd, &key, &value, BPF_ANY) ? -errno : 0;
}

void spaces_fork(struct spaces *spaces, const struct space *parent, pid_t pid, uint64_t since)
{
	struct space *child;

	spaces_remove(spaces, pid);
	child = spaces_add(spaces, pid, parent->uid);
	if (!child)
		return;
	child->since = since;
	child->vdso = parent->vdso;
	child->runtime = parent->runtime;
	child->keys = parent->keys;
	if (parent->changed) {
		begin_change(spaces, child);
		for (size_t i = 0; i < parent->n; i++)
			*vec_push(child) = parent->v[i];
	} else if (parent->run) {
		child->run = parent->run;
		child->run->users++;
		show(spaces, child);
	}
}

/* --- mappings --- */

/* What is left of a mapping from start to end. */
static struct unwind_mapping cut(const struct unwind_mapping *mapping, uint64_t start, uint64_t end)
{
	struct unwind_mapping part = *mapping;

	part.start = start;
	part.end = end;
	if (part.module)
		part.offset += start - mapping->start;
	return part;
}

/* Memory of no file has no table: it does not crowd out files, of which a process with a JIT compiler has fewer. */
static size_t room_for(const struct unwind_mapping *mapping)
{
	return mapping->module ? UNWIND_BLOCK_MAPPINGS : UNWIND_BLOCK_MAPPINGS / 2;
}

/* Adds behind the last mapping, or to it if one continues the other. */
static void append(struct spaces *spaces, struct space *space, const struct unwind_mapping *mapping)
{
	struct unwind_mapping *last = space->n ? &space->v[space->n - 1] : NULL;

	if (last && last->end == mapping->start && last->module == mapping->module && last->n_pages == mapping->n_pages &&
	    last->block == mapping->block && last->first == mapping->first &&
	    (!mapping->module || last->offset + (last->end - last->start) == mapping->offset))
		last->end = mapping->end;
	else if (space->n < room_for(mapping))
		*vec_push(space) = *mapping;
	else
		spaces->too_many++;
}

void spaces_map(struct spaces *spaces, struct space *space, const struct unwind_mapping *mapping)
{
	struct space before;
	bool added = false;

	begin_change(spaces, space);
	before = *space;
	space->v = NULL;
	space->n = space->cap = 0;
	vec_each(old, &before) {
		if (old->start < mapping->start) {
			struct unwind_mapping left = cut(old, old->start, old->end < mapping->start ? old->end : mapping->start);

			append(spaces, space, &left);
		}
		if (!added && old->end > mapping->start) {
			append(spaces, space, mapping);
			added = true;
		}
		if (old->end > mapping->end) {
			struct unwind_mapping right = cut(old, old->start > mapping->end ? old->start : mapping->end, old->end);

			append(spaces, space, &right);
		}
	}
	if (!added)
		append(spaces, space, mapping);
	free(before.v);
}

void spaces_set_runtime(struct space *space, const struct space_runtime *runtime)
{
	/* one for a process: the first that has a plan */
	if (!space->runtime.of || (space->runtime.of->why && !runtime->of->why))
		space->runtime = *runtime;
}

/* Whether the process may take another run: one that changes all the time would leave no room for others. */
static bool may_take(struct space *space)
{
	size_t size = class_bytes(class_of(space->n));
	uint64_t now = clock_monotonic_ns();

	if (now - space->second > NS_PER_SEC) {
		space->second = now;
		space->taken = 0;
	}
	if (space->taken + size > SPACES_RATE)
		return false;
	space->taken += size;
	return true;
}

/* Replaces the run by one with the changed mappings. -ENOSPC: it must wait. */
static int publish(struct spaces *spaces, struct space *space)
{
	struct spaces_run *before = space->run, *run;
	int ret;

	if (!may_take(space))
		return -ENOSPC;
	run = run_take(spaces, space);
	if (!run) {
		if (!space->refused)
			shares_refuse(spaces->shares, space->uid, USERS_NO_RUN, NULL);
		space->refused = true;
		return -ENOSPC;
	}
	/* A new run can be in a new block. */
	ret = blocks_show(spaces->blocks);
	if (!ret) {
		space->run = run;
		ret = show(spaces, space);
	}
	/* What is not in the hash waits: the new run, or the one before. */
	space->run = ret ? before : run;
	run_put(spaces, ret ? run : before);
	return ret;
}

static void end_change(struct space *space)
{
	free(space->v);
	space->v = NULL;
	space->n = space->cap = 0;
	space->changed = false;
}

int spaces_publish(struct spaces *spaces)
{
	struct spaces_changed *changed = &spaces->changed;
	size_t kept = 0;
	int failed = 0;

	end_waits(spaces);
	for (size_t i = 0; i < changed->n; i++) {
		int ret = publish(spaces, changed->v[i]);

		if (ret == -ENOSPC) {
			changed->v[kept++] = changed->v[i];
			continue;
		}
		end_change(changed->v[i]);
		if (ret)
			failed = ret;
	}
	changed->n = kept;
	return failed;
}
