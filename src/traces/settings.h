/* SPDX-License-Identifier: BSD-2-Clause */
/* Within traces/: the files that are one setting each, in the order in which they are looked at and reset. */
#ifndef SONDE_TRACES_SETTINGS_H
#define SONDE_TRACES_SETTINGS_H

#include "inventory.h"

const struct trace_setting *trace_settings(size_t *n);

#endif
