/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports verdicts and their results in words. */
#ifndef SONDE_TRACES_TEXT_H
#define SONDE_TRACES_TEXT_H

#include "output/output.h"
#include "verdicts.h"

/*
 * dry: the verdicts were not carried out. verbose: also report the files that were checked and are in order, and the
 * contents of files.
 */
void traces_print_text(struct output *out, const struct traces *traces, const struct trace_verdicts *verdicts, bool dry,
		       bool verbose);

#endif
