/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the functions that a section .eh_frame describes, sorted by address. The format: LSB
 * 5.0 core, 10.6. The section is foreign: damaged records are skipped and counted, and the time is bounded by n
 * log n.
 */
#ifndef SONDE_EH_FRAME_H
#define SONDE_EH_FRAME_H

#include "binary/binary.h"
#include "cfi.h"

/* The largest section that is read. The largest known, of libxul, has 10 MB. */
#define EH_FRAME_MAX (256ULL << 20)

struct eh_frame {
	const uint8_t *data; /* the section; belongs to struct binary */
	uint64_t vaddr;
	bool exact; /* the section's size is known: an empty record does not end it (each linked file may have left one) */
	/* Functions, sorted; none begins before the one before it has ended. */
	struct eh_frame_fde {
		uint64_t start;
		uint32_t size;
		uint32_t cie;			/* index in cies */
		uint32_t instructions, n_bytes; /* offset in the section, and length */
	} * v;
	size_t n, cap;
	struct eh_frame_cies {
		struct eh_frame_cie {
			uint64_t at; /* offset in the section */
			struct cfi_cie cie;
			bool bad;
		} * v;
		size_t n, cap;
	} cies;
	uint64_t damaged; /* records that were skipped; also functions that overlap an earlier one */
};

/*
 * Reads the whole section. It keeps a pointer to the bytes, which must outlive frame. Initialise frame with {}.
 * Returns 0, or -EFBIG if the section is larger than EH_FRAME_MAX.
 */
int eh_frame_read(struct eh_frame *frame, const struct binary_bytes *bytes);
/* Returns function i for cfi_run(). Valid as long as frame is. */
struct cfi_fde eh_frame_fde(const struct eh_frame *frame, size_t i);
void eh_frame_release(struct eh_frame *frame);

#endif
