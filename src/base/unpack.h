/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decompresses the BPF objects. scripts/pack-skeleton stores them in sonde's file in gzip format (RFC 1952),
 * which takes a seventh of their size.
 */
#ifndef SONDE_BASE_UNPACK_H
#define SONDE_BASE_UNPACK_H

#include "base.h"

/*
 * Decompresses n bytes of gzip data to exactly `size` bytes. Returns memory that the caller frees, or NULL with
 * errno EINVAL if the data are damaged or have another size.
 */
void *unpack(const void *packed, size_t n, size_t size);

#endif
