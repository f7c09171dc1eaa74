// SPDX-License-Identifier: BSD-2-Clause
/* Gives a new struct attach the links and copies of the one that it replaces. */
#include "base/file_id.h"
#include "keep_part.h"

/* --- which targets --- */

static void mix_u64(struct keep *keep, uint64_t value)
{
	keep_mix(keep, &value, sizeof(value));
}

/* NULL is not the empty string. */
static void mix_text(struct keep *keep, const char *text)
{
	mix_u64(keep, text ? strlen(text) + 1 : 0);
	keep_mix(keep, text, text ? strlen(text) : 0);
}

/* A file that has another one's name is another file: the programs hang on the old one. */
static void mix_file(struct keep *keep, int file)
{
	struct file_id id = {};

	if (!file_id(file, "", &id)) {
		mix_u64(keep, id.dev);
		mix_u64(keep, id.inode);
	}
}

static void mix_event(struct keep *keep, const struct target_event *event)
{
	mix_u64(keep, event->type);
	mix_u64(keep, event->config);
	mix_u64(keep, event->period);
	mix_u64(keep, event->exclude_idle);
	mix_u64(keep, event->address);
	mix_u64(keep, event->length);
	mix_u64(keep, event->access);
}

static void mix_end(struct keep *keep, const struct binary_end *end)
{
	if (end->learns)
		keep_refuse(keep, "it learns where its functions return while it runs");
	mix_u64(keep, end->offset);
	mix_u64(keep, end->kind);
	mix_u64(keep, end->handed);
	mix_u64(keep, end->condition);
}

static void mix_target(struct keep *keep, const struct target *target)
{
	mix_u64(keep, target->kind);
	mix_u64(keep, target->ret);
	mix_u64(keep, target->slot);
	mix_u64(keep, target->addr);
	mix_u64(keep, target->offset);
	mix_u64(keep, target->calls);
	mix_u64(keep, target->ref_ctr);
	mix_u64(keep, target->syscall);
	mix_u64(keep, target->key);
	mix_u64(keep, target->n_ends);
	for (size_t i = 0; i < target->n_ends; i++)
		mix_end(keep, &target->ends[i]);
	mix_text(keep, target->name);
	mix_text(keep, target->object);
	mix_text(keep, target->label);
	if (target->event)
		mix_event(keep, target->event);
	if (target->kind == TARGET_USER)
		mix_file(keep, target->file);
}

void keep_attach_new(struct keep *keep, struct attach *attach)
{
	if (!keep)
		return;
	/* its number may be another one's after the end of sonde */
	if (attach->options.pid)
		keep_refuse(keep, "it traces a certain process");
	mix_u64(keep, attach->set->n);
	vec_each(target, attach->set)
		mix_target(keep, target);
	attach->identity = keep->identity;
	*vec_push(&keep->attaches) = attach;
}

void keep_attach_free(struct keep *keep, struct attach *attach)
{
	size_t n = 0;

	if (!keep)
		return;
	for (size_t i = 0; i < keep->attaches.n; i++)
		if (keep->attaches.v[i] != attach)
			keep->attaches.v[n++] = keep->attaches.v[i];
	keep->attaches.n = n;
}

/* --- adopting --- */

static bool fits(const struct attach *attach, const struct kept_attach *kept)
{
	size_t n_slots = attach->set->n_slots;

	if (kept->identity != attach->identity || kept->targets.n != attach->set->n)
		return false;
	if (kept->missed.n && kept->missed.n != n_slots + 1)
		return false;
	vec_each(link, &kept->links)
		if (link->slot != SLOT_NONE && link->slot >= n_slots)
			return false;
	vec_each(copy, &kept->copies)
		if (copy->copy.how == SLOT_CONSTANT && copy->copy.value >= n_slots)
			return false;
	return true;
}

static void adopt_targets(struct attach *attach, const struct kept_attach *kept)
{
	for (size_t i = 0; i < kept->targets.n; i++) {
		const struct kept_target *from = &kept->targets.v[i];
		struct candidate *to = &attach->candidates[i];

		to->attached = from->attached;
		to->by = from->by;
		to->why_not = from->why_not ? pool_add(&attach->reasons, from->why_not) : NULL;
		attach->attached += from->attached;
	}
}

static void adopt_pauses(struct pauses *pauses, const struct kept_attach *kept)
{
	pauses->adopted = kept->paused;
	if (!kept->missed.n)
		return;
	pauses->missed = base_alloc(kept->missed.n * sizeof(*pauses->missed));
	memcpy(pauses->missed, kept->missed.v, kept->missed.n * sizeof(*pauses->missed));
}

/* Each descriptor belongs to one attach: the second that asks for it does not find it. */
static int adopt_fds(struct keep *keep, struct attach *attach, const struct kept_attach *kept)
{
	vec_each(from, &kept->links) {
		int fd = keep_take(keep, from->kind, from->id);

		if (fd < 0)
			return fd;
		*vec_push(&attach->links) = (struct link){ .fd = fd, .mech = from->mech, .slot = from->slot };
	}
	vec_each(from, &kept->copies) {
		int fd = keep_take(keep, KEEP_PROGRAM, from->id);

		if (fd < 0)
			return fd;
		*vec_push(&attach->copies) = (struct loaded){ .copy = from->copy, .fd = fd, .only_kept = from->gated };
	}
	return 0;
}

int keep_attach_adopt(struct keep *keep, struct attach *attach, struct err *err)
{
	const struct kept_attach *kept = NULL;

	if (!keep_is_adopted(keep) || keep->complete)
		return -ENOENT;
	if (attach->adopted)
		return 0;
	for (size_t i = 0; i < keep->attaches.n && i < keep->text.attaches.n; i++)
		if (keep->attaches.v[i] == attach)
			kept = &keep->text.attaches.v[i];
	if (!kept || !fits(attach, kept))
		return keep_stale(err, "it traces something else");
	adopt_targets(attach, kept);
	adopt_pauses(&attach->pauses, kept);
	attach->adopted = true;
	return adopt_fds(keep, attach, kept) ? keep_stale(err, "a descriptor is missing") : 0;
}
