/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants of C's headers that programs use. They are #defines there, so the kernel's BTF does not have them. */
#ifndef SONDE_LANG_TEXT_PREPROCESS_CONSTANTS_H
#define SONDE_LANG_TEXT_PREPROCESS_CONSTANTS_H

#include "kernel/constants.h"

/* Returns false if there is no such constant. */
bool preprocess_constant(const char *name, struct constant *constant);
/* Whether an #include of this header gives all its constants. */
bool preprocess_knows_header(const char *header);

#endif
