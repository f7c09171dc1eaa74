/* SPDX-License-Identifier: BSD-2-Clause */
/* For files in traces only: parses the text of tracefs's files. */
#ifndef SONDE_TRACES_PARSE_H
#define SONDE_TRACES_PARSE_H

#include "inventory.h"

struct parsed_event {
	enum trace_kind kind;
	char group[128], name[128];
};

/*
 * Parses a line of kprobe_events, uprobe_events or dynamic_events. In the first two, `kind` says what p and r
 * stand for. In dynamic_events p and r are skipped, because the other two list them. Returns false if the line is
 * skipped or no event.
 */
bool parse_event(const char *line, enum trace_kind kind, struct parsed_event *event);
/* Removes, in place, comments, the kernel's "no pid" and the last newline from the text of a setting. */
void parse_setting(char *text);
/* Returns the length of a trigger without its state (" [active]"), as it must be written to remove it. */
size_t parse_trigger_len(const char *line);
/* Returns the number behind "entries: " in the stats of a ring buffer, 0 if there is none. */
uint64_t parse_entries(const char *stats);

#endif
