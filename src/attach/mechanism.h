/* SPDX-License-Identifier: BSD-2-Clause */
/* Within attach/: what a mechanism is, and what all of them share. */
#ifndef SONDE_MECHANISM_H
#define SONDE_MECHANISM_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "attach.h"
#include "bpf/context.h"
#include "bpf/slot.h"

#define ENOTSUPP 524 /* the kernel's own, not in <errno.h> */

/* A copy of an image, as it is to be loaded. */
struct copy {
	enum bpf_prog_type type;
	enum bpf_attach_type attach_type;
	uint32_t btf_id; /* what a trampoline hangs on, 0 none */
	enum slot_how how;
	uint64_t value;
	uint64_t go; /* target->go */
};

struct link {
	int fd; /* of the link, or of the perf event that holds the program */
	enum mech mech;
	uint32_t slot; /* SLOT_NONE where it serves several, or others serve it as well */
};

struct attach {
	struct attach_options options;
	struct target_set *set;
	const struct image *image; /* of the group that is being attached */
	uint32_t group;
	enum mech only; /* the one that is to be used of those that may be; MECH_AUTO: any */
	bool shared;	/* two runs of a program may write to one shard at a time */
	struct links {
		struct link *v;
		size_t n, cap;
	} links;
	struct copies {
		struct loaded {
			const struct image *of;
			struct copy copy;
			int fd;
		} * v;
		size_t n, cap;
	} copies;
	const char *rejected; /* why the kernel did not load the last copy, where the copy is to blame; NULL: it is not */
	size_t attached;
	size_t total;
};

struct mechanism {
	enum mech mech;
	enum target_kind kind;
	bool session; /* for targets that are sessions, and only for them */
	/* Why it cannot serve this target although it may serve others; NULL: it can be tried. */
	const char *(*refuses)(const struct attach *attach, const struct target *target, size_t n);
	/*
	 * Attaches what it can: attached() for each that is, target->failed for each that is not.
	 * A negative return says that the mechanism is not to be had at all, why in err.
	 */
	int (*attach)(struct attach *attach, struct target **targets, size_t n, struct err *err);
};

extern const struct mechanism mechanism_fentry, mechanism_kprobe_session, mechanism_kprobe_multi, mechanism_kprobe,
	mechanism_raw_tp, mechanism_tp, mechanism_uprobe_multi, mechanism_uprobe;

/* The fd of the copy, loaded now or before; the attach's own. Or -errno, with attach->rejected. */
int copy_load(struct attach *attach, const struct copy *copy);

/* The link is the attach's from here on; n targets hang on it. -EINTR when it is time to stop. */
int attached(struct attach *attach, int fd, enum mech mech, struct target **targets, size_t n);

/* Attaches one by one: one() gives the link's fd, or why not. */
typedef int (*attach_one_fn)(struct attach *attach, struct target *target);
int attach_each(struct attach *attach, struct target **targets, size_t n, enum mech mech,
		attach_one_fn one);

/* One more link of a target that attached() is called for. */
void attached_also(struct attach *attach, int fd, enum mech mech);

/*
 * Attaches a set of targets with one call, and halves of it where the whole fails: one bad target
 * fails all, and some kernels have no memory for many. many() gives the link's fd, or why not.
 */
typedef int (*attach_many_fn)(struct attach *attach, struct target **targets, size_t n);
int attach_halving(struct attach *attach, struct target **targets, size_t n, enum mech mech,
		   attach_many_fn many);

/* Perf events that stand for a probe are of PMUs with dynamic types; type < 0: there is no such PMU. */
struct perf_pmu {
	int type;
	int return_bit, ref_ctr_bit; /* in attr.config */
};

const struct perf_pmu *perf_pmu_kprobe(void);
const struct perf_pmu *perf_pmu_uprobe(void);

/* By cookie, or one copy for each slot on a kernel without cookies. */
struct copy copy_by_cookie(enum bpf_prog_type type, const struct target *target);

/* Opens the event with the program on it: a link fd where the kernel has those, else the event's. */
int perf_attach(struct attach *attach, struct perf_event_attr *attr, pid_t pid,
		const struct copy *copy, const struct target *target);

/*
 * Fills in the kernel's numbers of its functions of sessions, where a copy of the image calls any. A kernel without these functions has
 * no sessions either, and loads no program that calls them.
 */
void session_patch(const struct image *image, struct bpf_insn *copy);

/* Perfect hash of the set's kernel addresses; see bpf/slot.h. */
struct slot_table {
	struct slot_hash hash;
	uint32_t n_buckets, n_cells;
	uint32_t *buckets;
	struct slot_cell *cells;
};

int slot_table_build(struct slot_table *table, const struct target_set *set);
void slot_table_release(struct slot_table *table);

#endif
