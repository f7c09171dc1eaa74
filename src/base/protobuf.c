// SPDX-License-Identifier: BSD-2-Clause
#include "protobuf.h"

/* How a field is encoded: in the lowest three bits of its tag. */
enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
};

void protobuf_add_varint(struct str *s, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = value | 0x80;
	bytes[n++] = value;
	str_addn(s, bytes, n);
}

/* 0, -1, 1, -2 become 0, 1, 2, 3. */
static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void protobuf_add_sint(struct str *s, int64_t value)
{
	protobuf_add_varint(s, zigzag(value));
}

void protobuf_add_present(struct str *s, unsigned int field, uint64_t value)
{
	protobuf_add_varint(s, field << 3 | WIRE_VARINT);
	protobuf_add_varint(s, value);
}

void protobuf_add_number(struct str *s, unsigned int field, uint64_t value)
{
	if (value)
		protobuf_add_present(s, field, value);
}

void protobuf_add_signed(struct str *s, unsigned int field, int64_t value)
{
	protobuf_add_number(s, field, zigzag(value));
}

void protobuf_add_fixed(struct str *s, unsigned int field, uint64_t value)
{
	protobuf_add_varint(s, field << 3 | WIRE_FIXED64);
	/* both of our architectures store the lowest byte first, as the format does */
	str_addn(s, (const char *)&value, sizeof(value));
}

void protobuf_add_double(struct str *s, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (bits)
		protobuf_add_fixed(s, field, bits);
}

void protobuf_add_bytes(struct str *s, unsigned int field, const char *bytes, size_t n)
{
	protobuf_add_varint(s, field << 3 | WIRE_BYTES);
	protobuf_add_varint(s, n);
	str_addn(s, bytes, n);
}

void protobuf_add_message(struct str *s, unsigned int field, const struct str *message)
{
	protobuf_add_bytes(s, field, str_or_empty(message->data), message->len);
}
