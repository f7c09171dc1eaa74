/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files ctype*.c: what a program's types are. */
#ifndef SONDE_LANG_TYPES_CTYPE_PART_H
#define SONDE_LANG_TYPES_CTYPE_PART_H

#include "base/nearest.h"
#include "base/set.h"
#include "ctype.h"

/* Where a struct's members or an enum's values are: in BTF, or (id 0) a name that was not looked for yet. */
struct ctype_origin {
	int module;
	uint32_t id;
	enum ctype_tag tag;
	const char *name;
};

struct ctype_declared {
	enum ctype_tag tag;
	const char *name;
	const struct type *type;
};

struct ctypes {
	struct pool *pool;
	struct kernel_types *kernel;   /* NULL: nobody has asked yet */
	struct set keys;	       /* struct ctype_key of each type that was made from BTF */
	vec(const struct type *) made; /* by the number of the key */
	vec(struct ctype_declared) declared;
	vec(struct ctype_declared) lazy; /* structs that are known by their names only */
	struct {
		struct ctype_value {
			const char *name;
			int64_t value;
			const struct type *type;
		} * v;
		size_t n, cap;
	} values;	    /* of declared enums */
	unsigned int depth; /* how deep the type that is being made is nested */
};

/* What the program declares; NULL: nothing of that name. */
const struct type *ctypes_declared(const struct ctypes *types, enum ctype_tag tag, const char *name);
/* Looks for a type that was known by its name only. False: there is none. */
bool ctypes_locate(struct ctypes *types, struct ctype_origin *origin);

#endif
