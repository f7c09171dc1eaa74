/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan, and what came of it, in words. */
#ifndef SONDE_TRACES_TELL_H
#define SONDE_TRACES_TELL_H

#include "output/output.h"
#include "plan.h"

/* dry: it was not carried out. verbose: also what was looked at and is as it should be, and contents. */
void traces_tell(struct output *out, const struct traces *traces, const struct trace_plan *plan, bool dry, bool verbose);

#endif
