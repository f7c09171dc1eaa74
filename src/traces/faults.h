/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports what a clean-up could not read or could not do, and checks the owner that the user named. */
#ifndef SONDE_TRACES_FAULTS_H
#define SONDE_TRACES_FAULTS_H

#include "verdicts.h"

/* Reports the steps that failed: a few, or all. Returns how many there are. */
size_t traces_report_errors(const struct traces *traces, const struct trace_verdicts *verdicts, bool all);
/* Reports the files that cannot be read, in one line. */
void traces_report_unreadable(const struct traces *traces);
/* 0, or -EINVAL with err if no tool has this name and nothing here bears it. */
int traces_check_owner(const struct traces *traces, const char *owner, struct err *err);

#endif
