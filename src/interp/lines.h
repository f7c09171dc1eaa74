/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line table of a code object, as CPython 3.11 and newer have it (its InternalDocs/code_objects.md), 3.10, and 3.8 and
 * 3.9 (Objects/lnotab_notes.txt of these).
 */
#ifndef SONDE_INTERP_LINES_H
#define SONDE_INTERP_LINES_H

#include "base/base.h"

/*
 * Returns the line of a place, a unit of 2 bytes of bytecode. first: the line at which the table begins. 0: the place
 * has no line, the table does not reach so far, or it is damaged.
 */
int lines_at(const uint8_t *table, size_t n, int first, unsigned int place);
int lines_at_310(const uint8_t *table, size_t n, int first, unsigned int place);
int lines_at_38(const uint8_t *table, size_t n, int first, unsigned int place);

#endif
