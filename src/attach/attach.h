/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns targets into links. A plan (plan.h) says which images are attached to which targets. Targets that one mechanism
 * cannot attach fall through to the next; any left over have a reason, which attach_why_not() returns.
 */
#ifndef SONDE_ATTACH_ATTACH_H
#define SONDE_ATTACH_ATTACH_H

#include "image.h"
#include "probe/target.h"

struct attach;
struct bpf_object;
struct str;
struct keep;

struct attach_options {
	enum mech mech; /* the only one to use, or MECH_AUTO */
	bool shared;	/* programs of several slots or processors write to one shard: increments are atomic */
	pid_t pid;	/* user functions and breakpoints: only in this process, 0: in all */
	bool arguments; /* the programs call context_arg() or context_ret(): no trampolines without their helpers */
	bool registers; /* the programs read the registers of the probed place: no trampolines */
	/* the programs read perf's record of a tracepoint: each tracepoint has an event of its own */
	bool record;
	bool must_not_miss; /* a hit that the kernel skips is lost: try mechanisms without skips first */
	/* Called now and then while attaching; a result other than 0 stops with -EINTR. May be NULL. */
	int (*progress)(void *ctx, size_t done, size_t total);
	/*
	 * Called before links are made again after a pause: clears what attach_clear_at_resume() cannot. Returns 0 or
	 * -errno. May be NULL.
	 */
	int (*forget)(void *ctx);
	void *ctx;	   /* of both */
	struct keep *keep; /* whose kept links to adopt, see keep.h; NULL: none. It must outlive the attach */
};

/*
 * Sizes and fills the data of bpf/slot.bpf.h in an object that is open and not yet prepared. Programs use it to find
 * out which target of the set was hit. Returns 0, or -errno with err.
 */
int attach_fill_slots(struct bpf_object *object, const struct target_set *set, struct err *err);
/* Attaches nothing yet, see plan.h. The set stays the caller's, and must outlive the result. */
struct attach *attach_new(const struct target_set *set, const struct attach_options *options);
/* Call it when targets were added to the end of the set, before a plan has them. */
void attach_grow(struct attach *attach);

/* After plan_run(): true if the target with this index in the set is attached; and why it is not, NULL: it is. */
bool attach_is_attached(const struct attach *attach, size_t target);
const char *attach_why_not(const struct attach *attach, size_t target);
/*
 * The same for a set of functions at both ends, first all entries and then their returns in the same order: a return is
 * served as well if a session has attached the entry, for that runs at both ends.
 */
bool attach_is_served(const struct attach *attach, size_t target);
size_t attach_count(const struct attach *attach); /* returns the number of attached targets */
/* How many user functions and USDT probes this process has attached to, whoever asked, and whether they still are. */
size_t attach_user_probes(void);
/*
 * The targets of the set, attached or not: their number, that of their slots, and one as a spec: "kprobe:vfs_read",
 * "uprobe:/bin/ls:main".
 */
size_t attach_targets(const struct attach *attach);
size_t attach_slots(const struct attach *attach);
void attach_add_name(struct str *to, const struct attach *attach, size_t target);
/* Returns the mechanism by which the target is attached, MECH_AUTO: it is not. */
enum mech attach_mechanism(const struct attach *attach, size_t target);

/*
 * Whether the kernel runs programs on one place in the reverse order of their attachment. By the mechanism of the first
 * target that is attached.
 */
bool attach_runs_last_first(const struct attach *attach);

/*
 * Loads a copy of an image that is attached by the caller, or run by bpf_prog_test_run_opts(): of a program type,
 * attach type and function in BTF as the kernel takes them. Its slot is 0. Returns a descriptor, which is the
 * caller's, or -errno with err.
 */
int attach_load(const struct image *image, int type, int attach_type, uint32_t btf_id, struct err *err);

/*
 * Counts the hits for which the kernel ran no program, because one was already running on that processor, or because
 * it had no memory to remember a return. Adds those of programs and links that serve a single slot to by_slot[slot],
 * and sets *others to the sum of the rest. Returns 0, or -ENOTSUP if the kernel does not count them.
 */
int attach_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others);

/*
 * Of targets with ends that `learns` (binary_code.h), and a plan of one step for each target on its own. Looks where
 * their calls were handed over to since the last look, and probes the ends there from then on; until then (monotonic), but for
 * what it has begun: a file may take half a second. Returns after how many ms to call it again, INT_MAX: never.
 */
int attach_learn(struct attach *attach, uint64_t until);
/* How many calls of these were not, or perhaps not, seen to end, because it was not known yet where they do. */
uint64_t attach_unlearned(struct attach *attach);

/*
 * A call that ends in another function, to which the probed one has jumped, is remembered until then; there is room for
 * some 16,000 at a time. Returns how many newer ones have pushed out, whose ends are not seen: at most, for some had
 * ended before by an exception or a jump.
 */
uint64_t attach_pushed_out(const struct attach *attach);

/*
 * True if returns are attached by kretprobes of a kernel that does not report how many it missed (before 6.7). A
 * kretprobe follows only about as many calls of a function at a time as there are processors, sleeping ones included.
 */
bool attach_hides_missed_returns(const struct attach *attach);
/* The same of a kernel that reports them: they are among those of attach_missed(). */
bool attach_counts_missed_returns(const struct attach *attach);

/*
 * *returns: how many these have missed so far, also before pauses, which attach_missed() leaves out: read from the
 * kernel's memory by a program that is loaded the first time, in some ms. Returns 0, also where there are none; -errno:
 * nobody knows.
 */
int attach_missed_returns(struct attach *attach, uint64_t *returns);

/*
 * Returns text that names a switch of the kernel that is off now, and how to switch it on; NULL: none is off. While it
 * is off, attached probes are not hit, and the kernel reports no error.
 */
const char *attach_switched_off(const struct attach *attach);

/*
 * Returns text for an error of loading a program if it means that the verifier rejected the program; NULL: it does
 * not.
 */
const char *attach_rejected(int error);

/*
 * Returns how often the kernel skipped a program because one was running on the processor; 0 also if it does not
 * count.
 */
uint64_t attach_program_missed(int program_fd);

/*
 * Adds how often programs ran, by mechanism, and ns in them. The kernel counts only while its statistics are enabled.
 */
struct attach_runs {
	uint64_t n[MECHS];
	uint64_t ns;
};
void attach_add_runs(const struct attach *attach, struct attach_runs *runs);

/*
 * Closes all links, so that the programs run no more; maps and programs stay. attach_why_not() returns `why`, which is
 * copied (95 bytes). Waits until no program runs, if nobody else has copies of the links (keep.h). Does nothing if it
 * is paused already.
 */
void attach_pause(struct attach *attach, const char *why);
/*
 * Makes the links again: by the same plan, each target by the same mechanism, with the same programs. Clears the maps
 * of attach_clear_at_resume() before. Returns 0 if at least one target is attached again, or if none was before;
 * -ENOTSUP with err, which says why the first one is not, and the pause lasts; -EINTR: the user wants to stop.
 * Targets that fail have a reason, and are tried again after the next pause.
 */
int attach_resume(struct attach *attach, struct err *err);
bool attach_is_paused(const struct attach *attach);
/*
 * A map with one element in which programs store what has begun. An end after the pause would find a begin from before,
 * so it is cleared. fd: the caller's, valid until attach_free().
 */
void attach_clear_at_resume(struct attach *attach, int fd);

/* Detaches everything and waits until no program runs any more. */
void attach_free(struct attach *attach);

/*
 * True if a program may start again on a processor while it is running there. An increment that is not atomic can be
 * lost then. This is so for user functions (preemptible), and for trampolines and raw tracepoints if the kernel does
 * not prevent an interrupt from running the program again.
 */
bool attach_needs_atomic(const struct target_set *set);

#endif
