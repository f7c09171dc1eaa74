/* SPDX-License-Identifier: BSD-2-Clause */
/* Within attach/: the interface of a mechanism, and what mechanisms share. */
#ifndef SONDE_ATTACH_MECHANISM_H
#define SONDE_ATTACH_MECHANISM_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>

#include "attach.h"
#include "gate.h"
#include "learn.h"
#include "plan.h"
#include "bpf/context.h"
#include "bpf/latency.h"
#include "bpf/slot.h"

#define ENOTSUPP 524 /* the kernel's own, not in <errno.h> */

/* Describes a copy of an image to load. */
struct copy {
	enum bpf_prog_type type;
	enum bpf_attach_type attach_type;
	uint32_t btf_id; /* the function of a trampoline, 0: none */
	enum slot_how how;
	uint64_t value;
	uint64_t calls;	     /* target->calls */
	uint64_t btf_object; /* the number of the BTF that btf_id is in, a module's; 0: the kernel's own */
	uint64_t leaves;     /* 1: it runs where a function ends by a jump */
	uint64_t own_stack;  /* 1: it can be preempted by itself, and must run on the stack of the task */
	struct gate gate;
};

struct link {
	int fd; /* the link, or the perf event that holds the program */
	enum mech mech;
	uint32_t slot; /* SLOT_NONE if it serves several slots, or if other links serve the slot, too */
};

/* A target and its state. */
struct candidate {
	const struct target *target;
	enum mech asked;     /* the mechanism that the plan insists on, MECH_AUTO: none */
	uint32_t btf_id;     /* of the kernel function or the tracepoint, 0: not found, or not looked up */
	uint32_t btf_object; /* of a function of a module: the number of the module's BTF, 0: the kernel's own */
	bool looked_up;	     /* btf_id, btf_object and no_btf of a function are what was found */
	const char *no_btf;  /* why there is none of its module; NULL: there is, or it was not looked for */
	bool attached;
	enum mech by;	     /* if attached: by which mechanism */
	const char *why_not; /* if not: the reason; NULL: not tried yet */
	bool paused;	     /* was attached before the pause, by the mechanism `by` */
};

struct attach {
	struct attach_options options;
	const struct target_set *set;
	struct candidate *candidates; /* one for each target of the set */
	size_t n_candidates;
	struct pool reasons;
	/* The present attempt. */
	const struct image *image;
	enum mech only; /* the only mechanism to use, if it would be chosen; MECH_AUTO: any */
	bool session;	/* use mechanisms that run the program at entry and at return */

	/* Where programs find the kprobe that runs, for SLOT_KPROBE_IP; 0: not looked up, or not known. */
	struct kprobe_place {
		uint64_t offsets, running; /* addresses of __per_cpu_offset and current_kprobe */
	} kprobe;

	bool knows_tracepoints; /* btf_id of tracepoints was looked up */
	bool shared;		/* two runs of a program may write to one shard at a time */
	struct links {
		vec(struct link);
	} links;
	struct copies {
		struct loaded {
			const struct image *of; /* NULL: adopted, and not used since */
			struct copy copy;
			int fd;
			bool again;	/* used since the last attach_resume() began */
			bool only_kept; /* it serves links of the process before us, and no new ones */
			bool ahead;	/* loaded before it was asked for */
		} * v;
		size_t n, cap;
	} copies;
	struct gate_maps gates;
	struct learned learned;
	const char *rejected; /* why the kernel rejected the last copy; NULL: the copy was not the reason */
	size_t attached;
	uint64_t identity; /* of the line up to these targets, see keep.h */
	bool adopted;	   /* its links and copies are those of a process before us */
	int returns_link;  /* of the program that reads what kretprobes have missed; 0: not loaded */
	struct pauses {
		struct plans {
			struct plan {
				struct plan_step *steps;
				size_t n;
			} * v;
			size_t n, cap;
		} plans; /* all that were carried out, in this order */
		struct fds {
			vec(int);
		} maps;		  /* to clear at resume; the caller's */
		uint64_t *missed; /* by closed links: by slot, and the others. NULL: there was no pause */
		/* of attach_missed_returns(), by closed links, and its last error */
		uint64_t missed_returns;
		int unknown_returns;
		char why[96]; /* why_not of the targets in the pause */
		bool paused, resuming;
		bool adopted; /* the process before us was in a pause when it ended */
	} pauses;
};

struct mechanism {
	enum mech mech;
	enum target_kind kind;
	bool session; /* runs a program at entry and at return; used only for sessions */
	/* Returns why it cannot attach this target, one of n targets of its kind; NULL: it can be tried. */
	const char *(*refuses)(const struct attach *attach, const struct candidate *candidate, size_t n);
	/*
	 * Attaches what it can. Calls attached() for each target that it attached, and sets why_not of the others.
	 * Returns 0, or -errno with err if this kernel does not have the mechanism at all.
	 */
	int (*attach)(struct attach *attach, struct candidate **candidates, size_t n, struct err *err);
	/*
	 * Sets the copies of attach->image that attach() will load first for the candidates, n at the most, if it is known
	 * which. Returns how many. May sort the candidates. NULL: it is not known.
	 */
	size_t (*ahead)(struct attach *attach, struct candidate **candidates, size_t n, struct copy *copies);
};

extern const struct mechanism mechanism_fentry, mechanism_fsession_multi, mechanism_fentry_multi,
	mechanism_kprobe_session, mechanism_kprobe_multi, mechanism_kprobe,
	mechanism_raw_tp, mechanism_tp, mechanism_uprobe_multi, mechanism_uprobe, mechanism_event;

/*
 * Loads a copy, or finds it if it is loaded already. Returns an fd, which attach owns, or -errno with
 * attach->rejected.
 */
int copy_load(struct attach *attach, const struct copy *copy);
/* Loads a copy that is not among the others yet. Several may run at a time. Returns an fd, which is the caller's, or -errno. */
int copy_load_ahead(const struct attach *attach, const struct image *image, const struct copy *copy);

/* Copies to load before they are asked for. Initialise with {}. */
struct ahead_list {
	struct ahead {
		const struct image *image;
		struct copy copy;
		int fd;
	} * v;
	size_t n, cap;
};

/* Adds the copies of attach->image that the mechanism will load for the candidates. */
void ahead_add(struct ahead_list *list, struct attach *attach, const struct mechanism *mechanism,
	       struct candidate **candidates, size_t n);
/* Loads them at the same time, if there are several, and processors for them. copy_load() finds them. */
void ahead_load(struct ahead_list *list, struct attach *attach);
/* Closes those that nobody has asked for, and releases the list. */
void ahead_end(struct ahead_list *list, struct attach *attach);

/* Remembers a plan, for attach_resume(). */
void pause_add_plan(struct attach *attach, const struct plan_step *steps, size_t n);
/* Of an attach that has adopted its links: -ENOENT if there are none, as in a pause, which ends then; otherwise 0. */
int pause_is_adopted(struct attach *attach, struct err *err);
void pauses_release(struct pauses *pauses);
/* Carries out steps. Returns 0, or -EINTR if it is time to stop. */
int plan_run_steps(struct attach *attach, const struct plan_step *steps, size_t n);
/* Attaches a copy of an image to a candidate that need not be of the set. */
void plan_attach_one(struct attach *attach, const struct image *image, struct candidate *candidate);
/* Closes all links, and waits until no program runs any more. */
void attach_close_links(struct links *links);
/* Adds what the links have missed so far, as attach_missed() does. */
void attach_add_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others);

/* Replaces a loaded copy by one like it: some programs can be attached only once. Returns its fd, or -errno. */
int copy_load_anew(struct attach *attach, int program);

/*
 * Sorts by name, and sets btf_id of those that are in the BTF of the kernel or of their module, or no_btf. Returns 0, or
 * -errno with err: the kernel has none.
 */
int btf_ids_of_functions(struct attach *attach, struct candidate **candidates, size_t n, struct err *err);
/* The same for the tracepoints of the set, all at once. None, if there is no BTF. */
void btf_ids_of_tracepoints(struct attach *attach);

/* Returns the only mechanism that the user, the plan or the spec allows; MECH_AUTO: any. */
enum mech attach_asked(const struct attach *attach, const struct candidate *candidate);

/*
 * Records a link that serves n targets; attach owns fd from now on. Returns -EINTR if it is time to stop, otherwise 0.
 */
int attached(struct attach *attach, int fd, enum mech mech, struct candidate **candidates, size_t n);

/* Returns -EINTR if it is time to stop, otherwise 0. Shows how far it is. */
int attach_interrupted(struct attach *attach);

/* Attaches targets one by one. one() returns the fd of the link, or -errno. */
typedef int (*attach_one_fn)(struct attach *attach, struct candidate *candidate);
int attach_each(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
		attach_one_fn one);

/* Records one more link of a target for which attached() is called. */
void attached_also(struct attach *attach, int fd, enum mech mech);

/*
 * Attaches many targets with one call, and each half on its own if that fails: one bad target makes all fail, and some
 * kernels have no memory for many. many() returns the fd of the link, or -errno.
 */
typedef int (*attach_many_fn)(struct attach *attach, struct candidate **candidates, size_t n);
int attach_halving(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
		   attach_many_fn many);

/* Perf events for probes belong to PMUs with dynamic types. type < 0: there is no such PMU. */
struct perf_pmu {
	int type;
	int return_bit, ref_ctr_bit; /* in attr.config */
};

const struct perf_pmu *perf_pmu_kprobe(void);
const struct perf_pmu *perf_pmu_uprobe(void);

/* Describes a copy that finds the slot by cookie; on a kernel without cookies, a copy for this slot. */
struct copy copy_by_cookie(enum bpf_prog_type type, const struct target *target);

/*
 * Opens the event and attaches the program. Returns the fd of a link if the kernel has perf links, else of the event.
 */
int perf_attach(struct attach *attach, struct perf_event_attr *attr, pid_t pid,
		const struct copy *copy, const struct target *target);

/*
 * The same for a program that is loaded, and an event of a process (pid > 0: on all processors) or of a processor. A
 * kernel with cookies passes this one to the program.
 */
int perf_link(int program, struct perf_event_attr *attr, pid_t pid, int cpu, uint64_t cookie);

/*
 * Fills in the kernel's numbers of its functions for sessions, if a copy of the image calls any. A kernel without these
 * functions has no sessions either, and loads no program that calls them.
 */
void session_patch(const struct image *image, struct bpf_insn *copy);

/* The perfect hash of the set's kernel addresses, see bpf/slot.h. */
struct slot_table {
	struct slot_hash hash;
	uint32_t n_buckets, n_cells;
	uint32_t *buckets;
	struct slot_cell *cells;
};

int slot_table_build(struct slot_table *table, const struct target_set *set);
void slot_table_release(struct slot_table *table);

#endif
