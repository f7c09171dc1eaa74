/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a thread keeps the values of its pthread keys: at a distance from the thread pointer that glibc knows. Knows no
 * process.
 */
#ifndef SONDE_INTERP_THREAD_KEYS_H
#define SONDE_INTERP_THREAD_KEYS_H

#include "base/base.h"

struct binary;

/*
 * The distance in bytes, if it is the same in all glibc; 0: it is not. On x86-64 the thread pointer is the begin of struct
 * pthread, whose first members have not moved for twenty years. On arm64 it is the end, so all of its size counts.
 */
#if defined(__x86_64__)
#define THREAD_KEYS_USUAL 0x310
#else
#define THREAD_KEYS_USUAL 0
#endif

/* The distance in a C library; 0: the file is none, or does not say it (glibc before 2.34). */
int thread_keys_read(struct binary *binary);

#endif
