/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: values of the language (lang/types/type.h) as text and as JSON, as bpftrace writes them. Values that
 * only user space can name (addresses, stacks, users ...) are named by struct script_names.
 */
#ifndef SONDE_SCRIPT_SCRIPT_VALUE_H
#define SONDE_SCRIPT_SCRIPT_VALUE_H

#include "script_names.h"

/* A value in memory that stays the caller's. */
struct script_value {
	const struct type *type;
	const void *data; /* strings and buffers: their bytes */
	size_t len;	  /* of data, in bytes; strings and buffers: of the contents */
	bool is_cut;	  /* a string or buffer that was longer */
};

/* The value of a type that lies in memory as lang/types/type.h says. */
struct script_value script_value_of(const struct type *type, const void *data);
/* An argument of a record; data: what follows struct lang_record, size bytes. Never reads beyond it. */
struct script_value script_value_argument(const struct lang_site_argument *argument, const void *data, size_t size);
/*
 * An integer, bool, enum or pointer as 64 bits, extended as its type says; of other types the first bytes as a
 * number.
 */
int64_t script_value_number(const struct script_value *value);
/* Whether the number is one that is below 0 if its sign bit is set. */
bool script_value_is_signed(const struct type *type);

/* Appends the value as print() and "%s" show it. is_key: the fields of a tuple are not in parentheses. */
void script_value_add(struct str *to, struct script_names *names, const struct script_value *value, bool is_key);
/* Appends the value as JSON. */
/* Adds a key as the name of a member of JSON, not yet quoted. */
void script_value_add_key(struct str *to, struct script_names *names, const struct script_value *value);
/* Adds a number; one that a double cannot hold is a string. */
void script_value_add_json_number(struct str *to, int64_t number, bool is_signed);
void script_value_add_json(struct str *to, struct script_names *names, const struct script_value *value);
/*
 * Appends the bytes of a buffer: printable ASCII as it is, others as \xHH. all: every byte as \xHH; spaced: as HH with
 * blanks between them.
 */
enum script_bytes {
	SCRIPT_BYTES_TEXT,
	SCRIPT_BYTES_ALL,
	SCRIPT_BYTES_SPACED
};
void script_value_add_bytes(struct str *to, const struct script_value *value, enum script_bytes how);

#endif
