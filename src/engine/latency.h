/* SPDX-License-Identifier: BSD-2-Clause */
/* The latency engine (bpf/latency.bpf.c): how long calls of functions take, as histograms. */
#ifndef SONDE_LATENCY_ENGINE_H
#define SONDE_LATENCY_ENGINE_H

#include "output/hist.h"
#include "run/tool.h"

/* Arguments are specs of functions. A row is a struct hist_row. */
extern const struct engine latency_engine;

#endif
