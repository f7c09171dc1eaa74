/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: which class of wait (bpf/why.h) each system call belongs to. */
#ifndef SONDE_WHY_CALLS_H
#define SONDE_WHY_CALLS_H

#include <stdint.h>

#include "bpf/why.h"

/* Fills in .rodata.calls. Calls that are not listed are WHY_KERNEL. */
void why_calls_fill(uint8_t calls[WHY_ABIS][WHY_CALLS]);
/* The name of a call as the programs number it, a constant; NULL: none, or not known. */
const char *why_calls_name(unsigned int call);

#endif
