/* SPDX-License-Identifier: BSD-2-Clause */
/* The label of a frame that is narrower than its name. */
#ifndef SONDE_OUTPUT_FLAME_LABEL_H
#define SONDE_OUTPUT_FLAME_LABEL_H

#include "base/str.h"

/*
 * Appends as much of a name as fits into so many columns, escaped for XML; at least 1. Of a name with "::" it leaves
 * out arguments, template arguments and the return type, and then outer namespaces: "…Cart::add".
 * The end of what is still
 * too long becomes "…". shorten() in flame.js does the same.
 */
void flame_label_add(struct str *s, const char *name, size_t columns);
/* The same for any text: only its end is cut off. */
void flame_label_cut(struct str *s, const char *text, size_t columns);

#endif
