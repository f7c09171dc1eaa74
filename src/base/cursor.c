// SPDX-License-Identifier: BSD-2-Clause
/* Decodes DWARF's numbers within the bounds of the cursor. */
#include "cursor.h"

/*
 * DW_EH_PE_*: the low four bits are the form, the next three what the value is relative to. The last one says that the
 * value is the address of a word that holds the pointer; only a running program has such words.
 */
enum {
	FORM_ABSPTR = 0,
	FORM_ULEB = 1,
	FORM_UDATA2 = 2,
	FORM_UDATA4 = 3,
	FORM_UDATA8 = 4,
	FORM_SLEB = 9,
	FORM_SDATA2 = 10,
	FORM_SDATA4 = 11,
	FORM_SDATA8 = 12,
	RELATIVE_TO_NOTHING = 0x00,
	RELATIVE_TO_PLACE = 0x10,
	RELATIVE_TO_BASE = 0x30,
	RELATIVE_MASK = 0x70,
	INDIRECT = 0x80,
};

struct cursor cursor_init(const void *data, size_t size, uint64_t vaddr)
{
	return (struct cursor){ .at = data, .end = (const uint8_t *)data + size, .vaddr = vaddr };
}

static void fail(struct cursor *c)
{
	c->bad = true;
	c->vaddr += cursor_left(c);
	c->at = c->end;
}

void cursor_skip(struct cursor *c, uint64_t n)
{
	if (n > cursor_left(c)) {
		fail(c);
		return;
	}
	c->at += n;
	c->vaddr += n;
}

struct cursor cursor_take(struct cursor *c, uint64_t n)
{
	struct cursor part = *c;

	if (n > cursor_left(c)) {
		fail(c);
		return *c;
	}
	part.end = part.at + n;
	cursor_skip(c, n);
	return part;
}

/* Reads the bits of a LEB128. *bits is their number, *last the last byte. */
static uint64_t leb(struct cursor *c, unsigned int *bits, uint8_t *last)
{
	uint64_t value = 0;

	*bits = 0;
	do {
		*last = cursor_fixed(c, 1);
		if (*bits < 64)
			value |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
	} while (*last & 0x80 && !c->bad);
	return c->bad ? 0 : value;
}

uint64_t cursor_long_uleb(struct cursor *c)
{
	unsigned int bits;
	uint8_t last;

	return leb(c, &bits, &last);
}

int64_t cursor_sleb(struct cursor *c)
{
	unsigned int bits;
	uint8_t last;
	uint64_t value = leb(c, &bits, &last);

	if (!c->bad && bits < 64 && last & 0x40)
		value |= ~0ULL << bits;
	return (int64_t)value;
}

const char *cursor_string(struct cursor *c)
{
	const char *s = (const char *)c->at;
	size_t len = strnlen(s, cursor_left(c));

	if (len == cursor_left(c)) {
		fail(c);
		return "";
	}
	cursor_skip(c, len + 1);
	return s;
}

static uint64_t form(struct cursor *c, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case FORM_ABSPTR:
	case FORM_UDATA8:
	case FORM_SDATA8:
		return cursor_fixed(c, 8);
	case FORM_ULEB:
		return cursor_uleb(c);
	case FORM_UDATA2:
		return cursor_fixed(c, 2);
	case FORM_UDATA4:
		return cursor_fixed(c, 4);
	case FORM_SLEB:
		return cursor_sleb(c);
	case FORM_SDATA2:
		return (int64_t)(int16_t)cursor_fixed(c, 2);
	case FORM_SDATA4:
		return (int64_t)(int32_t)cursor_fixed(c, 4);
	}
	fail(c);
	return 0;
}

uint64_t cursor_pointer(struct cursor *c, uint8_t encoding, uint64_t base)
{
	uint64_t place = c->vaddr, value;

	if (encoding == CURSOR_OMIT)
		return 0;
	value = form(c, encoding);
	if (encoding & INDIRECT)
		fail(c);
	switch (encoding & RELATIVE_MASK) {
	case RELATIVE_TO_NOTHING:
		return value;
	case RELATIVE_TO_PLACE:
		return value + place;
	case RELATIVE_TO_BASE:
		return value + base;
	}
	fail(c);
	return 0;
}

void cursor_skip_pointer(struct cursor *c, uint8_t encoding)
{
	if (encoding != CURSOR_OMIT)
		form(c, encoding);
}
