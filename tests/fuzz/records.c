// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the decoder of perf's records of mappings and processes. */
#include "fuzz.h"
#include "unwind/mapped.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	struct mapped_event record;

	/* Without a byte behind the end, where the sanitizers would not see a read. */
	if (size)
		memcpy(copy, data, size);
	if (mapped_read(&record, copy, size) && record.kind == MAPPED_MAP) {
		if (record.mapping.end < record.mapping.start)
			abort();
		fuzz_look(record.mapping.path);
	}
	free(copy);
	return 0;
}
