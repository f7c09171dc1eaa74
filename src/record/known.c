// SPDX-License-Identifier: BSD-2-Clause
/* The names of known kinds and fields. */
#include "known.h"

#define NAME(id, name) name,

const char *const known_kinds[KNOWN_KINDS_N] = { KNOWN_KINDS(NAME) };
const char *const known_fields[KNOWN_FIELDS_N] = { KNOWN_FIELDS(NAME) };
