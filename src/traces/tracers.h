/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is tracing this kernel: everything that traces, from BPF programs to an event somebody has enabled by hand, each with
 * its owner as far as descriptors, pins and names tell. Reads, and changes nothing.
 */
#ifndef SONDE_TRACES_TRACERS_H
#define SONDE_TRACES_TRACERS_H

#include "inventory.h"
#include "programs.h"

#define TRACER_NONE UINT64_MAX /* a number that the kernel does not tell, or that there is none of */

enum tracer_state {
	TRACER_UNKNOWN,	 /* nothing tells whose it is */
	TRACER_HELD,	 /* processes hold it, and it goes with them */
	TRACER_PINNED,	 /* a pin holds it */
	TRACER_INFERRED, /* its name, or who reads its instance, tells */
	TRACER_ORPHAN,	 /* its name tells whose it was: of a process that is dead, or of a tool and used by nothing */
};

struct tracer_process {
	pid_t pid;
	const char *comm;
};

struct tracer {
	const char *kind;     /* "kprobe.multi", "uprobe event", "enabled", "setting" */
	const char *name;     /* of the program, the event, the file */
	const char *group;    /* of an event, else NULL */
	const char *instance; /* of tracefs, NULL: the one that is always there, or none */
	const char *file;     /* of tracefs, by its full name; NULL none */
	struct {
		const char **v; /* NULL: not known */
		size_t n, cap;
	} targets;
	bool attached; /* of a program */
	bool enabled;  /* of a dynamic event */
	/* TRACER_NONE where not told */
	uint64_t hits, missed;
	uint64_t memory;  /* bytes */
	uint32_t program; /* its id, 0 none */
	size_t links;
	/* of a program since it was loaded, as far as programs were counted then */
	uint64_t runs, run_ns;
	enum tracer_state state;
	const char *tool; /* that a name tells, NULL none */
	pid_t pid;	  /* in that name, 0 none */
	bool dead;	  /* a process of that id is not there */
	struct {
		struct tracer_process *v; /* each once; with TRACER_INFERRED who may be the owner */
		size_t n, cap;
	} processes;
	struct {
		const char **v;
		size_t n, cap;
	} pins;
};

struct tracers {
	struct tracer *v;
	size_t n, cap;
	size_t first_event; /* before it are programs and perf events */
	struct {
		const char **v;
		size_t n, cap;
	} notes; /* what could not be seen, and why: a line each */
	struct programs programs;
	struct traces traces; /* with pins, and who has what open */
	struct pool strings;
};

/* What cannot be read is in the notes. To be released even where everything is. */
void tracers_read(struct tracers *tracers);
void tracers_release(struct tracers *tracers);

#endif
