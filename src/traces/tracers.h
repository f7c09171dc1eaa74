/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists everything that traces this kernel, from BPF programs to an event that somebody enabled by hand, each
 * with its owner as far as descriptors, pins and names show it. It changes nothing.
 */
#ifndef SONDE_TRACES_TRACERS_H
#define SONDE_TRACES_TRACERS_H

#include "inventory.h"
#include "programs.h"

#define TRACER_NONE UINT64_MAX /* the kernel does not report the number, or there is none */

enum tracer_state {
	TRACER_UNKNOWN,	 /* nothing shows the owner */
	TRACER_HELD,	 /* processes hold it; it ends with them */
	TRACER_PINNED,	 /* a pin holds it */
	TRACER_INFERRED, /* the owner follows from its name, or from the process that reads its instance */
	TRACER_ORPHAN,	 /* the name shows its former owner: a process that is dead, or a tool, and nothing uses it */
};

struct tracer_process {
	pid_t pid;
	const char *comm;
};

struct tracer {
	const char *kind;	   /* "kprobe.multi", "uprobe event", "enabled", "setting" */
	const char *name;	   /* of the program, event or file */
	const char *group;	   /* of an event, else NULL */
	const char *instance;	   /* of tracefs; NULL: the top one, or none */
	const char *file;	   /* of tracefs, full path; NULL: none */
	vec(const char *) targets; /* an element is NULL if the target is unknown */
	bool attached;		   /* for a program */
	bool enabled;		   /* for a dynamic event */
	/* TRACER_NONE if not reported */
	uint64_t hits, missed;
	uint64_t memory;  /* bytes */
	uint32_t program; /* the program's id, 0 if it is none */
	size_t links;
	/* of a program since it was loaded, as far as programs were counted then */
	uint64_t runs, run_ns;
	enum tracer_state state;
	const char *tool;		      /* the tool in its name, or NULL */
	pid_t pid;			      /* the process id in its name, or 0 */
	bool dead;			      /* no process has that id */
	vec(struct tracer_process) processes; /* each once; with TRACER_INFERRED the possible owners */
	vec(const char *) pins;
};

struct tracers {
	vec(struct tracer);
	size_t first_event;	 /* the elements before it are programs and perf events */
	vec(const char *) notes; /* one line each: what could not be read, and why */
	struct programs programs;
	struct traces traces; /* with pins and holders */
	struct pool strings;
};

/* Reads everything; what cannot be read becomes a note. The caller calls tracers_release() in any case. */
void tracers_read(struct tracers *tracers);
void tracers_release(struct tracers *tracers);

#endif
