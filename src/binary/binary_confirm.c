// SPDX-License-Identifier: BSD-2-Clause
/*
 * Confirms places that only a debug file names, by what the file itself says. A debug file may be of another build, or
 * made to hurt: a breakpoint in the middle of an instruction would change what the program does. Functions begin where
 * .eh_frame, .dynsym or Go's table say, and each section begins with an instruction. From the last known begin before
 * a place, the instructions are decoded one after the other.
 */
#include "base/search.h"
#include "binary_part.h"
#include "instruction.h"

/* So many bytes may lie between a known begin and a place. Only code without .eh_frame has more than a function. */
#define WALK_MAX (4ULL << 20)

static void read_own(struct binary *binary)
{
	struct binary_confirmed *confirmed = &binary->confirmed;

	confirmed->known = true;
	confirmed->at = confirmed->begin = UINT64_MAX;
	for (size_t i = 0; i < binary->n_symbols; i++)
		if (!binary->symbols[i].debug)
			*vec_push(confirmed) = binary->symbols[i].offset;
}

/* *begin: the last known begin up to an offset, both in one segment. */
static int known_begin(struct binary *binary, uint64_t offset, uint64_t *begin)
{
	const struct binary_confirmed *confirmed = &binary->confirmed;
	size_t behind = search_first(i, confirmed->n, confirmed->v[i] > offset);
	struct binary_symbol go;
	uint64_t vaddr, start, last = 0, own = behind ? offset - confirmed->v[behind - 1] : UINT64_MAX;

	if (binary_vaddr_of(binary, offset, &vaddr))
		return -ENOENT;
	if (!binary_section_start(binary, vaddr, &start))
		last = start;
	if (!binary_unwind_start(binary, vaddr, &start) && start > last)
		last = start;
	if (binary_go_function_at(binary, vaddr, &go) && go.vaddr > last)
		last = go.vaddr;
	if (own < vaddr - last)
		last = vaddr - own;
	*begin = offset - (vaddr - last);
	return last && binary_segment_of(binary, last, true) == binary_segment_of(binary, vaddr, true) ? 0 : -ENOENT;
}

/* Goes on where the last walk ended, if it can: callers ask in the order of the file. */
static bool is_confirmed(struct binary *binary, uint64_t offset)
{
	struct binary_confirmed *confirmed = &binary->confirmed;
	struct instruction instruction = {};
	uint64_t begin;

	if (!confirmed->known)
		read_own(binary);
	if (known_begin(binary, offset, &begin) || offset - begin > WALK_MAX)
		return false;
	if (confirmed->begin != begin || confirmed->at > offset)
		confirmed->begin = confirmed->at = begin;
	while (confirmed->at < offset && !binary_decode_at(binary, confirmed->at, &instruction) &&
	       confirmed->at + instruction.length <= offset)
		confirmed->at += instruction.length;
	return confirmed->at == offset;
}

int binary_confirm(struct binary *binary, uint64_t offset, struct err *err)
{
	return is_confirmed(binary, offset)
		       ? 0
		       : err_set(err, -EILSEQ, "only %s says that an instruction begins there; the file itself does not confirm it",
				 binary->source ? binary->source : "a debug file");
}
