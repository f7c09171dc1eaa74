// SPDX-License-Identifier: BSD-2-Clause
/* Maps: reading, assigning, updating and deleting plain values, and finding entries for those who change them. */
#include <linux/bpf.h>

#include "lowering.h"

#define is_cell(map) ((map)->storage == LANG_CELL)

static struct ir_value map_address(struct lower *l, const struct lang_map *map)
{
	return ir_address(&l->b, IR_MAP, map->number, 0);
}

struct ir_value lower_map_key(struct lower *l, const struct lang_map *map, struct ast *key)
{
	struct low_value value = lower_expression(l, key);
	uint32_t size = lang_key_size(map);
	struct low_memory place, last;

	if (size == map->key->size) {
		place = lower_place(l, &value, map->key);
		return lower_address(l, &place);
	}
	place = lower_temp(l, size);
	last = lower_behind(place, size - 8);
	lower_store(l, &last, 64, ir_imm(0));
	lower_write(l, &value, &place, map->key);
	return lower_address(l, &place);
}

/* Calls a function of the library for the current thread's value. */
static struct ir_value call_task(struct lower *l, const struct lang_map *map, struct ast *key,
				 enum lang_function function)
{
	struct ir_value tid = lower_number(l, key);

	return lower_library(l, function, 3, ir_address(&l->b, IR_DATA, LANG_DATA_CELLS, map->at_cell), tid,
			     map_address(l, map));
}

static struct ir_value lower_map_lookup(struct lower *l, struct lang_map *map, struct ast *key)
{
	struct ir_value at, entry;

	if (lower_entry_remembered(l, map, key, &entry))
		return entry;
	if (map->has_tasks) {
		entry = call_task(l, map, key, LANG_FN_task);
	} else {
		at = lower_map_key(l, map, key);
		entry = lower_helper(l, BPF_FUNC_map_lookup_elem, 2, map_address(l, map), at);
	}
	lower_entry_remember(l, map, key, entry);
	return entry;
}

/* The value of a map without keys. */
static struct low_memory cell(struct lower *l, const struct lang_map *map)
{
	return lower_pointed(ir_address(&l->b, IR_DATA, LANG_DATA_CELLS, map->at_cell), SPACE_BPF);
}

/* User space prints no map without keys that nothing was assigned to. */
static void mark_cell(struct lower *l, const struct lang_map *map, const struct low_memory *at, bool is_set)
{
	struct low_memory mark = lower_behind(*at, map->value->size);

	lower_store(l, &mark, 8, ir_imm(is_set));
}

/* This processor's shard; its offset is bounded by the mask, its size is known. */
static struct ir_value shard(struct lower *l)
{
	struct ir_value cpu = lower_helper(l, BPF_FUNC_get_smp_processor_id, 0);
	struct ir_value at = ir_binary(&l->b, IR_AND, cpu, ir_imm(l->options->n_shards - 1));

	at = ir_binary(&l->b, IR_MUL, at, ir_imm(l->program->shard_size));
	return ir_binary(&l->b, IR_ADD, ir_address(&l->b, IR_DATA, LANG_DATA_SHARDS, 0), at);
}

/* The number of a key. The map is full if it has none. */
static struct ir_value key_number(struct lower *l, const struct lang_map *map, struct ast *key)
{
	struct ir_value at, first, second = ir_imm(0);

	if (map->key->kind == TYPE_INTEGER && key->type->kind == TYPE_INTEGER) {
		first = lower_number(l, key);
		if (map->key->size < 8)
			first = ir_unary(&l->b, IR_ZERO, map->key->size * 8, first);
	} else {
		at = lower_map_key(l, map, key);
		first = ir_load(&l->b, 64, false, at, 0);
		if (lang_key_size(map) > 8)
			second = ir_load(&l->b, 64, false, at, 8);
	}
	return lower_library(l, LANG_FN_key, 4, ir_address(&l->b, IR_DATA, LANG_DATA_CELLS, map->at_keys), first,
			     second, ir_imm(__builtin_clzll(map->n_slots) + 1));
}

/* The value of this processor with a number whose bounds the verifier knows. */
static struct low_memory numbered(struct lower *l, const struct lang_map *map, struct ir_value number)
{
	struct ir_value at = ir_binary(&l->b, IR_MUL, number, ir_imm(map->value->size));
	struct low_memory memory = lower_pointed(ir_binary(&l->b, IR_ADD, shard(l), at), SPACE_BPF);

	memory.at = map->at_cell;
	return memory;
}

/* The value of this processor with this number; without one, the block `out` follows. */
static struct low_memory slot(struct lower *l, const struct lang_map *map, struct ir_value number, uint32_t out)
{
	struct low_memory memory;
	uint32_t next;

	if (number.is_const) {
		memory = lower_pointed(shard(l), SPACE_BPF);
		memory.at = map->at_cell + number.imm * map->value->size;
		return memory;
	}
	next = ir_new_block(&l->b);
	ir_branch(&l->b, IR_LT, number, ir_imm(map->n_slots), next, out);
	lower_at(l, next);
	return numbered(l, map, number);
}

/* The same; without a number, the value of all keys that have none. */
static struct low_memory slot_or_others(struct lower *l, const struct lang_map *map, struct ir_value number)
{
	uint32_t at = ir_new_reg(&l->b), full = lower_cold_block(l), next = ir_new_block(&l->b);

	ir_move(&l->b, at, number);
	ir_branch(&l->b, IR_LT, ir_reg(at), ir_imm(map->n_slots), next, full);
	lower_at(l, full);
	ir_move(&l->b, at, ir_imm(map->n_slots));
	ir_jump(&l->b, next);
	lower_at(l, next);
	return numbered(l, map, ir_reg(at));
}

/* The address of a value of zeros for a new entry. */
static struct ir_value zeros(struct lower *l, uint32_t size)
{
	struct low_memory zero;

	if (size > LOWER_OBJECT_MAX) {
		if (l->program->zero_size < size)
			l->program->zero_size = size;
		return ir_address(&l->b, IR_DATA, LANG_DATA_ZERO, 0);
	}
	zero = lower_temp(l, size);
	lower_zero(l, &zero, size);
	return lower_address(l, &zero);
}

/* The block `full` counts that the map was full, and `out` follows. */
static void report_full(struct lower *l, const struct lang_map *map, uint32_t full, uint32_t out)
{
	lower_at(l, full);
	lower_library(l, LANG_FN_map_full, 1, ir_imm(map->number));
	ir_jump(&l->b, out);
}

/* Goes on with a block if the entry is there; if not, the map is full, and the block `out` follows. */
static struct low_memory entry_or_full(struct lower *l, const struct lang_map *map, struct ir_value entry,
				       uint32_t found, uint32_t out)
{
	uint32_t full = lower_cold_block(l);

	ir_branch(&l->b, IR_NE, entry, ir_imm(0), found, full);
	report_full(l, map, full, out);
	lower_at(l, found);
	return lower_pointed(entry, SPACE_BPF);
}

/* Goes on with the entry in a register, or, if the map is full, with the value of all keys that have none. */
static struct low_memory entry_or_others(struct lower *l, const struct lang_map *map, uint32_t entry, uint32_t found)
{
	uint32_t full = lower_cold_block(l);

	ir_branch(&l->b, IR_NE, ir_reg(entry), ir_imm(0), found, full);
	lower_at(l, full);
	ir_move(&l->b, entry, ir_binary(&l->b, IR_ADD, shard(l), ir_imm(map->at_cell)));
	ir_jump(&l->b, found);
	lower_at(l, found);
	return lower_pointed(ir_reg(entry), SPACE_BPF);
}

/* The hash that values are added to now: the map, or its twin. */
static struct ir_value added_to(struct lower *l, const struct lang_map *map)
{
	uint32_t address, twin, next;
	struct ir_value turn;

	if (!map->has_twin)
		return map_address(l, map);
	address = ir_new_reg(&l->b);
	twin = lower_cold_block(l);
	next = ir_new_block(&l->b);
	ir_move(&l->b, address, map_address(l, map));
	turn = ir_load(&l->b, 64, false, ir_address(&l->b, IR_DATA, LANG_DATA_CELLS, map->at_turn), 0);
	ir_branch(&l->b, IR_EQ, turn, ir_imm(0), next, twin);
	lower_at(l, twin);
	ir_move(&l->b, address, ir_address(&l->b, IR_MAP, l->program->maps.n + map->number, 0));
	ir_jump(&l->b, next);
	lower_at(l, next);
	return ir_reg(address);
}

/*
 * The entry of a hash. If there is none, one with zeros is made; if somebody else makes it meanwhile, that one is as
 * good. So no update is lost unless the map is full.
 */
static struct low_memory hash_entry(struct lower *l, struct lang_map *map, struct ast *key, uint32_t out)
{
	uint32_t missing = lower_cold_block(l), found = ir_new_block(&l->b);
	struct ir_value at = lower_map_key(l, map, key), in = added_to(l, map), zero;
	uint32_t entry = ir_new_reg(&l->b);

	ir_move(&l->b, entry, lower_helper(l, BPF_FUNC_map_lookup_elem, 2, in, at));
	ir_branch(&l->b, IR_NE, ir_reg(entry), ir_imm(0), found, missing);
	lower_at(l, missing);
	if (map->storage != LANG_ARRAY && map->storage != LANG_PERCPU_ARRAY) {
		zero = zeros(l, map->value->size);
		lower_helper(l, BPF_FUNC_map_update_elem, 4, in, at, zero, ir_imm(BPF_NOEXIST));
		ir_move(&l->b, entry, lower_helper(l, BPF_FUNC_map_lookup_elem, 2, in, at));
	}
	if (map->has_others)
		return entry_or_others(l, map, entry, found);
	return entry_or_full(l, map, ir_reg(entry), found, out);
}

struct low_memory lower_map_entry(struct lower *l, struct lang_map *map, struct ast *key, uint32_t out)
{
	struct low_memory memory;
	uint32_t full, next;

	map->is_written = true;
	lower_entry_forget(l, map);
	switch (map->storage) {
	case LANG_CELL:
		memory = cell(l, map);
		mark_cell(l, map, &memory, true);
		return memory;
	case LANG_CELLS:
		memory = lower_pointed(shard(l), SPACE_BPF);
		memory.at = map->at_cell;
		return memory;
	case LANG_SLOTS:
		return slot(l, map, lower_place_number(l), out);
	case LANG_KEYS:
		if (map->has_others)
			return slot_or_others(l, map, key_number(l, map, key));
		full = lower_cold_block(l);
		memory = slot(l, map, key_number(l, map, key), full);
		next = l->b.block;
		report_full(l, map, full, out);
		lower_at(l, next);
		return memory;
	default:
		if (map->has_tasks)
			return entry_or_full(l, map, call_task(l, map, key, LANG_FN_task_add), ir_new_block(&l->b),
					     out);
		return hash_entry(l, map, key, out);
	}
}

/* --- reading --- */

struct low_value lower_map_read(struct lower *l, struct lang_map *map, struct ast *key)
{
	struct low_value value = { .kind = LOW_OPTIONAL, .type = map->value };

	if (is_cell(map))
		return lower_at_memory(cell(l, map), map->value);
	value.memory = lower_pointed(lower_map_lookup(l, map, key), SPACE_BPF);
	lower_check_entry(l, value.memory.base);
	return value;
}

struct low_value lower_map(struct lower *l, struct ast *ast)
{
	struct lang_map *map = ast->map.map;

	if (type_is_aggregate(map->value))
		return lower_total(l, map, ast->map.key, ast->type);
	return lower_map_read(l, map, ast->map.key);
}

/* --- assigning --- */

void lower_map_set(struct lower *l, struct lang_map *map, struct ast *key, const struct low_value *value)
{
	uint32_t full, done;
	struct ir_value at, from, result;
	struct low_memory memory;

	map->is_written = true;
	if (is_cell(map)) {
		memory = cell(l, map);
		lower_write_over(l, value, &memory, map->value);
		mark_cell(l, map, &memory, true);
		return;
	}
	if (map->has_tasks) {
		done = ir_new_block(&l->b);
		memory = lower_map_entry(l, map, key, done);
		lower_write(l, value, &memory, map->value);
		ir_jump(&l->b, done);
		lower_at(l, done);
		return;
	}
	lower_entry_forget(l, map);
	full = lower_cold_block(l);
	done = ir_new_block(&l->b);
	memory = lower_place(l, value, map->value);
	at = lower_map_key(l, map, key);
	from = lower_address(l, &memory);
	result = lower_helper(l, BPF_FUNC_map_update_elem, 4, map_address(l, map), at, from, ir_imm(BPF_ANY));
	ir_branch(&l->b, IR_EQ, result, ir_imm(0), done, full);
	report_full(l, map, full, done);
	lower_at(l, done);
}

/* --- updating: @x++, @x += y --- */

/*
 * Adds and returns what was there before. Without the instruction that does both (5.12) the result may be that of
 * others.
 */
static struct ir_value add_atomically(struct lower *l, const struct low_memory *at, const struct type *type,
				      struct ir_value by, bool wants_old)
{
	uint8_t bits = type->size * 8;
	struct ir_value base = lower_address(l, at), old = ir_imm(0);

	if (wants_old && l->options->features.fetching_atomics) {
		old = ir_reg(ir_new_reg(&l->b));
		ir_add(&l->b, &(struct ir_insn){ .op = IR_ATOMIC,
						 .dst = old.reg,
						 .bits = bits,
						 .a = base,
						 .b = by,
						 .index = BPF_FETCH | BPF_ADD });
		return lower_cut(l, old, type);
	}
	if (wants_old)
		old = ir_load(&l->b, bits, type->is_signed, base, 0);
	ir_add(&l->b, &(struct ir_insn){ .op = IR_ATOMIC_ADD, .dst = IR_NONE, .bits = bits, .a = base, .b = by });
	return old;
}

/* Changes the value at a place. Returns what was there before, in *now what is there then if that is known. */
static struct ir_value update(struct lower *l, const struct low_memory *at, const struct type *type, enum ast_op op,
			      struct ir_value by, const struct type *by_type, bool wants_old, struct ir_value *now)
{
	struct ir_value old;

	if ((op == OP_ADD || op == OP_SUB) && (type->size == 4 || type->size == 8)) {
		if (type->kind == TYPE_POINTER && type->of && type->of->size > 1)
			by = by.is_const ? ir_imm(by.imm * type->of->size)
					 : ir_binary(&l->b, IR_MUL, by, ir_imm(type->of->size));
		if (op == OP_SUB)
			by = by.is_const ? ir_imm(-(uint64_t)by.imm) : ir_unary(&l->b, IR_NEG, 64, by);
		if (by.is_const)
			by = ir_unary(&l->b, IR_MOVE, 64, by);
		return add_atomically(l, at, type, by, wants_old);
	}
	old = lower_load_scalar(l, at, type);
	*now = lower_arithmetic(l, op, old, type, by, by_type, type);
	lower_store(l, at, type->size * 8, *now);
	return old;
}

struct low_value lower_map_update(struct lower *l, struct ast *ast, enum ast_op op, struct ast *by, bool wants_old,
				  bool wants_new)
{
	struct lang_map *map = ast->map.map;
	uint32_t out = ir_new_block(&l->b), dst = IR_NONE;
	struct span place = l->b.at;
	struct ir_value amount = lower_number(l, by), old, now = ir_imm(0);
	struct low_memory at;

	if (wants_old || wants_new) {
		dst = ir_new_reg(&l->b);
		ir_move(&l->b, dst, ir_imm(0));
	}
	map->is_valued |= wants_old || wants_new;
	at = lower_map_entry(l, map, ast->map.key, out);
	l->b.at = place;
	old = update(l, &at, map->value, op, amount, by->type, wants_old || wants_new, &now);
	if (wants_old)
		ir_move(&l->b, dst, old);
	else if (wants_new && !now.is_const)
		ir_move(&l->b, dst, now);
	else if (wants_new)
		ir_move(&l->b, dst, lower_arithmetic(l, op, old, map->value, amount, by->type, map->value));
	ir_jump(&l->b, out);
	lower_at(l, out);
	return lower_scalar(dst == IR_NONE ? ir_imm(0) : ir_reg(dst), map->value);
}

/* --- functions of maps --- */

/* delete(@x[k]) and delete(@x, k). */
struct low_value lower_map_delete(struct lower *l, struct ast *call, struct lang_map *map, struct ast *key)
{
	uint32_t missing, done;
	struct ir_value at, result;

	if (is_cell(map)) {
		struct low_memory memory = cell(l, map);

		lower_zero(l, &memory, map->value->size);
		mark_cell(l, map, &memory, false);
		return lower_scalar(ir_imm(1), call->type);
	}
	if (!key || map->storage == LANG_CELLS || map->storage == LANG_SLOTS) {
		if (call->call.site && call->call.site->kind != SITE_MISSING)
			lower_record(l, call->call.site, NULL);
		return lower_scalar(ir_imm(1), call->type);
	}
	lower_entry_forget(l, map);
	if (map->has_tasks) {
		result = call_task(l, map, key, LANG_FN_task_delete);
	} else {
		at = lower_map_key(l, map, key);
		result = lower_helper(l, BPF_FUNC_map_delete_elem, 2, map_address(l, map), at);
	}
	if (call->call.site) {
		missing = lower_cold_block(l);
		done = ir_new_block(&l->b);
		ir_branch(&l->b, IR_EQ, result, ir_imm(0), done, missing);
		lower_at(l, missing);
		if (l->options->reports_faults)
			lower_record(l, call->call.site, NULL);
		else
			lower_library(l, LANG_FN_lost, 1, ir_imm(call->call.site->number));
		ir_jump(&l->b, done);
		lower_at(l, done);
		return lower_scalar(ir_imm(0), call->type);
	}
	/* 5.10 calls the map's own function, which leaves -ENOENT in the lower half only. */
	result = ir_binary(&l->b, IR_SAR, ir_binary(&l->b, IR_SHL, result, ir_imm(32)), ir_imm(63));
	return lower_scalar(ir_binary(&l->b, IR_ADD, result, ir_imm(1)), call->type);
}

/* find(@x, key, $v): copies the value to the variable if it is there. */
struct low_value lower_map_find(struct lower *l, struct ast *call, struct lang_map *map, struct ast *key,
				struct ast *variable)
{
	uint32_t yes = ir_new_block(&l->b), done = ir_new_block(&l->b), dst = ir_new_reg(&l->b);
	struct ir_value entry = lower_map_lookup(l, map, key);

	ir_move(&l->b, dst, ir_imm(0));
	ir_branch(&l->b, IR_NE, entry, ir_imm(0), yes, done);
	lower_at(l, yes);
	l->conditional++;
	if (variable && variable->kind == AST_VARIABLE) {
		struct low_value value = lower_at_memory(lower_pointed(entry, SPACE_BPF), map->value);

		if (type_is_aggregate(map->value))
			value = lower_total(l, map, key, variable->type);
		lower_set_variable(l, variable->variable.variable, &value);
	}
	l->conditional--;
	ir_move(&l->b, dst, ir_imm(1));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return lower_scalar(ir_reg(dst), call->type);
}
