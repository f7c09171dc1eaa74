/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of HotSpot, as arrays of bytes: from places in code to methods and lines. What they say is foreign; damaged ones
 * have no places. Numbers are packed: six bits in a byte that is below 192, which ends one, and more follow behind others;
 * five bytes at most. `minus`: each byte has that much too much.
 */
#ifndef SONDE_INTERP_JAVA_TABLES_H
#define SONDE_INTERP_JAVA_TABLES_H

#include "base/base.h"

/* Where compiled code can stop: the offset in it, and where the tables of scopes say which methods it is in. */
struct java_stop {
	int32_t offset, scope, objects, flags;
};
_Static_assert(sizeof(struct java_stop) == 16, "as HotSpot has it");

/* A method that code is in; sender: where its caller's scope is, 0: it has none. */
struct java_scope {
	uint32_t sender, method; /* method: its number among what the code refers to, + 1 */
	int bci;		 /* -1: before its first instruction */
};

/* The scope of code at an offset: at the very place. 0: there is none, which says anything. */
uint32_t java_tables_stop(const struct java_stop *stops, size_t n, uint32_t offset);
/* False: the table is damaged. */
bool java_tables_scope(const uint8_t *table, size_t n, uint32_t at, uint8_t minus, struct java_scope *scope);
/* The line of an offset in bytecode; 0: not known. */
int java_tables_line(const uint8_t *table, size_t n, uint8_t minus, uint32_t bci);

#endif
