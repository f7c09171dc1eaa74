/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses to the gzip format (RFC 1952). */
#ifndef SONDE_BASE_GZIP_H
#define SONDE_BASE_GZIP_H

#include "str.h"

/* Appends the data, compressed. level: 1 (fast) to 9 (small), as of gzip. Out of memory ends the process. */
void gzip_add(struct str *to, const struct str *data, int level);

#endif
