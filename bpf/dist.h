/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distributions: values in histograms (bpf/hist.h). There is one histogram, one for each of a few numbers, or one
 * for each key that occurs. Shared by both sides.
 *
 * Histograms by key are values of a hash map: a label, then the cells. Programs create them as keys occur. They are
 * never removed or reset, so that reading them loses nothing.
 */
#ifndef SONDE_BPF_DIST_H
#define SONDE_BPF_DIST_H

#define DIST_NAME_LEN	 32
#define DIST_LABEL_LEN	 16
#define DIST_LABEL_WORDS 2

/* A number (the keys of the map then have 8 bytes) or a name. */
union dist_key {
	unsigned long long number;
	char name[DIST_NAME_LEN]; /* padded with NULs */
};
_Static_assert(sizeof(union dist_key) == 32, "as on the other side");

/* Set by user space before the load. */
struct dist_setup {
	unsigned char keyed;
	unsigned char by; /* which key of the tool, from 0 on */
	/* Values of keys that find no room are added to the histogram of all others; else they are lost. */
	unsigned char others;
};
_Static_assert(sizeof(struct dist_setup) == 3, "as on the other side");

/* What programs report about the map of rows: indices of dist_losses. */
enum dist_loss {
	DIST_NO_ROW, /* values that were not counted: the map was full */
	DIST_FULL,   /* 1 once the map was full: it stays so */
	DIST_LOSSES,
};

#endif
