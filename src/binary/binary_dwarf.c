// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decodes .debug_info by .debug_abbrev. Knows of no entry what it means. The format: DWARF 5, 7.5 (units, forms) and
 * 7.5.3 (abbreviations); earlier versions have fewer forms and another header.
 */
#include "base/cursor.h"
#include "binary_dwarf.h"

/* Compilers number abbreviations from 1 on. A unit of a browser has some thousands. */
#define ABBREVIATIONS_MAX 65536

enum {
	AT_NAME = 0x03,
	AT_LOW_PC = 0x11,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_SPECIFICATION = 0x47,
	AT_ENTRY_PC = 0x52,
	AT_RANGES = 0x55,
	AT_LINKAGE_NAME = 0x6e,
	AT_STR_OFFSETS_BASE = 0x72,
	AT_MIPS_LINKAGE_NAME = 0x2007,
	TAG_COMPILE_UNIT = 0x11,
};

enum {
	FORM_ADDR = 0x01,
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_FLAG = 0x0c,
	FORM_SDATA = 0x0d,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_REF_ADDR = 0x10,
	FORM_REF1 = 0x11,
	FORM_REF2 = 0x12,
	FORM_REF4 = 0x13,
	FORM_REF8 = 0x14,
	FORM_REF_UDATA = 0x15,
	FORM_INDIRECT = 0x16,
	FORM_SEC_OFFSET = 0x17,
	FORM_EXPRLOC = 0x18,
	FORM_FLAG_PRESENT = 0x19,
	FORM_STRX = 0x1a,
	FORM_ADDRX = 0x1b,
	FORM_REF_SUP4 = 0x1c,
	FORM_STRP_SUP = 0x1d,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
	FORM_REF_SIG8 = 0x20,
	FORM_IMPLICIT_CONST = 0x21,
	FORM_LOCLISTX = 0x22,
	FORM_RNGLISTX = 0x23,
	FORM_REF_SUP8 = 0x24,
	FORM_STRX1 = 0x25,
	FORM_STRX2 = 0x26,
	FORM_STRX3 = 0x27,
	FORM_STRX4 = 0x28,
	FORM_ADDRX1 = 0x29,
	FORM_ADDRX2 = 0x2a,
	FORM_ADDRX3 = 0x2b,
	FORM_ADDRX4 = 0x2c,
	FORM_GNU_REF_ALT = 0x1f20,
	FORM_GNU_STRP_ALT = 0x1f21,
};

/* What one abbreviation says of its entries. */
struct abbreviation {
	uint64_t tag;
	const uint8_t *attributes; /* pairs of name and form, up to a pair of zeros; NULL: no such abbreviation */
	uint64_t size;		   /* of the attributes of each entry, which need not be read; 0: they must be */
};

struct abbreviations {
	vec(struct abbreviation);
};

static struct cursor cursor_of(struct dwarf_section section, uint64_t from, uint64_t to)
{
	const uint8_t *at = section.at ? section.at : (const uint8_t *)"";
	struct cursor c = cursor_init(at, to < section.n ? to : section.n, 0);

	cursor_skip(&c, from);
	return c;
}

bool dwarf_unit_at(const struct dwarf *dwarf, uint64_t offset, struct dwarf_unit *unit)
{
	struct cursor c = cursor_of(dwarf->info, offset, UINT64_MAX);
	uint64_t length = cursor_fixed(&c, 4);
	uint8_t type = 0;

	/* 0xfffffff0 and above: the 64-bit format, or reserved */
	if (c.bad || length >= 0xfffffff0 || length > cursor_left(&c))
		return false;
	*unit = (struct dwarf_unit){ .begin = offset, .end = offset + 4 + length };
	unit->version = cursor_fixed(&c, 2);
	if (unit->version >= 5) {
		type = cursor_fixed(&c, 1);
		unit->address_size = cursor_fixed(&c, 1);
		unit->abbrev = cursor_fixed(&c, 4);
	} else {
		unit->abbrev = cursor_fixed(&c, 4);
		unit->address_size = cursor_fixed(&c, 1);
	}
	/* skeletons have an identifier, units of types a signature and an offset as well */
	cursor_skip(&c, type == 4 || type == 5 ? 8 : type == 2 || type == 6 ? 12
									    : 0);
	unit->first = c.at - dwarf->info.at;
	/* of a version that is unknown, nothing is read */
	if (c.bad || unit->version < 2 || unit->version > 5 || unit->first > unit->end)
		unit->first = unit->end;
	return true;
}

/* The bytes of forms that have always as many; 0: others. */
static unsigned int fixed_size(uint64_t form)
{
	switch (form) {
	case FORM_DATA1:
	case FORM_FLAG:
	case FORM_REF1:
	case FORM_STRX1:
	case FORM_ADDRX1:
		return 1;
	case FORM_DATA2:
	case FORM_REF2:
	case FORM_STRX2:
	case FORM_ADDRX2:
		return 2;
	case FORM_STRX3:
	case FORM_ADDRX3:
		return 3;
	case FORM_DATA4:
	case FORM_STRP:
	case FORM_REF4:
	case FORM_SEC_OFFSET:
	case FORM_REF_SUP4:
	case FORM_STRP_SUP:
	case FORM_LINE_STRP:
	case FORM_STRX4:
	case FORM_ADDRX4:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return 4;
	case FORM_DATA8:
	case FORM_REF8:
	case FORM_REF_SIG8:
	case FORM_REF_SUP8:
		return 8;
	default:
		return 0;
	}
}

/* Whether a caller wants to know more than that there is an entry. A unit's own says where its strings are. */
static bool is_wanted(uint64_t tag)
{
	return tag == DWARF_TAG_SUBPROGRAM || tag == DWARF_TAG_INLINED_SUBROUTINE || tag == TAG_COMPILE_UNIT;
}

/* Most entries are types and variables, and have the same size as all others of their abbreviation. */
static void read_abbreviation(struct dwarf *dwarf, struct cursor *c, struct abbreviation *abbreviation)
{
	uint64_t name, form, size = 0;
	bool fixed;

	abbreviation->tag = cursor_uleb(c);
	cursor_skip(c, 1); /* whether the entries have children: a walk of all need not know */
	abbreviation->attributes = c->at;
	fixed = !is_wanted(abbreviation->tag);
	do {
		name = cursor_uleb(c);
		form = cursor_uleb(c);
		if (form == FORM_IMPLICIT_CONST)
			cursor_sleb(c);
		else if (form && form != FORM_FLAG_PRESENT)
			fixed &= fixed_size(form) != 0;
		size += fixed_size(form);
		dwarf->work++;
	} while (name | form);
	if (fixed)
		abbreviation->size = size;
	if (c->bad)
		abbreviation->attributes = NULL;
}

static void read_abbreviations(struct dwarf *dwarf, uint64_t offset, struct abbreviations *all)
{
	struct cursor c = cursor_of(dwarf->abbrev, offset, UINT64_MAX);
	uint64_t code;

	while (dwarf->work < DWARF_WORK_MAX && (code = cursor_uleb(&c)) && code < ABBREVIATIONS_MAX) {
		for (; all->n <= code; dwarf->work++)
			vec_push(all);
		read_abbreviation(dwarf, &c, &all->v[code]);
	}
}

/* Reads past a value of the form. Returns it, if it is a number. */
static uint64_t read_value(const struct dwarf_unit *unit, uint64_t form, struct cursor *c)
{
	unsigned int size = fixed_size(form);

	if (size)
		return cursor_fixed(c, size);
	switch (form) {
	case FORM_ADDR:
		return cursor_fixed(c, unit->address_size == 4 ? 4 : 8);
	case FORM_REF_ADDR:
		return cursor_fixed(c, unit->version == 2 && unit->address_size == 8 ? 8 : 4);
	case FORM_UDATA:
	case FORM_REF_UDATA:
	case FORM_STRX:
	case FORM_ADDRX:
	case FORM_LOCLISTX:
	case FORM_RNGLISTX:
		return cursor_uleb(c);
	case FORM_SDATA:
		return cursor_sleb(c);
	case FORM_FLAG_PRESENT:
	case FORM_IMPLICIT_CONST:
		return 1;
	case FORM_STRING:
		cursor_string(c);
		return 0;
	case FORM_BLOCK1:
		cursor_skip(c, cursor_fixed(c, 1));
		return 0;
	case FORM_BLOCK2:
		cursor_skip(c, cursor_fixed(c, 2));
		return 0;
	case FORM_BLOCK4:
		cursor_skip(c, cursor_fixed(c, 4));
		return 0;
	case FORM_BLOCK:
	case FORM_EXPRLOC:
		cursor_skip(c, cursor_uleb(c));
		return 0;
	case FORM_DATA16:
		cursor_skip(c, 16);
		return 0;
	}
	cursor_skip(c, UINT64_MAX); /* an unknown form has an unknown size: the rest cannot be read */
	return 0;
}

static struct dwarf_section from(struct dwarf_section section, uint64_t offset)
{
	if (offset >= section.n)
		return (struct dwarf_section){};
	return (struct dwarf_section){ section.at + offset, section.n - offset };
}

/* value: as read_value() has returned it; at: where it was read. */
static struct dwarf_section string_of(const struct dwarf *dwarf, const struct dwarf_unit *unit, uint64_t form,
				      uint64_t value, const uint8_t *at)
{
	struct cursor c;

	switch (form) {
	case FORM_STRING:
		return from(dwarf->info, at - dwarf->info.at);
	case FORM_STRP:
		return from(dwarf->str, value);
	case FORM_STRX:
	case FORM_STRX1:
	case FORM_STRX2:
	case FORM_STRX3:
	case FORM_STRX4:
		if (!unit->str_offsets || value > UINT32_MAX)
			break;
		c = cursor_of(dwarf->str_offsets, unit->str_offsets + 4 * value, UINT64_MAX);
		value = cursor_fixed(&c, 4);
		if (!c.bad)
			return from(dwarf->str, value);
	}
	return (struct dwarf_section){};
}

/* Most forms of references are relative to the unit. Those into other files count as none. */
static uint64_t reference_of(const struct dwarf_unit *unit, uint64_t form, uint64_t value)
{
	switch (form) {
	case FORM_REF_ADDR:
		return value;
	case FORM_REF1:
	case FORM_REF2:
	case FORM_REF4:
	case FORM_REF8:
	case FORM_REF_UDATA:
		return unit->begin + value;
	}
	return 0;
}

static void take_attribute(const struct dwarf *dwarf, struct dwarf_unit *unit, uint64_t name, uint64_t form,
			   uint64_t value, const uint8_t *at, struct dwarf_entry *entry)
{
	switch (name) {
	case AT_NAME:
		entry->name = string_of(dwarf, unit, form, value, at);
		break;
	case AT_LINKAGE_NAME:
	case AT_MIPS_LINKAGE_NAME:
		entry->linkage = string_of(dwarf, unit, form, value, at);
		break;
	case AT_ABSTRACT_ORIGIN:
		entry->origin = reference_of(unit, form, value);
		break;
	case AT_SPECIFICATION:
		entry->declaration = reference_of(unit, form, value);
		break;
	case AT_LOW_PC:
	case AT_ENTRY_PC:
	case AT_RANGES:
		entry->has_code = true;
		break;
	case AT_STR_OFFSETS_BASE:
		unit->str_offsets = value;
		break;
	}
}

static void read_entry(struct dwarf *dwarf, struct dwarf_unit *unit, const uint8_t *attributes,
		       struct cursor *c, struct dwarf_entry *entry)
{
	const struct dwarf_section *abbrev = &dwarf->abbrev;
	struct cursor pairs = cursor_of(*abbrev, attributes - abbrev->at, UINT64_MAX);

	for (;;) {
		uint64_t name = cursor_uleb(&pairs), form = cursor_uleb(&pairs), value;
		const uint8_t *at;

		if (c->bad || !(name | form))
			return;
		dwarf->work++;
		value = form == FORM_IMPLICIT_CONST ? (uint64_t)cursor_sleb(&pairs) : 0;
		if (form == FORM_INDIRECT)
			form = cursor_uleb(c);
		at = c->at;
		if (form != FORM_IMPLICIT_CONST)
			value = read_value(unit, form, c);
		if (!c->bad)
			take_attribute(dwarf, unit, name, form, value, at, entry);
	}
}

void dwarf_each_entry(struct dwarf *dwarf, struct dwarf_unit *unit, dwarf_entry_fn fn, void *ctx)
{
	struct cursor c = cursor_of(dwarf->info, unit->first, unit->end);
	struct abbreviations all = {};

	read_abbreviations(dwarf, unit->abbrev, &all);
	while (!c.bad && cursor_left(&c) && dwarf->work < DWARF_WORK_MAX) {
		struct dwarf_entry entry = { .offset = c.at - dwarf->info.at };
		uint64_t code = cursor_uleb(&c);

		if (!code) /* ends the children of an entry */
			continue;
		if (code >= all.n || !all.v[code].attributes)
			break;
		dwarf->work++;
		if (all.v[code].size) {
			cursor_skip(&c, all.v[code].size);
			continue;
		}
		entry.tag = all.v[code].tag;
		read_entry(dwarf, unit, all.v[code].attributes, &c, &entry);
		if (!c.bad)
			fn(ctx, &entry);
	}
	free(all.v);
}
