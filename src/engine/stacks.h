/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks, for every engine and tool that prints them: options, the unwinding session, frames by id (bpf/stack.h),
 * names, the table of stacks that tools count by, output files, losses. The programs include bpf/stack.bpf.h.
 *
 *	stacks_open(&stacks, instance, &source, &object, err)	before the object is prepared
 *	object_prepare()
 *	stacks_start(stacks, &object, err)		reads processes and their files; then the probes are attached
 *	stacks_add(stacks, &key, 1, 0)			for an engine that counts; or stacks_set(), for totals
 *	stacks_print(stacks, last)			prints the table: what is new since the last one
 *	stacks_losses(stacks)
 *	stacks_free(stacks)				after the programs are detached
 *
 * An engine that streams calls stacks_find() for each id in a record, in place of stacks_add() and stacks_print().
 */
#ifndef SONDE_ENGINE_STACKS_H
#define SONDE_ENGINE_STACKS_H

#include "bpf/stack.h"
#include "engine.h"
#include "object.h"
#include "output/frame.h"

/* --- options --- */

enum stacks_unwind {
	STACKS_UNWIND_AUTO,  /* tables, and frame pointers where a file has no table */
	STACKS_UNWIND_TABLE, /* tables only */
	STACKS_UNWIND_FP,    /* frame pointers only */
	STACKS_UNWIND_NONE,  /* only the place itself, no callers */
};

/* All zero: the defaults. Part of the settings of an engine or a tool. */
struct stacks_settings {
	bool user_only, kernel_only; /* STACKS_PARTS */
	/* STACKS_TEXT */
	bool fold, delimited, annotated, offsets, addresses;
	bool modules;		 /* STACKS_TEXT, too: the file or kernel module behind each name */
	int unwind;		 /* enum stacks_unwind */
	uint32_t depth, storage; /* 0: STACK_DEPTH, STACKS_STORAGE */
	uint32_t top;		 /* so many functions are printed in place of stacks; 0: stacks */
	bool raw, native, overwrite;
	bool mangled; /* names of C++ and Rust as they are in the file */
	const char *folded, *flame, *pprof, *speedscope, *compare;
};

#define STACKS_STORAGE 16384

/* For an option table that is bound to STRUCT, which has struct stacks_settings as MEMBER. How stacks are made: */
#define STACKS_OPTIONS(STRUCT, MEMBER) \
	OPT(OPT_CHOICE, STRUCT, MEMBER.unwind, 0, "unwind", "HOW", \
	    "how user stacks are unwound (fp: by frame pointers)", .choices = stacks_unwinds), \
		OPT(OPT_U32, STRUCT, MEMBER.depth, 0, "depth", "N", "at most N frames of each part: 127", .min = 1, \
		    .max = STACK_DEPTH), \
		OPT(OPT_BOOL, STRUCT, MEMBER.raw, 0, "raw", NULL, "addresses in place of names"), \
		OPT(OPT_BOOL, STRUCT, MEMBER.native, 0, "native", NULL, \
		    "the interpreter's own frames too, between those of the Python, PHP, Ruby, Java or JavaScript code that it runs"), \
		OPT(OPT_U32, STRUCT, MEMBER.storage, 0, "stack-storage-size", "N", \
		    "distinct stacks to remember in the kernel (16384); beyond that, stacks are sent again, none is lost", \
		    .min = 1, .max = 16777216)
/* How stacks are printed, for tools that print tables of stacks; and files. */
#define STACKS_OUTPUT(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER.fold, 'f', "fold", NULL, "print each stack in one line: root;...;leaf COUNT"), \
		OPT(OPT_BOOL, STRUCT, MEMBER.delimited, 0, "delimited", NULL, \
		    "print -- between the kernel and the user part"), \
		OPT(OPT_CALL, STRUCT, MEMBER.top, 0, "top", "N", \
		    "in place of stacks, the N (30) functions with most of their own, and what they have with all that they call", \
		    .call = stacks_set_top, .optional_arg = true), \
		OPT(OPT_BOOL, STRUCT, MEMBER.offsets, 0, "offset", NULL, "print the offset in the function after each name"), \
		STACKS_FILES(STRUCT, MEMBER)
/* Files alone: for tools whose page is no table of stacks. */
#define STACKS_FILES(STRUCT, MEMBER) \
	OPT(OPT_STRING, STRUCT, MEMBER.folded, 0, "folded", "FILE", "write folded stacks to FILE"), \
		OPT(OPT_STRING, STRUCT, MEMBER.flame, 0, "flame", "FILE", \
		    "write a flame graph to FILE, an SVG image for any browser"), \
		OPT(OPT_STRING, STRUCT, MEMBER.pprof, 0, "pprof", "FILE", "write a profile for pprof to FILE"), \
		OPT(OPT_STRING, STRUCT, MEMBER.speedscope, 0, "speedscope", "FILE", \
		    "write a profile for speedscope to FILE"), \
		OPT(OPT_STRING, STRUCT, MEMBER.compare, 0, "compare", "OLD", \
		    "color the flame graph by the difference to OLD, folded stacks of an earlier run"), \
		OPT(OPT_BOOL, STRUCT, MEMBER.overwrite, 0, "overwrite", NULL, "overwrite output files that exist", \
		    .also = "force")
/* Leaves one part out: -U and -K of bcc's profile, offcputime, stackcount. */
#define STACKS_PARTS(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER.user_only, 'U', "user-stacks-only", NULL, "only the user part of stacks"), \
		OPT(OPT_BOOL, STRUCT, MEMBER.kernel_only, 'K', "kernel-stacks-only", NULL, \
		    "only the kernel part of stacks")
extern const char *const stacks_unwinds[];
/* The value of --top, for the options above. arg: NULL, or a number. Returns 0, or -EINVAL with err. */
int stacks_set_top(void *dest, const char *arg, struct err *err);

/* --- rows --- */

/*
 * A named stack, each part the innermost frame first; frames NULL: there is no such part. Valid until stacks_free().
 * Where user frames are missing, a FRAME_MARK stands for them.
 */
struct stacks_named {
	struct frame_stack kernel, user;
};

/*
 * A row of a table: a key, the names of its stacks, and what is new since the last table, or the total. A schema's
 * stack fields are members: FIELD(FIELD_STACK, struct stacks_row, kernel, ...).
 */
struct stacks_row {
	struct frame_stack kernel, user, other_kernel, other_user; /* other: the waker's */
	struct stack_key key;					   /* the first of those that the row adds up: comm, pid, tid, slot ... */
	uint64_t count, ns;
};

/* --- the life of stacks --- */

/* What a tool says about its stacks. */
struct stacks_source {
	const struct stacks_settings *settings; /* of the tool or engine; stay the caller's */
	bool keyed;				/* programs count by key, in the map "stack_counts" */
	bool by_time;				/* rows are sorted by their time, not by their count; the largest is last */
	const char *counts;			/* what is counted, in the plural: "samples"; NULL: there is no table */
	const char *times;			/* what the times are, as pprof calls it: "delay"; NULL: there are none */
	const uint64_t *period;			/* the ns that one count stands for; NULL: none */
	/* where many processes live and die, the youngest may have no user stacks: to read of each at once costs */
	bool calm;
	/* some stacks of the kernel have a limit; and tracepoints at which they are taken: the first few count */
	bool limited;
	const char *const *tracepoints;
	size_t n_tracepoints;
};

struct stacks;

/*
 * Creates the unwinding session and output files, and prepares the object for it: shares the session's maps, sizes
 * "stack_seen", fills .rodata.stack. Sets the style of stack fields in the instance's schema, which becomes its own.
 * The object is open and not prepared. The source stays the caller's and must outlive the result. Returns 0, or -errno
 * with err (-EINVAL: wrong usage). *stacks is set also after an error, and freed by stacks_free().
 */
int stacks_open(struct stacks **stacks, struct engine_instance *instance, const struct stacks_source *source,
		struct object *object, struct err *err);
/*
 * Opens the ring buffer "stacks" of the prepared object as a source of the instance's intake, and makes the tables of the processes that are traced; of the
 * command's file too. The object must outlive the stacks. Returns 0, or -errno with err; -EINTR: the user wants to stop.
 */
int stacks_start(struct stacks *stacks, const struct object *object, struct err *err);
void stacks_free(struct stacks *stacks);
/* One more process is traced than the filter says, by its id on the host. */
void stacks_add_process(struct stacks *stacks, uint32_t tgid);

/*
 * Reads frames, and what changed in processes. Returns within how many ms it wants to be called again. The intake calls
 * it; an engine does so before it looks at the counts.
 */
int stacks_take(struct stacks *stacks);

/* Names the stack of an id. False: its frames are not there (0, or lost). */
bool stacks_find(struct stacks *stacks, uint64_t id, struct stacks_named *named);

/* --- the table --- */

/* Adds to the count and the time of a key, for engines that get each hit. */
void stacks_add(struct stacks *stacks, const struct stack_key *key, uint64_t count, uint64_t ns);
/* Sets the totals of a key since the probes were armed, for engines that read the map "stack_counts". */
void stacks_set(struct stacks *stacks, const struct stack_key *key, uint64_t count, uint64_t ns);
/*
 * Prints a row for each distinct stack of names that has something new, the hottest last. With `last` it also writes
 * the output files, with the totals. An error of a file is reported, and the context says that the run has failed.
 */
void stacks_print(struct stacks *stacks, bool last);
/* As engine->snapshot(): rows with the totals, in no order. */
int stacks_snapshot(struct stacks *stacks, engine_row_fn fn, void *ctx);

/* --- for engines that draw stacks themselves --- */

struct file_format;
struct files;
/* Adds an output file; name NULL: none. Returns 0, or -errno with err: wrong usage is noted in the context. */
int stacks_add_file(struct stacks *stacks, const struct file_format *format, const char *name, struct err *err);
/* The output files. */
struct files *stacks_files(struct stacks *stacks);
/* Reads and names all frames, as far as the user wants to wait. */
void stacks_name_all(struct stacks *stacks);
/* Writes the output files. An error of a file is reported, and the context says that the run has failed. */
void stacks_write_files(struct stacks *stacks);
/*
 * The named parts of an id, without frames of tracing itself; call it after symbols_name(). An id whose frames are not
 * there has one frame, "[lost]"; no id, no parts.
 */
struct stacks_named stacks_named(struct stacks *stacks, uint64_t id);
/* Key i of the table, with its count and time; NULL: there are no more. */
const struct stack_key *stacks_counted(const struct stacks *stacks, size_t i, uint64_t *count, uint64_t *ns);

/*
 * The functions of the user with most of their own, at most n, the hottest first: of the stacks of keys with this slot that
 * were taken in the user's code, not the kernel's. fn gets the name, the file (NULL: none), and the shares of all these
 * in per cent: with the function innermost, and with it anywhere.
 */
typedef void (*stacks_hot_fn)(const char *name, const char *module, double self, double total, void *ctx);
void stacks_hottest(struct stacks *stacks, uint32_t slot, size_t n, stacks_hot_fn fn, void *ctx);

/* Reports what was lost, and why user stacks ended before the first function of the thread. */
void stacks_losses(struct stacks *stacks);

#endif
