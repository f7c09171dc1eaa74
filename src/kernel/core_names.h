/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: a set of names that takes names for equal as libbpf does for CO-RE: what
 * follows "___" is a flavor, by which one program tells several kernels' versions of a struct apart.
 */
#ifndef SONDE_CORE_NAMES_H
#define SONDE_CORE_NAMES_H

#include "base/base.h"

struct core_name {
	const char *text;
	size_t len;  /* without the flavor */
	size_t next; /* of the same first character: index + 1, 0 none */
};

/* Initialise with {}. */
struct core_names {
	struct core_name *v;
	size_t n, cap;
	size_t first[256];
};

void core_names_add(struct core_names *names, const char *text); /* kept by pointer; "" is none */
bool core_names_have(const struct core_names *names, const char *text);
void core_names_release(struct core_names *names);

#endif
