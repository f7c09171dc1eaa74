// SPDX-License-Identifier: BSD-2-Clause
/* Offsets of fields, and bit fields. */
#include "cdecl.h"

struct layout {
	uint64_t bit;  /* the first free one */
	uint64_t size; /* of the largest member so far, in bits: for unions */
	uint32_t align;
	bool is_packed;
};

uint64_t cdecl_bytes(const struct type *type, uint32_t n)
{
	return (uint64_t)type->size * n;
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return to ? (value + to - 1) / to * to : value;
}

/*
 * A bit field lies in one unit of its type, as far as possible behind the one before. Packed ones may cross units: then
 * the unit begins at the byte in which the field begins, and is 8 bytes large if need be.
 */
static void place_bits(struct layout *layout, const struct cdecl_member *member, struct type_field *field)
{
	uint32_t unit = member->type->size * 8;

	if (!member->bits) {
		layout->bit = round_up(layout->bit, unit);
		return;
	}
	if (!layout->is_packed && layout->bit / unit != (layout->bit + member->bits - 1) / unit)
		layout->bit = round_up(layout->bit, unit);
	field->at = layout->bit / unit * member->type->size;
	if (layout->bit / unit != (layout->bit + member->bits - 1) / unit)
		field->at = layout->bit / 8;
	field->bit_at = layout->bit - (uint64_t)field->at * 8;
	field->bit_count = member->bits;
	if (field->bit_at + field->bit_count > unit)
		field->type = type_integer(8, member->type->is_signed);
	layout->bit += member->bits;
}

static void place_member(struct layout *layout, const struct cdecl_member *member, struct type_field *field)
{
	uint32_t align = layout->is_packed ? 1 : member->type->align;

	field->name = member->name;
	field->type = member->type;
	if (member->is_bits) {
		place_bits(layout, member, field);
	} else {
		layout->bit = round_up(layout->bit, (uint64_t)align * 8);
		field->at = layout->bit / 8;
		layout->bit += (uint64_t)member->type->size * 8;
	}
	if (align > layout->align && (member->name || !member->is_bits))
		layout->align = align;
}

bool cdecl_layout(struct pool *pool, struct type *type, const struct cdecl_members *members, bool is_packed)
{
	struct layout layout = { .align = 1, .is_packed = is_packed };
	struct type_field *fields = pool_alloc(pool, members->n * sizeof(*fields));
	uint64_t size;

	for (size_t i = 0; i < members->n; i++) {
		struct type_field *field = &fields[type->n_fields];

		if (type->is_union)
			layout.bit = 0;
		place_member(&layout, &members->v[i], field);
		if (layout.bit > layout.size)
			layout.size = layout.bit;
		if (layout.size / 8 > INT32_MAX)
			return false;
		/* Bits without a name are padding. */
		if (members->v[i].name || !members->v[i].is_bits)
			type->n_fields++;
		else
			*field = (struct type_field){};
	}
	size = round_up(round_up(layout.size, 8) / 8, layout.align);
	if (size > INT32_MAX)
		return false;
	type->fields = fields;
	type->size = size;
	type->align = layout.align;
	return true;
}

bool cdecl_is_complete(struct parser *p, const struct type *type)
{
	return type->fields || type->size || (type->origin && ctypes_complete(p->types, type));
}
