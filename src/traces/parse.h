/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: the kernel's own words for what is traced, read. */
#ifndef SONDE_TRACES_PARSE_H
#define SONDE_TRACES_PARSE_H

#include "inventory.h"

struct parsed_event {
	enum trace_kind kind;
	char group[128], name[128];
};

/*
 * A line of kprobe_events, uprobe_events or dynamic_events. The first two say by which file it is (`kind`) that
 * p and r mean; in dynamic_events these two are skipped. False: none of ours.
 */
bool parse_event(const char *line, enum trace_kind kind, struct parsed_event *event);
/* What a setting holds without comments, the kernel's "no pid" and the last newline; in place. */
void parse_setting(char *text);
/* The end of a trigger as it must be written to be removed: its state, " [active]", is not part of it. */
size_t parse_trigger_len(const char *line);
/* The number behind "entries: " in a ring buffer's stats, 0 where there is none. */
uint64_t parse_entries(const char *stats);

#endif
