/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of netlink.h's implementation share: messages, their heads, their attributes. */
#ifndef SONDE_STRACE_NETLINK_PART_H
#define SONDE_STRACE_NETLINK_PART_H

#include "netlink.h"
#include "strace_part.h"

#define WORDS_OF(NAME, PREFIX, NAMES) static const struct strace_words NAME = { PREFIX, NAMES }

/*
 * Some bytes of a message, of which the first `have` have been copied: where the memory ends, there are fewer. All lengths
 * in them are foreign: nothing is read behind the bytes that are there.
 */
struct netlink_bytes {
	const unsigned char *v;
	size_t n, have;
	uint64_t address;
};

static inline struct netlink_bytes netlink_skip(struct netlink_bytes bytes, size_t n)
{
	size_t copied = n < bytes.have ? n : bytes.have;

	n = n < bytes.n ? n : bytes.n;
	return (struct netlink_bytes){ bytes.v + copied, bytes.n - n, bytes.have - copied, bytes.address + n };
}

static inline struct netlink_bytes netlink_first(struct netlink_bytes bytes, size_t n)
{
	bytes.n = n < bytes.n ? n : bytes.n;
	bytes.have = bytes.n < bytes.have ? bytes.n : bytes.have;
	return bytes;
}

/* Whether there is more than the memory has, in the first `size` bytes. */
static inline bool netlink_is_cut(struct netlink_bytes bytes, size_t size)
{
	return bytes.have < bytes.n && bytes.have < size;
}

/* A number of `size` bytes, 8 at most; 0 if they are not there. */
static inline uint64_t netlink_number(struct netlink_bytes bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	if (at <= bytes.have && size <= bytes.have - at && size <= sizeof(value))
		memcpy(&value, bytes.v + at, size);
	return value;
}

/* Rounded up to 4: where the next message or attribute begins. */
static inline size_t netlink_aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

#define NETLINK_TABLE 32 /* the name of a table, with a NUL */

/* What the table of messages says of one: how long its struct is, which attributes follow, and its text. */
struct netlink_payload {
	size_t size;
	char table[NETLINK_TABLE]; /* "-": bytes; ".": nothing that is printed */
	const char *shape;
	size_t shape_n;
};

/* What a table of attributes says of one; name NULL: it has none. The texts are not terminated. */
struct netlink_attribute {
	char prefix[48];
	const char *unknown, *name, *value, *rest;
	size_t unknown_n, name_n, value_n, rest_n;
};

bool netlink_find_payload(const char *name, struct netlink_payload *payload);
bool netlink_has_table(const char *name);
void netlink_find_attribute(const char *table, unsigned int type, struct netlink_attribute *attribute);

/* The name of an attribute or of another type without its flags; if it has none, its number. */
void netlink_add_name(struct str *out, const struct netlink_attribute *attribute, unsigned int type);

/* Bytes in hex, or their address if the memory does not have what is to be shown of them. */
void netlink_add_hex(struct strace_line *line, struct netlink_bytes bytes);

/* What stands for an element of an array, the `index`th, that cannot be read, and all after it: its address. */
void netlink_add_end(struct strace_line *line, struct netlink_bytes bytes, size_t index);

/* Attributes of a message about something of an address family. */
void netlink_add_attributes(struct strace_line *line, const char *table, unsigned int family, struct netlink_bytes bytes);

/* What is behind the header of a message; there is at least a byte. */
void netlink_add_payload(struct strace_line *line, int protocol, unsigned int type, bool is_request,
			 struct netlink_bytes bytes);

/* The name of a family of generic netlink; NULL: this kernel has no such family. */
const char *netlink_family(unsigned int id);

#endif
