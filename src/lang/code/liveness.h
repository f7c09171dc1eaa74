/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the values of registers are needed. Instructions are numbered in the order in which they are laid out, and each
 * has four positions: it reads its operands, a call destroys registers, it writes its result, and one between it and
 * the next.
 */
#ifndef SONDE_LANG_CODE_LIVENESS_H
#define SONDE_LANG_CODE_LIVENESS_H

#include "legal.h"

enum liveness_position {
	POSITION_READ,
	POSITION_CALL,
	POSITION_WRITE,
	POSITIONS = 4,
};

/* Positions from `from` up to, and without, `to`. */
struct live_range {
	uint32_t from, to;
};

struct live_value {
	vec(struct live_range); /* the last one first; they do not touch */
	double weight;		/* how often it is read and written, with a guess for loops */
};

struct liveness {
	struct live_value *values; /* one for each register */
	uint32_t n_values;
	uint32_t n_positions;
};

/*
 * Registers that have an origin have no ranges. The parameters are live from position 0, that of an instruction in
 * front of the first one: the first instruction is number 1.
 */
void liveness_make(const struct legal *legal, struct liveness *liveness);
void liveness_release(struct liveness *liveness);

#endif
