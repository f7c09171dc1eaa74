/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a language brings along: how a file with its interpreter becomes a plan (runtime_LANGUAGE.c), and how a function
 * is read (names_LANGUAGE.c).
 */
#ifndef SONDE_INTERP_LANGUAGE_H
#define SONDE_INTERP_LANGUAGE_H

#include "binary/binary.h"
#include "names.h"
#include "runtime.h"

struct runtime_file {
	struct binary *binary;
	struct binary_exported state, loop; /* state.vaddr 0: it is not exported */
};

struct language {
	const char *name;	  /* for people */
	const char *unread;	  /* in place of a function that cannot be read: "[python]" */
	const char *state, *loop; /* symbols: the runtime's state, and the function that executes; a file that exports it has the language */
	/* Fills in version, plan and layout. Returns why there is no plan, as runtime.why. */
	const char *(*make_plan)(struct runtime *runtime, const struct runtime_file *file);
	/* A place is a line. Then the address that is read has INTERP_OF() of the frame in its low bits. */
	bool has_lines;
	/* Frames are notes (INTERP_NOTES): v8.h reads them, not names_read(). */
	bool has_notes;
	/* Frames are of HotSpot (INTERP_BLOBS): java.h reads them. */
	bool has_blobs;
	/* names_read() */
	int (*read)(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
		    uint64_t address);
};
extern const struct language language_python, language_php, language_ruby, language_v8,
	language_java;

int python_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
		uint64_t address);
int php_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	     uint64_t address);
int ruby_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	      uint64_t address);

/* Copies n bytes from an address as linked. */
bool runtime_read_at(const struct runtime_file *file, uint64_t vaddr, void *to, size_t n);
/*
 * Whether a short function that the file exports has the place at an offset from the state in one of its instructions:
 * as an address, as a distance from the next instruction, or as that offset.
 */
bool runtime_confirms(const struct runtime_file *file, const struct binary_exported *stub, uint64_t offset);
/* Sets the loop's code, a function of the file. False: it is not known, or stands where none does. */
bool runtime_set_loop(struct runtime *runtime, const struct runtime_file *file, uint64_t begin, uint64_t size);
bool runtime_has_glibc(const struct runtime_file *file);

#endif
