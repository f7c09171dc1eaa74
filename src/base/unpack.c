// SPDX-License-Identifier: BSD-2-Clause
#include <zlib.h>

#include "unpack.h"

/* The largest window, which fits any stream; 16 makes zlib expect gzip's header. */
#define GZIP (16 + MAX_WBITS)

void *unpack(const void *packed, size_t n, size_t size)
{
	void *out = base_alloc(size);
	z_stream stream = {
		.next_in = (void *)packed,
		.avail_in = n,
		.next_out = out,
		.avail_out = size,
	};
	bool whole = inflateInit2(&stream, GZIP) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_out;

	inflateEnd(&stream);
	if (whole)
		return out;
	free(out);
	errno = EINVAL;
	return NULL;
}
