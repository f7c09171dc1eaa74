// SPDX-License-Identifier: BSD-2-Clause
/* Which language a file executes, and what its parts of interp have in common. */
#include "language.h"

#define STUB_MAX 64

bool runtime_read_at(const struct runtime_file *file, uint64_t vaddr, void *to, size_t n)
{
	uint64_t offset;

	return !binary_offset_of(file->binary, vaddr, false, &offset) && !binary_read(file->binary, offset, to, n);
}

bool runtime_confirms(const struct runtime_file *file, const struct binary_exported *stub, uint64_t offset)
{
	uint8_t code[STUB_MAX];
	size_t n = stub->size < STUB_MAX ? stub->size : STUB_MAX;

	if (!runtime_read_at(file, stub->vaddr, code, n))
		return false;
	for (size_t i = 0; i + 4 <= n; i++) {
		/* a distance is from the end of the instruction, which a byte may precede */
		uint64_t next = stub->vaddr + i + 4, place = file->state.vaddr + offset, word;
		int32_t bytes;

		memcpy(&bytes, code + i, 4);
		word = (uint64_t)(int64_t)bytes;
		if (word == offset || word == place || next + word == place || next + 1 + word == place)
			return true;
	}
	return false;
}

#if defined(__x86_64__)

static const struct language *const languages[] = { &language_python, &language_php };

#else

/* No plan was tried on this architecture. */
static const struct language *const languages[] = { NULL };

#endif

struct runtime *runtime_read(struct binary *binary)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages) && languages[i]; i++) {
		struct runtime_file file = { .binary = binary };
		struct runtime *runtime;
		uint64_t offset;

		if (binary_find_exported(binary, languages[i]->loop, &file.loop) ||
		    binary_offset_of(binary, file.loop.vaddr, true, &offset))
			continue;
		runtime = base_alloc(sizeof(*runtime));
		runtime->language = languages[i];
		runtime->loop = offset;
		if (!binary_find_exported(binary, languages[i]->state, &file.state))
			runtime->state = file.state.vaddr - (file.loop.vaddr - offset);
		runtime->why = languages[i]->make_plan(runtime, &file);
		return runtime;
	}
	return NULL;
}
