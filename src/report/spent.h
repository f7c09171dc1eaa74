/* SPDX-License-Identifier: BSD-2-Clause */
/* The wall time of threads as stacks: the thread's name, what it did, and in which call. For flame graphs. */
#ifndef SONDE_REPORT_SPENT_H
#define SONDE_REPORT_SPENT_H

#include "output/files.h"
#include "sums.h"

/* Adds all threads to the files, in microseconds. files->about keeps texts of the recording. */
void spent_add(struct files *files, const struct sums *sums, const struct recording *r);

#endif
