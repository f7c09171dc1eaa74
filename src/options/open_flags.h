/* SPDX-License-Identifier: BSD-2-Clause */
/* The flags of open(2) by name, as options take them. */
#ifndef SONDE_OPTIONS_OPEN_FLAGS_H
#define SONDE_OPTIONS_OPEN_FLAGS_H

#include "base/base.h"
#include "bpf/open_flags.h"

/*
 * For OPT_CALL: adds the flag or access mode of this name, O_CREAT say, to a struct open_flags. 0, or -EINVAL with
 * the nearest name in err.
 */
int open_flags_add(void *to, const char *name, struct err *err);
/* For .offers: all names. */
void open_flags_offer(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

#endif
