// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the return instructions of a function. The list is complete only if every instruction is decoded, every
 * jump leads to the begin of one of them, and no jump leaves the function: else the function is refused.
 */
#include "binary_code.h"
#include "binary_part.h"
#include "instruction.h"

/*
 * Limits for one function and for all functions of a file. Real functions have 100 return instructions at most; a
 * hostile file may consist of them, and list the same ones under a million symbols.
 */
#define RETURNS_MAX	 4096
#define FILE_RETURNS_MAX (1 << 20)

struct walk {
	const struct binary_symbol *function;
	const uint8_t *code;
	uint64_t entry;
	uint8_t *begins; /* for each byte: 1 if an instruction begins there */
	struct binary_returns *returns;
	size_t left; /* how many returns may be found */
	enum instruction_kind last;
};

static int refuse(const char *why, struct err *err)
{
	return err_set(err, -ENOTSUP, "it %s", why);
}

static int walk_instructions(struct walk *walk, struct err *err)
{
	struct instruction instruction;

	for (uint64_t at = 0; at < walk->function->size; at += instruction.length) {
		if (instruction_decode(walk->code + at, walk->function->size - at, &instruction))
			return refuse("has an unknown instruction", err);
		walk->begins[at] = 1;
		walk->last = instruction.kind;
		if (instruction.kind == INSTRUCTION_RETURN && walk->returns->n == walk->left)
			return refuse("returns in more places than any real function", err);
		if (instruction.kind == INSTRUCTION_RETURN)
			*vec_push(walk->returns) = walk->function->offset + at;
		if (instruction.kind == INSTRUCTION_AWAY)
			return refuse("may end by a jump to an address in a register", err);
	}
	return 0;
}

/* A second pass: it needs to know where all instructions begin. */
static int walk_jumps(struct walk *walk, struct err *err)
{
	struct instruction instruction;

	for (uint64_t at = 0; at < walk->function->size; at += instruction.length) {
		uint64_t to;

		if (instruction_decode(walk->code + at, walk->function->size - at, &instruction))
			return -EILSEQ;
		if (instruction.kind != INSTRUCTION_JUMP && instruction.kind != INSTRUCTION_BRANCH)
			continue;
		to = at + (uint64_t)instruction.target;
		if (to >= walk->function->size)
			return refuse("may end by a jump into another function", err);
		if (!walk->begins[to])
			return refuse("jumps into an instruction", err);
		walk->returns->again |= to == walk->entry;
	}
	return 0;
}

static bool goes_on(enum instruction_kind last)
{
	return last == INSTRUCTION_OTHER || last == INSTRUCTION_BRANCH;
}

/* The debug file chose where the function ends: what the walk found may lie in another one. */
static int confirm_returns(struct binary *binary, const struct walk *walk)
{
	int ret = 0;

	for (size_t i = 0; !ret && walk->function->debug && i < walk->returns->n; i++)
		ret = binary_confirm(binary, walk->returns->v[i], NULL);
	return ret;
}

static int find(struct binary *binary, struct walk *walk, struct err *err)
{
	int ret = walk_instructions(walk, err);

	if (!ret)
		ret = walk_jumps(walk, err);
	if (ret)
		return ret;
	if (goes_on(walk->last))
		return refuse("continues in the code after it", err);
	if (confirm_returns(binary, walk))
		return refuse("has another end than its debug file says", err);
	return walk->returns->n ? 0 : refuse("never returns", err);
}

int binary_find_returns(struct binary *binary, const struct binary_symbol *function, uint64_t entry, struct binary_returns *returns,
			struct err *err)
{
	struct walk walk = { .function = function, .entry = entry, .returns = returns };
	__free uint8_t *begins = NULL, *code = NULL;
	int ret;

	*returns = (struct binary_returns){};
	if (!function->size)
		return refuse("has no known end", err);
	code = binary_read_function(binary, function, err);
	begins = calloc(function->size, 1);
	if (!code || !begins)
		return code ? err_set(err, -ENOMEM, "no memory to decode '%s'", function->name) : -EIO;
	walk.left = FILE_RETURNS_MAX - binary->n_returns < RETURNS_MAX ? FILE_RETURNS_MAX - binary->n_returns : RETURNS_MAX;
	walk.code = code;
	walk.begins = begins;
	ret = find(binary, &walk, err);
	binary->n_returns += returns->n;
	if (ret) {
		free(returns->v);
		*returns = (struct binary_returns){};
	}
	return ret;
}
