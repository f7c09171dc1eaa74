// SPDX-License-Identifier: BSD-2-Clause
/* The formats of tracefs's text files. Reads no file. */
#include "parse.h"

/* Finds the kind by the first letter, as in "p:" or "r16:". */
static bool kind_of(char letter, enum trace_kind listed, enum trace_kind *kind)
{
	bool probes = listed == TRACE_KPROBE || listed == TRACE_UPROBE;

	switch (letter) {
	case 'p':
	case 'r':
		*kind = listed;
		return probes;
	case 'e':
		*kind = TRACE_EPROBE;
		return !probes;
	case 's':
		*kind = TRACE_SYNTHETIC;
		return !probes;
	}
	*kind = TRACE_PROBE;
	return !probes && letter >= 'a' && letter <= 'z';
}

bool parse_event(const char *line, enum trace_kind kind, struct parsed_event *event)
{
	size_t head = strcspn(line, ": "), len, group;
	const char *at = line + head + 1;

	*event = (struct parsed_event){};
	if (line[head] != ':' || !kind_of(*line, kind, &event->kind))
		return false;
	len = strcspn(at, " \t;");
	group = strcspn(at, "/");
	if (group < len) {
		if (group >= sizeof(event->group))
			return false;
		memcpy(event->group, at, group);
		at += group + 1;
		len -= group + 1;
	} else {
		strcpy(event->group, "synthetic");
	}
	if (!len || len >= sizeof(event->name))
		return false;
	memcpy(event->name, at, len);
	return true;
}

void parse_setting(char *text)
{
	char *to = text, *next;

	for (char *line = text; *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line + len + (line[len] == '\n');
		if (*line == '#' || (len == 6 && !memcmp(line, "no pid", 6)))
			continue;
		memmove(to, line, next - line);
		to += next - line;
	}
	if (to > text && to[-1] == '\n')
		to--;
	*to = 0;
}

size_t parse_trigger_len(const char *line)
{
	const char *state = strrchr(line, '[');

	if (!state || state == line || state[-1] != ' ' || (strcmp(state, "[active]") && strcmp(state, "[paused]")))
		return strlen(line);
	return state - 1 - line;
}

uint64_t parse_entries(const char *stats)
{
	unsigned long long entries = 0;
	const char *at = strstr(stats, "entries: ");

	return at && sscanf(at, "entries: %llu", &entries) == 1 ? entries : 0;
}
