// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes probe specs with globs and the names that they are matched with. A byte 0xff separates the two in the
 * input.
 */
#include "fuzz.h"
#include "probe/match.h"
#include "probe/spec.h"

static void match(const char *pattern, const char *name)
{
	struct err err;
	struct match *match = match_new(pattern, false, &err);

	if (match)
		match_test(match, name);
	match_free(match);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_piece first = fuzz_next_piece(&data, &size);
	char *text __free = fuzz_text(first.data, first.size), *name __free = fuzz_text(data, size);
	struct spec spec;
	struct err err;

	if (spec_parse(text, false, &spec, &err)) {
		if (err.at > (int)strlen(text))
			abort();
		return 0;
	}
	if (spec.name)
		match(spec.name, name);
	if (spec.object)
		match(spec.object, name);
	spec_release(&spec);
	return 0;
}
