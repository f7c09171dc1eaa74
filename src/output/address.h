/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of networks as rows show them. */
#ifndef SONDE_ADDRESS_H
#define SONDE_ADDRESS_H

#include "output.h"

/* version: 4 or 6; the address as it is on the wire. In JSON a string. */
void address_add(struct str *s, unsigned int version, const void *address, enum output_format format);

#endif
