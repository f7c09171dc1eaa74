/* SPDX-License-Identifier: BSD-2-Clause */
/* Within symbols/: the kernel's symbols from a BPF iterator, which takes less than half the time of /proc/kallsyms. From Linux 6.0. */
#ifndef SONDE_KSYM_ITER_H
#define SONDE_KSYM_ITER_H

#include "kernel.h"

/* An iterator to read, the caller's, or -errno. */
int ksym_iter_open(void);

/* What it writes: functions, and of data some whose names begin with "ftr". fn as ksym_fn; type as nm(1) has it. */
int ksym_iter_each(int fd, int (*fn)(const struct ksym *sym, char type, void *ctx), void *ctx, struct err *err);

#endif
