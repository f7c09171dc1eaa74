/* SPDX-License-Identifier: BSD-2-Clause */
/* What a probe that is half typed may become, for a shell that completes it. */
#ifndef SONDE_OFFER_H
#define SONDE_OFFER_H

/*
 * Offers specs that begin with word: kernel functions (from the second letter on, for there are 60,000), t:SYSTEM: and then its
 * tracepoints, functions of X in X:NAME, usdt:X:PROVIDER:NAME. Nothing where the kernel does not tell us.
 */
void spec_offer(const char *word, void (*fn)(const char *spec, void *ctx), void *ctx);

#endif
