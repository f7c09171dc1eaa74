/* SPDX-License-Identifier: BSD-2-Clause */
/* How many files this process may have open. */
#ifndef SONDE_BASE_FILE_LIMIT_H
#define SONDE_BASE_FILE_LIMIT_H

#include <stddef.h>

/*
 * Raises the limit as far as the kernel allows, for those who open a file for each probe or each program that others
 * run. Returns the limit.
 */
size_t file_limit_raise(void);

#endif
