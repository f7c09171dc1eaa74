/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions: values in histograms (bpf/hist.h), one of all, one for each of a few numbers, or one for each key that
 * occurs. Shared by both sides.
 *
 * Those by key are rows of a hash map: a label, and behind it the cells. They are made as keys occur, never taken away, and
 * only grow, so that reading takes nothing away.
 */
#ifndef SONDE_DIST_H
#define SONDE_DIST_H

#define DIST_NAME_LEN	 32
#define DIST_LABEL_LEN	 16
#define DIST_LABEL_WORDS 2

/* A number, and then the map's keys are 8 bytes, or a name. */
union dist_key {
	unsigned long long number;
	char name[DIST_NAME_LEN]; /* padded with NULs */
};

/* Fixed before the load. */
struct dist_setup {
	unsigned char keyed;
	unsigned char by; /* which of the tool's keys, from 0 on */
};

/* What was not counted: the places in dist_losses. */
enum dist_loss {
	DIST_NO_ROW, /* there were as many keys as there is room for */
	DIST_LOSSES,
};

#endif
