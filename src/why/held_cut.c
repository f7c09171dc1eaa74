// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cuts waits into parts by who held the processor. Of all that a processor did at a moment, the innermost counts: an
 * interrupt, else a soft interrupt, else the task.
 */
#include "held.h"

#define RT_PRIOS  100 /* real-time tasks and those with a deadline are below */
#define MOST_WHO  4096
#define MOST_TIDS 65536

/* A wait that is moved about for ever fills no memory. */
#define MOST_LEGS 64

struct held_leg *held_leg(struct held_wait *wait, uint32_t cpu, uint64_t from, uint64_t to)
{
	struct held_leg *leg;

	vec_each(it, &wait->legs)
		if (it->cpu == cpu && it->from == from)
			return it;
	if (wait->legs.n >= MOST_LEGS) {
		/* they come one after the other, each in one message or several */
		if (wait->left_from != from && to > from)
			wait->left_ns += to - from;
		wait->left_from = from;
		return NULL;
	}
	leg = vec_push(&wait->legs);
	leg->cpu = cpu;
	leg->from = from;
	leg->to = to;
	return leg;
}

void held_wait_release(struct held_wait *wait)
{
	vec_each(leg, &wait->legs)
		free(leg->spans.v);
	free(wait->legs.v);
	free(wait->parts.v);
	*wait = (struct held_wait){};
}

int32_t held_rt(int32_t prio)
{
	return prio < 0 ? RT_PRIOS : prio < RT_PRIOS ? RT_PRIOS - 1 - prio
						     : 0;
}

/* --- who --- */

/* Names of processes that come and go fill no memory: the rest of them share a row. */
static uint32_t number_of(struct held_sums *sums, const struct held_key *key)
{
	const struct held_key others = { .what = HELD_BY_TASK, .comm = "(others)" };
	uint32_t number = set_find(&sums->keys, key, sizeof(*key));

	if (number != SET_NONE)
		return number;
	if (sums->keys.n >= MOST_WHO && key->what == HELD_BY_TASK)
		key = &others;
	number = set_add(&sums->keys, key, sizeof(*key));
	while (sums->whos.n <= number)
		vec_push(&sums->whos);
	sums->whos.v[number].key = *key;
	return number;
}

static uint32_t plain(struct held_sums *sums, enum held_what what)
{
	return number_of(sums, &(struct held_key){ .what = what });
}

/* A part of a leg, while it is cut: its spans within it, the earliest first, and the moments of samples. */
struct piece {
	const struct held_span *span;
	uint64_t from, to;
	uint32_t who;
};

struct cut {
	struct held_sums *sums;
	struct held_wait *wait;
	const struct held_leg *leg;
	struct piece *pieces;
	const struct held_span **samples;
	uint64_t *bounds;
	size_t n, n_samples, n_bounds;
	uint64_t known; /* before that, not all is remembered of what it did */
};

/* The first sample that is not before `at`. */
static size_t sample_from(const struct cut *cut, uint64_t at)
{
	size_t from = 0, to = cut->n_samples;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (cut->samples[middle]->began < at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Where a task was while it held the processor: by most of its samples, else by where it had to leave. */
static enum held_where where_was(const struct cut *cut, const struct held_span *task)
{
	size_t user = 0, kernel = 0;

	for (size_t i = sample_from(cut, task->began); i < cut->n_samples && cut->samples[i]->began <= task->ended; i++) {
		bool same = cut->samples[i]->who == task->who;

		user += same && cut->samples[i]->flags & HELD_USER;
		kernel += same && cut->samples[i]->flags & HELD_KERNEL;
	}
	if (user || kernel)
		return user > kernel ? HELD_IN_USER : HELD_IN_KERNEL;
	return task->flags & HELD_USER ? HELD_IN_USER : task->flags & HELD_KERNEL ? HELD_IN_KERNEL
										  : HELD_SOMEWHERE;
}

/*
 * A thread that goes first waits only for a kernel that does not let it: of the task that had the processor when it
 * came. Others that come later were chosen before it was there, or by a policy that says so.
 */
static uint32_t task_number(const struct cut *cut, const struct held_span *task)
{
	struct held_key key = { .what = HELD_BY_TASK, .id = task->tgid, .policy = task->policy };

	if (!task->who)
		return plain(cut->sums, HELD_BY_IDLE);
	if (cut->sums->own && task->tgid == cut->sums->own)
		return plain(cut->sums, HELD_BY_SELF);
	key.rt = held_rt(task->prio);
	memcpy(key.comm, task->comm, strnlen(task->comm, sizeof(key.comm)));
	key.where = where_was(cut, task);
	if (cut->wait->prio < RT_PRIOS && cut->wait->prio < task->prio && task->began <= cut->leg->from)
		key.where = key.where == HELD_IN_USER ? HELD_LATE : HELD_NOT_PREEMPTED;
	return number_of(cut->sums, &key);
}

static uint32_t irq_number(struct held_sums *sums, const struct held_span *span)
{
	struct held_key key = { .what = span->kind == HELD_HARD ? HELD_BY_HARD : HELD_BY_SOFT, .id = span->who };

	if (span->kind == HELD_HARD) {
		key.vector = (span->flags & HELD_VECTOR) != 0;
		memcpy(key.comm, span->comm, strnlen(span->comm, sizeof(key.comm)));
	}
	return number_of(sums, &key);
}

/* --- parts --- */

static void add_part(struct held_wait *wait, struct held_part added)
{
	struct held_part *part;

	if (!added.ns)
		return;
	vec_each(it, &wait->parts) {
		if (it->who != added.who)
			continue;
		it->ns += added.ns;
		if (added.stack && added.sampled >= it->sampled) {
			it->stack = added.stack;
			it->sampled = added.sampled;
		}
		return;
	}
	part = vec_push(&wait->parts);
	*part = added;
}

static int by_time(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a > b ? 1 : a < b ? -1
				 : 0;
}

static int by_begin(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	return by_time(&a->from, &b->from);
}

static int by_moment(const void *pa, const void *pb)
{
	const struct held_span *a = *(const struct held_span *const *)pa, *b = *(const struct held_span *const *)pb;

	return by_time(&a->began, &b->began);
}

/* The latest piece of each kind that has begun; of one kind they follow each other. */
static const struct piece *innermost(const struct piece *const now[HELD_SAMPLE], uint64_t at)
{
	for (int kind = HELD_SAMPLE; kind--;)
		if (now[kind] && now[kind]->from <= at && now[kind]->to > at)
			return now[kind];
	return NULL;
}

/*
 * Samples are taken in an interrupt, which is a piece of its own: they belong to what it came upon. One within a soft
 * interrupt is of the task that this came upon.
 */
static void add_time(const struct cut *cut, const struct piece *piece, uint64_t from, uint64_t to)
{
	bool task = piece && piece->span->kind == HELD_TASK;
	struct held_part part = { .ns = to - from };

	if (!piece || from < cut->known) {
		part.who = plain(cut->sums, HELD_BY_UNKNOWN);
		add_part(cut->wait, part);
		return;
	}
	part.who = piece->who;
	part.tid = task ? piece->span->who : 0;
	part.stack = task ? piece->span->stack : 0;
	for (size_t i = sample_from(cut, piece->from);
	     piece->span->kind != HELD_HARD && i < cut->n_samples && cut->samples[i]->began <= piece->to; i++)
		if (cut->samples[i]->stack && (!task || cut->samples[i]->who == piece->span->who)) {
			part.stack = cut->samples[i]->stack;
			part.sampled = true;
		}
	add_part(cut->wait, part);
}

static void add_piece(struct cut *cut, const struct held_span *span)
{
	const struct held_leg *leg = cut->leg;
	uint64_t from = span->began > leg->from ? span->began : leg->from;
	uint64_t to = span->ended < leg->to ? span->ended : leg->to;

	if (span->kind >= HELD_SAMPLE || from >= to)
		return;
	cut->pieces[cut->n++] = (struct piece){
		span,
		from,
		to,
		span->kind == HELD_TASK ? task_number(cut, span) : irq_number(cut->sums, span),
	};
	cut->bounds[cut->n_bounds++] = from;
	cut->bounds[cut->n_bounds++] = to;
}

/* Between two bounds of pieces nothing begins or ends. */
static void add_pieces(struct cut *cut)
{
	const struct piece *now[HELD_SAMPLE] = {};
	size_t next = 0;

	for (size_t i = 0; i + 1 < cut->n_bounds; i++) {
		if (cut->bounds[i] == cut->bounds[i + 1])
			continue;
		for (; next < cut->n && cut->pieces[next].from <= cut->bounds[i]; next++)
			now[cut->pieces[next].span->kind] = &cut->pieces[next];
		add_time(cut, innermost(now, cut->bounds[i]), cut->bounds[i], cut->bounds[i + 1]);
	}
}

/* A full list of interrupts may not reach back to the begin: then nobody knows what the task had of that time. */
static void find_known(struct cut *cut)
{
	size_t n[HELD_KINDS] = {};
	uint64_t oldest[HELD_KINDS] = {};

	vec_each(span, &cut->leg->spans) {
		if (span->kind >= HELD_SAMPLE)
			continue;
		if (!n[span->kind]++ || span->began < oldest[span->kind])
			oldest[span->kind] = span->began;
	}
	cut->known = cut->leg->from;
	for (int kind = 0; kind < HELD_SAMPLE; kind++)
		if (n[kind] >= HELD_SPANS && oldest[kind] > cut->known)
			cut->known = oldest[kind];
	if (cut->known > cut->leg->to)
		cut->known = cut->leg->to;
}

static void cut_leg(struct held_sums *sums, struct held_wait *wait, const struct held_leg *leg)
{
	size_t most = leg->spans.n + 1;
	__free struct piece *pieces = base_alloc(most * sizeof(*pieces));
	__free const struct held_span **samples = base_alloc(most * sizeof(*samples));
	__free uint64_t *bounds = base_alloc((2 * most + 1) * sizeof(*bounds));
	struct cut cut = { sums, wait, leg, pieces, samples, bounds };

	vec_each(span, &leg->spans)
		if (span->kind == HELD_SAMPLE)
			samples[cut.n_samples++] = span;
	qsort(samples, cut.n_samples, sizeof(*samples), by_moment);
	vec_each(span, &leg->spans)
		add_piece(&cut, span);
	bounds[cut.n_bounds++] = leg->from;
	bounds[cut.n_bounds++] = leg->to;
	find_known(&cut);
	bounds[cut.n_bounds++] = cut.known;
	qsort(pieces, cut.n, sizeof(*pieces), by_begin);
	qsort(bounds, cut.n_bounds, sizeof(*bounds), by_time);
	add_pieces(&cut);
}

static int by_length(const void *pa, const void *pb)
{
	const struct held_part *a = pa, *b = pb;

	return a->ns < b->ns ? 1 : a->ns > b->ns ? -1
						 : 0;
}

void held_cut(struct held_sums *sums, struct held_wait *wait)
{
	uint64_t rest = wait->ended - wait->start;

	if (wait->quota) {
		add_part(wait, (struct held_part){ .who = plain(sums, HELD_BY_QUOTA), .ns = rest });
		return;
	}
	vec_each(leg, &wait->legs) {
		/* legs follow each other; damaged ones must not make the sum larger than the wait */
		if (leg->to <= leg->from || leg->to - leg->from > rest)
			continue;
		cut_leg(sums, wait, leg);
		rest -= leg->to - leg->from;
	}
	if (wait->left_ns <= rest) {
		add_part(wait, (struct held_part){ .who = plain(sums, HELD_BY_UNKNOWN), .ns = wait->left_ns });
		rest -= wait->left_ns;
	}
	add_part(wait, (struct held_part){ .who = plain(sums, HELD_ELSEWHERE), .ns = rest });
	if (wait->parts.n)
		qsort(wait->parts.v, wait->parts.n, sizeof(*wait->parts.v), by_length);
}

/* --- sums --- */

/* Keeps the longest; takes the wait over. */
static void keep(struct held_sums *sums, struct held_wait *wait)
{
	uint64_t ns = wait->ended - wait->start;
	size_t at = sums->n_longest;

	while (at > 0 && sums->longest[at - 1].ended - sums->longest[at - 1].start < ns)
		at--;
	if (at >= sums->worst) {
		held_wait_release(wait);
		return;
	}
	if (sums->n_longest == sums->worst)
		held_wait_release(&sums->longest[--sums->n_longest]);
	memmove(&sums->longest[at + 1], &sums->longest[at], (sums->n_longest - at) * sizeof(*wait));
	sums->longest[at] = *wait;
	sums->n_longest++;
	*wait = (struct held_wait){};
}

void held_sums_add(struct held_sums *sums, struct held_wait *wait)
{
	uint64_t ns = wait->ended - wait->start;

	held_cut(sums, wait);
	sums->waits++;
	sums->ns += ns;
	sums->last += wait->lasts;
	sums->unsplit += wait->left_ns > 0;
	if (sums->tids.n < MOST_TIDS)
		set_add(&sums->tids, &wait->tid, sizeof(wait->tid));
	else
		sums->more_tids |= set_find(&sums->tids, &wait->tid, sizeof(wait->tid)) == SET_NONE;
	sums->cells[HIST_SUM] += ns;
	if (ns > sums->cells[HIST_MAX])
		sums->cells[HIST_MAX] = ns;
	sums->cells[HIST_BUCKETS + hist_precise(ns)]++;
	vec_each(part, &wait->parts) {
		struct held_who *who = &sums->whos.v[part->who];

		who->times++;
		who->ns += part->ns;
		if (part->ns > who->max)
			who->max = part->ns;
	}
	/* what it is made of is in the parts */
	vec_each(leg, &wait->legs) {
		free(leg->spans.v);
		memset(&leg->spans, 0, sizeof(leg->spans));
	}
	if (!sums->longest)
		sums->longest = base_alloc((sums->worst + 1) * sizeof(*sums->longest));
	keep(sums, wait);
}

void held_sums_release(struct held_sums *sums)
{
	vec_each(who, &sums->whos)
		free(who->command);
	for (size_t i = 0; i < sums->n_longest; i++)
		held_wait_release(&sums->longest[i]);
	free(sums->longest);
	free(sums->whos.v);
	set_release(&sums->keys);
	set_release(&sums->tids);
}
