// SPDX-License-Identifier: BSD-2-Clause
/* Which language a file executes, and what its parts of interp have in common. */
#include "arm64.h"
#include "binary/binary_code.h"
#include "language.h"

#define STUB_MAX 64

bool runtime_read_at(const struct runtime_file *file, uint64_t vaddr, void *to, size_t n)
{
	uint64_t offset;

	return !binary_offset_of(file->binary, vaddr, false, &offset) && !binary_read(file->binary, offset, to, n);
}

#if defined(__x86_64__)

static bool refers(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t address, uint64_t offset)
{
	for (size_t i = 0; i + 4 <= n; i++) {
		/* a distance is from the end of the instruction, which a byte may precede */
		uint64_t next = vaddr + i + 4, word;
		int32_t bytes;

		memcpy(&bytes, code + i, 4);
		word = (uint64_t)(int64_t)bytes;
		if (word == offset || word == address || next + word == address || next + 1 + word == address)
			return true;
	}
	return false;
}

#else

#define refers arm64_refers

#endif

bool runtime_confirms(const struct runtime_file *file, const struct binary_exported *stub, uint64_t offset)
{
	uint8_t code[STUB_MAX];
	size_t n = stub->size < STUB_MAX ? stub->size : STUB_MAX;

	return runtime_read_at(file, stub->vaddr, code, n) &&
	       refers(code, n, stub->vaddr, file->state.vaddr + offset, offset);
}

#define LOOP_MAX (1024 * 1024) /* bytes; those of Debian are below 100 KB */
#define FAR_MAX	 (1 << 30)     /* bytes between the state and the loop */

/* *part: the code that the compiler has put elsewhere, to which the loop jumps; of size 0 if there is none. */
static bool find_part(const struct runtime_file *file, uint64_t vaddr, uint64_t size, struct binary_extent *part)
{
	struct binary_symbol loop = { .vaddr = vaddr, .size = size };
	const struct binary_exits *exits;

	*part = (struct binary_extent){};
	if (!loop.size || loop.size > LOOP_MAX || binary_offset_of(file->binary, loop.vaddr, true, &loop.offset))
		return false;
	/* of the code alone: a file of others must not make sonde read symbols */
	exits = binary_exits_of(file->binary, &loop);
	if (!exits || exits->why)
		return false;
	vec_each(exit, exits)
		if (exit->kind == BINARY_EXIT_JUMP && binary_unwind_extent(file->binary, exit->target, part) &&
		    part->in_frame)
			return part->size && part->size <= LOOP_MAX;
	*part = (struct binary_extent){};
	return true;
}

bool runtime_set_loop(struct runtime *runtime, const struct runtime_file *file, uint64_t begin, uint64_t size)
{
	uint64_t state = file->state.vaddr, end = begin + size;
	uint64_t gap = end, gap_end = end;
	struct interp_loop *loop = &runtime->plan.loop;
	struct binary_extent part;

	if (!find_part(file, begin, size, &part))
		return false;
	if (part.size && part.vaddr + part.size <= begin) {
		gap = part.vaddr + part.size;
		gap_end = begin;
		begin = part.vaddr;
	} else if (part.size) {
		gap_end = part.vaddr;
		end = part.vaddr + part.size;
	}
	if (gap > gap_end || begin - state + FAR_MAX > 2ULL * FAR_MAX || end - state + FAR_MAX > 2ULL * FAR_MAX)
		return false;
	*loop = (struct interp_loop){
		.begin = (int)(begin - state),
		.size = (unsigned int)(end - begin),
		.gap = (int)(gap - state),
		.gap_size = (unsigned int)(gap_end - gap),
	};
	return true;
}

static int on_needed(void *ctx, const char *text, bool runpath)
{
	*(bool *)ctx |= !runpath && !strncmp(text, "libc.so.6", 9);
	return 0;
}

bool runtime_has_glibc(const struct runtime_file *file)
{
	bool has = false;

	binary_each_needed(file->binary, on_needed, &has);
	return has;
}

static const struct language *const languages[] = { &language_python, &language_php, &language_ruby, &language_v8,
						    &language_java };

struct runtime *runtime_read(struct binary *binary)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++) {
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
