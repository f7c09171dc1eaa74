// SPDX-License-Identifier: BSD-2-Clause
/*
 * Learns where probed functions hand their calls over to by pointers. gate.c notes each address in a map; here its file is
 * found by the mappings of the process, and the ends of the function there are probed from then on, for the calls that
 * were handed over. What cannot be found stays counted in the map.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file_id.h"
#include "base/report.h"
#include "binary/maps.h"
#include "learn.h"
#include "mechanism.h"

/* How often to look for new addresses; more rarely if there are many, for all of them are looked at. */
#define LOOK_MS	      50
#define LEADS_IN_A_MS 2

/* The code at an address of a process. */
struct code {
	uint64_t address;
	pid_t pid;
	int file; /* out: a descriptor; -1: unknown */
	uint64_t offset;
};

static int open_mapped(pid_t pid, const struct mapping *m)
{
	__free char *link = base_printf("/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)m->start,
					(unsigned long long)m->end);
	__free char *path = base_printf("/proc/%d/root%s", (int)pid, m->path);
	int fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	/* whoever may not open the link may open the file */
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == m->inode)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int look_at(const struct mapping *m, void *ctx)
{
	struct code *code = ctx;

	if (code->address < m->start || code->address >= m->end)
		return 0;
	if (m->exec && m->inode)
		code->file = open_mapped(code->pid, m);
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

/* Attaches the program of a slot to ends in another function. Returns whether it did. */
static bool attach_ends(struct attach *attach, const struct candidate *example, int file, const struct binary_ends *ends)
{
	struct target target = *example->target;
	struct candidate candidate = { .target = &target, .asked = example->by };
	size_t before = attach->attached;

	target.file = file;
	target.ends = ends->v;
	target.n_ends = ends->n;
	target.ref_ctr = 0;
	plan_attach_one(attach, image_of(attach), &candidate);
	/* it is no target of the set */
	attach->attached = before;
	if (!candidate.attached)
		report_verbose("ends of %s elsewhere: %s", target.label, candidate.why_not ?: "not attached");
	return candidate.attached;
}

static bool probe_ends(struct attach *attach, const struct candidate *example, const struct code *code)
{
	__free char *path = base_printf("/proc/self/fd/%d", code->file);
	__cleanup(binary_closep) struct binary *binary = NULL;
	struct binary_ends ends = {};
	struct err err = {};
	bool done = false;

	if (!binary_open_fd(NULL, path, code->file, &binary, &err) &&
	    !binary_find_handed_ends(binary, code->offset, &ends, &err) && binary_ends_keep_values(&ends, true))
		done = attach_ends(attach, example, code->file, &ends);
	else
		report_verbose("ends of %s elsewhere: %s", example->target->label, err.text);
	free(ends.v);
	return done;
}

/* Processes share files: each place is probed once for a slot. */
static bool learn_place(struct attach *attach, const struct gate_lead *lead, const struct code *code)
{
	const struct candidate *example = example_of(attach, lead->slot);
	struct learned *learned = &attach->learned;
	struct {
		struct file_id id;
		uint64_t offset, slot;
	} place = { .offset = code->offset, .slot = lead->slot };
	uint32_t number;

	if (!example || file_id(code->file, "", &place.id))
		return false;
	number = set_add(&learned->places, &place, sizeof(place));
	if (number < learned->probed.n)
		return learned->probed.v[number];
	*vec_push(&learned->probed) = probe_ends(attach, example, code);
	return learned->probed.v[number];
}

static void learn(struct attach *attach, const struct gate_lead *lead)
{
	struct code code = { .address = lead->address, .pid = (pid_t)lead->pid, .file = -1 };
	uint64_t calls;

	maps_each(code.pid, look_at, &code);
	if (code.file < 0)
		return;
	if (learn_place(attach, lead, &code) && !bpf_map_lookup_elem(attach->gates.leads, lead, &calls)) {
		calls |= GATE_LEARNED;
		bpf_map_update_elem(attach->gates.leads, lead, &calls, BPF_EXIST);
		report_verbose("learned where a call of %s goes on, in process %u", example_of(attach, lead->slot)->target->label,
			       lead->pid);
	}
	close(code.file);
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
	if (set_find(&attach->learned.leads, lead, sizeof(*lead)) != SET_NONE)
		return;
	set_add(&attach->learned.leads, lead, sizeof(*lead));
	learn(attach, lead);
}

int attach_learn(struct attach *attach)
{
	if (!attach->gates.leads || attach->pauses.paused)
		return INT_MAX;
	each_lead(attach, learn_new);
	return LOOK_MS + (int)attach->learned.leads.n / LEADS_IN_A_MS;
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
	free(learned->probed.v);
	learned->probed = (typeof(learned->probed)){};
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
