/* SPDX-License-Identifier: BSD-2-Clause */
/* Within script/: the state of the script engine, which script*.c share. */
#ifndef SONDE_SCRIPT_SCRIPT_PART_H
#define SONDE_SCRIPT_SCRIPT_PART_H

#include "attach/attach.h"
#include "engine/object.h"
#include "engine/stacks.h"
#include "engine/stream.h"
#include "lang/lang.h"
#include "script.h"
#include "script_json.h"
#include "script_link.h"
#include "script_map.h"

/* A probe that the run loop runs itself: begin, end, interval, self:signal, test, bench; and iter. */
struct script_own {
	const struct lang_probe *probe;
	int program; /* descriptor */
	int timer;   /* interval: a timerfd; signal: a signalfd; else -1 */
	char *pin;   /* iter: the file that we pinned it to; NULL: none */
};

struct script;

/*
 * A front-end: makes the program of what the user typed, and prints what it finds. The language has one too. The engine
 * is opened with one of them, and nothing else asks which one it is.
 */
struct script_front {
	bool has_format;	/* -f is the format of the output */
	bool shows_places;	/* its program is the text that the user typed: errors show their place in it */
	const char *makes_room; /* what helps if a map is full */
	/*
	 * As lang_compile(), with the arguments in the options. NULL: err says why not, and the context if it is usage;
	 * or the context says that it was answered.
	 */
	struct lang_program *(*compile)(struct script *script, struct lang_options *options, struct err *err);
	/* Says that all is attached. NULL: nothing. */
	void (*armed)(struct script *script);
	/* Prints the record of a printf(). */
	void (*print)(struct script *script, const struct lang_site *site, const struct script_value *values,
		      uint32_t n, uint64_t time);
	/* In script_emit(), when all records are read: prints what is left. */
	void (*ended)(struct script *script);
	/* Frees front_state, which may be NULL. NULL: there is none. */
	void (*release)(struct script *script);
};

/* What the kernel has of a program: script_load() makes it. */
struct script_loaded {
	struct object object;
	struct script_memory memory;
	struct lang_state *state; /* shared with the programs */
	struct script_map *maps;  /* one for each of program->maps */
	struct stream *stream;
	struct stacks *stacks; /* NULL: no probe takes a stack */
	struct stacks_source stacks_source;
	int process; /* pidfd of -p, -1: none */
};

/* What runs, since when, and what it has missed: script_attach() and the run. */
struct script_attached {
	/* Indices of probes, in the order in which they are attached. */
	struct {
		size_t *v, n, cap;
	} order;
	size_t n;	    /* probes, as "Attached N probes" counts them */
	uint64_t begun;	    /* when the begin probes had ended, in ns since boot */
	bool is_over;	    /* detached: what comes now is of end, and is never late */
	bool learns;	    /* where calls go: /proc has the numbers of processes that the kernel gives */
	size_t learn_first; /* the probe whose calls are followed first */
	bool was_off;	    /* a switch of the kernel was off, which was reported */
	bool knows_missed;  /* both were counted before the probes were detached */
	uint64_t missed, unlearned, pushed_out;
	uint64_t skipped; /* intervals that there was no time for */
};

/* In the order of the stages that fill it in: script_open(). */
struct script {
	/* the arguments */
	struct engine_instance *instance;
	struct script_settings *settings;
	const struct script_front *front;
	void *front_state; /* the front-end's */
	struct stacks_settings stacks_settings;

	/* the program */
	struct lang_program *program;
	struct kernel *kernel;

	struct script_loaded loaded;
	struct script_attached attached;
	/* One for each of program->probes. */
	struct script_probe {
		struct image image;    /* loaded */
		struct attach *attach; /* attached; NULL: no targets */
		struct script_own own; /* of probes without targets; program -1: not loaded */
	} * probes;

	/* output */
	struct script_names names;
	enum script_form form;
	struct script_export *export; /* NULL: nobody exports */
	struct str text;	      /* of the record at hand */
	bool held;		      /* output is kept and not written: a test runs */
	struct str kept;
	int file;	  /* of -o, -1: none */
	bool has_failed;  /* errorf() */
	uint64_t records; /* carried out */
};

/* In script.c: the engine's functions (engine.h). */
int script_open(struct engine_instance *instance, const struct script_front *front, struct err *err);
void script_armed(struct engine_instance *instance);
void script_emit(struct engine_instance *instance, bool last);
int script_take(struct engine_instance *instance);
void script_close(struct engine_instance *instance);

/* In script_language.c: programs typed in the language. */
extern const struct script_front script_language;
/* In script_bcc.c: bcc's trace. Whether the arguments are its probes; the front-end of these. */
bool script_is_bcc(const struct engine_instance *instance);
extern const struct script_front script_bcc;
/* The programs of bcc's notation have the sizes of their maps from sonde. */
#define BCC_MAKES_ROOM "a filter makes them fewer"

/* In script_compile.c: what this kernel has for programs. */
struct lang_features script_features(void);
/* The same file: sets script->program. Messages of the compiler are reported. Returns 0, or -errno with err. */
int script_compile(struct script *script, struct err *err);

/*
 * In script_load.c: sets script->loaded, and loads the probes that the run loop runs itself; nothing is attached yet.
 * Returns 0, or -errno with err. script_unload() frees it, also after an error.
 */
int script_load(struct script *script, struct err *err);
void script_unload(struct script *script);

/* In script_output.c: where text goes. */
int script_output_open(struct script *script, struct err *err);
void script_output_add(struct script *script, const char *text, size_t n);
/* Adds script->text, and empties it. */
void script_output_text(struct script *script);
void script_output_flush(struct script *script);
/* "Attached N probes". */
void script_output_attached(struct script *script);
void script_output_release(struct script *script);

/* In script_sites.c: a warning of ours about a place in the program, on stderr. */
void script_warn(struct script *script, const struct lang_site *site, const char *text);

/* In script_sites.c: a record of a program, for the stream. */
void script_on_record(const void *record, size_t size, void *script);
/* Passes on all records that are in the buffer: at the end. */
void script_take_all(struct script *script);
/* Prints the record of a printf() as text. */
void script_print_text(struct script *script, const struct lang_site *site, const struct script_value *values,
		       uint32_t n, uint64_t time);
/* Prints all maps, as at the end. */
void script_print_maps(struct script *script);

/* In script_attach.c */
int script_attach(struct script *script, struct err *err);
/* Gives probes of perf's events their targets. */
void script_attach_events(struct script *script);
void script_detach(struct script *script);
/* Reports, once, if the kernel has switched off what is attached. */
void script_look_at_switches(struct script *script);
/* The hits that the kernel skipped. */
uint64_t script_missed(const struct script *script);
/* Calls of which it was not known where they end, as attach_unlearned(). */
uint64_t script_unlearned(const struct script *script);
/* Calls as of attach_pushed_out(). */
uint64_t script_pushed_out(const struct script *script);

/* In script_keep.c: says what a line's maps depend on, for who keeps them. */
void script_keep(const struct script *script);

/* In script_info.c: prints what the kernel has, and ends the run. */
void script_info(struct script *script);

/* In script_test.c: --test and --bench, which end the run. */
void script_test_run(struct script *script);
void script_test_bench(struct script *script);

/* In script_losses.c: for struct engine. */
void script_stats(struct engine_instance *instance, struct engine_stats *stats);
struct attach *script_attachment(const struct engine_instance *instance, size_t n);
/* The same file: reports, after the end, what was lost; and during the run each map that has become full. */
void script_losses(struct engine_instance *instance);
void script_full_maps(struct script *script);

/*
 * In script_export.c: which maps are exported, and how. open() refuses a program without totals, and totals by keys
 * that take ever new values. Returns 0, or -EINVAL with err.
 */
int script_export_open(struct script *script, struct err *err);
void script_export_release(struct script *script);
/* Whether its entries are exported, so that nobody prints or clears them. */
bool script_exports(const struct script *script, const struct lang_map *map);
/* Text that the program prints, to the log. Lines beyond some in each second are dropped and counted. */
void script_export_text(struct script *script, const char *text, size_t n);
/* For struct engine. */
int script_snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx);
size_t script_tables(const struct engine_instance *instance, const struct engine_table **tables);
/* Adds how many values all exported maps have, how many of them keys without room, and dropped lines. */
void script_export_stats(struct script *script, struct engine_stats *stats);

/* In script_own.c: probes that the run loop runs itself. */
int script_own_open(struct script *script, struct err *err);
/* Runs all probes of a kind, in the order of the text. */
void script_own_run(struct script *script, enum lang_probe_kind kind);
/* Timers of intervals and signals run from now on. */
int script_own_start(struct script *script, struct err *err);
/* Runs a program once. Returns what it returned, or -errno. */
int script_own_call(const struct script_own *own);
/* Runs iterators, which end the run. A program with nothing but begin and end probes ends, too. */
void script_own_iterate(struct script *script);
/* Runs what is due: intervals and signals. */
void script_own_take(struct script *script);
void script_own_release(struct script *script);

/*
 * In script_iter.c: loads an iter probe; runs or pins it; removes its pin. The first two return 0, or -errno with err.
 * An iterator over tasks visits only those of the process `pid`, if it is not 0 and the kernel can do so (6.1).
 */
int script_iter_open(struct script *script, size_t probe, struct err *err);
int script_iter_run(struct script_own *own, uint32_t pid, struct err *err);
void script_iter_release(struct script_own *own);

/* In script_list.c: -l; -- --help. */
struct lang_about;
/* Prints the options of a program as the help of a script that is a tool has them. */
int script_list_options(struct script *script, const struct lang_about *about, struct err *err);
bool script_lists_program(const struct script *script); /* the arguments are a program, not a pattern */
int script_list(struct script *script, struct err *err);
int script_list_program(struct script *script, struct err *err);

#endif
