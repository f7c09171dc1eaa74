/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes to stdout and stderr, whose reader may stop reading. We must never block in write(2): the run loop has
 * blocked the signals that could end it. So before each write a waiter waits for the descriptor. The code that
 * blocks the signals sets a waiter that also watches them.
 */
#ifndef SONDE_BASE_WRITE_H
#define SONDE_BASE_WRITE_H

#include "base.h"

/* Waits until fd takes more data or has an error, and returns 0. Returns -errno to give up. */
typedef int (*write_waiter_fn)(void *ctx, int fd);

/* Sets the waiter; ctx is passed to it. NULL restores the default, which waits as long as it takes. */
void write_set_waiter(write_waiter_fn waiter, void *ctx);

/*
 * Writes n bytes. Returns how many were written. Sets *error to 0 or -errno: the waiter's, write(2)'s, or -EIO if
 * the kernel takes nothing and reports no error.
 */
size_t write_all(int fd, const char *data, size_t n, int *error);

#endif
