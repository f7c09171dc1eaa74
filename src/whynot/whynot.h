/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine of `sonde whynot`: system calls of a command that failed, and which function of the kernel decided so. The
 * lines of the calls are strace's; this room says what stands below them.
 */
#ifndef SONDE_WHYNOT_WHYNOT_H
#define SONDE_WHYNOT_WHYNOT_H

#include "strace/strace.h"

extern const struct strace_beside whynot_beside;
extern const struct schema whynot_schema;

#define WHYNOT_ENGINE .engine = &strace_failed_engine, .source = &whynot_beside, .schema = &whynot_schema

#endif
