// SPDX-License-Identifier: BSD-2-Clause
#include <zlib.h>

#include "gzip.h"

#define MEMORY_LEVEL 8 /* zlib's default */

static voidpf gzip_alloc(voidpf ctx, uInt n, uInt size)
{
	return base_alloc((size_t)n * size);
}

static void gzip_free(voidpf ctx, voidpf p)
{
	free(p);
}

/* 16 on top of the window's bits: gzip in place of zlib's own format. */
void gzip_add(struct str *to, const struct str *data, int level)
{
	z_stream stream = { .zalloc = gzip_alloc, .zfree = gzip_free };
	size_t start = to->len;

	if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	str_add_fill(to, 0, deflateBound(&stream, data->len));
	stream.next_in = (Bytef *)data->data;
	stream.avail_in = data->len;
	stream.next_out = (Bytef *)to->data + start;
	stream.avail_out = to->len - start;
	deflate(&stream, Z_FINISH);
	to->len = start + stream.total_out;
	deflateEnd(&stream);
}
