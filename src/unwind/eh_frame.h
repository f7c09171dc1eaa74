/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the functions that a section .eh_frame describes, in the order of their addresses. The
 * format: LSB 5.0 core, 10.6. The section is foreign: damaged records are skipped and counted, and the time is bounded
 * by n log n. It is read piece by piece: of a browser it has 14 MB.
 */
#ifndef SONDE_UNWIND_EH_FRAME_H
#define SONDE_UNWIND_EH_FRAME_H

#include "binary/binary.h"
#include "cfi.h"

/* The largest section that is read. The largest known, of libxul, has 14 MB. */
#define EH_FRAME_MAX (64ULL << 20)

/* Where the section is: in a file, or in memory. */
struct eh_frame_source {
	const struct binary *binary; /* NULL: in memory */
	const uint8_t *data;	     /* in memory */
	struct binary_part part;     /* offset: in the file */
};

struct eh_frame {
	struct eh_frame_source source;
	/* Whether to end the reading; set before it, or NULL. */
	bool (*should_stop)(void *ctx);
	void *ctx;
	/* Records of functions, sorted by address. Not all of them are good: see eh_frame_next(). */
	struct eh_frame_fde {
		int32_t start; /* address, relative to the section's */
		uint32_t at;   /* offset in the section */
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
	/* The bytes of the section that were read last. */
	struct eh_frame_window {
		uint8_t *bytes;
		uint64_t at;
		size_t n, cap;
	} window;
	/* The next record, and where the function before it ends. */
	size_t next;
	uint64_t reached;
};

/*
 * Finds the records of all functions. Initialise frame with {}; release it also after an error. What source refers to
 * must outlive it. Returns 0, -EFBIG if the section is larger than EH_FRAME_MAX, or -EINTR if should_stop returned
 * true.
 */
int eh_frame_read(struct eh_frame *frame, const struct eh_frame_source *source);
/* The same for a file. Also errors as of binary_eh_frame(). */
int eh_frame_open(struct eh_frame *frame, struct binary *binary);
/*
 * Goes to the next function, in the order of addresses; none begins before the one before it has ended. fde is for
 * cfi_run(), and valid until the next call. Returns false at the end.
 */
bool eh_frame_next(struct eh_frame *frame, struct cfi_fde *fde);
void eh_frame_release(struct eh_frame *frame);

#endif
