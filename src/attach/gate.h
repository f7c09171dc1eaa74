/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within attach/: instructions in front of a program at a place where a call of a user function may end. They decide
 * whether one does; if not, the program does not run. So the same programs serve all ends.
 *
 * A jump may be conditional, or lead inside the function as well as outside. And a function may hand its call over to
 * another one, by jumping to it as its last act: the call then ends where the other one returns, at the same place of
 * the stack and with the same return address. A map (GATE_MAP) remembers such calls.
 */
#ifndef SONDE_ATTACH_GATE_H
#define SONDE_ATTACH_GATE_H

#include <linux/bpf.h>

#include "bpf/slot.h"
#include "probe/target.h"

/* What is decided. {}: nothing. It is compared byte by byte: all members have 32 bits. */
struct gate {
	uint32_t hands_over; /* the call is remembered, and no program runs */
	uint32_t handed;     /* only a call that was remembered ends */
	uint32_t condition;  /* the jump is taken under this condition + 1; 0: always */
	uint32_t judged;     /* the jump leads outside only if the operand says so: */
	uint32_t reg, base, index, scale;
	uint32_t displacement;
	uint32_t before, size; /* as of struct binary_end, unless the cookie has them */
};

/* The most instructions that gate_write() writes. */
#define GATE_MAX 96

/* The gate of an end. cookies: before and size are in the cookie. */
struct gate gate_of(const struct binary_end *end, bool cookies);
static inline bool gate_is_open(const struct gate *gate)
{
	return !memcmp(gate, &(struct gate){}, sizeof(*gate));
}
/* The cookie of an end: the slot, and behind it before and size. */
uint64_t gate_cookie(const struct target *target, const struct binary_end *end);
/*
 * Writes the instructions to `to`, and returns how many. how and slot: as in the copy of the program. map: what
 * gate_new_map() gave. The context is in r1 before and after them.
 */
size_t gate_write(const struct gate *gate, enum slot_how how, uint64_t slot, int map, struct bpf_insn *to);
/* Creates the map. Returns its descriptor, which the caller closes, or -errno. */
int gate_new_map(void);

#endif
