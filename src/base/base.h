/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every other file may use: cleanup helpers, allocation that cannot fail,
 * a growing array, and the error value that library code hands upwards.
 * Knows nothing of probes, kernels or terminals.
 */
#ifndef SONDE_BASE_H
#define SONDE_BASE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define __printf(fmt, va) __attribute__((format(printf, fmt, va)))
#define __cleanup(fn)	  __attribute__((cleanup(fn)))

/* Released when the variable leaves its scope; initialise where declared. */
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

/* Hands the value out of a __free/__close variable. */
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
 * Allocation for small things that are not worth a recovery path: on failure a
 * line goes to stderr and the process exits with 1, which detaches everything,
 * since the kernel closes what we hold. What is sized by the traced machine
 * (maps, mappings) is allocated by its owner and fails with -ENOMEM.
 */
void *base_alloc(size_t size); /* zeroed */
void *base_realloc(void *p, size_t n, size_t size);
char *base_strdup(const char *s);
char *base_strndup(const char *s, size_t n);
char *base_printf(const char *fmt, ...) __printf(1, 2); /* caller frees */

/*
 * A growing array is three members that belong together:
 *	struct x *v; size_t n, cap;
 * vec_push() returns the address of a new zeroed last element.
 */
void *vec_push_(void **v, size_t *n, size_t *cap, size_t size);
#define vec_push(s) \
	((typeof((s)->v))vec_push_((void **)&(s)->v, &(s)->n, &(s)->cap, sizeof(*(s)->v)))
/* An empty one has no v, to which nothing may be added, not even 0. */
#define vec_each(it, s) for (typeof((s)->v + 0) it = (s)->v; it && it < (s)->v + (s)->n; it++)

/*
 * Why a call failed, in words a user can act on. Library code fills it and
 * returns its code; the caller that knows the user's intent prints it, once.
 * at: offset of the fault within the text being parsed, -1 where none applies.
 */
struct err {
	int code; /* -errno */
	int at;
	char text[400];
};

/* Sets text and code (negative errno), at = -1; returns code. NULL err is allowed. */
int err_set(struct err *err, int code, const char *fmt, ...) __printf(3, 4);
/* The same for a fault at an offset of the parsed text; code is -EINVAL. */
int err_at(struct err *err, int at, const char *fmt, ...) __printf(3, 4);

#endif
