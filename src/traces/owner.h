/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose a dynamic event is, as far as its name tells: tools write themselves, and most their process id, into
 * the names of what they make.
 */
#ifndef SONDE_TRACES_OWNER_H
#define SONDE_TRACES_OWNER_H

#include "base/nearest.h"
#include "base/pool.h"
#include "processes.h"

/* Where sonde pins what it keeps: BPFFS/sonde/... */
#define OWNER_SONDE "sonde"

enum owner_state {
	OWNER_UNKNOWN, /* the name holds no process id, or no process is known to have the pin */
	OWNER_DEAD,
	OWNER_REUSED, /* a process with that id is there, and it is another command than this tool's */
	OWNER_ALIVE,  /* a process with that id is there; whether it is the one that wrote the name nobody can tell */
	OWNER_UNSEEN, /* none that we see, and we do not see all */
};

struct trace_owner {
	const char *tool;    /* "bcc"; NULL: the name says nothing */
	pid_t pid;	     /* as in the name, 0 none */
	bool guess;	     /* people choose such names as well: that the pid is dead proves nothing */
	const char *command; /* with what the command of its processes begins, NULL any */
	enum owner_state state;
	const struct process_id *process; /* of OWNER_ALIVE and OWNER_REUSED */
};

/* From the name alone: state is OWNER_UNKNOWN. */
struct trace_owner owner_of_event(const char *group, const char *name);
/* Finds the state of an owner with a pid. */
void owner_look_up(struct trace_owner *owner, const struct processes *processes);
/*
 * Whose a pin is, by its path in its bpffs ("/cilium/maps/x"): the first directory is the owner's, by convention, but
 * where we know better. NULL: it stands in the root, and nobody's. A name that is none of ours is put into the pool.
 */
const char *owner_of_pin(const char *path, struct pool *strings);
/* A tool that owner_of_event() or owner_of_pin() has a line for, and not by convention alone; we among them. */
bool owner_is_known(const char *tool);
/* Offers all of these. */
void owner_suggest(struct nearest *nearest);
/* The same, each once, to fn; word is not looked at. */
void owner_offer(const char *word, void (*fn)(const char *tool, void *ctx), void *ctx);

#endif
