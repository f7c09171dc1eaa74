/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries out verdicts. */
#ifndef SONDE_TRACES_CLEAN_H
#define SONDE_TRACES_CLEAN_H

#include "verdicts.h"

/*
 * Carries out each step that acts, and sets its `done` or its `error` (-errno). Steps of TRACE_TRY that the
 * kernel refuses with -EBUSY keep that error and are not failures. Things are removed one by one, each by its
 * name.
 */
void traces_clean(const struct traces *traces, struct trace_verdicts *verdicts);

/* True if the step failed and the user should know. */
static inline bool trace_step_failed(const struct trace_step *step)
{
	return step->error && !(step->verdict == TRACE_TRY && step->error == -EBUSY);
}

#endif
