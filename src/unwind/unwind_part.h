/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in unwind only: the parts of a session (unwind.h). */
#ifndef SONDE_UNWIND_UNWIND_PART_H
#define SONDE_UNWIND_UNWIND_PART_H

#include "blocks.h"
#include "known.h"
#include "modules.h"
#include "mapped.h"
#include "spaces.h"
#include "unwind.h"

struct unwind {
	struct unwind_options options;
	struct unwind_maps maps;
	struct shares shares;
	struct blocks blocks;
	struct modules modules;
	struct known known;
	struct spaces spaces;
	struct mapped *records; /* NULL: none */
	bool started;
	struct err no_records; /* why, if the kernel refused them */
	uint64_t lost;	       /* records that the kernel could not deliver */
	bool rescan;	       /* something was lost since the last scan */
	/* The last scan, in ns of CLOCK_MONOTONIC. The files of the first one are read once: their time is left out. */
	uint64_t scan_began, scan_took;
	uint64_t checked; /* when processors were last looked at, in ns of CLOCK_MONOTONIC */
	/* Processes whose first thread has ended, maybe before others. */
	struct unwind_ending {
		vec(pid_t);
	} ending;
};

/* --- scan.c --- */

/*
 * Reads the mappings of one process from /proc. Returns 0, -ESRCH: there is no such process, -EACCES: it may not be
 * read, -ENOSPC: there is no room for it.
 */
int scan_process(struct unwind *unwind, pid_t pid);
/*
 * Reads those of all processes of the session. Returns 0; for one process errors as of scan_process(); -EINTR: the user
 * wants to stop.
 */
int scan_processes(struct unwind *unwind);
/* Reads them again, also descendants of known processes, and removes those that are gone. */
void scan_again(struct unwind *unwind);
/* The user whose process it is; 0 if that is not known. */
uid_t scan_owner(pid_t pid);
/* Adds a mapping of a process, with its file. */
void scan_mapping(struct unwind *unwind, struct space *space, const struct mapping *mapping);

/* --- follow.c --- */

/* Applies one record. */
void follow_record(void *unwind, const struct mapped_event *record);
/* Removes processes that have ended. */
void follow_endings(struct unwind *unwind);

/* --- prepare.c --- */

/* Makes the modules of a program and of the libraries that it is linked to. */
void prepare_program(struct unwind *unwind, const char *path);

#endif
