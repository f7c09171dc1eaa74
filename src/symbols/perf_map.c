// SPDX-License-Identifier: BSD-2-Clause
#include "base/search.h"
#include "perf_map.h"

/* Bounds the work for a map whose pieces of code overlap. */
#define MAX_MATCHES (1 << 26)
/* More than the two numbers and the longest name. Longer lines are read in pieces, and only the first one counts. */
#define PIECE 32768

struct reading {
	struct perf_map_place *places;
	size_t n;
	uint64_t matches;
};

/* *value: the hexadecimal number at *at, which is moved behind it and the blanks that follow. */
static bool read_number(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at, *first;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (first = p, *value = 0; p < end && p - first < 16; p++) {
		unsigned int digit = (unsigned char)*p - '0', letter = ((unsigned char)*p | 0x20) - 'a';

		if (digit < 10)
			*value = *value << 4 | digit;
		else if (letter < 6)
			*value = *value << 4 | (letter + 10);
		else
			break;
	}
	if (p == first || p == end || *p != ' ')
		return false;
	while (p < end && *p == ' ')
		p++;
	*at = p;
	return true;
}

/* A line without its newline, which begins at byte `offset` of the file. */
static void take_line(struct reading *reading, const char *line, size_t len, uint64_t offset)
{
	const char *at = line, *end = line + len;
	uint64_t start, size;
	size_t first;

	while (end > line && end[-1] == '\r')
		end--;
	if (!read_number(&at, end, &start) || !read_number(&at, end, &size) || at == end)
		return;
	first = search_first(i, reading->n, reading->places[i].addr >= start);
	for (size_t i = first; i < reading->n && reading->matches < MAX_MATCHES; i++, reading->matches++) {
		if (reading->places[i].addr - start >= size)
			break;
		reading->places[i].start = start;
		reading->places[i].at = offset + (uint64_t)(at - line);
		reading->places[i].len = (uint64_t)(end - at);
	}
}

/* Takes the complete lines of n bytes, which begin at byte `offset` of the file. Returns the bytes that it has taken. */
static size_t take_lines(struct reading *reading, const char *text, size_t n, uint64_t offset)
{
	size_t at = 0;

	for (;;) {
		const char *newline = memchr(text + at, '\n', n - at);

		if (!newline)
			return at;
		take_line(reading, text + at, (size_t)(newline - text) - at, offset + at);
		at = (size_t)(newline - text) + 1;
	}
}

int perf_map_read(int fd, uint64_t size, struct perf_map_place *places, size_t n, bool (*should_stop)(void *ctx), void *ctx)
{
	struct reading reading = { .places = places, .n = n };
	char *piece __free = base_alloc(PIECE);
	bool inside = false; /* a line that is longer than a piece */
	uint64_t offset = 0;

	for (size_t i = 0; i < n; i++)
		places[i].len = 0;
	while (offset < size) {
		size_t want = size - offset < PIECE ? (size_t)(size - offset) : PIECE, taken = 0;
		ssize_t got = pread(fd, piece, want, (off_t)offset);

		if (should_stop && should_stop(ctx))
			return -EINTR;
		if (got < 0)
			return -errno;
		if (!got)
			return 0;
		if (inside) {
			const char *newline = memchr(piece, '\n', (size_t)got);

			taken = newline ? (size_t)(newline - piece) + 1 : (size_t)got;
			inside = !newline;
		} else {
			taken = take_lines(&reading, piece, (size_t)got, offset);
		}
		/* the rest of a long line; at the end of the file this is a line that is not complete */
		if (!taken) {
			if (got == PIECE)
				take_line(&reading, piece, (size_t)got, offset);
			taken = (size_t)got;
			inside = true;
		}
		offset += taken;
	}
	return 0;
}

void perf_map_name(int fd, const struct perf_map_place *place, char name[PERF_MAP_NAME_MAX])
{
	size_t want = place->len < PERF_MAP_NAME_MAX - 1 ? (size_t)place->len : PERF_MAP_NAME_MAX - 1;
	ssize_t got = pread(fd, name, want, (off_t)place->at);

	name[got > 0 ? got : 0] = 0;
}
