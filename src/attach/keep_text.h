/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within attach/: the description of what a line keeps, as data and as bytes. Another version of sonde may have written
 * the bytes: each number is checked before it is used. Asks no kernel.
 */
#ifndef SONDE_ATTACH_KEEP_TEXT_H
#define SONDE_ATTACH_KEEP_TEXT_H

#include "base/pool.h"
#include "base/str.h"
#include "keep.h"
#include "mechanism.h"

#define KEPT_NAME_LEN 16 /* of an object in the kernel */

/* A map: its name in our object, and its number in the kernel. */
struct kept_map {
	const char *name;
	uint32_t id;
};

struct kept_target {
	bool attached;
	enum mech by;
	const char *why_not; /* NULL: not tried */
};

/* kind: KEEP_LINK or KEEP_EVENT. */
struct kept_link {
	enum keep_kind kind;
	uint64_t id;
	enum mech mech;
	uint32_t slot;
};

struct kept_copy {
	uint32_t id; /* of the program */
	struct copy copy;
	/*
	 * A gate was in front of it, which is not written: the program serves its links, and no other copies. A map that
	 * it shares with others is theirs alone.
	 */
	bool gated;
};

/* What a struct attach has. identity: of everything that was mixed up to its targets. */
struct kept_attach {
	uint64_t identity;
	vec(struct kept_target) targets;
	vec(struct kept_link) links;
	vec(struct kept_copy) copies;
	bool paused;
	/* What links had missed that were closed in pauses: by slot, and the others. Empty: there was no pause. */
	vec(uint64_t) missed;
};

/* Initialise with {}. The pool owns the strings. */
struct keep_text {
	uint64_t number; /* a later description of the same line has a larger one */
	const char *boot, *line;
	struct keep_history history;
	vec(struct kept_map) maps;
	vec(struct kept_attach) attaches;
	struct pool pool;
};

void keep_text_release(struct keep_text *text);
/* Appends the bytes. */
void keep_text_write(const struct keep_text *text, struct str *bytes);
/*
 * Reads n bytes. Returns 0, or -ESTALE: another version wrote them, or they are no description. The numbers of links,
 * copies and targets are what they can be; whether they fit the targets of now is the caller's to check. Release text
 * after an error, too.
 */
int keep_text_read(struct keep_text *text, const void *bytes, size_t n);

#endif
