/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the event engine: counts events instead of printing each. Events with the same labels (the fields of the schema
 * with ROLE_LABEL) are one row. The schema describes the first record of the row, and COUNTED() the number of events:
 *
 *	static const struct field by_ends[] = { TCP_LADDR(...), TCP_RADDR(...), COUNTED("connects", "CONNECTS", -1) };
 */
#ifndef SONDE_ENGINES_COUNTED_H
#define SONDE_ENGINES_COUNTED_H

#include "output/output.h"

/* The most rows of a table. Events that would be further rows are not counted, but counted as lost. */
#define COUNTED_MAX 65536

struct counted;

/* The schema stays the caller's. */
struct counted *counted_new(const struct schema *schema);
void counted_free(struct counted *counted);
/* Counts an event. record: as the schema's fields expect it; a copy of it is kept if it is the first of its row. */
void counted_add(struct counted *counted, const void *record, size_t size);
/* Adds the rows to the table that is being printed, the most frequent last, and forgets them. */
void counted_print(struct counted *counted, struct output *out);
/* Returns the events that were not counted: there were COUNTED_MAX rows without theirs. */
uint64_t counted_lost(const struct counted *counted);

/* The column of the counts. The context of this schema's getters is its own: other fields must not use theirs. */
#define COUNTED(KEY, TITLE, WIDTH) FIELD_GET(FIELD_U64, counted_get, KEY, TITLE, WIDTH, .role = ROLE_COUNTER)
void counted_get(struct value *to, const void *record, const void *count);

#endif
