// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that were recorded as a whole: slices with their arguments by name. Those of a track come as they began, each
 * with how deep it is in others, so a slice ends before the next one that is not in it begins. A call that has not
 * returned ends with the one that it is in; if there is none, it has no end, and lasts until the file does.
 */
#include "perfetto_part.h"

#define NAME_MAX_LEN 64 /* of an argument; longer ones are cut */

/* --- "dfd=-100, filename="a, b", ..." --- */

/* Returns where the value ends: at a comma that is in no text. */
static size_t value_length(const char *at, size_t n)
{
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		if (at[i] == '\\' && quoted)
			i++;
		else if (at[i] == '"')
			quoted = !quoted;
		else if (at[i] == ',' && !quoted)
			return i;
	}
	return n;
}

/* A number, an address, or whatever else it is as a text, without quotes around it. */
static void add_value(struct perfetto *p, const char *name, const char *at, size_t n)
{
	__free char *value = base_strndup(at, n);
	bool is_address = n > 2 && value[0] == '0' && value[1] == 'x';
	char *end = value;
	uint64_t number;

	if (*value == '-' || (*value >= '0' && *value <= '9')) {
		errno = 0;
		number = *value == '-' ? (uint64_t)strtoll(value, &end, 0) : strtoull(value, &end, 0);
		if (!*end && !errno) {
			perfetto_add_argument(p, name,
					      is_address      ? ARGUMENT_POINTER
					      : *value == '-' ? ARGUMENT_SIGNED
							      : ARGUMENT_UNSIGNED,
					      number);
			return;
		}
	}
	if (n >= 2 && value[0] == '"' && value[n - 1] == '"') {
		value[n - 1] = '\0';
		perfetto_add_text_argument(p, name, value + 1);
		return;
	}
	perfetto_add_text_argument(p, name, value);
}

/* How long the name of an argument is, in front of its '='; 0: it has none. */
static size_t name_length(const char *at, size_t n)
{
	size_t length = 0;

	while (length < n && (at[length] == '_' || (at[length] >= '0' && at[length] <= '9') ||
			      (at[length] >= 'A' && at[length] <= 'Z') || (at[length] >= 'a' && at[length] <= 'z')))
		length++;
	return length < n && at[length] == '=' ? length : 0;
}

static void add_args(struct perfetto *p, const char *at, size_t n)
{
	for (int i = 0; n; i++) {
		size_t length = value_length(at, n), named = name_length(at, length);
		char name[NAME_MAX_LEN];

		if (named) {
			snprintf(name, sizeof(name), "%.*s", (int)named, at);
			add_value(p, name, at + named + 1, length - named - 1);
		} else if (length != 3 || memcmp(at, "...", 3)) {
			snprintf(name, sizeof(name), "arg%d", i);
			add_value(p, name, at, length);
		}
		length += length < n;
		length += length < n && at[length] == ' ';
		at += length;
		n -= length;
	}
}

/* --- slices --- */

/* Ends the calls that one at this depth is not in. time: when those end that have no end; 0: never. */
static void leave_calls(struct perfetto *p, struct perfetto_calls *calls, uint64_t track, uint32_t depth, uint64_t time)
{
	while (calls->n && calls->v[calls->n - 1].depth >= depth) {
		uint64_t end = calls->v[--calls->n].end ?: time;

		if (end)
			perfetto_add_event(p, track, end, TYPE_END, NULL, NULL);
		if (end > calls->last)
			calls->last = end;
	}
}

/* Most calls are in the track of their thread. */
static uint64_t track_of(struct perfetto *p, const struct recording_event *event)
{
	uint64_t number = recording_known(event, KNOWN_F_TRACK, 0);
	const char *name = number ? recording_text(p->r, LAYOUT_SPACE_STRINGS, number) : NULL;

	if (!name)
		return perfetto_thread_track(p, perfetto_find_thread(p, event->task, event->time), event->time);
	return perfetto_named_track(p, perfetto_track_id(TRACKS_CALLS, number), 0, name);
}

static struct perfetto_calls *calls_of(struct perfetto *p, uint64_t track)
{
	uint32_t number = set_add(&p->call_tracks, &track, sizeof(track));

	return number == p->calls.n ? vec_push(&p->calls) : &p->calls.v[number];
}

static const char *name_of(struct perfetto *p, int64_t function)
{
	const char *name = recording_text(p->r, LAYOUT_SPACE_PROBES, function);

	if (name)
		return name;
	str_reset(&p->text);
	str_addf(&p->text, "function %lld", (long long)function);
	return p->text.data;
}

/* Adds what the call was given, and what it returned. */
static void add_arguments(struct perfetto *p, const struct recording_event *event)
{
	const struct recording_field *args = recording_field(event, KNOWN_F_TEXT);
	const struct recording_field *result = recording_field(event, KNOWN_F_RESULT);
	size_t n = 0;
	const char *text = args ? recording_chars(p->r, event, args, &n) : NULL;

	if (text)
		add_args(p, text, n);
	n = 0;
	text = result ? recording_chars(p->r, event, result, &n) : NULL;
	if (text && n)
		add_value(p, "result", text, n);
	if (!recording_known(event, KNOWN_F_ENDED, 1))
		perfetto_add_text_argument(p, "end", "has not returned");
}

/*
 * What has not returned comes last, also what was left by a jump long ago. It is a moment then: a slice would get the
 * ends of those that began after it.
 */
void perfetto_calls_event(struct perfetto *p, const struct recording_event *event)
{
	uint64_t track = track_of(p, event), end = event->time + recording_known(event, KNOWN_F_TOOK, 0);
	uint32_t depth = recording_known(event, KNOWN_F_DEPTH, 0);
	bool ended = recording_known(event, KNOWN_F_ENDED, 1);
	struct perfetto_calls *calls = calls_of(p, track);
	bool is_moment = !ended && event->time < calls->last;

	if (!is_moment)
		leave_calls(p, calls, track, depth, event->time);
	add_arguments(p, event);
	perfetto_add_event(p, track, event->time, is_moment ? TYPE_INSTANT : TYPE_BEGIN, "function",
			   name_of(p, recording_known(event, KNOWN_F_PROBE, 0)));
	if (is_moment)
		return;
	if (!ended)
		end = calls->n ? calls->v[calls->n - 1].end : 0;
	*vec_push(calls) = (struct perfetto_call){ .depth = depth, .end = end };
}

void perfetto_calls_end(struct perfetto *p)
{
	for (size_t i = 0; i < p->calls.n; i++) {
		uint64_t track;

		memcpy(&track, p->call_tracks.v[i].bytes, sizeof(track));
		leave_calls(p, &p->calls.v[i], track, 0, 0);
	}
}
