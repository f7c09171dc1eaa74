/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of frames of interpreters: reads the function of a frame from the memory of its process. What is there is
 * believed only if its type is that of functions, and those of its strings are right; else the frame has no name. A
 * process can lie about its own functions, but not harm us: lengths have bounds, and control characters become text.
 */
#ifndef SONDE_INTERP_NAMES_H
#define SONDE_INTERP_NAMES_H

#include "peek.h"
#include "runtime.h"

/* Bytes of names with the NUL; longer ones end with "...". */
#define NAMES_FUNCTION 128
#define NAMES_FILE     512
/* Longer line tables are not read: their functions have no lines. */
#define NAMES_TABLE 65536

/* A function as it was when it was read: a code object of Python, a zend_function of PHP, an rb_iseq_t of Ruby. */
struct names_code {
	uint64_t words[8];				 /* by which a change is seen; the first is not 0 */
	char function[NAMES_FUNCTION], file[NAMES_FILE]; /* UTF-8; no file: "" */
	/* The line of a place in it; 0: not known. NULL: none is. */
	int (*line)(const struct names_code *code, unsigned int place);
	int first;	/* its first line */
	uint8_t *table; /* of lines; owned; NULL: none */
	size_t n_table;
};

/*
 * Reads the function at an address. state: where the runtime has its state in that process. Returns 1: *code is
 * filled in, and freed by names_release(); 0: nothing has changed since *code was read from there; -ESRCH: the memory
 * cannot be read any more, *code is as it was; -EBADMSG: no function is there, or one without names; *code must be
 * released.
 * *code is {}, or was filled in before.
 */
int names_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	       uint64_t address);
void names_release(struct names_code *code);
/* The line of a place in it (INTERP_PLACE()); 0: not known. */
int names_line(const struct names_code *code, unsigned int place);

#endif
