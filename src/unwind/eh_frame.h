/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within unwind/: the functions that a section .eh_frame describes, in order of their addresses. The format: LSB 5.0 core,
 * 10.6. The section is foreign: a record that is damaged is skipped and counted, and nothing takes more than linear time.
 */
#ifndef SONDE_EH_FRAME_H
#define SONDE_EH_FRAME_H

#include "binary/binary.h"
#include "cfi.h"

/* More than any file has: libxul's has 10 MB. */
#define EH_FRAME_MAX (256ULL << 20)

struct eh_frame {
	const uint8_t *data; /* the section */
	uint64_t vaddr;
	bool exact; /* it has more than one end: what was linked had one each */
	/* Functions, sorted; none begins before the one before has ended. */
	struct eh_frame_fde {
		uint64_t start;
		uint32_t size;
		uint32_t cie;			/* index in cies */
		uint32_t instructions, n_bytes; /* where in the section */
	} * v;
	size_t n, cap;
	struct eh_frame_cies {
		struct eh_frame_cie {
			uint64_t at; /* place in the section */
			struct cfi_cie cie;
			bool bad;
		} * v;
		size_t n, cap;
	} cies;
	uint64_t damaged; /* records that were skipped, functions whose begin another covers included */
};

/* Reads all of it: the bytes are kept, and must outlive frame. Initialise frame with {}. -EFBIG beyond EH_FRAME_MAX. */
int eh_frame_read(struct eh_frame *frame, const struct binary_bytes *bytes);
struct cfi_fde eh_frame_fde(const struct eh_frame *frame, size_t i);
void eh_frame_release(struct eh_frame *frame);

#endif
