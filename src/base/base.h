/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The basis of every other file: cleanup attributes, allocation that cannot fail, a growing array, and the error
 * value that library code returns to its caller. Knows nothing of probes, kernels or terminals.
 */
#ifndef SONDE_BASE_BASE_H
#define SONDE_BASE_BASE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* __printf(fmt, va): the compiler checks the arguments (number va and on) against the format (number fmt). */
#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define __printf(fmt, va) __attribute__((format(printf, fmt, va)))
#define __cleanup(fn)	  __attribute__((cleanup(fn)))

/* The variable's resource is released when the variable leaves its scope. Initialise it where it is declared. */
#define __free	 __cleanup(base_freep)
#define __close	 __cleanup(base_closep)
#define __fclose __cleanup(base_fclosep)

static inline void base_freep(void *p)
{
	free(*(void **)p);
}

static inline void base_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void base_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Moves the value out of a __free or __close variable, which then releases nothing. */
#define take_ptr(p) \
	({ \
		typeof(p) _t = (p); \
		(p) = NULL; \
		_t; \
	})
#define take_fd(fd) \
	({ \
		int _t = (fd); \
		(fd) = -1; \
		_t; \
	})

/*
 * Allocation for small things that are not worth a recovery path. If memory runs out, these functions print a
 * line on stderr and exit with status 1. That detaches everything, since the kernel closes our descriptors.
 * Memory whose size depends on the traced machine (maps, mappings) is allocated by its owner, which fails with
 * -ENOMEM. The caller frees what these functions return, with free().
 */
void *base_alloc(size_t size); /* zeroed */
void *base_realloc(void *p, size_t n, size_t size);
char *base_strdup(const char *s);
char *base_strndup(const char *s, size_t n);
char *base_printf(const char *fmt, ...) __printf(1, 2); /* asprintf() */

/* The first line of a file of /proc, in `line` of so many bytes; false: there is none. The path is as for printf(). */
bool base_read_line(char *line, size_t size, const char *path, ...) __printf(3, 4);

/*
 * A growing array of T: v[0 .. n - 1]. As a member of a struct it has a name, or is the struct itself:
 *	struct x { vec(int) numbers; };		x.numbers.v, x.numbers.n
 *	struct x { vec(int); bool is_sorted; };	x.v, x.n
 * vec_push() appends a zeroed element and returns its address, which is valid until the next vec_push(). The
 * owner frees v.
 */
#define vec(T) \
	struct { \
		T *v; \
		size_t n, cap; \
	}
void *vec_push_(void **v, size_t *n, size_t *cap, size_t size);
#define vec_push(s) \
	((typeof((s)->v))vec_push_((void **)&(s)->v, &(s)->n, &(s)->cap, sizeof(*(s)->v)))
/* v of an empty array is NULL. Adding anything to NULL is undefined behaviour, even 0: hence the test of `it`. */
#define vec_each(it, s) for (typeof((s)->v + 0) it = (s)->v; it && it < (s)->v + (s)->n; it++)

/*
 * The reason why a call failed, in words that help the user to act. Library code fills it in and returns its
 * code. The caller that knows the user's intent prints it, once (report_err()).
 * at: offset of the fault in the parsed text, in bytes; -1 if there is none.
 */
struct err {
	int code; /* -errno */
	int at;
	char text[400];
};

/* Sets the text, the code (a negative errno) and at = -1. Returns code. err may be NULL. */
int err_set(struct err *err, int code, const char *fmt, ...) __printf(3, 4);
/* As err_set(), for a fault at an offset in the parsed text. Sets and returns the code -EINVAL. */
int err_at(struct err *err, int at, const char *fmt, ...) __printf(3, 4);

#endif
