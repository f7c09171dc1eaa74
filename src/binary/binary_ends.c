// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the places where calls of a function end. A call ends in the function itself, in a part of it that the compiler
 * has moved elsewhere, or in a function that it jumps to as its last act (a tail call): the stack pointer and the return
 * address there are those of the call. binary_exits.c decodes the code.
 */
#include "binary_code.h"
#include "binary_part.h"

/* Limits for one function: pieces of code that are followed, and ends. */
#define PIECES_MAX 32
#define ENDS_MAX   4096

/*
 * A function that so many others hand their calls to is not followed for more: where it ends, a program would run for
 * each of them. free() is one, where all functions of a library are probed.
 */
#define FOLLOWERS_MAX 16

/* How many names are compared to find the functions behind stubs. A hostile function jumps to stubs alone. */
#define COMPARED_MAX (1 << 24)

struct piece {
	const struct binary_exits *exits;
	bool handed; /* another function than the one whose calls end */
};

struct follow {
	struct binary *binary;
	bool stubs;	 /* are followed */
	size_t compared; /* names, to follow them */
	struct binary_ends *ends;
	struct pieces {
		vec(struct piece);
	} pieces;
};

static bool is_in(const struct binary_exits *exits, uint64_t vaddr)
{
	return vaddr - exits->vaddr < exits->size;
}

/* The function of the file itself that a stub of the PLT leads to. NULL: there is none, or it is no stub. */
static struct binary_exits *behind_stub(struct follow *follow, uint64_t vaddr)
{
	struct binary *binary = follow->binary;
	const struct binary_symbol *symbols;
	uint64_t offset;
	const char *name;
	size_t n;

	if (binary_offset_of(binary, vaddr, true, &offset) || !binary_stub_at(binary, offset, &name) || !name ||
	    binary_functions(binary, &symbols, &n, NULL))
		return NULL;
	for (size_t i = 0; i < n && follow->compared < COMPARED_MAX; i++, follow->compared++)
		if (!symbols[i].ifunc && !strcmp(symbols[i].name, name))
			return binary_exits_of(binary, &symbols[i]);
	return NULL;
}

/* The piece that holds an address: one that is followed already, or a new one. NULL: it cannot be followed. */
static const struct piece *piece_at(struct follow *follow, uint64_t vaddr, bool handed)
{
	struct binary_exits *exits;
	bool is_begin;

	vec_each(piece, &follow->pieces)
		if (is_in(piece->exits, vaddr))
			return piece;
	exits = follow->pieces.n < PIECES_MAX ? binary_exits_at(follow->binary, vaddr) : NULL;
	if (!exits && follow->stubs && follow->pieces.n < PIECES_MAX) {
		exits = behind_stub(follow, vaddr);
		vaddr = exits ? exits->vaddr : vaddr;
	}
	if (!exits || exits->why || !is_in(exits, vaddr))
		return NULL;
	is_begin = vaddr == exits->vaddr && !exits->in_frame;
	if (is_begin && exits->followers++ >= FOLLOWERS_MAX)
		return NULL;
	*vec_push(&follow->pieces) = (struct piece){ exits, handed || is_begin };
	return &follow->pieces.v[follow->pieces.n - 1];
}

static struct binary_end *add_end(struct follow *follow, const struct binary_exit *exit, enum binary_end_kind kind, bool handed)
{
	struct binary_end *end = vec_push(follow->ends);

	*end = (struct binary_end){
		.kind = kind,
		.handed = handed,
		.returns = exit->kind == BINARY_EXIT_RETURN,
		.condition = exit->condition,
		.offset = exit->offset,
	};
	return end;
}

/* A stub of the PLT jumps to where a word of memory says, so a jump to the stub is as good as that one. */
static bool stub_operand(struct follow *follow, const struct binary_exit *exit, struct instruction_operand *operand)
{
	uint64_t slot, jump;
	int64_t distance;

	if (binary_vaddr_of(follow->binary, exit->offset, &jump) || !binary_stub_slot(follow->binary, exit->target, &slot))
		return false;
	distance = (int64_t)(slot - jump);
	*operand = (struct instruction_operand){ INSTRUCTION_NONE, INSTRUCTION_ITSELF, INSTRUCTION_NONE, 1, (int32_t)distance };
	return operand->displacement == distance;
}

/* A jump that is followed ends nothing. If it leads from the function to another one, that one's exits are told so. */
static void add_jump(struct follow *follow, const struct binary_exit *exit, bool handed)
{
	const struct piece *to = piece_at(follow, exit->target, handed);
	struct binary_end *end;

	if (to && to == follow->pieces.v && exit->target == to->exits->vaddr && !handed)
		follow->ends->again = true;
	if (to && (handed || !to->handed))
		return;
	end = add_end(follow, exit, to ? BINARY_END_HANDS_OVER : BINARY_END_RETURN, handed);
	end->has_operand = !to && stub_operand(follow, exit, &end->operand);
	follow->ends->leaves |= !to;
}

static bool add_indirect(struct follow *follow, const struct binary_exits *exits, const struct binary_exit *exit, bool handed)
{
	uint64_t before = exit->offset - exits->offset;
	struct binary_end *end;

	follow->ends->leaves = true;
	if (exit->maybe_inside && exits->size >= BINARY_JUDGED_MAX)
		return false;
	end = add_end(follow, exit, exit->maybe_inside ? BINARY_END_JUDGED : BINARY_END_RETURN, handed);
	end->operand = exit->operand;
	end->has_operand = exit->has_operand;
	if (!exit->maybe_inside)
		return true;
	end->before = before;
	end->size = exits->size;
	return true;
}

static const char *add_piece(struct follow *follow, const struct piece piece)
{
	for (size_t i = 0; i < piece.exits->n; i++) {
		const struct binary_exit *exit = &piece.exits->v[i];

		if (follow->ends->n > ENDS_MAX)
			return "ends in more places than any real function";
		if (exit->kind == BINARY_EXIT_RETURN)
			add_end(follow, exit, BINARY_END_RETURN, piece.handed);
		else if (exit->kind == BINARY_EXIT_JUMP)
			add_jump(follow, exit, piece.handed);
		else if (!add_indirect(follow, piece.exits, exit, piece.handed))
			return "is too long to judge its jumps";
	}
	return NULL;
}

static bool ends_any(const struct binary_ends *ends)
{
	vec_each(end, ends)
		if (end->kind != BINARY_END_HANDS_OVER)
			return true;
	return false;
}

static const char *find(struct follow *follow, const struct binary_exits *own, bool handed)
{
	const char *why = own->why;

	if (why)
		return why;
	*vec_push(&follow->pieces) = (struct piece){ own, handed };
	for (size_t i = 0; !why && i < follow->pieces.n; i++)
		why = add_piece(follow, follow->pieces.v[i]);
	follow->ends->again |= own->again;
	return why;
}

static int find_ends(struct follow *follow, const struct binary_exits *own, bool handed, struct err *err)
{
	struct binary_ends *ends = follow->ends;
	const char *why;

	*ends = (struct binary_ends){};
	why = find(follow, own, handed);
	free(follow->pieces.v);
	if (!why && ends_any(ends))
		return 0;
	free(ends->v);
	*ends = (struct binary_ends){};
	return why ? err_set(err, -ENOTSUP, "it %s", why) : err_set(err, -ENODATA, "it never returns");
}

int binary_find_ends(struct binary *binary, const struct binary_symbol *function, bool stubs, struct binary_ends *ends,
		     struct err *err)
{
	struct follow follow = { .binary = binary, .ends = ends, .stubs = stubs };

	return find_ends(&follow, binary_exits_of(binary, function), false, err);
}

int binary_find_handed_ends(struct binary *binary, uint64_t offset, struct binary_ends *ends, struct err *err)
{
	struct follow follow = { .binary = binary, .ends = ends, .stubs = true };
	const struct binary_exits *own;
	uint64_t vaddr;

	*ends = (struct binary_ends){};
	own = binary_vaddr_of(binary, offset, &vaddr) ? NULL : binary_exits_at(binary, vaddr);
	return own ? find_ends(&follow, own, true, err) : err_set(err, -ENOENT, "no function is known there");
}

bool binary_ends_keep_values(struct binary_ends *ends, bool learn)
{
	size_t n = 0, before = ends->n;
	bool any = false;

	for (size_t i = 0; i < before; i++) {
		struct binary_end end = ends->v[i];

		end.learns = learn && !end.returns && end.has_operand;
		any |= end.returns || end.learns;
		if (end.returns || end.learns || end.kind == BINARY_END_HANDS_OVER)
			ends->v[n++] = end;
	}
	ends->n = n;
	ends->leaves = n < before;
	return any;
}
