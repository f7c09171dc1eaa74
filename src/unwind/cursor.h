/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within unwind/: reads the numbers of DWARF from bytes that are foreign. A read beyond the end, or of a form that is not
 * known, gives 0 and sets bad; whoever reads several looks at bad once, behind the last.
 * The forms: DWARF 5, 7.6 (LEB128); LSB 5.0 core, 10.5 (DW_EH_PE_*).
 */
#ifndef SONDE_CURSOR_H
#define SONDE_CURSOR_H

#include "base/base.h"

struct cursor {
	const uint8_t *at, *end;
	uint64_t vaddr; /* of at, as linked */
	bool bad;
};

/* Size bytes of data whose first one has this address. */
struct cursor cursor_init(const void *data, size_t size, uint64_t vaddr);
static inline size_t cursor_left(const struct cursor *c)
{
	return c->end - c->at;
}
void cursor_skip(struct cursor *c, uint64_t n);
/* The next n bytes as a cursor of their own; this one goes on behind them. */
struct cursor cursor_take(struct cursor *c, uint64_t n);

uint64_t cursor_fixed(struct cursor *c, size_t bytes); /* 1, 2, 4 or 8, in the order of this machine */
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);
/* A string in place; "" where it has no end. */
const char *cursor_string(struct cursor *c);
/*
 * A pointer by its encoding: relative to nothing or to its own place (DW_EH_PE_pcrel), or to `base` (DW_EH_PE_datarel).
 * DW_EH_PE_omit: 0, and nothing is read.
 */
uint64_t cursor_pointer(struct cursor *c, uint8_t encoding, uint64_t base);

#define CURSOR_OMIT 0xff /* DW_EH_PE_omit */

#endif
