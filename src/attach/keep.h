/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What outlives the process. Everything of ours in the kernel hangs on file descriptors: maps, programs, links and perf
 * events. As long as somebody else holds copies of them, the programs go on counting when we end, and the next process
 * adopts them: it opens its engine as ever, but maps are not created and nothing is attached. Who holds the copies in
 * the meantime is the caller's business.
 *
 *	struct keep *keep = keep_new(line);
 *	keep_offer(keep, fds, n)		what was kept, if anything was
 *	open an engine with it			-ESTALE: release the engine and open it again, now from nothing
 *	keep_describe(keep, &history, &list)	the descriptors to hold on to
 *	release the engine
 *	keep_free(keep)
 *
 * A description goes with the descriptors, in a map of the kernel: it says what each of them is, by the kernel's
 * numbers, which no two objects share before the next boot. What does not fit in any respect is not adopted.
 */
#ifndef SONDE_ATTACH_KEEP_H
#define SONDE_ATTACH_KEEP_H

#include "base/base.h"

/*
 * The version of what programs and user space share in maps: sections of data, keys and values. It grows with each
 * change; tests/unit/keep_layout.c notices a change of a type. Versions with the same number adopt from each other.
 */
#define KEEP_LAYOUT 2

struct attach;
struct bpf_object;
struct keep;

enum keep_kind {
	KEEP_MAP = 'm',
	KEEP_PROGRAM = 'p',
	KEEP_LINK = 'l',
	KEEP_EVENT = 'e', /* a perf event that holds its program: kernels without links for it */
	KEEP_DESCRIPTION = 'd',
};

/* The number is the kernel's, unique for its kind; of a description: it grows from one to the next. */
struct keep_fd {
	enum keep_kind kind;
	uint64_t id;
	int fd;
};

/* Initialise with {}. */
struct keep_fds {
	vec(struct keep_fd);
};

/* What the caller has to know about the time before. */
struct keep_history {
	uint64_t created_ns; /* wall clock: when the counters were 0 */
	uint64_t gap_ns;     /* since then nothing was counted for so long, without a pause that goes on */
	uint64_t paused_ns;  /* when that began, by clock_monotonic_ns(); 0: there is none */
	/* What else the caller wants to find again: n_own bytes. As keep_offer() sets it: valid until keep_forget(). */
	const void *own;
	size_t n_own;
};

/* The line is what the user typed: it, the boot of the kernel and KEEP_LAYOUT say whose the descriptors are. */
struct keep *keep_new(const char *line);
/* After the engine was released. NULL: nothing happens. */
void keep_free(struct keep *keep);
/* 16 hexadecimal digits, which stand for the line, this boot and this layout. */
const char *keep_name(const struct keep *keep);

/*
 * Offers descriptors that were kept under the line's name, in any order, also ones that do not belong together. All n
 * of them are the keep's from now on. Returns 0 if there is a description of this line, all of whose descriptors are
 * here;
 * *history is what keep_describe() was given. -ENOENT: there is none. An engine that is opened now adopts them.
 */
int keep_offer(struct keep *keep, const int *fds, size_t n, struct keep_history *history);
/* Closes what was offered, and forgets what was opened. The engine is released, or is about to be. */
void keep_forget(struct keep *keep);
/* True from a successful keep_offer() until keep_forget(); also with NULL: false. */
bool keep_is_adopted(const struct keep *keep);

/*
 * While the engine is open: writes a new description, and lists all descriptors, the description's last. list->v is the
 * caller's to free; the descriptors in it are not. They are valid until the engine is released, the description's until
 * the next call. Returns 0, or -errno with err. -ENOTSUP: this line cannot be kept. It traces a certain process, whose
 * number means another one later, or the engine refuses.
 */
int keep_describe(struct keep *keep, const struct keep_history *history, struct keep_fds *list, struct err *err);

/* --- for engines; a keep of NULL is always allowed, and keeps nothing --- */

/*
 * Adds bytes to what must be the same for a line to be adopted: whatever decides what is in maps, and is not in them.
 */
void keep_mix(struct keep *keep, const void *bytes, size_t n);
/* The engine cannot go on with what was kept: keep_describe() fails. why: a constant, "its program clears maps". */
void keep_refuse(struct keep *keep, const char *why);
/* Sets err to say that this does not fit what was kept, and returns -ESTALE. */
int keep_stale(struct err *err, const char *what);
/*
 * Before the object's maps are created: uses the kept ones instead. Returns 0, or -ESTALE with err: they are not what
 * the object needs.
 */
int keep_maps_before(struct keep *keep, struct bpf_object *object, struct err *err);
/*
 * After that: shares the memory of adopted maps, and remembers all of them. -ESTALE with err: read-only data differs.
 */
int keep_maps_after(struct keep *keep, struct bpf_object *object, struct err *err);
/*
 * For a map that the engine creates by itself: returns the kept one, which is the caller's then, or -ENOENT: create it,
 * and call keep_map_created(), whose fd stays the caller's; -ESTALE: there should be one of this shape.
 */
int keep_map(struct keep *keep, const char *name, uint32_t type, uint32_t key_size, uint32_t value_size,
	     uint32_t entries);
void keep_map_created(struct keep *keep, const char *name, int fd);
/*
 * The bytes of a kept map's value, for a size that depended on the moment; 0: nothing is adopted, or there is no such
 * map.
 */
uint32_t keep_value_size(const struct keep *keep, const char *map);
/* After the engine has opened: -ESTALE with err if it did not want something that was kept. */
int keep_complete(struct keep *keep, struct err *err);

/* --- within attach/ --- */

/* A new struct attach, whose set is complete; and its end. Its place is the order of these calls. */
void keep_attach_new(struct keep *keep, struct attach *attach);
void keep_attach_free(struct keep *keep, struct attach *attach);
/* Gives an attach its links and copies. Returns 0, -ENOENT: nothing is adopted, or it has them; -ESTALE with err. */
int keep_attach_adopt(struct keep *keep, struct attach *attach, struct err *err);

#endif
