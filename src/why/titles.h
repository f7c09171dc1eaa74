/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes say of themselves: their arguments, and titles that they write in place of these. */
#ifndef SONDE_WHY_TITLES_H
#define SONDE_WHY_TITLES_H

#include "base/str.h"

/* The arguments of a process, up to 255 bytes, as long as it lives. The caller frees it; NULL: there are none. */
char *titles_command(uint32_t pid);

/* Appends the name that a thread has now. False: it has ended, or its id is not the host's. */
bool titles_comm(struct str *s, uint32_t tid);

/*
 * Whether the process or thread that has this id now was there at that time, of the monotonic clock: ids come again. To
 * 10 ms. False: nobody has it, or the host has other ids.
 */
bool titles_was_there(uint32_t id, uint64_t time);

/*
 * Appends " (TITLE)" if the process has written a title over its arguments, as PostgreSQL and nginx do: one argument with
 * blanks. The begin up to a colon, which repeats the program's name, is left out: " (worker process)". pid: on the host;
 * nothing is appended if sonde is in a pid namespace, where /proc has other ids. The text is the process's own, up to 48
 * bytes of it: it may have any bytes but NUL.
 */
void titles_add(struct str *s, uint32_t pid);

/*
 * What titles said while others waited: of the processes that have lately held up others for long, looked at now and then.
 * Initialise with {}.
 */
#define TITLES_WATCHED 64
#define TITLES_SAMPLES 4

struct titles {
	uint64_t looked_at, looks;
	size_t reads;	       /* since the last look */
	uint32_t without[256]; /* processes that have none, by the lower bits of their ids */
	struct titles_known {
		uint32_t pid;
		char *text; /* as titles_add() appends it, which may be nothing; NULL: not read */
	} known[256];	    /* since the last look, by the lower bits of their ids */
	size_t next;
	struct titles_watched {
		uint32_t pid; /* or a thread of the process; 0: none */
		struct titles_sample {
			uint64_t time;
			char *text; /* as titles_add() appends it; NULL: none */
		} samples[TITLES_SAMPLES];
		size_t n;
		char *held; /* the last one that it had while others waited; NULL: not seen */
		char *last; /* the last one */
		bool holds; /* it has held a lock for which others waited */
	} watched[TITLES_WATCHED];
};

/*
 * Others have waited from..to for this thread. holds: for a lock; of more than TITLES_WATCHED of these, the last ones are
 * watched, others as long as there is room.
 */
void titles_waited(struct titles *titles, uint32_t pid, uint64_t from, uint64_t to, bool holds);
/* It may hold up others: it is watched if there is room. */
void titles_seen(struct titles *titles, uint32_t pid);
/* A thread with this number has begun: what was known is another one's. */
void titles_born(struct titles *titles, uint32_t pid);
/* Looks at titles, if it is time to. */
void titles_look(struct titles *titles, uint64_t now);
/*
 * What titles_add() appends, read once between two looks: a page asks for each part of a request, and a process may change
 * its title meanwhile. Valid until the next call.
 */
const char *titles_now(struct titles *titles, uint32_t pid);
/* Valid until the next call of the others; NULL: not known. */
const char *titles_held(const struct titles *titles, uint32_t pid);
/* The last one that was seen, also if the process has ended. */
const char *titles_last(const struct titles *titles, uint32_t pid);
void titles_release(struct titles *titles);

#endif
