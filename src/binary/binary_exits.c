// SPDX-License-Identifier: BSD-2-Clause
/*
 * Decodes a stretch of code, a function or a part of one, and lists how control leaves it. The list is complete only if
 * every instruction is decoded, and every jump within leads to the begin of one of them. Knows nothing of calls.
 */
#include "binary_code.h"
#include "binary_part.h"

/*
 * Limits for one function and for all functions of a file. Real functions have 100 exits at most; a hostile file may
 * consist of them, and list the same ones under a million symbols.
 */
#define EXITS_MAX      4096
#define FILE_EXITS_MAX (1 << 20)

/* So many instructions before an indirect jump may compute its target. */
#define LOOK_BACK 6

/* What is said of a function whose exits are not known: "it ...". */
#define UNKNOWN_INSTRUCTION "has an unknown instruction"
#define UNPROBED_EXIT	    "ends by an instruction that the kernel cannot probe"

struct jump {
	uint64_t at, to; /* in the code; to beyond its end: outside */
	uint8_t condition;
	bool always, probed;
};

struct walk {
	struct binary *binary;
	struct binary_exits *exits;
	const uint8_t *code;
	uint64_t entry;
	uint8_t *begins; /* for each byte: 1 if an instruction begins there */
	struct jumps {
		vec(struct jump);
	} jumps;
	uint64_t last[LOOK_BACK]; /* where the last instructions began, in a ring */
	size_t n;		  /* instructions so far */
	enum instruction_kind kind;
};

static struct binary_exit *add_exit(struct walk *walk, enum binary_exit_kind kind, uint64_t at)
{
	struct binary_exit *exit = vec_push(walk->exits);

	*exit = (struct binary_exit){ .kind = kind, .condition = INSTRUCTION_NONE, .offset = walk->exits->offset + at };
	return exit;
}

/*
 * Whether a jump to an address in a register is a switch: the address is the sum of a table's place and an entry of that
 * table. An address that was loaded, or is an argument, is rather a function's.
 */
static bool adds_up(const struct walk *walk, uint64_t at, uint8_t reg)
{
	for (size_t back = 1; back <= LOOK_BACK && back <= walk->n; back++) {
		uint64_t before = walk->last[(walk->n - back) % LOOK_BACK];
		enum instruction_write write = instruction_writes(walk->code + before, at - before, reg);

		if (write != INSTRUCTION_KEEPS)
			return write == INSTRUCTION_ADDS;
	}
	return false;
}

/* Memory without an index holds one address, as a GOT or a table of methods does: the jump is no switch. */
static const char *add_indirect(struct walk *walk, uint64_t at, const struct instruction *instruction)
{
	const struct instruction_operand *operand = &instruction->operand;
	bool in_memory = operand->reg == INSTRUCTION_NONE, has_index = operand->index != INSTRUCTION_NONE;
	struct binary_exit *exit;

	if (instruction->kind == INSTRUCTION_SWITCH && !(in_memory && has_index))
		return NULL;
	if (!in_memory && adds_up(walk, at, operand->reg))
		return NULL;
	if ((!in_memory || has_index) && !instruction->indirect)
		return "may end by a jump that cannot be followed";
	if (instruction->uprobe != INSTRUCTION_RUNS)
		return UNPROBED_EXIT;
	exit = add_exit(walk, BINARY_EXIT_INDIRECT, at);
	exit->operand = *operand;
	exit->has_operand = instruction->indirect;
	exit->maybe_inside = !in_memory || has_index;
	return NULL;
}

static const char *take(struct walk *walk, uint64_t at, const struct instruction *instruction)
{
	bool branch = instruction->kind == INSTRUCTION_BRANCH;

	switch (instruction->kind) {
	case INSTRUCTION_RETURN:
		if (instruction->uprobe != INSTRUCTION_RUNS)
			return UNPROBED_EXIT;
		add_exit(walk, BINARY_EXIT_RETURN, at);
		return NULL;
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		*vec_push(&walk->jumps) = (struct jump){
			.at = at,
			.to = at + (uint64_t)instruction->target,
			.condition = branch ? instruction->condition : INSTRUCTION_NONE,
			.always = !branch,
			.probed = instruction->uprobe == INSTRUCTION_RUNS,
		};
		return NULL;
	case INSTRUCTION_SWITCH:
	case INSTRUCTION_AWAY:
		return add_indirect(walk, at, instruction);
	default:
		return NULL;
	}
}

static const char *walk_instructions(struct walk *walk)
{
	uint64_t size = walk->exits->size;
	struct instruction instruction;
	const char *why;

	for (uint64_t at = 0; at < size; at += instruction.length) {
		if (instruction_decode(walk->code + at, size - at, &instruction))
			return UNKNOWN_INSTRUCTION;
		walk->begins[at] = 1;
		why = take(walk, at, &instruction);
		if (why)
			return why;
		if (walk->exits->n > EXITS_MAX)
			return "returns in more places than any real function";
		walk->last[walk->n++ % LOOK_BACK] = at;
		walk->kind = instruction.kind;
	}
	return NULL;
}

/* glibc jumps over the prefix LOCK where there is one thread only. */
static bool is_begin(const struct walk *walk, uint64_t at)
{
	return walk->begins[at] || (INSTRUCTION_ALIGN == 1 && at && walk->begins[at - 1] && walk->code[at - 1] == 0xf0);
}

/* Afterwards, since it needs to know where all instructions begin. */
static const char *walk_jumps(struct walk *walk)
{
	struct binary_exits *exits = walk->exits;

	vec_each(jump, &walk->jumps) {
		struct binary_exit *exit;

		if (jump->to < exits->size) {
			if (!is_begin(walk, jump->to))
				return "jumps into an instruction";
			exits->again |= jump->to == walk->entry;
			continue;
		}
		if (!jump->always && jump->condition == INSTRUCTION_NONE)
			return "may end by a branch into another function";
		if (!jump->probed)
			return UNPROBED_EXIT;
		exit = add_exit(walk, BINARY_EXIT_JUMP, jump->at);
		exit->condition = jump->condition;
		exit->target = exits->vaddr + jump->to;
	}
	return NULL;
}

/* An instruction after which the next one runs. A call is no such one: it may be of a function that does not return. */
static bool goes_on(enum instruction_kind last)
{
	return last == INSTRUCTION_OTHER || last == INSTRUCTION_BRANCH;
}

static const char *decode(struct walk *walk)
{
	const char *why = walk_instructions(walk);

	why = why ? why : walk_jumps(walk);
	return !why && goes_on(walk->kind) ? "continues in the code after it" : why;
}

static const char *find(struct binary *binary, struct binary_exits *exits, uint64_t entry)
{
	const struct binary_symbol extent = { .name = "it", .offset = exits->offset, .size = exits->size };
	struct walk walk = { .binary = binary, .exits = exits, .entry = entry };
	__free uint8_t *begins = NULL, *code = NULL;
	const char *why;

	if (!exits->size)
		return "has no known end";
	if (exits->size > binary->bounds.code)
		return "is one function too many to be decoded now";
	binary->bounds.code -= exits->size;
	code = binary_read_function(binary, &extent, NULL);
	begins = code ? calloc(exits->size, 1) : NULL;
	if (!begins)
		return "cannot be read";
	walk.code = code;
	walk.begins = begins;
	why = decode(&walk);
	free(walk.jumps.v);
	if (!why && binary->exits.kept + exits->n > FILE_EXITS_MAX)
		why = "is one function too many of this file";
	return why;
}

/* The debug file chose where the code ends: what was found may lie in another function. */
static bool is_confirmed(struct binary *binary, const struct binary_exits *exits)
{
	for (size_t i = 0; exits->debug && i < exits->n; i++)
		if (binary_confirm(binary, exits->v[i].offset, NULL))
			return false;
	return true;
}

/* Fills in exits->why if it fails. */
static void find_all(struct binary *binary, struct binary_exits *exits, uint64_t entry)
{
	exits->why = find(binary, exits, entry);
	if (!exits->why && !is_confirmed(binary, exits))
		exits->why = "has another end than its debug file says";
	if (exits->why) {
		free(take_ptr(exits->v));
		exits->n = exits->cap = 0;
	}
	binary->exits.kept += exits->n;
}

static struct binary_exits **slot_of(const struct binary_exits_table *table, uint64_t vaddr)
{
	size_t at = vaddr * 0x9e3779b97f4a7c15ULL >> 32;

	while (table->v[at & (table->slots - 1)] && table->v[at & (table->slots - 1)]->vaddr != vaddr)
		at++;
	return &table->v[at & (table->slots - 1)];
}

static void grow(struct binary_exits_table *table)
{
	struct binary_exits_table larger = *table;

	larger.slots = table->slots ? table->slots * 2 : 64;
	larger.v = base_alloc(larger.slots * sizeof(*larger.v));
	for (size_t i = 0; i < table->slots; i++)
		if (table->v[i])
			*slot_of(&larger, table->v[i]->vaddr) = table->v[i];
	free(table->v);
	*table = larger;
}

void binary_exits_release(struct binary *binary)
{
	struct binary_exits_table *table = &binary->exits;

	for (size_t i = 0; i < table->slots; i++) {
		if (table->v[i])
			free(table->v[i]->v);
		free(table->v[i]);
	}
	free(table->v);
}

static struct binary_exits *get(struct binary *binary, const struct binary_extent *extent, uint64_t offset, bool debug)
{
	struct binary_exits_table *table = &binary->exits;
	struct binary_exits **slot, *exits;

	if (table->n * 2 >= table->slots)
		grow(table);
	slot = slot_of(table, extent->vaddr);
	exits = *slot;
	if (exits)
		return exits;
	exits = base_alloc(sizeof(*exits));
	exits->vaddr = extent->vaddr;
	exits->size = extent->size;
	exits->offset = offset;
	exits->in_frame = extent->in_frame;
	exits->debug = debug;
	find_all(binary, exits, 0);
	*slot = exits;
	table->n++;
	return exits;
}

struct binary_exits *binary_exits_of(struct binary *binary, const struct binary_symbol *function)
{
	struct binary_extent extent;

	if (!binary_unwind_extent(binary, function->vaddr, &extent) || extent.vaddr != function->vaddr)
		extent.in_frame = false;
	else if (!function->size)
		return get(binary, &extent, function->offset, false);
	extent.vaddr = function->vaddr;
	extent.size = function->size;
	return get(binary, &extent, function->offset, function->debug);
}

struct binary_exits *binary_exits_at(struct binary *binary, uint64_t vaddr)
{
	const struct binary_symbol *function;
	struct binary_extent extent;
	uint64_t offset;

	if (binary_offset_of(binary, vaddr, true, &offset) || binary_is_stub(binary, offset))
		return NULL;
	function = binary_function_around(binary, offset);
	if (function)
		return binary_exits_of(binary, function);
	if (!binary_unwind_extent(binary, vaddr, &extent) || binary_offset_of(binary, extent.vaddr, true, &offset))
		return NULL;
	return get(binary, &extent, offset, false);
}

int binary_find_go_returns(struct binary *binary, const struct binary_symbol *function, uint64_t entry,
			   struct binary_ends *ends, struct err *err)
{
	struct binary_exits exits = { .offset = function->offset, .vaddr = function->vaddr, .size = function->size, .debug = function->debug };

	*ends = (struct binary_ends){};
	find_all(binary, &exits, entry);
	for (size_t i = 0; !exits.why && i < exits.n; i++) {
		if (exits.v[i].kind == BINARY_EXIT_JUMP)
			exits.why = "may end by a jump into another function";
		else if (exits.v[i].kind == BINARY_EXIT_INDIRECT && exits.v[i].operand.index == INSTRUCTION_NONE)
			exits.why = "may end by a jump to an address in a register";
		else if (exits.v[i].kind == BINARY_EXIT_RETURN)
			*vec_push(ends) = (struct binary_end){ .returns = true, .condition = INSTRUCTION_NONE, .offset = exits.v[i].offset };
	}
	ends->again = exits.again;
	free(exits.v);
	if (!exits.why && ends->n)
		return 0;
	free(ends->v);
	*ends = (struct binary_ends){};
	return exits.why ? err_set(err, -ENOTSUP, "it %s", exits.why) : err_set(err, -ENODATA, "it never returns");
}
