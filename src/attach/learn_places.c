// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes the ends of functions that jumps by pointers lead to, each once for all processes. Bounds how many: for each
 * place, function and user.
 */
#include "base/report.h"
#include "learn.h"
#include "mechanism.h"

/*
 * A place is probed for so many functions at most, and a function's calls at so many places: where all functions of a
 * library are probed, a program would else run at each end of free(). And so many places, and ends of them, in all.
 */
#define FUNCTIONS_MAX 16
#define PLACES_OF_ONE 64
#define PLACES_MAX    2048
#define ENDS_MAX      8192

/* What is bounded: the functions of a place (slot ANY), or the places of a function (no id). */
struct claim {
	struct file_id id;
	uint64_t offset;
	uint32_t slot;
	uint32_t who; /* a user, or: */
};

#define ANY	  UINT32_MAX
#define EVERYBODY UINT32_MAX
#define ALL_USERS (UINT32_MAX - 1) /* all but root */

/* The only plan of an attach that learns: one step, and each target on its own. */
static const struct image *image_of(const struct attach *attach)
{
	return attach->pauses.plans.v[0].steps[0].image;
}

/* A target that is attached, whose calls are matched in the same way. NULL: its slot has none. */
static const struct candidate *example_of(const struct attach *attach, uint32_t slot)
{
	for (size_t i = 0; i < attach->set->n; i++)
		if (attach->candidates[i].attached && attach->set->v[i].slot == slot)
			return &attach->candidates[i];
	return NULL;
}

const char *learn_label(const struct attach *attach, uint32_t slot)
{
	const struct candidate *example = example_of(attach, slot);

	return example ? example->target->label : NULL;
}

static bool is_own_end(const struct target *target, uint64_t offset)
{
	for (size_t i = 0; i < target->n_ends; i++)
		if (!target->ends[i].handed && target->ends[i].offset == offset)
			return true;
	return false;
}

/* A jump may lead back into the function itself: its own ends see the call already. */
static void drop_own_ends(const struct attach *attach, uint32_t slot, const struct learn_code *code, struct binary_ends *ends)
{
	for (size_t i = 0; i < attach->set->n; i++) {
		const struct target *target = &attach->set->v[i];
		struct file_id id;
		size_t n = 0;

		if (target->slot != slot || !target->n_ends || file_id(target->file, "", &id) ||
		    !file_id_same(&id, &code->file.id.id))
			continue;
		for (size_t e = 0; e < ends->n; e++)
			if (!is_own_end(target, ends->v[e].offset))
				ends->v[n++] = ends->v[e];
		ends->n = n;
	}
}

/* Attaches the program of a slot to ends in another function. Returns whether it did. */
static bool attach_ends(struct attach *attach, const struct candidate *example, int file, const struct binary_ends *ends)
{
	int (*progress)(void *, size_t, size_t) = attach->options.progress;
	struct target target = *example->target;
	struct candidate candidate = { .target = &target, .asked = example->by };
	size_t before = attach->attached;

	target.file = file;
	target.ends = ends->v;
	target.n_ends = ends->n;
	target.ref_ctr = 0;
	/* it is no target of the set, and nobody waits for it */
	attach->options.progress = NULL;
	plan_attach_one(attach, image_of(attach), &candidate);
	attach->options.progress = progress;
	attach->attached = before;
	if (!candidate.attached)
		report_verbose("ends of %s elsewhere: %s", target.label, candidate.why_not ?: "not attached");
	return candidate.attached;
}

/* Whether so many ends find room. They are taken then. */
static bool take_ends(struct learned *learned, uid_t uid, size_t n)
{
	if (learned->n_ends + n > ENDS_MAX)
		return false;
	if (shares_left(&learned->shares, uid, LEARN_PLACES) < n) {
		if (shares_refuse(&learned->shares, uid, LEARN_NO_PLACE, NULL))
			report_note("returns are missing: programs of user %u jump by pointers to functions that end in too many "
				    "places",
				    uid);
		return false;
	}
	learned->n_ends += n;
	shares_take(&learned->shares, uid, LEARN_PLACES, n);
	return true;
}

static bool probe_ends(struct attach *attach, const struct candidate *example, uid_t uid, const struct learn_code *code)
{
	struct err err = {};
	struct binary *binary = learn_file(&attach->learned, &code->file, &err);
	struct binary_ends ends = {};
	bool done = false;

	if (!binary || binary_find_handed_ends(binary, code->offset, &ends, &err))
		report_verbose("ends of %s elsewhere: %s", example->target->label, err.text);
	else if (!binary_ends_keep_values(&ends, true))
		report_verbose("ends of %s elsewhere: it is not known what they return", example->target->label);
	else
		drop_own_ends(attach, example->target->slot, code, &ends);
	done = ends.n && take_ends(&attach->learned, uid, ends.n) && attach_ends(attach, example, code->file.fd, &ends);
	free(ends.v);
	return done;
}

static uint32_t count_of(const struct learned *learned, struct claim claim, uint32_t who)
{
	uint32_t number;

	claim.who = who;
	number = set_find(&learned->claims, &claim, sizeof(claim));
	return number == SET_NONE ? 0 : learned->claimed.v[number];
}

/* Whether one more is below the bound: of all, and the share of the user. */
static bool has_room(const struct learned *learned, const struct claim *claim, uid_t uid, uint32_t max)
{
	return count_of(learned, *claim, EVERYBODY) < max &&
	       (!uid || learned->shares.off ||
		(count_of(learned, *claim, uid) < max / 4 && count_of(learned, *claim, ALL_USERS) < max / 2));
}

static void add_one(struct learned *learned, struct claim claim, uint32_t who)
{
	uint32_t number;

	claim.who = who;
	number = set_add(&learned->claims, &claim, sizeof(claim));
	if (number == learned->claimed.n)
		*vec_push(&learned->claimed) = 0;
	learned->claimed.v[number]++;
}

static void take(struct learned *learned, const struct claim *claim, uid_t uid)
{
	add_one(learned, *claim, EVERYBODY);
	if (!uid)
		return;
	add_one(learned, *claim, uid);
	add_one(learned, *claim, ALL_USERS);
}

/* Nothing is remembered of what finds no room: there is no end of it. */
static bool take_place(struct learned *learned, const struct file_id *id, uint64_t offset, uint32_t slot, uid_t uid)
{
	const struct claim place = { .id = *id, .offset = offset, .slot = ANY }, function = { .slot = slot };

	if (learned->probed.n >= PLACES_MAX || !has_room(learned, &place, uid, FUNCTIONS_MAX) ||
	    !has_room(learned, &function, uid, PLACES_OF_ONE))
		return false;
	take(learned, &place, uid);
	take(learned, &function, uid);
	return true;
}

bool learn_place(struct attach *attach, const struct gate_lead *lead, uid_t uid, const struct learn_code *code, bool *was)
{
	const struct candidate *example = example_of(attach, lead->slot);
	struct learned *learned = &attach->learned;
	struct {
		struct file_id id;
		uint64_t offset, slot;
	} place = { .id = code->file.id.id, .offset = code->offset, .slot = lead->slot };
	uint32_t number = example ? set_find(&learned->places, &place, sizeof(place)) : SET_NONE;

	*was = number != SET_NONE;
	if (*was)
		return learned->probed.v[number];
	if (!example || !take_place(learned, &place.id, place.offset, lead->slot, uid))
		return false;
	set_add(&learned->places, &place, sizeof(place));
	*vec_push(&learned->probed) = probe_ends(attach, example, uid, code);
	return learned->probed.v[learned->probed.n - 1];
}

void learn_places_release(struct learned *learned)
{
	vec_each(user, &learned->shares)
		shares_return(&learned->shares, user->uid, LEARN_PLACES, user->used[LEARN_PLACES]);
	set_release(&learned->places);
	set_release(&learned->claims);
	free(learned->probed.v);
	free(learned->claimed.v);
	learned->probed = (typeof(learned->probed)){};
	learned->claimed = (typeof(learned->claimed)){};
	learned->n_ends = 0;
}
