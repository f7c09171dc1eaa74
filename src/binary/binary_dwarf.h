/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For binary_inlined.c only: the entries (DIEs) of .debug_info, and of each what that file needs. DWARF 2 to 5 in the
 * 32-bit format, without supplementary files. All bytes are foreign: what is damaged ends the walk of its unit.
 */
#ifndef SONDE_BINARY_BINARY_DWARF_H
#define SONDE_BINARY_BINARY_DWARF_H

#include "base/base.h"

struct dwarf_section {
	const uint8_t *at;
	size_t n;
};

/* The caller fills in the sections; those that the file does not have stay {}. */
struct dwarf {
	struct dwarf_section info, abbrev, str, str_offsets;
	uint64_t work; /* attributes and abbreviations read so far: after DWARF_WORK_MAX there are no more entries */
};

/* A file made to hurt can have some MB of units that each take some MB of abbreviations. This takes a second. */
#define DWARF_WORK_MAX 100000000

/* One unit of .debug_info. Offsets are in the section. */
struct dwarf_unit {
	uint64_t begin, first, end; /* of the unit, of its first entry, of the next unit */
	uint64_t abbrev;	    /* in .debug_abbrev */
	uint64_t str_offsets;	    /* in .debug_str_offsets: where the unit's part begins; 0: it has none */
	uint8_t version, address_size;
};

enum {
	DWARF_TAG_INLINED_SUBROUTINE = 0x1d,
	DWARF_TAG_SUBPROGRAM = 0x2e,
};

struct dwarf_entry {
	uint64_t offset;
	uint64_t tag;
	struct dwarf_section name;    /* in the source: the text and what follows it; no NUL may follow */
	struct dwarf_section linkage; /* as a symbol */
	uint64_t origin, declaration; /* entries that this one completes (abstract_origin, specification); 0: none */
	bool has_code;		      /* addresses belong to it */
};

/* The unit that begins at an offset. False: none does, or this one and those behind it cannot be read. */
bool dwarf_unit_at(const struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *unit);
/* Calls fn for each entry of a unit whose tag is above, parents first. */
typedef void (*dwarf_entry_fn)(void *ctx, const struct dwarf_entry *entry);
void dwarf_each_entry(struct dwarf *dwarf, struct dwarf_unit *unit, dwarf_entry_fn fn, void *ctx);

#endif
