/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats network addresses. */
#ifndef SONDE_ADDRESS_H
#define SONDE_ADDRESS_H

#include "output.h"

/* Appends an address, in JSON as a string. version: 4 or 6; address: 4 or 16 bytes in network order. */
void address_add(struct str *s, unsigned int version, const void *address, enum output_format format);

#endif
