/* SPDX-License-Identifier: BSD-2-Clause */
/* May we trace at all? */
#ifndef SONDE_CAPS_H
#define SONDE_CAPS_H

#include "base/base.h"

/* 0, or -EPERM naming the capabilities that are missing, or -ENOENT without /proc. */
int caps_check(struct err *err);

#endif
