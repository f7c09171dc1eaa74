/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of byte strings that numbers its members 0, 1, 2 ... in the order in which they were first added. The numbers
 * index arrays of the owner. Initialise with {}. Out of memory ends the process, as in base.h.
 */
#ifndef SONDE_BASE_SET_H
#define SONDE_BASE_SET_H

#include "base.h"
#include "lookup.h"
#include "pool.h"

struct set {
	struct set_member {
		const void *bytes;
		uint32_t len;
	} * v;
	size_t n, cap;
	struct lookup lookup; /* finds members by their bytes */
	struct pool pool;     /* the bytes */
};

/* Returns the number of these len bytes, which are copied if they are new. */
uint32_t set_add(struct set *set, const void *bytes, size_t len);
/* The same, but once there are `most` members, no new one is added: SET_NONE. */
uint32_t set_add_most(struct set *set, const void *bytes, size_t len, size_t most);
#define SET_NONE UINT32_MAX
/* Returns the number of these len bytes, or SET_NONE. */
uint32_t set_find(const struct set *set, const void *bytes, size_t len);
void set_release(struct set *set);

#endif
