/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments as the kernel keeps them: one string after the other, each ends with a NUL; the last may be cut. */
#ifndef SONDE_ENGINE_COMMAND_LINE_H
#define SONDE_ENGINE_COMMAND_LINE_H

#include "base/base.h"

/* The argument behind arg, never beyond end: that is where there is none. */
const char *command_line_next(const char *arg, const char *end);
/*
 * The arguments behind the first, of `first` to `end`, that were typed. For a script the kernel puts its interpreter's
 * name and option in front; what was typed is the script, path, and what comes after it.
 */
const char *command_line_typed(const char *first, const char *end, const char *path);

#endif
