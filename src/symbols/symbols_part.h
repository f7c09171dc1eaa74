/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in symbols only: a frame before it is named, and those who name a batch of one kind. */
#ifndef SONDE_SYMBOLS_SYMBOLS_PART_H
#define SONDE_SYMBOLS_SYMBOLS_PART_H

#include "base/pool.h"
#include "base/lookup.h"
#include "base/set.h"
#include "interp/peek.h"
#include "symbols.h"

/* What the unwinding session is asked. Tests have other functions here. */
struct symbols_source {
	const struct unwind_module *(*module)(void *ctx, uint16_t number);
	int (*function_at)(void *ctx, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size);
	void *ctx;
	const struct runtime *(*runtime)(void *ctx, pid_t pid, uint64_t *state); /* NULL: there are no interpreters */
};

#define SYMBOLS_KERNEL (-1)

struct named {
	struct frame frame;
	uint64_t key; /* the frame as it was given */
	pid_t pid;    /* 0: in a file; SYMBOLS_KERNEL; else the process */
	bool done;    /* has its name; false: it may get another one later */
	uint64_t map; /* bytes of the perf map in which it was not found */
};

/* A process that executes code in no file. */
struct jit {
	pid_t pid;
	int map;	  /* its perf map, -1: there was none */
	int root;	  /* its root directory, until there is a map; -1: unknown */
	int ns_pid;	  /* in its own namespace */
	unsigned int uid; /* effective */
	uint64_t tried;	  /* when a map was looked for, in ms */
	uint64_t named;	  /* the same, for frames that are to be printed; 0: never */
	bool is_gone;	  /* the process has ended, and nothing of it is held */
	bool refused;	  /* the map is not to be read */
	bool has_map;	  /* one was opened */
	char program[16]; /* the begin of its file's name; "": not known */
};

struct symbols {
	struct symbols_source source;
	struct kernel *kernel;
	struct symbols_options options;
	bool stopped;
	struct pool strings; /* frames, too */
	struct symbols_frames {
		vec(struct named *);
		struct lookup lookup; /* finds them by pid and key */
	} frames;
	struct symbols_stack {
		vec(const struct frame *);
	} stack; /* the last one */
	struct symbols_waiting {
		vec(struct named *);
	} waiting;
	struct symbols_jits {
		vec(struct jit); /* sorted by pid */
	} jits;
	struct symbols_files {
		struct symbols_file {
			uint16_t module;
			bool resolved; /* the implementations of its IFUNCs were searched */
			struct symbols_implementation {
				uint64_t offset;
				const char *name;
			} * v; /* sorted by offset */
			size_t n, cap;
		} * v;
		size_t n, cap;
	} files; /* with functions that have no symbol */
	struct symbols_interpreted {
		struct set codes; /* a process and an address in it */
		size_t tables;	  /* bytes of their line tables */
		vec(struct names_code *);
		struct set names; /* of frames; number i is frames.v[i] */
		struct symbols_interpreted_frames {
			vec(const struct frame *);
		} frames;
		struct set processes; /* number i has languages.v[i] */
		struct symbols_interpreted_languages {
			vec(const struct language *);
		} languages;
		struct v8 *v8;		     /* NULL: no process has it */
		struct java *java;	     /* the same */
		struct peek_process process; /* that was read last */
	} interpreted;
	struct symbols_notes {
		vec(const char *);
		uint64_t more; /* that were not kept */
	} notes;
};

struct symbols *symbols_new_from(const struct symbols_source *source, struct kernel *kernel,
				 const struct symbols_options *options);

/* Whether the user wants to stop; true from then on. ctx: the struct symbols. */
bool symbols_should_stop(void *ctx);
/* Keeps a line for symbols_report(). */
void symbols_note(struct symbols *symbols, const char *fmt, ...) __printf(2, 3);

/*
 * Each names n frames: of one module, sorted by offset; of one process; of the kernel, sorted. After a stop it gives
 * addresses for names.
 */
void symbols_name_file(struct symbols *symbols, uint16_t number, struct named **v, size_t n);
void symbols_name_jit(struct symbols *symbols, struct named **v, size_t n);
void symbols_name_kernel(struct symbols *symbols, struct named **v, size_t n);

/*
 * The name of the IFUNC whose implementation begins at offset `start` of the file. NULL: there is none. Invalidates what
 * binary_functions() has returned.
 */
struct binary;
const char *symbols_implementation_at(struct symbols *symbols, struct binary *binary, uint16_t module, uint64_t start);
void symbols_release_files(struct symbols *symbols);

/* The frame of an interpreter, with its name. */
const struct frame *symbols_interpreted(struct symbols *symbols, pid_t pid, uint64_t frame);
/*
 * Adds those that stand for number i of a record's to the stack, in place of those before that it also says. False: it
 * stands for none, and has its own name.
 */
bool symbols_add_notes(struct symbols *symbols, const struct stack_record *record, size_t i);
void symbols_release_interpreted(struct symbols *symbols);

/* Opens the perf map of a process. Without a map it holds the process's root, and tries again when called later. */
void symbols_hold(struct symbols *symbols, pid_t pid);
void symbols_release_jits(struct symbols *symbols);

#endif
