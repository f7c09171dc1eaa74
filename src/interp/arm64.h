/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the instructions of a short function of arm64 refer to: addresses are made of two or three of them. Execution is
 * followed in a straight line, past all branches. By the Arm Architecture Reference Manual (DDI 0487, C4.1).
 */
#ifndef SONDE_INTERP_ARM64_H
#define SONDE_INTERP_ARM64_H

#include "base/base.h"

enum arm64_kind {
	ARM64_OTHER,
	ARM64_ADDRESS,	/* an address is computed */
	ARM64_ACCESS,	/* memory at an address is loaded, or stored */
	ARM64_MEMBER,	/* the same, at an offset from an address that is not known */
	ARM64_CALL,	/* of a function at an address */
	ARM64_INDIRECT, /* a call that a register leads to */
};

struct arm64_reader {
	const uint8_t *code; /* n bytes, at vaddr as linked; all three go on with each instruction */
	size_t n;
	uint64_t vaddr;
	/*
	 * A bit for each register whose value is known: an address, or a number that was moved there. A number is no base of
	 * an address: code behind a branch may have another one there.
	 */
	uint32_t known, numbers;
	uint64_t values[32];
};

struct arm64_place {
	enum arm64_kind kind;
	uint8_t reg; /* that is written, or stored */
	uint8_t base;
	uint8_t size; /* of what is accessed, in bytes */
	bool stores;  /* it is not loaded */
	uint64_t at;  /* an address as linked, or an offset */
};

/* Reads one instruction. False: there is no other. */
bool arm64_next(struct arm64_reader *reader, struct arm64_place *place);

/* Whether code refers to an address, or to an offset from what is not known. */
bool arm64_refers(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t address, uint64_t offset);

#endif
