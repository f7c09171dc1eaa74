// SPDX-License-Identifier: BSD-2-Clause
/* Reads addresses from instructions of arm64. */
#include "arm64.h"

/* The signed number in some bits of a word. */
static uint64_t number(uint32_t word, int low, int bits)
{
	return (uint64_t)((int64_t)((uint64_t)word << (64 - low - bits)) >> (64 - bits));
}

static bool is_known(const struct arm64_reader *reader, uint8_t reg)
{
	return reader->known >> reg & 1;
}

static void forget(struct arm64_reader *reader, uint32_t regs)
{
	reader->known &= ~regs;
	reader->numbers &= ~regs;
}

static void set(struct arm64_reader *reader, struct arm64_place *place, uint8_t reg, uint64_t value)
{
	forget(reader, 1U << reg);
	reader->values[reg] = value;
	reader->known |= 1U << reg;
	*place = (struct arm64_place){ .kind = ARM64_ADDRESS, .reg = reg, .at = value };
}

/* adrp, adr, add of a number. False: it is none of these, or of a register whose value is not known. */
static bool read_address(struct arm64_reader *reader, uint32_t word, struct arm64_place *place)
{
	const uint8_t reg = word & 31, base = word >> 5 & 31;
	const uint64_t low = word >> 29 & 3, distance = number(word, 5, 19) << 2 | low;

	if ((word & 0x9f000000) == 0x90000000)
		set(reader, place, reg, (reader->vaddr & ~0xfffULL) + (distance << 12));
	else if ((word & 0x9f000000) == 0x10000000)
		set(reader, place, reg, reader->vaddr + distance);
	else if ((word & 0xff800000) == 0x91000000 && is_known(reader, base))
		set(reader, place, reg, reader->values[base] + ((uint64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0)));
	else
		return false;
	return true;
}

/* Loads and stores of one register, at an offset that is not negative. */
static bool read_access(struct arm64_reader *reader, uint32_t word, struct arm64_place *place)
{
	const uint8_t reg = word & 31, base = word >> 5 & 31;
	const uint64_t offset = (uint64_t)(word >> 10 & 0xfff) << (word >> 30);

	if ((word & 0x3f000000) != 0x39000000)
		return false;
	*place = (struct arm64_place){ ARM64_MEMBER, reg, base, 1 << (word >> 30), !(word >> 22 & 3), offset };
	if (is_known(reader, base)) {
		place->kind = ARM64_ACCESS;
		place->at += reader->values[base];
	}
	if (!place->stores)
		forget(reader, 1U << reg);
	return true;
}

/* mov of a number below 2^16 (movz). */
static bool read_number(struct arm64_reader *reader, uint32_t word)
{
	const uint8_t reg = word & 31;

	if ((word & 0x7fe00000) != 0x52800000)
		return false;
	if (reg == 31)
		return true;
	forget(reader, 1U << reg);
	reader->values[reg] = word >> 5 & 0xffff;
	reader->numbers |= 1U << reg;
	return true;
}

/* x0 to x18, x30: a called function may write them. */
#define CALLED 0x4007ffffU

/*
 * The registers that any other instruction may write: most write one, or none; loads of a pair two. Loads and stores
 * that move their base write that one, too.
 */
static uint32_t written(uint32_t word)
{
	const bool is_pair = (word & 0x3a000000) == 0x28000000, loads_pair = is_pair && word >> 22 & 1;
	const bool moves = is_pair ? word >> 23 & 1 : (word & 0x3b200400) == 0x38000400;

	return 1U << (word & 31) | (loads_pair ? 1U << (word >> 10 & 31) : 0) | (moves ? 1U << (word >> 5 & 31) : 0);
}

bool arm64_next(struct arm64_reader *reader, struct arm64_place *place)
{
	uint32_t word;

	if (reader->n < sizeof(word))
		return false;
	memcpy(&word, reader->code, sizeof(word));
	*place = (struct arm64_place){};
	if ((word & 0xfc000000) == 0x94000000) /* bl */
		*place = (struct arm64_place){ .kind = ARM64_CALL, .at = reader->vaddr + (number(word, 0, 26) << 2) };
	else if ((word & 0xfffffc1f) == 0xd63f0000) /* blr */
		*place = (struct arm64_place){ .kind = ARM64_INDIRECT, .base = word >> 5 & 31 };
	else if (!read_address(reader, word, place) && !read_access(reader, word, place) && !read_number(reader, word))
		forget(reader, written(word));
	if (place->kind == ARM64_CALL || place->kind == ARM64_INDIRECT)
		forget(reader, CALLED);
	reader->code += sizeof(word);
	reader->n -= sizeof(word);
	reader->vaddr += sizeof(word);
	return true;
}

bool arm64_refers(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t address, uint64_t offset)
{
	struct arm64_reader reader = { .code = code, .n = n, .vaddr = vaddr };
	struct arm64_place place;

	while (arm64_next(&reader, &place))
		if (place.kind == ARM64_MEMBER ? place.at == offset
					       : place.kind != ARM64_OTHER && place.kind != ARM64_INDIRECT && place.at == address)
			return true;
	return false;
}
