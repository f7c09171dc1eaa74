// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps links, those of each thread as a chain from the last one back, and walks. Time only goes back in a walk, so in
 * each chain the walk moves in one direction, and each link is looked at once.
 */
#include "base/set.h"
#include "path.h"

/* A link that is not kept any more, or none: numbers count links since the begin. */
#define NOBODY UINT64_MAX
/* The most that wait to be put in order. */
#define FRESH (256 * 1024)

struct thread {
	uint64_t last; /* of its links, the latest */
	/* of a walk: the latest link before the time that the walk is at, and the one after that */
	uint64_t at, after;
	bool split; /* the walk was in the middle of `after` */
};

struct span {
	uint32_t tid, number;
	uint64_t from, to;
};

struct path {
	size_t most;
	uint64_t n; /* links that were ever put in order; the last `most` of them are kept, each at its number % most */
	struct {
		struct kept {
			struct path_link link;
			uint64_t before; /* of the same thread */
		} * v;
		size_t n, cap;
	} kept;
	vec(struct path_link) fresh;
	struct set tids; /* numbers index threads */
	vec(struct thread) threads;
	vec(struct span) spans;
};

struct path *path_new(size_t most)
{
	struct path *path = base_alloc(sizeof(*path));

	path->most = most;
	return path;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	free(path->kept.v);
	free(path->fresh.v);
	free(path->threads.v);
	free(path->spans.v);
	set_release(&path->tids);
	free(path);
}

static struct thread *find_thread(const struct path *path, uint32_t tid)
{
	uint32_t number = set_find(&path->tids, &tid, sizeof(tid));

	return number == SET_NONE ? NULL : &path->threads.v[number];
}

static struct thread *thread_of(struct path *path, uint32_t tid)
{
	uint32_t number = set_add(&path->tids, &tid, sizeof(tid));
	struct thread *thread;

	if (number < path->threads.n)
		return &path->threads.v[number];
	thread = vec_push(&path->threads);
	thread->last = NOBODY;
	return thread;
}

/* NULL: there is none, or it is not kept any more. */
static struct kept *kept_of(const struct path *path, uint64_t number)
{
	if (number == NOBODY || path->n - number > path->most)
		return NULL;
	return &path->kept.v[number % path->most];
}

static int by_time(const void *pa, const void *pb)
{
	const struct path_link *a = pa, *b = pb;

	if (a->ran_at != b->ran_at)
		return a->ran_at > b->ran_at ? 1 : -1;
	return (b->kind == PATH_BORN) - (a->kind == PATH_BORN);
}

/* What was added later may be earlier, by little: each processor has its own ring. */
static void keep(struct path *path, const struct path_link *link)
{
	struct thread *thread = thread_of(path, link->tid);
	struct kept *to, *later = NULL, *it;
	uint64_t number = path->n++, before = thread->last;

	to = path->kept.n < path->most ? vec_push(&path->kept) : &path->kept.v[number % path->most];
	while ((it = kept_of(path, before)) != NULL && by_time(&it->link, link) > 0 && it != to) {
		later = it;
		before = it->before;
	}
	to->link = *link;
	/* times are in order whatever the clocks of the processors say */
	if (to->link.off_at > link->ran_at || link->kind == PATH_BORN)
		to->link.off_at = link->ran_at;
	if (to->link.woken_at > link->ran_at)
		to->link.woken_at = link->ran_at;
	if (to->link.woken_at < to->link.off_at || link->kind != PATH_WOKEN)
		to->link.woken_at = to->link.off_at;
	to->before = before;
	if (later)
		later->before = number;
	else
		thread->last = number;
}

void path_settle(struct path *path)
{
	if (path->fresh.n)
		qsort(path->fresh.v, path->fresh.n, sizeof(*path->fresh.v), by_time);
	vec_each(link, &path->fresh)
		keep(path, link);
	path->fresh.n = 0;
}

void path_add(struct path *path, const struct path_link *link)
{
	*vec_push(&path->fresh) = *link;
	if (path->fresh.n == FRESH)
		path_settle(path);
}

void path_add_span(struct path *path, uint32_t tid, uint64_t from, uint64_t to, uint32_t number)
{
	*vec_push(&path->spans) = (struct span){ tid, number, from, to };
}

/* --- the walk --- */

struct walk {
	struct path *path;
	uint64_t began, at;
	uint32_t command, tid;
	path_fn fn;
	void *ctx;
};

static int by_thread(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid > b->tid ? 1 : -1;
	return (a->from > b->from) - (a->from < b->from);
}

/* The last span of the thread that begins before a time. */
static const struct span *find_span(const struct path *path, uint32_t tid, uint64_t before)
{
	size_t low = 0, high = path->spans.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct span *span = &path->spans.v[middle];

		if (span->tid < tid || (span->tid == tid && span->from < before))
			low = middle + 1;
		else
			high = middle;
	}
	return low && path->spans.v[low - 1].tid == tid ? &path->spans.v[low - 1] : NULL;
}

/* The walk goes back to `from`. A thread that executes a program is several spans. */
static void go(struct walk *walk, uint64_t from, enum path_what what, const struct path_link *link)
{
	if (from < walk->began)
		from = walk->began;
	while (walk->at > from) {
		const struct span *span = find_span(walk->path, walk->tid, walk->at);
		struct path_step step = {
			.from = from,
			.to = walk->at,
			.what = what,
			.tid = walk->tid,
			.span = PATH_NONE,
			.link = link,
		};

		if (span && span->to >= walk->at) {
			step.span = span->number;
			step.from = span->from > from ? span->from : from;
		} else if (span && span->to > from) {
			step.from = span->to;
		}
		walk->fn(&step, walk->ctx);
		walk->at = step.from;
	}
}

/* Moves the thread's place back to the time of the walk. Returns its latest link there, or NULL. */
static const struct kept *seek(const struct walk *walk, struct thread *thread)
{
	struct kept *kept;

	while ((kept = kept_of(walk->path, thread->at)) != NULL && kept->link.ran_at > walk->at) {
		thread->after = thread->at;
		thread->at = kept->before;
		thread->split = false;
	}
	return kept;
}

/* A thread of which nothing is known at this time is somebody else, whoever has its id. */
static bool is_known(const struct walk *walk, uint32_t tid)
{
	struct thread *thread = tid ? find_thread(walk->path, tid) : NULL;

	return tid == walk->command || (thread && seek(walk, thread));
}

/* The thread slept or was ready: back to before it was, or to who woke it. */
static void leave(struct walk *walk, const struct path_link *link)
{
	if (walk->at > link->woken_at)
		go(walk, link->woken_at, PATH_QUEUED, link);
	if (link->kind == PATH_WOKEN && link->waker != link->tid && walk->at == link->woken_at &&
	    is_known(walk, link->waker))
		walk->tid = link->waker;
	else
		go(walk, link->off_at, link->kind == PATH_WOKEN ? PATH_WAITS : PATH_QUEUED, link);
}

/* One link back. False: nothing more is known. */
static bool back(struct walk *walk)
{
	struct thread *thread = find_thread(walk->path, walk->tid);
	const struct kept *kept, *after;

	if (!thread)
		return false;
	kept = seek(walk, thread);
	after = kept_of(walk->path, thread->after);
	/* by the clocks of two processors the waker does not run any more: it is in its next wait */
	if (after && !thread->split && after->link.kind != PATH_BORN && after->link.off_at < walk->at) {
		thread->split = true;
		leave(walk, &after->link);
		return true;
	}
	if (!kept)
		return false;
	thread->after = thread->at;
	thread->at = kept->before;
	thread->split = true;
	go(walk, kept->link.ran_at, PATH_RUNS, NULL);
	if (kept->link.kind != PATH_BORN)
		leave(walk, &kept->link);
	else if (is_known(walk, kept->link.waker))
		walk->tid = kept->link.waker;
	else
		return false;
	return true;
}

uint64_t path_walk(struct path *path, uint32_t tid, uint64_t began, uint64_t ended, path_fn fn, void *ctx)
{
	struct walk walk = {
		.path = path,
		.began = began,
		.at = ended,
		.command = tid,
		.tid = tid,
		.fn = fn,
		.ctx = ctx,
	};
	uint64_t known = 0;

	path_settle(path);
	if (path->spans.n)
		qsort(path->spans.v, path->spans.n, sizeof(*path->spans.v), by_thread);
	vec_each(thread, &path->threads) {
		thread->at = thread->last;
		thread->after = NOBODY;
		thread->split = true;
	}
	while (walk.at > began && back(&walk))
		;
	if (walk.at <= began)
		return 0;
	/* the command itself has run since it was released, if nothing is forgotten */
	if (walk.tid != tid || path->n > path->most)
		known = walk.at;
	go(&walk, began, known ? PATH_UNKNOWN : PATH_RUNS, NULL);
	return known;
}
