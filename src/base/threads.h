/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads for what the kernel makes us wait for. They have small stacks, and the user's signals are for the main thread. */
#ifndef SONDE_BASE_THREADS_H
#define SONDE_BASE_THREADS_H

#include <pthread.h>
#include <stddef.h>

/* Starts a thread, which the caller joins or detaches. Returns 0 or -errno. */
int threads_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

/*
 * Calls one(ctx, i) for each i below n, in `most` threads at the most, of which the calling one is one. The order is that
 * of i, but calls overlap. Returns when all have returned. If no thread can be started, the calling one does all.
 */
void threads_each(size_t n, size_t most, void (*one)(void *ctx, size_t i), void *ctx);

#endif
