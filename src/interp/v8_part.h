/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of v8 only: what was read of functions, scripts and code. Addresses are without the 1 of pointers. */
#ifndef SONDE_INTERP_V8_PART_H
#define SONDE_INTERP_V8_PART_H

#include "base/set.h"
#include "v8.h"
#include "v8_tables.h"

/* Objects begin with a pointer to their map; lengths and small numbers are in the upper half of a word. */
struct v8_object {
	uint64_t map, length;
};
#define V8_OBJECT(pointer)  ((pointer) & ~3ULL)
#define V8_IS_POINTER(word) (((word)&3) == 1)
#define V8_IS_WEAK(word)    (((word)&3) == 3)
#define V8_IS_NUMBER(word)  (!((word)&0xffffffff))
#define V8_NUMBER(word)	    ((int32_t)((word) >> 32))
#define V8_NOTHING	    256
#define V8_STRING_TYPES	    0x80		/* types below are of strings */
#define V8_TABLE_MAX	    (128 * 1024 - 4096) /* bytes of a table; longer ones are not read */

/* The text of a file, or another source. */
struct v8_script {
	uint64_t words[4]; /* by which a change is seen */
	const char *file;  /* its name, or "" */
	int first;	   /* the number of its first line, from 0 on */
	uint32_t *ends;	   /* positions of the ends of lines; owned */
	size_t n_ends, cap;
};

struct v8_function {
	uint64_t words[5]; /* of its object: map, bytecode, name, script, flags | 1; all 0: it could not be read */
	const struct v8_layout *layout;
	const char *name;
	uint32_t script; /* its number + 1; 0: none */
	int begin;	 /* its position in the script; -1: not known */
	bool is_builtin;
	uint64_t code;	    /* of the baseline compiler; 0: none */
	uint64_t at;	    /* the address of its bytecode; 0: none */
	uint64_t table;	    /* the pointer to its positions */
	uint8_t *positions; /* of its bytecode; owned; NULL: none */
	size_t n_positions;
	uint8_t *bytecode; /* owned; NULL: not read */
	size_t n_bytecode;
};

struct v8_code {
	uint64_t words[8];    /* its object, from the first member that is of interest */
	uint64_t start, size; /* of its instructions */
	uint64_t object;      /* the address of the object */
	uint8_t kind;
	uint64_t shared; /* of the function that was compiled; 0: not known */
	uint8_t *table;	 /* of positions; with the baseline compiler, of bytecodes; owned */
	size_t n_table;
	uint8_t *calls; /* that were inlined; owned */
	size_t n_calls;
	uint64_t *literals; /* what it refers to; the functions that were inlined come first; owned */
	size_t n_literals, n_inlined;
	uint8_t *translations; /* of calls to functions; owned */
	size_t n_translations;
	uint64_t *entries; /* three words each: numbers of bytecode, translation, offset behind the call; owned */
	size_t n_entries;
	uint64_t exits; /* where the calls begin that leave it for the interpreter */
};

struct v8 {
	struct set strings; /* with their NULs */
	struct v8_scripts {
		struct set keys; /* a process and an address */
		vec(struct v8_script);
		size_t lines;
		size_t read; /* characters and ends of lines, of all that were ever read */
	} scripts;
	struct v8_functions {
		struct set keys;
		vec(struct v8_function);
		size_t bytes; /* of their bytecode and positions */
	} functions;
	struct v8_codes {
		struct set keys; /* a process and the begin of its instructions */
		vec(struct v8_code);
		struct set pcs; /* a process and an address; number i has code number places.v[i] */
		struct v8_pcs {
			vec(uint32_t);
		} places;
		size_t bytes;
		/* Addresses that had no code a moment ago, by a hash of them. */
		struct v8_nothing {
			uint64_t pid, pc, until; /* ns of the monotonic clock */
		} nothing[V8_NOTHING];
	} codes;
};

/* Keeps a text until the end. NULL: there are too many. */
const char *v8_string(struct v8 *v8, const char *text);
/* The type of the object that a pointer points to; -1: it is no pointer, or cannot be read. 0 is one of texts. */
int v8_type(const struct v8_process *process, uint64_t pointer);
/* Copies an array of bytes, which the caller frees. NULL: it is none, is empty or too long. */
uint8_t *v8_copy_bytes(const struct v8_process *process, uint64_t pointer, size_t *n);
/* Reads a text as UTF-8 without control characters, at most `max` bytes with the NUL. False: it is none. */
bool v8_read_string(const struct v8_process *process, uint64_t pointer, char *to, size_t max);

/* The script that a pointer points to, by its number + 1. 0: it is none. */
uint32_t v8_script_number(struct v8 *v8, const struct v8_process *process, uint64_t pointer);
/* The line of a position; 0: not known. */
int v8_script_line(const struct v8 *v8, uint32_t number, int position);
void v8_script_release(struct v8_script *script);

/* What all closures of a function share, by its address. NULL: it could not be read. Valid until the next call. */
struct v8_function *v8_function_at(struct v8 *v8, const struct v8_process *process, uint64_t shared);
/* Where an offset in its bytecode is. */
void v8_function_place(struct v8 *v8, const struct v8_function *function, int64_t offset, struct v8_frame *frame);
void v8_function_line(struct v8 *v8, const struct v8_function *function, int position, struct v8_frame *frame);
void v8_function_release(struct v8 *v8, struct v8_function *function);

/* The code that has an address. NULL: none that we know of. */
const struct v8_code *v8_code_at(struct v8 *v8, const struct v8_process *process, uint64_t pc);
/* Where the translation of a call begins that returns to an offset. -1: there is none. */
int v8_code_translation(const struct v8_code *code, uint64_t offset);
void v8_code_release(struct v8_code *code);

#endif
