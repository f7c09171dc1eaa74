/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments as the kernel keeps them: one string after the other, each ends with a NUL; the last may be cut. */
#ifndef SONDE_ENGINES_COMMAND_LINE_H
#define SONDE_ENGINES_COMMAND_LINE_H

#include "base/base.h"
#include "bpf/args.h"
#include "output/value.h"

/*
 * As it was typed: the name that was executed, with which data begins, then the arguments; at most max_words, 0: all.
 * failed: the exec has not replaced the arguments. If the line is not whole, it ends with "...".
 */
void command_line_get(struct value *to, const struct args_record *args, const char *data, bool failed,
		      uint32_t max_words);

#endif
