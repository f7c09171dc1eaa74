/* SPDX-License-Identifier: BSD-2-Clause */
/* Within src/why: what pages share. */
#ifndef SONDE_WHY_WHY_PAGE_H
#define SONDE_WHY_WHY_PAGE_H

#include "engine/stacks.h"

/* Prints a stack towards the innermost frame: in two lines of a terminal, else whole in one. */
void why_page_stack(struct output *out, const struct stacks_named *named);

#endif
