/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing to whoever reads stdout and stderr, who may stop reading. We never block in write(2): signals are
 * blocked for the run loop, and nothing would end it. Waiting is done by a waiter, which whoever has
 * blocked the signals sets.
 */
#ifndef SONDE_WRITE_H
#define SONDE_WRITE_H

#include "base.h"

/* Waits until fd takes more or has an error, 0; or gives up, -errno. */
typedef int (*write_waiter_fn)(void *ctx, int fd);

/* NULL: waits for as long as it takes. */
void write_set_waiter(write_waiter_fn waiter, void *ctx);

/* Writes all of it. Returns how much was taken; *error: 0 or -errno, -EIO where nothing is taken without an error. */
size_t write_all(int fd, const char *data, size_t n, int *error);

#endif
