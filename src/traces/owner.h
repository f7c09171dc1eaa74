/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the owner of a dynamic event or a pin by its name. Tools put their own name, and most also their process
 * id, into the names of what they make.
 */
#ifndef SONDE_TRACES_OWNER_H
#define SONDE_TRACES_OWNER_H

#include "base/nearest.h"
#include "base/pool.h"
#include "processes.h"

/* sonde pins what it keeps in BPFFS/sonde/... */
#define OWNER_SONDE "sonde"

enum owner_state {
	OWNER_UNKNOWN, /* there is no process id in the name, or no known process uses the pin */
	OWNER_DEAD,
	OWNER_REUSED, /* a process has this id, but its command is not this tool's */
	OWNER_ALIVE,  /* a process has this id; it need not be the one that made the name */
	OWNER_UNSEEN, /* we see no process with this id, but we do not see all processes */
};

struct trace_owner {
	const char *tool;    /* such as "bcc"; NULL: the name does not tell */
	pid_t pid;	     /* from the name, 0 if there is none */
	bool guess;	     /* people choose such names as well: a dead process id proves nothing */
	const char *command; /* the command of the tool's processes begins with this; NULL: any command */
	enum owner_state state;
	const struct process_id *process; /* for OWNER_ALIVE and OWNER_REUSED */
};

/* Derives the owner from the name alone; its state is OWNER_UNKNOWN. */
struct trace_owner owner_of_event(const char *group, const char *name);
/* Sets the state and the process of an owner with a process id. */
void owner_look_up(struct trace_owner *owner, const struct processes *processes);
/*
 * Returns the owner of a pin by the path in its bpffs ("/cilium/maps/x"). By convention the first directory names
 * the owner; a table has the exceptions. NULL: the pin is in the root and has no owner. A name that is not in the
 * table is put into the pool.
 */
const char *owner_of_pin(const char *path, struct pool *strings);
/* True if the table for events or pins names this tool, or it is sonde itself. */
bool owner_is_known(const char *tool);
/* Offers all these tools as a correction of a misspelt name. */
void owner_suggest(struct nearest *nearest);
/* Offers each of these tools to fn, for completion. Ignores word. */
void owner_offer(const char *word, void (*fn)(const char *tool, void *ctx), void *ctx);

#endif
