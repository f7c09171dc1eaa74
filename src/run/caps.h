/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether this process may trace. */
#ifndef SONDE_RUN_CAPS_H
#define SONDE_RUN_CAPS_H

#include "base/base.h"

/*
 * Returns 0; -EPERM, with an err that names the missing capabilities; or -ENOENT if /proc is not mounted.
 * CAP_SYS_ADMIN is enough, as are CAP_BPF and CAP_PERFMON together.
 */
int caps_check(struct err *err);

#endif
