/* SPDX-License-Identifier: BSD-2-Clause */
/* How sonde introduces itself: what it prints without a tool. Errors of `out` are for the caller to check. */
#ifndef SONDE_RUN_FRONT_H
#define SONDE_RUN_FRONT_H

#include <stdio.h>

/* `sonde`: for each group of tools a command to begin with and the names, within 22 lines of 80 columns. */
void front_page(FILE *out);
/* `sonde help`: every tool with a line, by groups. */
void front_list(FILE *out);

#endif
