/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in traces only: the files of tracefs that hold one setting each, in the order in which they are read
 * and reset.
 */
#ifndef SONDE_TRACES_SETTINGS_H
#define SONDE_TRACES_SETTINGS_H

#include "inventory.h"

/* Returns the table, and its length in *n. */
const struct trace_setting *trace_settings(size_t *n);

#endif
