/* SPDX-License-Identifier: BSD-2-Clause */
/* From the checked tree of a probe to three-address code. */
#ifndef SONDE_LANG_LOWER_LOWER_H
#define SONDE_LANG_LOWER_LOWER_H

#include "lang/check/check.h"
#include "lang/code/ir.h"

/* Sets probe->probe->needs. Makes program->scratch_size large enough. False: there are errors in program->messages. */
bool lang_lower(struct lang_program *program, const struct checked_probe *probe, const struct lang_options *options,
		struct ir_program *ir);

#endif
