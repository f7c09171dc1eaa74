/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of open(2) by name, as options take them. */
#ifndef SONDE_OPEN_FLAGS_H
#define SONDE_OPEN_FLAGS_H

#include "base/base.h"

/*
 * Adds the flag of this name, O_CREAT say, to *flags, or if it is an access mode, bit 1 << O_RDWR say to *modes. 0, or -EINVAL
 * with the nearest name in err.
 */
int open_flags_add(const char *name, unsigned char *modes, unsigned int *flags, struct err *err);
/* For .offers: all names. */
void open_flags_offer(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

#endif
