/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of java only: what was read of methods. */
#ifndef SONDE_INTERP_JAVA_PART_H
#define SONDE_INTERP_JAVA_PART_H

#include "base/set.h"
#include "java.h"
#include "java_tables.h"

#define JAVA_TABLE_MAX (64 * 1024) /* bytes of a table; longer ones are not read */
#define JAVA_BYTES_MAX (64 * 1024 * 1024)

struct java_method {
	/* What of it does not change, and pointers to its constants, name and class, and the class's name; all 0: not read. */
	uint64_t words[5];
	const char *name, *file;
	uint32_t code_size;
	uint8_t minus;
	uint8_t *lines; /* owned */
	size_t n_lines;
};

struct java_code {
	uint64_t state, low, at; /* of its process, all code's begin, and its head, by which others are told from it */
	int32_t number;
	const char *name; /* of what is no method; NULL: it is one */
	uint64_t method;
	int64_t begin; /* of the instructions, from its head */
	uint8_t minus;
	struct java_stop *stops; /* owned; and one more behind */
	size_t n_stops;
	uint8_t *scopes; /* owned */
	size_t n_scopes;
	uint64_t *methods; /* and other things that it refers to; owned */
	size_t n_methods;
};

struct java {
	struct set strings; /* with their NULs */
	struct java_methods {
		struct set keys; /* a process and an address */
		vec(struct java_method);
	} methods;
	struct java_codes {
		struct set keys; /* a process and what a frame says of its code */
		vec(struct java_code);
	} codes;
	size_t bytes; /* of tables */
};

/* Keeps a text until the end. NULL: there are too many. */
const char *java_string(struct java *java, const char *text);
/* The method at an address. NULL: none that could be read. Valid until the next call. */
const struct java_method *java_method_at(struct java *java, const struct java_process *process, uint64_t address);
/* Copies a table, which the caller frees. NULL: it is empty, too long, or cannot be read. */
void *java_copy(struct java *java, const struct java_process *process, uint64_t at, uint64_t n);

#endif
