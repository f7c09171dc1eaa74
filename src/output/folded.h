/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks, as flamegraph.pl reads them: names from the root to the innermost frame, with semicolons between them.
 */
#ifndef SONDE_OUTPUT_FOLDED_H
#define SONDE_OUTPUT_FOLDED_H

#include "base/str.h"
#include "frame.h"

/*
 * Appends a name, with foreign bytes escaped as str_add_shown() does, and a semicolon as \x3b. An empty name becomes
 * [unknown]. annotated: _[k] follows if the frame is the kernel's.
 */
void folded_add_name(struct str *s, const struct frame *frame, bool annotated);
/* Appends n frames, which are given innermost first. */
void folded_add_stack(struct str *s, const struct frame *const *frames, size_t n);

#endif
