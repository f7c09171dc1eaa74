// SPDX-License-Identifier: BSD-2-Clause
#include "base/search.h"
#include "binary/binary.h"
#include "eh_frame.h"
#include "functions.h"

static int by_offset(const void *pa, const void *pb)
{
	const struct functions_one *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

int functions_read(struct functions *functions, struct binary *binary)
{
	__cleanup(eh_frame_release) struct eh_frame frame = {};
	int ret = eh_frame_open(&frame, binary);
	struct cfi_fde fde;

	while (!ret && eh_frame_next(&frame, &fde)) {
		uint64_t offset;

		if (!binary_offset_of(binary, fde.start, true, &offset) && offset <= UINT32_MAX)
			*vec_push(functions) = (struct functions_one){ offset, fde.end - fde.start };
	}
	/* They are sorted by address, which mostly is the same order. */
	if (functions->n)
		qsort(functions->v, functions->n, sizeof(*functions->v), by_offset);
	return ret;
}

const struct functions_one *functions_at(const struct functions *functions, uint64_t offset)
{
	size_t behind = search_first(i, functions->n, functions->v[i].offset > offset);
	const struct functions_one *found = behind ? &functions->v[behind - 1] : NULL;

	return found && offset - found->offset < found->size ? found : NULL;
}

void functions_release(struct functions *functions)
{
	free(functions->v);
	*functions = (struct functions){};
}
