// SPDX-License-Identifier: BSD-2-Clause
/* A recording as it is: for what was recorded in a file without a name. */
#include "convert.h"

#define PIECE (64 << 10)

static int copy(struct recording *r, struct sink *sink, struct err *err)
{
	__free char *piece = base_alloc(PIECE);
	uint64_t at = 0;
	ssize_t n;

	while ((n = recording_bytes(r, at, piece, PIECE)) > 0) {
		str_addn(&sink->data, piece, n);
		sink_flush(sink);
		at += n;
	}
	return n < 0 ? err_set(err, n, "cannot read the recording: %s", strerror(-n)) : 0;
}

const struct convert_format convert_recording = {
	.file = { .name = "recording", .binary = true },
	.write = copy,
};
