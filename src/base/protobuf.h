/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes messages of Protocol Buffers: https://protobuf.dev/programming-guides/encoding/. A message is a string of
 * fields; a message within another is a field of bytes. The functions append to a string.
 */
#ifndef SONDE_BASE_PROTOBUF_H
#define SONDE_BASE_PROTOBUF_H

#include "str.h"

/* A number alone, as in a packed array or in front of a message. */
void protobuf_add_varint(struct str *s, uint64_t value);
/* The same for a type sint64, whose numbers near 0 are short whatever their sign. */
void protobuf_add_sint(struct str *s, int64_t value);

/* A field with this number, of a type uint64, int64, bool or enum. Nothing for 0, which is the default. */
void protobuf_add_number(struct str *s, unsigned int field, uint64_t value);
/* The same, also for 0: for optional fields where absent means something else. */
void protobuf_add_present(struct str *s, unsigned int field, uint64_t value);
/* The same as protobuf_add_number(), of a type sint32 or sint64. */
void protobuf_add_signed(struct str *s, unsigned int field, int64_t value);
/* A field of a type fixed64, also for 0. */
void protobuf_add_fixed(struct str *s, unsigned int field, uint64_t value);
/* The same as protobuf_add_number(), of a type double. */
void protobuf_add_double(struct str *s, unsigned int field, double value);
/* A field of a type string or bytes, a message, or a packed array. */
void protobuf_add_bytes(struct str *s, unsigned int field, const char *bytes, size_t n);
void protobuf_add_message(struct str *s, unsigned int field, const struct str *message);

#endif
