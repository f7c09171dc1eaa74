/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within attach/: instructions in front of a program at a place where a call of a user function may end. They decide
 * whether one does; if not, the program does not run. So the same programs serve all ends.
 *
 * A jump may be conditional, or lead inside the function as well as outside. And a function may hand its call over to
 * another one, by jumping to it as its last act: the call then ends where the other one returns, at the same place of
 * the stack and with the same return address. A map remembers such calls.
 *
 * Which function that is, may be in a register or in memory only when the jump runs. Then a second map
 * tells user space (learn.c), which probes the ends of that function from then on.
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
	uint32_t learns;     /* the call is remembered, and where the operand leads to; no program runs */
	uint32_t judged;     /* the jump leads outside only if the operand says so: */
	uint32_t reg, base, index, scale;
	uint32_t displacement;
	uint32_t before, size; /* as of struct binary_end, unless the cookie has them */
};

/* The most instructions that gate_write() writes. */
#define GATE_MAX 256

/* In the second map: where a call was handed over to. */
struct gate_lead {
	uint64_t address;   /* in the process */
	uint32_t slot, pid; /* of the probed function; the process, in the first PID namespace */
};

/* Its value. */
struct gate_calls {
	uint64_t n;   /* of which the ends are not probed; GATE_LEARNED, or more, once they are */
	uint64_t uid; /* whose process it is */
};

#define GATE_LEARNED (1ULL << 63)

/*
 * To how many functions, each in each process and from each probed function: in all, for the processes of one user, and
 * for those of all users but root. The third map counts them by user, so that one user cannot take all; its value is a
 * number. User space corrects it when entries are removed.
 */
#define GATE_LEADS_MAX	  8192
#define GATE_LEADS_OF_ONE (GATE_LEADS_MAX / 4)
#define GATE_LEADS_OF_ALL (GATE_LEADS_MAX / 2)

/* Keys of the third map that are no users: all but root; and the calls that found no room, whose ends are not probed. */
#define GATE_ALL_USERS	UINT32_MAX
#define GATE_LOST_CALLS (UINT32_MAX - 1)
#define GATE_USERS_MAX	1024

/* The descriptors of the maps; 0: there is none, and no gate needs it. users 0: no user has a limit. */
struct gate_maps {
	int handed_over, tally, leads, users;
};

/* The gate of an end. cookies: before and size are in the cookie. */
struct gate gate_of(const struct binary_end *end, bool cookies);
static inline bool gate_is_open(const struct gate *gate)
{
	return !memcmp(gate, &(struct gate){}, sizeof(*gate));
}
/* The cookie of an end: the slot, and behind it before and size. */
uint64_t gate_cookie(const struct target *target, const struct binary_end *end);
/*
 * Writes the instructions to `to`, and returns how many. how and slot: as in the copy of the program. The context is in
 * r1 before and after them.
 */
size_t gate_write(const struct gate *gate, enum slot_how how, uint64_t slot, const struct gate_maps *maps, struct bpf_insn *to);
/* Whether no program stands behind the gate. */
static inline bool gate_is_alone(const struct gate *gate)
{
	return gate->hands_over || gate->learns;
}
/*
 * Creates the maps that a gate needs and that are not there yet. limits: users have limits. The caller closes them. Returns
 * 0 or -errno.
 */
int gate_prepare(const struct gate *gate, struct gate_maps *maps, bool limits);
/*
 * Returns how many calls that were handed over newer ones have pushed out of the map, whose room is limited. Their ends
 * are not seen; some may have ended before, by an exception or a jump. While calls go on it may be a few less.
 */
uint64_t gate_pushed_out(const struct gate_maps *maps);

#endif
