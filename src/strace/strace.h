/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine of `sonde strace`: system calls with their arguments, one line each, as strace prints them. */
#ifndef SONDE_STRACE_STRACE_H
#define SONDE_STRACE_STRACE_H

#include "engine/engine.h"

extern const struct engine strace_engine;
extern const struct schema strace_schema;

#define STRACE_ENGINE .engine = &strace_engine, .schema = &strace_schema

#endif
