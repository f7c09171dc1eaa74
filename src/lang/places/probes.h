/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What probes there are: takes the text of an attach point apart, finds the places that it means, and knows the
 * arguments of each. Attaches nothing.
 */
#ifndef SONDE_LANG_PLACES_PROBES_H
#define SONDE_LANG_PLACES_PROBES_H

#include "kernel/kernel.h"
#include "lang/text/source.h"
#include "lang/types/ctype.h"
#include "probe/target.h"

enum lang_probe_kind {
	PROBE_BEGIN, /* run by the run loop: begin, end, interval, self:signal, test, bench */
	PROBE_END,
	PROBE_INTERVAL,
	PROBE_SIGNAL,
	PROBE_TEST,
	PROBE_BENCH,
	PROBE_KPROBE, /* places: struct target */
	PROBE_KRETPROBE,
	PROBE_FENTRY,
	PROBE_FEXIT,
	PROBE_TRACEPOINT,
	PROBE_RAWTRACEPOINT,
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_USDT,
	PROBE_PROFILE, /* perf events */
	PROBE_SOFTWARE,
	PROBE_HARDWARE,
	PROBE_WATCHPOINT,
	PROBE_ITER,
	PROBE_KINDS,
};

/* "kprobe" and its short form "k"; the short form may be NULL. */
struct lang_probe_word {
	const char *name, *brief;
	enum lang_probe_kind kind;
};
extern const struct lang_probe_word lang_probe_words[];
extern const size_t lang_n_probe_words;
const char *lang_probe_kind_name(enum lang_probe_kind kind); /* the word for it in programs */

/* One attach point of the program. */
struct lang_attach {
	enum lang_probe_kind kind;
	struct span at;
	const char *text;		/* "kprobe:vfs_*", with the long word */
	const char *spec;		/* kinds with targets: what probe/spec.h parses; several make one set */
	const struct lang_attach *next; /* of the same set, as the program has them; NULL: the last */
	bool needs_process;		/* usdt: no binary is named, so it is looked for in those of the process of -p */
	/* The others: */
	uint64_t period;	  /* interval, profile: ns; software, hardware: events */
	int signal;		  /* of PROBE_SIGNAL */
	uint32_t event;		  /* software, hardware: PERF_COUNT_... */
	uint64_t address, length; /* watchpoint */
	uint32_t access;	  /* watchpoint: a set of enum target_access */
	const char *object;	  /* iter: "task"; test, bench: the name */
	const char *pin;	  /* iter: path; NULL: none */
};

/* Takes text apart. False: it is wrong, and messages say why (with the nearest word). */
bool lang_attach_parse(struct lang_attach *attach, const char *text, struct span at, struct pool *pool,
		       struct lang_messages *messages);

struct lang_specs {
	vec(const char *);
};

/*
 * Appends the specs of an attach point with targets, at least one: several if it is a user probe whose binary is a
 * pattern of files, or "*" for all files that process pid (0: any process) has mapped. The pool owns the texts. Returns
 * how many these are.
 */
size_t lang_attach_specs(const struct lang_attach *attach, pid_t pid, struct pool *pool, struct lang_specs *specs);
/* Whether it is a user probe whose binary is a pattern. */
bool lang_attach_has_files(const struct lang_attach *attach);
/* The names of perf's software or hardware events, from i = 0 on; NULL: there are no more. */
const char *lang_event_name(enum lang_probe_kind kind, size_t i);

/* An argument of a place. */
struct lang_argument {
	const char *name;
	const struct type *type; /* pointers have their space; __data_loc strings are TYPE_STRING, see is_data_loc */
	uint32_t at;		 /* tracepoint: offset in the record; fentry, rawtracepoint: number of the word */
	/*
	 * at: of a u32 whose lower half is the offset in the record, and the upper the length. A text is a
	 * TYPE_STRING of size 0 then: its length is known when it is read. Other data are a pointer to their first
	 * element.
	 */
	bool is_data_loc;
	/*
	 * fentry, fexit: older verifiers refuse a load of this word; bpf_probe_read_kernel() of its place in ctx
	 * works.
	 */
	bool by_read;
};

/* What `args`, `retval` and `ctx` of a place are. */
struct lang_arguments {
	const struct lang_argument *v;
	size_t n;
	const struct type *ret;	    /* of fexit; NULL: it returns nothing, or unknown */
	uint32_t ret_at;	    /* of fexit: number of the word */
	bool ret_by_read;	    /* as by_read of an argument */
	const struct type *context; /* iter: the struct that ctx points to */
};

/*
 * What `probe` prints of a place: "kprobe:vfs_read", "fentry:vmlinux:vfs_read", "tracepoint:sched:sched_switch".
 * attach: what the place comes from, which gives the name of a binary as the user wrote it; NULL: the target's.
 */
const char *lang_target_text(enum lang_probe_kind kind, const struct lang_attach *attach, const struct target *target,
			     struct pool *pool);

/*
 * The arguments of a target, from BTF (fentry, fexit, rawtracepoint), tracefs' format or BTF's trace_event_raw_*
 * (tracepoint). -ENOENT: this kind has none; else -errno with err.
 */
int lang_arguments_of(enum lang_probe_kind kind, const struct target *target, struct ctypes *types, struct pool *pool,
		      struct lang_arguments *arguments, struct err *err);
/* Of iter: the fields of ctx. */
int lang_arguments_of_iter(const char *object, struct ctypes *types, struct pool *pool,
			   struct lang_arguments *arguments, struct err *err);

/* A symbol, of a function or a variable, of the binary that a user probe is in. */
struct lang_symbol {
	uint64_t at;   /* its address; if not is_fixed, less that of the probe's place */
	uint64_t size; /* in bytes; 0: not known */
	bool is_fixed; /* the binary runs at the addresses as linked */
};
/* -ENOENT, -ENOTSUP, or another -errno, with err. */
int lang_symbol_of(const struct target *target, const char *name, struct lang_symbol *symbol, struct err *err);

#define LANG_USDT_MAX 12 /* arguments of a USDT probe, by its definition */

/* Where an argument of a USDT probe is, per place: the note's text "-4@-20(%rbp)". */
struct lang_usdt_argument {
	enum {
		USDT_CONSTANT,
		USDT_REGISTER,
		USDT_MEMORY
	} where;
	int64_t value;		/* constant, or offset in memory */
	int32_t reg, index_reg; /* offset in pt_regs of the register, -1: none */
	uint8_t scale;
	uint8_t size;
	bool is_signed;
};
/*
 * Of target->usdt_args. n: how many there are at most, and are. -E2BIG: there are more. -EINVAL: a form that is not
 * known (floating point, addresses of symbols); *n: how many come before it.
 */
int lang_usdt_parse(const char *note, struct lang_usdt_argument *v, size_t *n);

enum lang_detail {
	LANG_LIST_NAMES,
	LANG_LIST_TYPES,   /* a line for each argument, "    struct file * file"; the declarations of types */
	LANG_LIST_OFFSETS, /* and where each field of a struct is */
};

/*
 * Lists what can be probed, sorted, as `-l` prints it: "kprobe:vfs_read", each followed by its details. patterns: as
 * attach points, NULL: everything. pid: 0 or the process of -p. fn gets a line without its end. Returns how many
 * matched, or -errno with err.
 */
int lang_list(const char *pattern, enum lang_detail detail, pid_t pid, void (*fn)(const char *line, void *ctx),
	      void *ctx, struct err *err);

#endif
