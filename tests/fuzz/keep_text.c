// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes descriptions of what outlives a process: a service manager stores them, and another version of sonde may have
 * written them. The words at both ends, which say what the bytes are, are those of this version, so that libFuzzer need
 * not find them. What can be read is written again, and must be the same.
 */
#include "attach/keep_text.h"
#include "fuzz.h"

/* What the bytes are, the version of their format, and that of maps; at the end what they are once more. */
#define BEGIN (3 * sizeof(uint64_t))
#define END   sizeof(uint64_t)

static void look_at(const struct keep_text *text)
{
	fuzz_look(text->boot);
	fuzz_look(text->line);
	vec_each(map, &text->maps)
		fuzz_look(map->name);
	vec_each(attach, &text->attaches)
		vec_each(target, &attach->targets)
			fuzz_look(target->why_not);
}

static void compare(const struct keep_text *text, const char *bytes, size_t size)
{
	__str struct str again = {};

	keep_text_write(text, &again);
	if (again.len != size || memcmp(again.data, bytes, size))
		abort();
}

static void set_ends(char *bytes, size_t size)
{
	__str struct str empty = {};

	keep_text_write(&(struct keep_text){ .boot = "", .line = "" }, &empty);
	memcpy(bytes, empty.data, BEGIN);
	memcpy(bytes + size - END, empty.data, END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes __free = base_alloc(size); /* of exactly that size */
	struct keep_text text = {};

	if (size)
		memcpy(bytes, data, size);
	if (size >= BEGIN + END)
		set_ends(bytes, size);
	if (!keep_text_read(&text, bytes, size)) {
		look_at(&text);
		compare(&text, bytes, size);
	}
	keep_text_release(&text);
	return 0;
}
