/* SPDX-License-Identifier: BSD-2-Clause */
/* Completes a probe spec for a shell. */
#ifndef SONDE_PROBE_OFFER_H
#define SONDE_PROBE_OFFER_H

/*
 * Calls fn for specs that begin with word: kernel functions (if word has two letters, for there are 60,000),
 * t:SYSTEM: and then its tracepoints, functions of X in X:NAME, usdt:X:PROVIDER:NAME. spec is valid during the
 * call. Offers nothing if a list cannot be read.
 */
void spec_offer(const char *word, void (*fn)(const char *spec, void *ctx), void *ctx);

#endif
