/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns of struct syscalls_row: by call or by process, with times in a unit or without, or as strace -c has them. */
#ifndef SONDE_ENGINES_SYSCALLS_COLUMNS_H
#define SONDE_ENGINES_SYSCALLS_COLUMNS_H

#include "syscalls.h"

/* By call, without times. */
extern const struct schema syscalls_schema;

/*
 * The columns for these settings; the table of strace -c if it is with_total. unit: of times in text, UNIT_US or
 * UNIT_MS.
 */
const struct schema *syscalls_columns(const struct syscalls_settings *settings, enum field_unit unit);

#endif
