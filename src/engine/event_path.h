/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths as programs collect them. */
#ifndef SONDE_ENGINE_EVENT_PATH_H
#define SONDE_ENGINE_EVENT_PATH_H

#include "base/str.h"

/*
 * Appends the directory that a path is relative to, and a '/'. dirs: its names from the inside out, each with a NUL,
 * `size` bytes in all; 0 is the root. cut: there are more of them outside, which "..." stands for.
 */
void event_path_add(struct str *s, const char *dirs, size_t size, bool cut);

#endif
