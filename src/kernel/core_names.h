/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For kernel/ alone: a set of names, compared as libbpf compares them for CO-RE. What follows "___" is a flavor: it
 * lets one program declare versions of a struct for several kernels, and is ignored.
 */
#ifndef SONDE_KERNEL_CORE_NAMES_H
#define SONDE_KERNEL_CORE_NAMES_H

#include "base/base.h"

struct core_name {
	const char *text;
	size_t len;  /* without the flavor */
	size_t next; /* the next name with the same first character: index + 1, 0: none */
};

/* Initialise with {}. */
struct core_names {
	vec(struct core_name);
	size_t first[256]; /* the newest name with that first character: index + 1, 0: none */
};

/* Adds a name unless it is there. text is kept by pointer and must outlive the set. "" is not added. */
void core_names_add(struct core_names *names, const char *text);
/* Whether the set has the name; both flavors are ignored. */
bool core_names_have(const struct core_names *names, const char *text);
/* Frees what the set has allocated. */
void core_names_release(struct core_names *names);

#endif
