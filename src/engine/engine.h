/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between engines and whoever runs them. An engine traces for a kind of tool: it counts, measures or streams.
 * Its state is in the instance: several, of one engine or of different ones, may be at work in one process. What they have in
 * common (who is traced, where results go, when to stop) is their context, which the run loop fills.
 *
 *	engine_init(&instance, &count_engine, NULL, &schema, &context);
 *	... options are parsed into instance.settings, arguments set ...
 *	ret = engine_open(&instance, &err);	probes are armed
 *	count_engine.emit(&instance, true);
 *	engine_release(&instance);
 *
 * Not for several threads.
 */
#ifndef SONDE_ENGINE_H
#define SONDE_ENGINE_H

#include <sys/types.h>

#include "base/file_id.h"
#include "bpf/filter.h"
#include "options/opt.h"
#include "output/output.h"

struct engine_context {
	/* Who is traced. */
	struct filter filter; /* as BPF programs read it */
	uint32_t pid, tid;    /* what --pid and --tid name, in our pid namespace; 0: any */
	int cgroup;	      /* descriptor of the one to filter by, -1: none */
	struct {
		pid_t pid;  /* 0: there is no command. Its process is held until probes are armed */
		char *path; /* what it executed first; NULL: not known. The context's owner frees it */
		struct file_id id;
	} command;

	/* Where results go, and what the user wants to see. */
	struct output *out;
	bool time, timestamp, verbose;
	/* ns, 0: none. open() may change them, for tools that take them as arguments. */
	uint64_t interval, duration;
	uint64_t began; /* when probes were armed, of clock_monotonic_ns() */

	/* Does the user want an end? Asked now and then by what takes long. */
	bool (*should_stop)(void *ctx);
	void *should_stop_ctx;

	/* What engines say of the end. */
	bool failed;	   /* exit 1 although the run came to its end */
	bool usage;	   /* open() failed for what the user typed: exit 2 */
	const char *fault; /* the text in which err->at of open() points, NULL: none */
};

struct engine;
struct follow;

struct engine_instance {
	const struct engine *engine;
	struct engine_context *ctx;
	const void *source;	     /* what the tool says of itself, of the engine's own type; may be NULL */
	const struct schema *schema; /* of the rows; open() may choose another one */
	void *settings;		     /* the engine's options are parsed into it */
	struct opt_list args;	     /* what is no option; the caller's, as long as the instance */
	/* At open() the context's. open() and what it calls of a tool may loosen it: a filter that makes no sense there. */
	struct filter filter;
	void *state;	       /* the engine's own */
	struct follow *follow; /* of the command's children, NULL: none */
	void *own_schema;      /* engine_own_fields()'s, NULL: none */
	bool emitted;	       /* a table */
};

/* Takes one row, as the instance's schema describes it. The row is valid during the call. */
typedef void (*engine_row_fn)(const void *row, void *ctx);

struct engine {
	/* Options that every tool of this engine has: of a struct of settings_size bytes, which begins as defaults (NULL: zeros). */
	const char *options_title;
	const struct opt *options;
	size_t n_options;
	size_t settings_size;
	const void *defaults;

	/* Checks arguments, loads and attaches: when it returns 0, probes are armed. On an error close() is called as well. */
	int (*open)(struct engine_instance *instance, struct err *err);
	/* What goes to stderr once armed: "Tracing 5 functions ...". */
	void (*armed)(struct engine_instance *instance);
	/*
	 * Hands on the totals since probes were armed: a row for each slot or key that has any, in no order. Resets nothing and
	 * does not change what emit() shows: for exporters, which are asked for totals again and again. NULL: the engine streams.
	 * -errno: not all could be read.
	 */
	int (*snapshot)(struct engine_instance *instance, engine_row_fn fn, void *ctx);
	/* Prints the difference to the last call, for an interval or, last, at the end. An engine that streams: what has come. */
	void (*emit)(struct engine_instance *instance, bool last);
	/*
	 * Of an engine that streams, NULL for one that makes tables at intervals: emits what has come, and returns after how
	 * many ms it wants to be called again, at the latest; and the fd that is readable before that.
	 */
	int (*take)(struct engine_instance *instance);
	int (*fd)(const struct engine_instance *instance);
	/* After the last emit: what was lost, missed or not attached. Says nothing where there is nothing. */
	void (*losses)(struct engine_instance *instance);
	/* Detaches and frees the state, which may be NULL or half made. */
	void (*close)(struct engine_instance *instance);
};

/* &SOURCE, a constant; anything but a TYPE does not compile. */
#define ENGINE_SOURCE(TYPE, SOURCE) _Generic(&(SOURCE), TYPE * \
					     : &(SOURCE), const TYPE * \
					     : &(SOURCE))

/* With settings as they are before any option. engine NULL: an instance that engine_release() takes, and nothing else. */
void engine_init(struct engine_instance *instance, const struct engine *engine, const void *source,
		 const struct schema *schema, struct engine_context *ctx);
/* After an error, too, engine_release(). -EINTR: the user wants an end. */
int engine_open(struct engine_instance *instance, struct err *err);
void engine_release(struct engine_instance *instance);

/* --- for engines --- */

/*
 * The instance gets a schema of its own, a copy of the one that it has; open() may complete its fields, instance->schema->n of them:
 * names and columns that depend on options. They live as long as the instance.
 */
struct field *engine_own_fields(struct engine_instance *instance);
/* Begins a table of now, with the times that the user has asked for. */
void engine_table_begin(struct engine_instance *instance);
/* For attach_options.progress, where ctx is the instance: shows how far attaching is. Not 0: the user wants an end. */
int engine_progress(void *instance, size_t done, size_t total);

#endif
