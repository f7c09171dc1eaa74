/* SPDX-License-Identifier: BSD-2-Clause */
/* The latency engine (bpf/latency.bpf.c): how long calls of functions take, as histograms. */
#ifndef SONDE_ENGINES_LATENCY_H
#define SONDE_ENGINES_LATENCY_H

#include "engine/engine.h"
#include "output/hist.h"

/* The arguments are specs of functions. The row is a struct hist_row. */
extern const struct engine latency_engine;
/* For TOOL(). */
#define LATENCY_ENGINE .engine = &latency_engine

#endif
