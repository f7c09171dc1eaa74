/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within stacks*.c: the state of stacks.h. stacks.c has the session and the frames, stacks_table.c the counts and rows,
 * stacks_jit.c advice.
 */
#ifndef SONDE_ENGINE_STACKS_PART_H
#define SONDE_ENGINE_STACKS_PART_H

#include "base/set.h"
#include "output/files.h"
#include "stacks.h"
#include "stream_ring.h"
#include "symbols/symbols.h"

/* The frames of an id: the user part, room for a mark, the kernel part; each with the innermost frame first. */
struct stacks_kept {
	uint16_t n_user, n_kernel;
	uint8_t end, flags; /* enum stack_end, enum stack_flag */
	bool trimmed;	    /* frames of tracing itself are gone from the kernel part */
	pid_t pid;	    /* of a stack with a frame in no file; else 0 */
	const struct frame *frames[];
};

/* What is counted by one key: totals, and what was printed of them. */
struct stacks_entry {
	uint64_t count, ns;
	uint64_t printed, printed_ns;
};

struct stacks {
	struct engine_instance *instance;
	const struct stacks_source *source;
	const struct stacks_settings *settings;
	const struct object *object;
	struct unwind *unwind;
	struct kernel *kernel;
	struct symbols *symbols;
	struct stream_ring ring;
	bool precedes; /* engine_precede() */
	/* with source->calm */
	uint64_t burst; /* when it began, ns of CLOCK_MONOTONIC */
	uint32_t wakes; /* since then */
	bool deaf;	/* records of processes do not wake the reader */
	struct frame_style style;

	/* frames by id: element i belongs to member i of the set */
	struct set ids;
	struct stacks_kepts {
		vec(struct stacks_kept *);
	} kept;

	/* counts by struct stack_key, likewise */
	struct set keys;
	struct stacks_entries {
		vec(struct stacks_entry);
	} entries;
	struct files files;
	const struct schema *top_of; /* with --top: of the stacks, for files; else NULL */
	uint64_t unknown; /* stacks of a runtime without a plan */
	bool hurried;	  /* the user did not want to wait for all names */
};

/* Names all frames. Returns 0, or -EINTR: the user did not want to wait. */
int stacks_name(struct stacks *stacks);
/* Returns the frames of an id; NULL: they are not there. */
struct stacks_kept *stacks_kept(struct stacks *stacks, uint64_t id);
/* Appends what is not in the counts, or not whole, in one line for a picture; nothing if there is no such thing. */
void stacks_add_note(struct stacks *stacks, struct str *note);
/* Reads all frames that programs have sent. */
void stacks_drain(struct stacks *stacks);

/* In stacks_jit.c: reports, in one line, stacks with code of a JIT compiler that has no names. */
void stacks_say_jit(const struct stacks *stacks);

/* In stacks_functions.c: the rows of --top, and what they are made of. */
const struct schema *stacks_functions_schema(const struct stacks *stacks);
void stacks_functions_print(struct stacks *stacks, const struct stacks_row *rows, size_t n);

/* In stacks_table.c. */
int stacks_table_open(struct stacks *stacks, struct err *err);
void stacks_table_release(struct stacks *stacks);

/*
 * stacks_own.c: fills in `text` and `own`. tracepoints: n names whose functions count, too, while there is room. What
 * is not found is left out.
 */
void stacks_find_own(struct kernel *kernel, const char *const *tracepoints, size_t n, struct stack_setup *setup);

#endif
