// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the reader of perf maps. The last line that holds an address counts, as a simple reader finds it that reads all at
 * once.
 */
#include <ctype.h>

#include "fuzz.h"
#include "symbols/perf_map.h"

#define N_PLACES 64

static struct fuzz_file file;

/* Addresses at and around those of the input, which are few and small. */
static void make_places(struct perf_map_place places[N_PLACES])
{
	for (uint64_t i = 0; i < N_PLACES; i++)
		places[i] = (struct perf_map_place){ .addr = i < N_PLACES - 4 ? i * 3 : UINT64_MAX - (N_PLACES - 1 - i) };
}

static bool take_hex(const char **at, uint64_t *value)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *first = *at + (!strncasecmp(*at, "0x", 2) && isxdigit((unsigned char)(*at)[2]) ? 2 : 0);
	size_t n = strspn(first, digits);
	char number[17] = "";

	if (!n || n > 16 || first[n] != ' ')
		return false;
	memcpy(number, first, n);
	*value = strtoull(number, NULL, 16);
	*at = first + n + strspn(first + n, " ");
	return true;
}

/* Whether the line, which has no newline and no NUL, holds the address. */
static bool holds(const char *line, uint64_t addr)
{
	uint64_t start, size;

	return take_hex(&line, &start) && take_hex(&line, &size) && line[strspn(line, "\r")] && addr >= start &&
	       addr - start < size;
}

static const char *simple_answer(char *text, uint64_t addr)
{
	const char *answer = NULL;

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		if (holds(line, addr))
			answer = line;
		*end = '\n';
	}
	return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_map_place places[N_PLACES];
	char name[PERF_MAP_NAME_MAX];
	char *text __free = fuzz_text(data, size);
	bool simple = !memchr(data ? (const void *)data : "", 0, size) && size < 8192;

	fuzz_write(&file, data, size);
	make_places(places);
	if (perf_map_read(file.fd, size, places, N_PLACES, NULL, NULL))
		abort();
	for (size_t i = 0; i < N_PLACES; i++) {
		if (places[i].len) {
			perf_map_name(file.fd, &places[i], name);
			fuzz_look(name);
			if (places[i].at + places[i].len >= size || places[i].start > places[i].addr)
				abort();
		}
		if (simple && !places[i].len != !simple_answer(text, places[i].addr))
			abort();
	}
	return 0;
}
