// SPDX-License-Identifier: BSD-2-Clause
/* Functions probed at both ends: by which mechanism and in which order the ends are attached. */
#include <errno.h>

#include <bpf/bpf.h>

#include "attach/keep.h"
#include "attach/plan.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "object.h"
#include "base/str.h"
#include "engine.h"
#include "pairs.h"

/* The share of the pending table that may be in use, so that a key finds a free entry among its few. */
#define LOAD 4

#define PENDING ".data.pending"

static const char never_returns[] = "it never returns";

static const char *why_no_pair(const struct target *target)
{
	if (target->kind == TARGET_TRACEPOINT)
		return "it is a tracepoint, not a function";
	if (target->usdt)
		return "it is a USDT probe, not a function";
	if (target->no_return)
		return target->no_return;
	if (target->ret)
		return "both ends are probed: name the function alone";
	if (target->offset)
		return "it is a place inside a function, which has no return";
	if (target->kind == TARGET_KERNEL && quirk_never_returns(target->name))
		return never_returns;
	return NULL;
}

/* Removes targets without a return. It is an error if the user named only such targets; a pattern keeps the others. */
static int remove_unpaired(struct target_set *set, bool endless, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->n; i++) {
		const char *why = why_no_pair(&set->v[i]);
		struct target_note *note;

		set->v[i].endless = why && (set->v[i].endless || why == never_returns);
		if (!why || (endless && set->v[i].endless)) {
			set->v[kept++] = set->v[i];
			continue;
		}
		note = vec_push(&set->notes);
		note->name = set->v[i].label;
		note->reason = why;
	}
	set->n = kept;
	if (kept)
		return 0;
	return err_set(err, -EINVAL, "nothing can be measured: '%s': %s", set->notes.v[set->notes.n - 1].name,
		       set->notes.v[set->notes.n - 1].reason);
}

int pairs_make(struct target_set *set, bool endless, struct err *err)
{
	int ret = remove_unpaired(set, endless, err);
	size_t n = set->n;

	for (size_t i = 0; !ret && i < n; i++) {
		struct target *target = vec_push(set);

		*target = set->v[i];
		target->ret = true;
	}
	return ret;
}

/* The most that a value of an array may have on every kernel; 5.10 has this limit. */
#define VALUE_EVERYWHERE (4 << 20)

static bool has_room(size_t value)
{
	__close int fd = value <= VALUE_EVERYWHERE ? -1 : bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_trial", sizeof(uint32_t), value, 1, NULL);

	return value <= VALUE_EVERYWHERE || fd >= 0 || errno != E2BIG;
}

int pairs_size(struct object *object, uint32_t calls, size_t cell, uint64_t *mask, struct err *err)
{
	size_t cells = PENDING_WAYS;

	while (cells < (size_t)calls * LOAD)
		cells *= 2;
	if (!has_room(cells * cell))
		return err_set(err, -E2BIG, "this kernel has no room for %u pending calls at a time, but for %zu (--max-calls)", calls,
			       VALUE_EVERYWHERE / cell / LOAD);
	*mask = (cells - PENDING_WAYS) * cell;
	return object_size_value(object, PENDING, cells * cell, err);
}

uint32_t pairs_kept_calls(const struct keep *keep, size_t cell)
{
	return keep_value_size(keep, PENDING) / cell / LOAD;
}

int pairs_load(struct pairs *pairs, const struct object *object, const char *entry, const char *ret, const char *session,
	       struct err *err)
{
	int error = object_image(object, entry, &pairs->entry, err);

	error = error ? error : object_image(object, ret, &pairs->ret, err);
	error = error ? error : object_image(object, session, &pairs->session, err);
	error = error ? error : image_patch(&pairs->entry, PATCH_PENDING_MASK, pairs->pending_mask, err);
	error = error ? error : image_patch(&pairs->ret, PATCH_PENDING_MASK, pairs->pending_mask, err);
	/* the kernel stores a session's start time, but a tool may store more */
	if (!error)
		image_patch_optional(&pairs->session, PATCH_PENDING_MASK, pairs->pending_mask);
	return error;
}

void pairs_release(struct pairs *pairs)
{
	image_release(&pairs->entry);
	image_release(&pairs->ret);
	image_release(&pairs->session);
}

size_t pairs_count(const struct attach *attach, const struct target_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n / 2; i++)
		n += attach_is_attached(attach, i);
	return n;
}

/* The last step attaches the return first; if only the entry failed, the entry has the reason. */
static const char *why_not(const struct attach *attach, const struct target_set *set, size_t i)
{
	size_t ret = set->n / 2 + i;

	return attach_why_not(attach, set->v[i].endless || attach_is_attached(attach, ret) ? i : ret);
}

void pairs_failed(const struct attach *attach, const struct target_set *set, struct target_notes *notes)
{
	for (size_t i = 0; i < set->n / 2; i++) {
		struct target_note *note;

		if (attach_is_attached(attach, i))
			continue;
		note = vec_push(notes);
		note->name = set->v[i].label;
		note->reason = why_not(attach, set, i);
	}
}

/* A few trampolines cost least; a session costs half as much as two probes. */
int pairs_attach(const struct pairs *pairs, struct attach *attach, const struct target_set *set, struct err *err)
{
	size_t n = set->n / 2;
	__free uint32_t *ends = base_alloc(set->n * sizeof(*ends));
	const struct plan_step pair = {
		.how = PLAN_PAIR, .image = &pairs->entry, .ret = &pairs->ret, .targets = ends, .returns = ends + n, .n = n
	};
	struct plan_step steps[] = { pair, pair, pair };
	int ret;

	for (size_t i = 0; i < set->n; i++)
		ends[i] = i;
	steps[0].mech = MECH_FENTRY;
	steps[1].how = PLAN_SESSION;
	steps[1].image = &pairs->session;
	ret = plan_run(attach, steps, ARRAY_SIZE(steps), err);
	if (ret == -EINTR || ret == -EINVAL || pairs_count(attach, set))
		return ret;
	return err_set(err, -ENOTSUP, "cannot attach to '%s': %s", set->v[0].label, why_not(attach, set, 0));
}

static void say_not_measured(uint64_t n, const char *why)
{
	if (n)
		report_note("%llu call%s not measured: %s", (unsigned long long)n, str_plural(n), why);
}

void pairs_say_leaves(const struct attach *attach, const struct target_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n / 2; i++)
		n += set->v[i].leaves && attach_is_attached(attach, i);
	if (n)
		report_note("%zu function%s may end by a jump to code that is not followed: the time is measured up to it", n, str_plural(n));
}

static struct pairs_losses pairs_losses(const struct object *object)
{
	return (struct pairs_losses){
		.no_end = object_word(object, ".data.losses", PENDING_NO_END),
		.no_id = object_word(object, ".data.losses", PENDING_NO_ID),
		.no_room = object_word(object, ".data.losses", PENDING_NO_ROOM),
	};
}

void pairs_add_stats(const struct object *object, struct engine_stats *stats)
{
	struct pairs_losses losses = pairs_losses(object);

	engine_stats_add(stats, "no_end", losses.no_end);
	engine_stats_add(stats, "no_goroutine", losses.no_id);
	engine_stats_add(stats, "no_room", losses.no_room);
}

void pairs_say_losses(const struct object *object, uint64_t missed, uint32_t calls)
{
	__free char *crowded = base_printf("too many at a time (room is for %u, see --max-calls)", calls);
	struct pairs_losses losses = pairs_losses(object);

	if (losses.no_end > missed)
		say_not_measured(losses.no_end - missed, "their return was not seen");
	say_not_measured(losses.no_id, "their goroutine could not be read");
	say_not_measured(losses.no_room, crowded);
}
