/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the members of a struct lie, as the System V ABI of x86-64 and AAPCS64 say it. */
#ifndef SONDE_LANG_TREE_CDECL_H
#define SONDE_LANG_TREE_CDECL_H

#include "parse_part.h"

struct cdecl_member {
	const char *name; /* NULL: an unnamed struct, or bits that nobody uses */
	const struct type *type;
	bool is_bits;
	uint32_t bits; /* 0: the next bit field begins a new unit */
};

struct cdecl_members {
	vec(struct cdecl_member);
};

/* Sets fields, size and alignment of a struct or union. False: it is larger than 2 GB. */
bool cdecl_layout(struct pool *pool, struct type *type, const struct cdecl_members *members, bool is_packed);
/* The bytes of n elements. */
uint64_t cdecl_bytes(const struct type *type, uint32_t n);
/* True if the members of a struct are known. */
bool cdecl_is_complete(struct parser *p, const struct type *type);

#endif
