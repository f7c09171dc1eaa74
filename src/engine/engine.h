/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract between engines and the run loop, or any other caller. An engine does the tracing for a kind of tool:
 * it counts, measures or streams events. All of its state is in an instance, so several instances can work in one
 * process, of one engine or of different ones. A context holds what is not the engine's own: which tasks are traced,
 * where results go, when to stop.
 *
 *	engine_init(&instance, &count_engine, NULL, &schema, &context);
 *	parse options into instance.settings, set instance.args
 *	ret = engine_open(&instance, &err);	on 0 the probes are armed
 *	count_engine.emit(&instance, true);
 *	engine_release(&instance);
 *
 * One thread makes all calls of a process.
 */
#ifndef SONDE_ENGINE_ENGINE_H
#define SONDE_ENGINE_ENGINE_H

#include <sys/types.h>

#include "base/file_id.h"
#include "bpf/filter.h"
#include "options/opt.h"
#include "options/setting.h"
#include "output/output.h"

struct keep;

/* What an engine does otherwise if its totals are exported for weeks, and no table is printed. */
struct engine_metrics {
	/*
	 * The most rows by key, first come. The values of all other keys are in one more row, and their sum is exact.
	 * Rows of places that are known when probes are attached are there from the start, also without a value.
	 */
	uint32_t max_keys;
	bool sampling;	   /* the programs obey the sampling word */
	struct keep *keep; /* kept descriptors to adopt, and where to put new ones; NULL: none */
};

struct engine_context {
	/* Which tasks are traced. */
	struct filter filter;	       /* as BPF programs read it */
	uint32_t pid, tid;	       /* of --pid and --tid, in our pid namespace; 0: any */
	int cgroup;		       /* descriptor of the cgroup to filter by, -1: none */
	const struct service *service; /* whose processes and their children are the members; NULL: the command's */
	struct {
		const uint32_t *v; /* processes of --pid, of an engine that takes several; of one, pid or tid has it, too */
		size_t n;
		bool children; /* set by open(): of those that are members, what they fork are members, too */
	} pids;
	struct {
		pid_t pid;	  /* 0: there is no command. The process waits until probes are armed */
		const char *name; /* the program as the user gave it */
		const char *text; /* the same with its arguments */
		char *path;	  /* the file it executed first, NULL: not known; the owner of the context frees it */
		struct file_id id;
		bool ended; /* seen before the last emit() */
		int status; /* of waitpid(2), if it has ended */
	} command;

	/* Where results go, and what the user wants to see. */
	struct output *out; /* of one instance: instances side by side have a context and an output each */
	bool time, timestamp, verbose, quiet;
	/* Called by the name of the tool of others that this one stands for: options mean what they mean there. */
	bool as_peer;
	const char *title; /* the command line as the user typed it, for files */
	/* ns, 0: none. open() sets them for tools that take them as arguments. */
	uint64_t interval, duration;
	uint64_t began;			      /* clock_monotonic_ns() when probes were armed */
	const struct engine_metrics *metrics; /* NULL: nobody exports the totals */

	/* Returns whether the user wants to stop. Long work calls it now and then. NULL: never. */
	bool (*should_stop)(void *ctx);
	/*
	 * The same for long work at the end, within emit() and losses(): whether the user asked again, and wants what
	 * there is. An engine that calls it sets hurries in open(); else the second request ends us. NULL: never.
	 */
	bool (*should_hurry)(void *ctx);
	void *should_stop_ctx;
	uint64_t asked_at; /* when the user asked us to stop, in ns since boot; 0: not yet */
	bool hurries;

	/* Engines set these. */
	bool failed;	   /* the results are not complete: exit 1 */
	bool usage;	   /* open() failed because of what the user typed: exit 2 */
	bool said;	   /* open() failed, and the engine has reported why */
	bool done;	   /* there is nothing more to trace: the run ends */
	bool answered;	   /* open() has done all that was asked: nothing is armed */
	int status;	   /* the exit status that the traced program asked for, if nothing failed */
	const char *fault; /* the text that err->at of open() points into, NULL: none */
};

struct attach;
struct engine;
struct follow;
struct intake;
struct service;
struct target_set;

/* One kind of rows of an engine whose snapshots have several. */
struct engine_table {
	const char *name; /* distinguishes it: "usecs"; "": nothing does */
	const struct schema *schema;
};

struct engine_instance {
	const struct engine *engine;
	struct engine_context *ctx;
	const void *source;	     /* the tool's data, of a type that the engine defines; may be NULL */
	const struct schema *schema; /* describes the rows; open() may choose another one */
	void *settings;		     /* the values of the engine's options */
	void *tool_settings;	     /* the values of the tool's own options, in a struct of the tool's; may be NULL */
	struct opt_list args;	     /* the arguments that are not options; the caller owns them */
	/* engine_open() copies the context's. An engine or tool drops parts that have no meaning for it. */
	struct filter filter;
	void *state;	       /* private to the engine */
	struct intake *intake; /* what take() takes (intake.h); NULL: not open, or an engine without take() */
	struct follow *follow; /* follows the command's children; NULL: there is no command */
	void *own_schema;      /* of engine_own_fields(), NULL: none */
	/* What getters of rows need: the functions of slots. They get the instance as ctx (event.h, stack_counts.h). */
	const struct target_set *targets;
	bool emitted;	    /* a table was printed */
	bool keeps_nothing; /* open() has found that what it exports is not in the kernel: engine_keep() is NULL */
	/*
	 * Shared with the programs, which measure one of 1 << *sampling and count it so many times, 0 to
	 * SAMPLING_SHIFT_MAX (bpf/sampling.h). The caller may change it at any time. NULL: they measure all.
	 */
	uint64_t *sampling;
	bool other;   /* during a call of engine_row_fn: the row stands for all keys that have none */
	size_t table; /* during a call of engine_row_fn: which of engine.tables() the row belongs to */
};

/* For getters of rows, whose ctx is the instance. */
static inline const void *engine_tool_settings(const void *instance)
{
	return ((const struct engine_instance *)instance)->tool_settings;
}

/* What losses() reports, as numbers since the probes were armed. They only grow. */
#define ENGINE_CAUSES 12
struct engine_stats {
	uint64_t hits; /* how often the programs ran, roughly, cheap to read: for an estimate of what they cost */
	struct engine_lost {
		const char *cause; /* a constant, short name: "no_room", "read_failed" */
		uint64_t n;
	} lost[ENGINE_CAUSES];
	size_t n_lost;
	uint64_t other; /* values that went to the row of all other keys */
	size_t memory;	/* bytes of all maps in the kernel, on all processors */
};

/* Takes one row, as the instance's schema describes it. The row is valid during the call. */
typedef void (*engine_row_fn)(const void *row, void *ctx);

struct engine {
	/* The options of every tool of this engine, in a struct of settings_size bytes. defaults NULL: zeros. */
	const char *options_title;
	const struct opt *options;
	size_t n_options;
	size_t settings_size;
	const void *defaults;
	bool several_processes; /* --pid may be repeated: context.pids; and name a thread, which context.tid has, too */
	/* the one argument, if there is one, names a service: only its processes are traced; --pid: those it has started, too */
	bool names_service;

	/*
	 * Checks the arguments, loads and attaches. Returns 0 when the probes are armed, or -errno with err set. It may
	 * set instance->engine to one that goes on from here, whose options and settings are the same.
	 */
	int (*open)(struct engine_instance *instance, struct err *err);
	/* Reports on stderr what is traced: "Tracing 5 functions ...". */
	void (*armed)(struct engine_instance *instance);
	/*
	 * Calls fn for each slot or key that has a value, with the totals since the probes were armed, in no order;
	 * for an exporter also for slots without one, and for the row of all others (see struct engine_metrics).
	 * It resets nothing and does not change what emit() prints, so an exporter can call it at any time. NULL: there
	 * are no totals. Returns 0, or -errno if it could not read all.
	 */
	int (*snapshot)(struct engine_instance *instance, engine_row_fn fn, void *ctx);
	/*
	 * Sets *tables to the tables of a snapshot for an exporter, which stay as they are until close(), and returns
	 * how many there are. NULL: there is one, without a name, and the instance's schema describes it.
	 */
	size_t (*tables)(const struct engine_instance *instance, const struct engine_table **tables);
	/* Prints what is new since the last call, for an interval or, with `last`, at the end. */
	void (*emit)(struct engine_instance *instance, bool last);
	/*
	 * For an engine that streams, or whose programs send what tables need; NULL for others. It prints or stores what
	 * has arrived (engine_take()), and returns within how many ms the caller should call it again. The descriptor
	 * of the instance's intake is readable if that should be sooner.
	 */
	int (*take)(struct engine_instance *instance);
	/* Reports, after the last emit, what was lost, missed or not attached. Reports nothing if nothing was. */
	void (*losses)(struct engine_instance *instance);
	/* Fills in stats, which are zero, at any time after open(). Hits that the kernel missed: attachment(). */
	void (*stats)(struct engine_instance *instance, struct engine_stats *stats);
	/*
	 * Returns what is attached, as the engine's part number n, from 0; NULL: there are no more parts. The engine
	 * owns it. A part may have targets of which none is attached.
	 */
	struct attach *(*attachment)(const struct engine_instance *instance, size_t n);
	/* Detaches and frees the state, which is NULL or incomplete if open() failed. */
	void (*close)(struct engine_instance *instance);
};

/* &SOURCE, as a constant. Does not compile if SOURCE is not a TYPE. */
#define ENGINE_SOURCE(TYPE, SOURCE) _Generic(&(SOURCE), TYPE * \
					     : &(SOURCE), const TYPE * \
					     : &(SOURCE))

/* Sets the settings to their defaults. With engine NULL, the instance can print tables and be released. */
void engine_init(struct engine_instance *instance, const struct engine *engine, const void *source,
		 const struct schema *schema, struct engine_context *ctx);
/* Gives the instance the settings of a tool: size bytes, a copy of defaults. defaults NULL: zeros. */
void engine_add_settings(struct engine_instance *instance, size_t size, const void *defaults);
/*
 * Returns 0, or -errno with err set; -EINTR: the user wants to stop; -ESTALE: what was kept does not fit
 * (attach/keep.h). Call engine_release() after an error, too. After -ESTALE, init the instance and open it again:
 * nothing is kept then.
 */
int engine_open(struct engine_instance *instance, struct err *err);
/* After the last emit: reports what was lost, missed or not attached. */
void engine_losses(struct engine_instance *instance);
void engine_release(struct engine_instance *instance);
/* Adds a cause to stats, also with n = 0: whoever watches a number must see it before it grows. */
void engine_stats_add(struct engine_stats *stats, const char *cause, uint64_t n);

/* --- for engines --- */

/* The intake's sources: take() of engines that do no more. */
int engine_take(struct engine_instance *instance);
/* Refuses an argument that the engine does not use: returns -EINVAL with err. */
int engine_unexpected(const struct engine_instance *instance, const char *argument, struct err *err);
/* Returns where the instance keeps its descriptors, and what it adopts; NULL: nowhere, and nothing. */
struct keep *engine_keep(const struct engine_instance *instance);

/*
 * Replaces the instance's schema by a copy, and returns the instance->schema->n fields of the copy. open() changes
 * them: names and columns that depend on options. The instance owns them.
 */
struct field *engine_own_fields(struct engine_instance *instance);
/* The copy itself, after engine_own_fields(). */
struct schema *engine_own_schema(struct engine_instance *instance);
/*
 * Hides columns of text, in a copy of the schema, whose option the user has not given: struct field's `with` and
 * `shown`, a member of these settings. engine_open() does it with the tool's.
 */
void engine_choose_columns(struct engine_instance *instance, const void *settings);
/*
 * Raises our priority: a machine too busy to let us read is the one whose events would be lost. The command was forked
 * before, so its priority does not change.
 */
void engine_hurry(void);
/*
 * Makes this thread run as soon as it wakes, before all threads of ordinary priority; or ends that. For a reader whose
 * work is short and cannot wait: do not format, name or write anything meanwhile, which may take seconds. If the kernel
 * refuses, the priority of engine_hurry() stays.
 */
void engine_precede(bool on);
/* Returns how many rows by key a snapshot may have besides that of all others; SIZE_MAX: any number. */
size_t engine_max_rows(const struct engine_instance *instance);
/* Passes the row of all other keys to fn. */
void engine_row_of_others(struct engine_instance *instance, const void *row, engine_row_fn fn, void *ctx);
/*
 * Refuses rows by a key that takes ever new values, such as "process", if they would be exported. Returns 0, or -EINVAL
 * with err.
 */
int engine_check_key(const struct engine_instance *instance, const char *key, struct err *err);
/* Begins a table, stamped with the current time as the user asked. */
void engine_table_begin(struct engine_instance *instance);
/*
 * For attach_options.progress, with the instance as ctx. Shows the progress. Returns non-zero if the user wants to
 * stop.
 */
int engine_progress(void *instance, size_t done, size_t total);

#endif
