/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files probes*.c: how arguments are collected. */
#ifndef SONDE_LANG_PLACES_PROBES_PART_H
#define SONDE_LANG_PLACES_PROBES_PART_H

#include "lang/types/ctype.h"
#include "probes.h"

struct arguments {
	vec(struct lang_argument);
};

/* Moves what was found into the pool. Returns 0. */
int arguments_finish(struct arguments *found, struct pool *pool, struct lang_arguments *arguments);

/* A prototype in BTF and how its parameters are passed. */
struct proto {
	struct ctypes *types;
	const struct btf_type *type;
	int module;
	uint32_t skip; /* so many parameters come first that are not the program's */
	enum type_space space;
};

/* Of a kernel function or a raw tracepoint, into a proto that holds only types. 0 or -errno with err. */
int arguments_find_proto(enum lang_probe_kind kind, const struct target *target, struct proto *proto, struct err *err);

/*
 * Of a tracepoint's format file, whose text is changed. space: where its pointers point to. A text without any field
 * has no arguments.
 */
int lang_arguments_of_format(char *text, enum type_space space, struct ctypes *types, struct pool *pool,
			     struct lang_arguments *arguments);

#endif
