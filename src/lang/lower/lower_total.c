// SPDX-License-Identifier: BSD-2-Clause
/* Reads aggregates within the program: adds up what the processors have. */
#include <linux/bpf.h>

#include "lowering.h"

/* The words of an aggregate while it is added up. */
struct total {
	const struct type *type;
	uint32_t regs[4], n;
};

static struct total total_begin(struct lower *l, const struct type *type)
{
	struct total total = { .type = type, .n = type->size / 8 };

	if (total.n > ARRAY_SIZE(total.regs))
		total.n = ARRAY_SIZE(total.regs);
	for (uint32_t i = 0; i < total.n; i++) {
		total.regs[i] = ir_new_reg(&l->b);
		ir_move(&l->b, total.regs[i], ir_imm(0));
	}
	return total;
}

/* Merges one processor's min or max, if it has one and it beats ours. */
static void join_extreme(struct lower *l, struct total *total, const struct low_memory *at)
{
	uint32_t has = ir_new_block(&l->b), compare = ir_new_block(&l->b), take = ir_new_block(&l->b);
	uint32_t done = ir_new_block(&l->b);
	const struct type *type = total->type;
	struct low_memory set = lower_behind(*at, 8);
	struct ir_value v;

	ir_branch(&l->b, IR_EQ, lower_load(l, &set, 64, false), ir_imm(LANG_EXTREME_SET), has, done);
	lower_at(l, has);
	v = lower_load(l, at, 64, false);
	ir_branch(&l->b, IR_NE, ir_reg(total->regs[1]), ir_imm(0), compare, take);
	lower_at(l, compare);
	ir_branch(&l->b,
		  type->kind == TYPE_MIN ? (type->is_signed ? IR_SLT : IR_LT) : (type->is_signed ? IR_SGT : IR_GT), v,
		  ir_reg(total->regs[0]), take, done);
	lower_at(l, take);
	ir_move(&l->b, total->regs[0], v);
	ir_move(&l->b, total->regs[1], ir_imm(1));
	ir_jump(&l->b, done);
	lower_at(l, done);
}

static void total_join(struct lower *l, struct total *total, struct ir_value base, int64_t at)
{
	struct low_memory memory = lower_behind(lower_pointed(base, SPACE_BPF), at);

	if (total->type->kind == TYPE_MIN || total->type->kind == TYPE_MAX) {
		join_extreme(l, total, &memory);
		return;
	}
	for (uint32_t i = 0; i < total->n; i++) {
		struct low_memory word = lower_behind(memory, 8 * i);

		ir_move(&l->b, total->regs[i],
			ir_binary(&l->b, IR_ADD, ir_reg(total->regs[i]), lower_load(l, &word, 64, false)));
	}
}

/* Runs over the processors' shards. */
static void total_shards(struct lower *l, struct total *total, const struct lang_map *map, int64_t at)
{
	uint32_t loop = ir_new_block(&l->b), done = ir_new_block(&l->b), offset = ir_new_reg(&l->b);
	struct ir_value data = ir_address(&l->b, IR_DATA, LANG_DATA_SHARDS, 0), base;

	ir_move(&l->b, offset, ir_imm(0));
	ir_jump(&l->b, loop);
	lower_at(l, loop);
	base = ir_binary(&l->b, IR_ADD, data, ir_reg(offset));
	total_join(l, total, base, map->at_cell + at);
	ir_move(&l->b, offset, ir_binary(&l->b, IR_ADD, ir_reg(offset), ir_imm(l->program->shard_size)));
	ir_branch(&l->b, IR_LT, ir_reg(offset), ir_imm((int64_t)l->program->shard_size * l->options->n_shards), loop,
		  done);
	lower_at(l, done);
}

/* Runs over the processors' values in a hash. */
static void total_entries(struct lower *l, struct total *total, const struct lang_map *map, struct ir_value key)
{
	uint32_t loop = ir_new_block(&l->b), there = ir_new_block(&l->b), next = ir_new_block(&l->b);
	uint32_t done = ir_new_block(&l->b), cpu = ir_new_reg(&l->b);
	struct ir_value entry;

	ir_move(&l->b, cpu, ir_imm(0));
	ir_jump(&l->b, loop);
	lower_at(l, loop);
	entry = lower_helper(l, BPF_FUNC_map_lookup_percpu_elem, 3, ir_address(&l->b, IR_MAP, map->number, 0), key,
			     ir_reg(cpu));
	ir_branch(&l->b, IR_NE, entry, ir_imm(0), there, next);
	lower_at(l, there);
	total_join(l, total, entry, 0);
	ir_jump(&l->b, next);
	lower_at(l, next);
	ir_move(&l->b, cpu, ir_binary(&l->b, IR_ADD, ir_reg(cpu), ir_imm(1)));
	ir_branch(&l->b, IR_LT, ir_reg(cpu), ir_imm(l->options->n_cpus), loop, done);
	lower_at(l, done);
}

static struct total total_of(struct lower *l, struct lang_map *map, struct ir_value key)
{
	struct total total = total_begin(l, map->value);

	total_entries(l, &total, map, key);
	return total;
}

static struct low_memory store_total(struct lower *l, const struct total *total)
{
	struct low_memory to = lower_temp(l, total->type->size);

	for (uint32_t i = 0; i < total->n; i++) {
		struct low_memory word = lower_behind(to, 8 * i);

		lower_store(l, &word, 64, ir_reg(total->regs[i]));
	}
	return to;
}

/* An average is the sum by the number; of all others the first word is the number. */
static struct ir_value as_number(struct lower *l, const struct total *total)
{
	struct ir_value first = ir_reg(total->regs[0]);

	switch (total->type->kind) {
	case TYPE_AVG:
	case TYPE_STATS:
	case TYPE_STDDEV:
		return ir_binary(&l->b, total->type->is_signed ? IR_SDIV : IR_DIV, first, ir_reg(total->regs[1]));
	default:
		return first;
	}
}

static struct low_value total_as(struct lower *l, const struct total *total, const struct type *as)
{
	if (lower_is_word(as))
		return lower_scalar(lower_cut(l, as_number(l, total), as), as);
	return lower_at_memory(store_total(l, total), total->type);
}

struct low_value lower_total_of(struct lower *l, struct lang_map *map, struct ir_value key_address,
				const struct type *as)
{
	struct total total = total_of(l, map, key_address);

	return total_as(l, &total, as);
}

struct low_value lower_total(struct lower *l, struct lang_map *map, struct ast *key, const struct type *as)
{
	struct total total;

	if (map->storage == LANG_CELLS || map->storage == LANG_SLOTS) {
		int64_t at = 0;

		if (map->storage == LANG_SLOTS) {
			struct ir_value place = lower_place_number(l);

			at = place.is_const ? place.imm * map->value->size : 0;
		}
		total = total_begin(l, map->value);
		total_shards(l, &total, map, at);
	} else {
		total = total_of(l, map, lower_map_key(l, map, key));
	}
	return total_as(l, &total, as);
}
