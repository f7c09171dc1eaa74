/* SPDX-License-Identifier: BSD-2-Clause */
/* Which class of wait (bpf/why.h) each system call belongs to. */
#ifndef SONDE_WHY_WAITS_H
#define SONDE_WHY_WAITS_H

#include <stdint.h>

#include "bpf/why.h"

/* Fills in .rodata.calls. Calls that are not listed are WHY_KERNEL. */
void waits_fill(uint8_t calls[WHY_ABIS][WHY_CALLS]);
/* The name of a call as the programs number it, a constant; NULL: none, or not known. */
const char *waits_call(unsigned int call);
/*
 * The class of a call by its name alone, where nothing is known of its arguments. WHY_UNKNOWN: it depends on what its
 * descriptor stands for; a futex is a condition. NULL, or a name that is not listed: WHY_KERNEL.
 */
uint8_t waits_class(const char *name);
/* What a class is called, a constant: "disk". */
const char *waits_name(uint32_t class);

#endif
