/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a plan out. */
#ifndef SONDE_TRACES_CLEAN_H
#define SONDE_TRACES_CLEAN_H

#include "plan.h"

/*
 * Each step that acts gets done or its error; those of TRACE_TRY that the kernel refuses with -EBUSY keep it and are no
 * failures. Nothing is taken away but by name, one at a time.
 */
void traces_clean(const struct traces *traces, struct trace_plan *plan);

static inline bool trace_step_failed(const struct trace_step *step)
{
	return step->error && !(step->verdict == TRACE_TRY && step->error == -EBUSY);
}

#endif
