/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats network addresses. */
#ifndef SONDE_OUTPUT_ADDRESS_H
#define SONDE_OUTPUT_ADDRESS_H

#include "base/str.h"

/* Appends an address of 4 or 16 bytes in network order. version: 4 or 6. Only hexadecimal digits, dots and colons. */
void address_add(struct str *s, unsigned int version, const void *address);

#endif
