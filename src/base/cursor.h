/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads DWARF's numbers from foreign bytes. Reading beyond the end, or an unknown form, returns 0 and sets bad. A
 * caller that reads several values checks bad once, after the last.
 * The forms: DWARF 5, 7.6 (LEB128); LSB 5.0 core, 10.5 (DW_EH_PE_*).
 */
#ifndef SONDE_BASE_CURSOR_H
#define SONDE_BASE_CURSOR_H

#include "base/base.h"

struct cursor {
	const uint8_t *at, *end;
	uint64_t vaddr; /* the address of at, as linked */
	bool bad;
};

/* Returns a cursor over `size` bytes, the first of which has the address vaddr. The data are not copied. */
struct cursor cursor_init(const void *data, size_t size, uint64_t vaddr);
/* Returns the number of bytes that are left. */
static inline size_t cursor_left(const struct cursor *c)
{
	return c->end - c->at;
}
void cursor_skip(struct cursor *c, uint64_t n);
/* Returns a cursor over the next n bytes, and moves c behind them. */
struct cursor cursor_take(struct cursor *c, uint64_t n);

/*
 * Reads a number of 1, 2, 4 or 8 bytes, little-endian, as both architectures are. Inline: tables consist of them, and
 * with a constant size the copy is one instruction.
 */
static inline uint64_t cursor_fixed(struct cursor *c, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > cursor_left(c)) {
		cursor_skip(c, bytes); /* fails */
		return 0;
	}
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	c->vaddr += bytes;
	return value;
}
uint64_t cursor_long_uleb(struct cursor *c);
/* Inline: nearly all have one byte. */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	if (c->at == c->end || *c->at & 0x80)
		return cursor_long_uleb(c);
	c->vaddr++;
	return *c->at++;
}
int64_t cursor_sleb(struct cursor *c);
/* Returns the string without copying it, or "" if it has no end. */
const char *cursor_string(struct cursor *c);
/*
 * Reads an encoded pointer. It is absolute, relative to its own place (DW_EH_PE_pcrel) or relative to `base`
 * (DW_EH_PE_datarel). For DW_EH_PE_omit it reads nothing and returns 0. An indirect one (DW_EH_PE_indirect) is bad.
 */
uint64_t cursor_pointer(struct cursor *c, uint8_t encoding, uint64_t base);
/* Skips an encoded pointer of any kind. */
void cursor_skip_pointer(struct cursor *c, uint8_t encoding);

#define CURSOR_OMIT 0xff /* DW_EH_PE_omit */

#endif
