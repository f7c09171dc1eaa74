// SPDX-License-Identifier: BSD-2-Clause
/*
 * Learns where probed functions hand their calls over to by pointers. gate.c notes each address in a map; here its file is
 * found by the mappings of the process, and the ends of the function there are probed from then on, for the calls that
 * were handed over. What cannot be found stays counted in the map.
 */
#include <signal.h>

#include "base/clock.h"
#include "base/report.h"
#include "learn.h"
#include "mechanism.h"
#include "unwind/module_file.h"

/* How often to look for new addresses, and for how long: files are read meanwhile, and nothing else is done. */
#define LOOK_MS	  50
#define BUDGET_MS 20

/*
 * A place is probed for so many functions at most, and a function's calls at so many places: where all functions of a
 * library are probed, a program would else run at each end of free(). And so many places in all.
 */
#define FUNCTIONS_MAX 16
#define PLACES_OF_ONE 64
#define PLACES_MAX    2048

/* The code at an address of a process. */
struct code {
	uint64_t address;
	pid_t pid;
	struct module_file file; /* out: fd -1: unknown */
	uint64_t offset;
};

/* A file that a program serves answers when that program wants. */
static int look_at(const struct mapping *m, void *ctx)
{
	struct code *code = ctx;

	if (code->address < m->start || code->address >= m->end)
		return 0;
	if (!m->exec || !m->inode || module_file_is_served(code->pid, m->dev) ||
	    module_file_open(&code->file, code->pid, m))
		code->file.fd = -1;
	code->offset = code->address - m->start + m->offset;
	return 1;
}

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

static bool is_own_end(const struct target *target, uint64_t offset)
{
	for (size_t i = 0; i < target->n_ends; i++)
		if (!target->ends[i].handed && target->ends[i].offset == offset)
			return true;
	return false;
}

/* A jump may lead back into the function itself: its own ends see the call already. */
static void drop_own_ends(const struct attach *attach, uint32_t slot, const struct code *code, struct binary_ends *ends)
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

/* Debug files are searched where the process sees them. */
static bool probe_ends(struct attach *attach, const struct candidate *example, const struct code *code)
{
	__free char *path = base_printf("%s/proc/self/fd/%d", code->file.root ?: "", code->file.fd);
	__cleanup(binary_closep) struct binary *binary = NULL;
	struct binary_ends ends = {};
	struct err err = {};
	bool done = false;

	if (binary_open_fd(code->file.root, path, code->file.fd, &binary, &err) ||
	    binary_find_handed_ends(binary, code->offset, &ends, &err))
		report_verbose("ends of %s elsewhere: %s", example->target->label, err.text);
	else if (!binary_ends_keep_values(&ends, true))
		report_verbose("ends of %s elsewhere: it is not known what they return", example->target->label);
	else
		drop_own_ends(attach, example->target->slot, code, &ends);
	done = ends.n && attach_ends(attach, example, code->file.fd, &ends);
	free(ends.v);
	return done;
}

static uint32_t *counter(struct learned *learned, struct set *set, const void *key, size_t len)
{
	uint32_t number = set_add(set, key, len);
	struct counters *counters = set == &learned->codes ? &learned->functions : &learned->places_of;

	if (number == counters->n)
		*vec_push(counters) = 0;
	return &counters->v[number];
}

static bool has_room(struct learned *learned, const struct file_id *id, uint64_t offset, uint32_t slot)
{
	struct {
		struct file_id id;
		uint64_t offset;
	} key = { .id = *id, .offset = offset };

	return learned->probed.n < PLACES_MAX &&
	       ++*counter(learned, &learned->codes, &key, sizeof(key)) <= FUNCTIONS_MAX &&
	       ++*counter(learned, &learned->slots, &slot, sizeof(slot)) <= PLACES_OF_ONE;
}

/*
 * Processes share files: each place is probed once for a slot. Returns whether it is; *was: it was before.
 */
static bool learn_place(struct attach *attach, const struct gate_lead *lead, const struct code *code, bool *was)
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
	if (!example || !has_room(learned, &place.id, place.offset, lead->slot))
		return false;
	set_add(&learned->places, &place, sizeof(place));
	*vec_push(&learned->probed) = probe_ends(attach, example, code);
	return learned->probed.v[learned->probed.n - 1];
}

/* Where the place was probed before, the calls were seen. */
static void learn(struct attach *attach, const struct gate_lead *lead)
{
	struct code code = { .address = lead->address, .pid = (pid_t)lead->pid, .file.fd = -1 };
	uint64_t calls;
	bool was;

	maps_each(code.pid, look_at, &code);
	if (code.file.fd < 0)
		return;
	if (learn_place(attach, lead, &code, &was) && !bpf_map_lookup_elem(attach->gates.leads, lead, &calls)) {
		calls = was ? GATE_LEARNED : calls | GATE_LEARNED;
		bpf_map_update_elem(attach->gates.leads, lead, &calls, BPF_EXIST);
		report_verbose("learned where a call of %s goes on, in process %u", example_of(attach, lead->slot)->target->label,
			       lead->pid);
	}
	close(code.file.fd);
	free(code.file.root);
}

typedef void (*lead_fn)(struct attach *attach, const struct gate_lead *lead);

static void each_lead(struct attach *attach, lead_fn fn)
{
	struct gate_lead lead, *last = NULL;

	while (attach->gates.leads && !bpf_map_get_next_key(attach->gates.leads, last, &lead)) {
		struct gate_lead this = lead;

		last = &lead;
		fn(attach, &this);
	}
}

static void learn_new(struct attach *attach, const struct gate_lead *lead)
{
	struct learned *learned = &attach->learned;

	learned->seen++;
	if (clock_monotonic_ns() > learned->until || set_find(&learned->leads, lead, sizeof(*lead)) != SET_NONE)
		return;
	set_add(&learned->leads, lead, sizeof(*lead));
	learn(attach, lead);
}

static void forget_ended(struct attach *attach, const struct gate_lead *lead)
{
	uint64_t calls;

	if (!kill((pid_t)lead->pid, 0) || errno != ESRCH)
		return;
	if (!bpf_map_lookup_elem(attach->gates.leads, lead, &calls))
		attach->learned.unlearned += calls & ~GATE_LEARNED;
	bpf_map_delete_elem(attach->gates.leads, lead);
}

/* What is known of processes that have ended makes room. The others are looked at again: their places are known. */
static void make_room(struct attach *attach)
{
	struct learned *learned = &attach->learned;

	if (learned->seen < GATE_LEADS_MAX / 2)
		return;
	if (learned->seen == GATE_LEADS_MAX && !learned->was_full) {
		report_note("returns are missing: pointers lead to more than %u places", GATE_LEADS_MAX);
		learned->was_full = true;
	}
	each_lead(attach, forget_ended);
	set_release(&learned->leads);
}

int attach_learn(struct attach *attach)
{
	struct learned *learned = &attach->learned;
	uint64_t now = clock_monotonic_ns();

	if (!attach->gates.leads || attach->pauses.paused)
		return INT_MAX;
	if (now < learned->next)
		return (learned->next - now) / NS_PER_MS + 1;
	learned->until = now + BUDGET_MS * NS_PER_MS;
	learned->seen = 0;
	each_lead(attach, learn_new);
	make_room(attach);
	learned->next = clock_monotonic_ns() + LOOK_MS * NS_PER_MS;
	return LOOK_MS;
}

static void add_unlearned(struct attach *attach, const struct gate_lead *lead)
{
	uint64_t calls;

	if (!bpf_map_lookup_elem(attach->gates.leads, lead, &calls))
		attach->learned.unlearned += calls & ~GATE_LEARNED;
}

uint64_t attach_unlearned(struct attach *attach)
{
	uint64_t before = attach->learned.unlearned, sum;

	each_lead(attach, add_unlearned);
	sum = attach->learned.unlearned;
	attach->learned.unlearned = before;
	return sum;
}

static void forget(struct attach *attach, const struct gate_lead *lead)
{
	bpf_map_delete_elem(attach->gates.leads, lead);
}

static void release_sets(struct learned *learned)
{
	set_release(&learned->leads);
	set_release(&learned->places);
	set_release(&learned->codes);
	set_release(&learned->slots);
	free(learned->probed.v);
	free(learned->functions.v);
	free(learned->places_of.v);
	learned->probed = (typeof(learned->probed)){};
	learned->functions = learned->places_of = (struct counters){};
}

void learn_forget(struct attach *attach)
{
	attach->learned.unlearned = attach_unlearned(attach);
	each_lead(attach, forget);
	release_sets(&attach->learned);
}

void learn_release(struct learned *learned)
{
	release_sets(learned);
}
