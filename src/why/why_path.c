// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path of the command (why/path.h): takes the links that the programs write into the rings, keeps what each thread
 * was called when, and adds up the steps by cause and object. A recording gets the same links.
 */
#include "attach/image.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/report.h"
#include "bpf/ring.h"
#include "bpf/why_link.h"
#include "engine/ring.h"
#include "why_part.h"

/* Links that are kept: 56 MB. */
#define LINKS (1024 * 1024)
/* Of each ring: 40 ms of 80,000 switches a second, also if each is there twice. */
#define RING_BYTES	    (256 * 1024)
#define RING_BYTES_SWITCHES (512 * 1024)
/* 40 ms of 100,000 requests a second, and of their switches. */
#define RING_BYTES_REQUESTS (1024 * 1024)
/* Threads with less than this, as clock ticks found it, are divided as others of their name. */
#define TICKS_NS (100 * NS_PER_MS)

int why_path_open(struct why *why, struct err *err)
{
	const uint64_t bytes = why->requests.on && why->settings->perfetto ? 2 * RING_BYTES_REQUESTS
			       : why->requests.on			   ? RING_BYTES_REQUESTS
			       : why->settings->perfetto		   ? RING_BYTES_SWITCHES
									   : RING_BYTES;

	/* only what a command did has an end to go back from */
	if (why->instance->ctx->command.pid && !why->requests.on)
		why->path.links = path_new(LINKS);
	else if (!why->settings->perfetto && !why->requests.on)
		return 0;
	return ring_new(&why->path.ring, &why->progs.object, bytes * cpus_ids(), RING_STREAM, err);
}

static int patch(struct why *why, struct image *image, struct err *err)
{
	return why->path.ring ? ring_patch(why->path.ring, image, err) : ring_patch_unused(image, err);
}

int why_path_prepare(struct why *why, struct err *err)
{
	static const char *const programs[] = { "switches", "forks", "execs", "arrives", "reads", "takes", "closes", "sends", "connections", "sample" };
	int ret = 0;

	if (why->path.ring)
		ret = ring_open(why->path.ring, err);
	for (size_t i = 0; !ret && i < why->progs.source->n_probes; i++)
		for (size_t p = 0; !ret && p < ARRAY_SIZE(programs); p++)
			if (!why->progs.source->probes[i].otherwise &&
			    !strcmp(why->progs.source->probes[i].program, programs[p]))
				ret = patch(why, &why->progs.images[i], err);
	return ret;
}

int why_path_fd(const struct why *why)
{
	return why->path.ring ? ring_fd(why->path.ring) : -1;
}

/* --- links --- */

/* What a link is to the path; false: nothing. A process that executes has the id of its first thread from then on. */
static bool has_step(uint32_t kind, const struct why_link *from, uint8_t *step)
{
	static const uint8_t steps[] = {
		[WHY_LINK_WOKEN] = PATH_WOKEN,
		[WHY_LINK_READY] = PATH_PREEMPTED,
		[WHY_LINK_BORN] = PATH_BORN,
		[WHY_LINK_EXEC] = PATH_BORN,
	};

	if (kind < WHY_LINK_WOKEN || kind > WHY_LINK_EXEC || (kind == WHY_LINK_EXEC && from->tid == from->waker))
		return false;
	*step = steps[kind];
	return true;
}

void why_path_add_link(struct why *why, uint32_t kind, const struct why_link *from, size_t n, uint32_t cpu)
{
	struct why_key key = { .a = from->a, .b = from->b, .class = from->class, .call = from->call };
	struct why_key behind = { .class = WHY_PROCESSOR };
	struct path_link link = {
		.off_at = from->off_at,
		.woken_at = from->woken_at,
		.ran_at = from->ran_at,
		.tid = from->tid,
		.waker = from->waker,
		.prev = from->prev,
		.object = PATH_NONE,
		.behind = PATH_NONE,
		.cpu = cpu,
		.class = from->class < WHY_CLASSES ? from->class : WHY_UNKNOWN,
	};

	if (!has_step(kind, from, &link.kind))
		return;
	if (link.kind == PATH_WOKEN)
		link.object = objects_key(why, &key);
	memcpy(&behind.a, from->behind, sizeof(from->behind));
	if (link.kind != PATH_BORN && n >= WHY_LINK_BEHIND)
		link.behind = objects_key(why, &behind);
	path_add(why->path.links, &link);
}

static int take_run(const struct ring_run *run, void *ctx)
{
	struct why *why = ctx;

	why->path.lost += run->lost;
	if (run->lost)
		why_requests_lost(why, (size_t)run->cpu * RING_LANES + run->lane);
	for (size_t at = 0; at < run->n_words;) {
		size_t words = ring_header_words(run->words[at]), n = words - 1;
		struct why_link link = {};

		if (words < 2 || at + words > run->n_words)
			break;
		why_requests_add(why, ring_header_kind(run->words[at]), run->words + at + RING_TIME, n);
		memcpy(&link, run->words + at + RING_TIME,
		       (n < WHY_LINK_WHOLE ? n : WHY_LINK_WHOLE) * sizeof(uint64_t));
		if (why->path.links)
			why_path_add_link(why, ring_header_kind(run->words[at]), &link, n, run->cpu);
		why_record_add(why, ring_header_kind(run->words[at]), &link);
		at += words;
	}
	why_record_run(why, run->cpu, run->lane, run->lost);
	return 0;
}

void why_path_take(struct why *why)
{
	if (!why->path.ring)
		return;
	why_requests_take(why);
	ring_read(why->path.ring, take_run, why);
	if (why->path.links)
		path_settle(why->path.links);
}

/* --- what threads were --- */

void why_path_add_thread(struct why *why, const struct why_thread *thread)
{
	struct why_part *part;

	if (!why->path.links)
		return;
	part = vec_push(&why->path.parts);
	memcpy(part->comm, thread->comm, sizeof(thread->comm));
	part->split.ns[WHY_RUNNING] = thread->ns[WHY_RUNNING];
	part->split.ran = thread->ran;
	part->split.user = thread->user;
	part->split.system = thread->system;
	part->ran = thread->ns[WHY_RUNNING];
	why_sums_divide(&part->split);
	path_add_span(why->path.links, thread->tid, thread->began, thread->since, why->path.parts.n - 1);
}

void why_path_add_wait(struct why *why, const struct why_thread *thread, uint64_t now)
{
	const bool sleeps = thread->state == WHY_IS_ASLEEP;
	struct path_link link;

	why_requests_add_wait(why, thread, now);
	if (!why->path.links || thread->state == WHY_IS_RUNNING)
		return;
	link = (struct path_link){
		.off_at = thread->since,
		.woken_at = sleeps && thread->woken ? thread->woken : now,
		.ran_at = now,
		.tid = thread->tid,
		.waker = thread->woken ? thread->waker_tid : 0,
		.object = sleeps ? objects_key(why, &thread->key) : PATH_NONE,
		.behind = PATH_NONE,
		.kind = sleeps ? PATH_WOKEN : PATH_PREEMPTED,
		.class = sleeps && thread->key.class < WHY_CLASSES ? thread->key.class : WHY_UNKNOWN,
	};

	if (!sleeps)
		link.class = thread->throttled ? WHY_THROTTLED : WHY_PROCESSOR;
	path_add(why->path.links, &link);
}

/* --- steps --- */

static void add_time(struct why *why, const char *comm, uint32_t cause, uint64_t ns)
{
	struct why_split *split = &why_sums_name(&why->path.sums, comm)->split;

	split->ns[cause] += ns;
	split->count[cause]++;
	why->path.sums.all.ns[cause] += ns;
	why->path.sums.all.count[cause]++;
}

/*
 * In the proportion of all that the thread ran under this name. Of a short one the clock ticks say nothing: then in
 * that of all threads with this name.
 */
static void add_running(struct why *why, const struct why_part *part, uint64_t ns)
{
	const struct why_split *split = part->split.user + part->split.system < TICKS_NS
						? &why_sums_name(&why->sums, part->comm)->split
						: &part->split;
	uint64_t ran = split->ns[WHY_USER] + split->ns[WHY_SYSTEM] + split->ns[WHY_STOLEN];
	double share = ran ? (double)ns / ran : 0;
	uint64_t kernel = share * split->ns[WHY_SYSTEM], stolen = share * split->ns[WHY_STOLEN];

	if (kernel > ns)
		kernel = ns;
	if (stolen > ns - kernel)
		stolen = ns - kernel;
	add_time(why, part->comm, WHY_USER, ns - kernel - stolen);
	if (kernel)
		add_time(why, part->comm, WHY_SYSTEM, kernel);
	if (stolen)
		add_time(why, part->comm, WHY_STOLEN, stolen);
}

static void add_step(const struct path_step *step, void *ctx)
{
	static const struct why_part nobody = { .comm = "?" };
	struct why *why = ctx;
	const struct why_part *part = step->span == PATH_NONE ? &nobody : &why->path.parts.v[step->span];
	uint64_t ns = step->to - step->from;

	if (step->what == PATH_RUNS && why->sums.whole) {
		add_time(why, part->comm, WHY_RUNNING, ns);
	} else if (step->what == PATH_RUNS && part->ran) {
		add_running(why, part, ns);
	} else if (step->what == PATH_RUNS && step->from > why->began) {
		add_time(why, part->comm, part == &nobody ? WHY_RUNNING : WHY_USER, ns);
	} else if (step->what == PATH_WAITS) {
		add_time(why, part->comm, step->link->class, ns);
		objects_add_path(why, step->link->object, ns);
	} else if (step->what == PATH_QUEUED) {
		bool throttled = step->link->kind == PATH_PREEMPTED && step->link->class == WHY_THROTTLED;

		add_time(why, part->comm, throttled ? WHY_THROTTLED : WHY_PROCESSOR, ns);
		if (!throttled)
			objects_add_path(why, step->link->behind, ns);
	} else {
		/* the command, until the programs saw it first: it was being started */
		add_time(why, part->comm, step->what == PATH_RUNS ? WHY_PROCESSOR : WHY_UNKNOWN, ns);
	}
}

void why_path_find(struct why *why)
{
	uint32_t command = why->command;

	if (!why->path.links)
		return;
	if (!command) /* nothing was seen of it */
		command = why->instance->ctx->command.pid;
	why->path.known = path_walk(why->path.links, command, why->began, why->ended, add_step, why);
}

void why_path_losses(const struct why *why)
{
	/* a recording has each switch twice */
	if (why->path.lost && why->path.links)
		report_note("%s%llu switch%s missing from the path: the ring buffers were full",
			    why->settings->perfetto ? "up to " : "", (unsigned long long)why->path.lost,
			    why->path.lost == 1 ? "" : "es");
	if (why->path.known)
		report_note("the path is known for the last %.3f s only: what led there was not seen, or is not kept",
			    (double)(why->ended - why->path.known) / NS_PER_SEC);
}

void why_path_release(struct why *why)
{
	ring_free(why->path.ring);
	path_free(why->path.links);
	why_sums_release(&why->path.sums);
	set_release(&why->path.keys);
	set_release(&why->path.seen);
	free(why->path.parts.v);
	free(why->path.objects.v);
}
