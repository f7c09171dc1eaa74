/* SPDX-License-Identifier: BSD-2-Clause */
/* Within keep*.c: the state of a line. */
#ifndef SONDE_ATTACH_KEEP_PART_H
#define SONDE_ATTACH_KEEP_PART_H

#include "keep_text.h"

struct keep {
	char name[17];
	char *line;
	const char *boot;
	uint64_t identity;   /* of all that was mixed so far */
	uint64_t number;     /* of the last description */
	int description;     /* its map, -1: none */
	const char *refused; /* why the line is not kept; NULL: it is */

	/* What the engine has opened. Descriptors and attaches are the engine's. */
	struct {
		struct keep_map {
			char *name;
			int fd;
		} * v;
		size_t n, cap;
	} maps;
	vec(struct attach *) attaches;

	/* What was offered: the description, and its descriptors; fd -1: adopted. */
	bool adopts;   /* from the offer on */
	bool complete; /* the engine has opened */
	struct keep_text text;
	struct keep_fds fds;
};

/* Takes the descriptor out of what was offered; it is the caller's then. -ESTALE: it is not there. */
int keep_take(struct keep *keep, enum keep_kind kind, uint64_t id);

#endif
