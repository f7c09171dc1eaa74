/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects lie in our file as gzip(1) makes them, a quarter of their size: scripts/pack-skeleton. */
#ifndef SONDE_UNPACK_H
#define SONDE_UNPACK_H

#include "base.h"

/* n bytes of gzip, of just size bytes: these in memory that the caller frees; or NULL, with errno (EINVAL: they are not). */
void *unpack(const void *packed, size_t n, size_t size);

#endif
