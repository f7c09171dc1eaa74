// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <zlib.h>

#include "base/unpack.h"

/* Compresses a text like gzip(1). */
static const unsigned char *packed(const char *text, size_t *n)
{
	static unsigned char out[256];
	z_stream stream = {
		.next_in = (void *)text,
		.avail_in = strlen(text),
		.next_out = out,
		.avail_out = sizeof(out),
	};

	cr_assert_eq(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	*n = stream.total_out;
	return out;
}

static const char text[] = "one two one two one two";

Test(unpack, what_was_packed)
{
	size_t n;
	const void *from = packed(text, &n);
	__free char *to = unpack(from, n, strlen(text));

	cr_assert(to);
	cr_assert_arr_eq(to, text, strlen(text));
}

/* A wrong length, a truncated input, and input that is not gzip. */
Test(unpack, nothing_else)
{
	size_t n;
	const void *from = packed(text, &n);

	cr_expect_null(unpack(from, n, strlen(text) - 1));
	cr_expect_null(unpack(from, n, strlen(text) + 1));
	cr_expect_null(unpack(from, n - 9, strlen(text)));
	errno = 0;
	cr_expect_null(unpack(text, sizeof(text), strlen(text)));
	cr_expect_eq(errno, EINVAL);
}
