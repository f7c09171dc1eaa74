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

/* A target, and what became of it. */
struct candidate {
	const struct target *target;
	enum mech asked; /* the mechanism that the plan insists on, MECH_AUTO none */
	uint32_t btf_id; /* of the kernel function, 0 not looked up */
	bool attached;
	enum mech by;	     /* how, where it is */
	const char *why_not; /* where it is not; NULL: nothing has tried yet */
};

struct attach {
	struct attach_options options;
	const struct target_set *set;
	struct candidate *candidates; /* of each target of the set */
	struct pool reasons;
	/* The attempt that is under way. */
	const struct image *image;
	enum mech only; /* the only mechanism, where that would be chosen; MECH_AUTO: any */
	bool session;	/* by mechanisms that run the program at entry and at return */

	bool shared; /* two runs of a program may write to one shard at a time */
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
};

struct mechanism {
	enum mech mech;
	enum target_kind kind;
	bool session; /* runs a program at entry and at return: for attempts at that only */
	/* Why it cannot serve this target although it may serve others, of n that it could; NULL: it can be tried. */
	const char *(*refuses)(const struct attach *attach, const struct candidate *candidate, size_t n);
	/*
	 * Attaches what it can: calls attached() for each that is, and sets why_not of each that is not.
	 * A negative return says that this kernel does not have the mechanism at all, and err says why.
	 */
	int (*attach)(struct attach *attach, struct candidate **candidates, size_t n, struct err *err);
};

extern const struct mechanism mechanism_fentry, mechanism_kprobe_session, mechanism_kprobe_multi, mechanism_kprobe,
	mechanism_raw_tp, mechanism_tp, mechanism_uprobe_multi, mechanism_uprobe;

/* The fd of the copy, loaded now or before; the attach's own. Or -errno, with attach->rejected. */
int copy_load(struct attach *attach, const struct copy *copy);

/* The only mechanism that may attach it, which the user, the plan or the spec has asked for; MECH_AUTO: any. */
enum mech attach_asked(const struct attach *attach, const struct candidate *candidate);

/* -EINTR when it is time to stop. */
int attach_interrupted(struct attach *attach);
/* The attach owns the link from now on; it serves n targets. -EINTR when it is time to stop. */
int attached(struct attach *attach, int fd, enum mech mech, struct candidate **candidates, size_t n);

/* Attaches one by one: one() returns the link's fd, or why not. */
typedef int (*attach_one_fn)(struct attach *attach, struct candidate *candidate);
int attach_each(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
		attach_one_fn one);

/* One more link of a target that attached() is called for. */
void attached_also(struct attach *attach, int fd, enum mech mech);

/*
 * Attaches many targets with one call, and each half by itself if that fails: one bad target
 * fails all, and some kernels have no memory for many. many() returns the link's fd, or why not.
 */
typedef int (*attach_many_fn)(struct attach *attach, struct candidate **candidates, size_t n);
int attach_halving(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
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
