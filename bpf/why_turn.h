/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who had a processor for longest lately. Whoever leaves it last before a thread that waits comes has often had it for a
 * moment only, and is not the one for whom the thread waited. Shared by both sides: the programs and a recording's reader
 * count turns alike. Behind bpf/why.h.
 */
#ifndef SONDE_BPF_WHY_TURN_H
#define SONDE_BPF_WHY_TURN_H

/* A longer turn is known for no longer than this, once others follow. */
#define WHY_TURN_KNOWN 20000000 /* ns */

/*
 * A task leaves the processor; tid 0: nobody. A longer turn stays known until as much time has passed as it was longer,
 * and then a shorter one takes its place. True: it is the longest one from now on, and the caller notes whose it is. from:
 * no turn counts before. least: nor a shorter one; ns.
 */
static inline _Bool why_turn_ends(struct why_processor *processor, unsigned int tid, unsigned long long now,
				  unsigned long long from, unsigned long long least)
{
	unsigned long long ns = now - (processor->since > from ? processor->since : from);
	unsigned long long known = processor->ns < WHY_TURN_KNOWN ? processor->ns : WHY_TURN_KNOWN;
	unsigned long long age = now - processor->ended;

	processor->since = now;
	processor->last = tid ? ns : 0;
	if (!tid || ns < least || (known > age && ns < known - age))
		return 0;
	processor->ns = ns;
	processor->ended = now;
	return 1;
}

/* Whether a wait since `from` was for the longest turn rather than for the last one. */
static inline _Bool why_turn_counts(const struct why_processor *processor, unsigned long long from)
{
	unsigned long long ns = processor->ended - from;

	return processor->ended > from && (ns < processor->ns ? ns : processor->ns) >= processor->last;
}

#endif
