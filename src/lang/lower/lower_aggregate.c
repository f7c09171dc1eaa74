// SPDX-License-Identifier: BSD-2-Clause
/*
 * Aggregates: count(), sum(), hist() and the like. Each processor has its own value, so adding needs no atomic
 * instruction, except where a program can be interrupted by another that adds to the same value: the patch site
 * PATCH_SLOT_SHARED tells, and the verifier removes the arm that is not taken.
 */
#include <linux/bpf.h>

#include "bpf/hist.h"
#include "bpf/patch.h"
#include "lowering.h"

/* How often a value is put back that another run put in its place meanwhile. */
#define TURNS 4

static void if_shared(struct lower *l, uint32_t shared, uint32_t own)
{
	struct ir_value is_shared = ir_reg(ir_new_reg(&l->b));

	ir_add(&l->b, &(struct ir_insn){ .op = IR_PATCH, .dst = is_shared.reg, .imm = (int64_t)PATCH_SLOT_SHARED });
	ir_branch(&l->b, IR_EQ, is_shared, ir_imm(0), own, shared);
}

static void add_atomically(struct lower *l, const struct low_memory *at, struct ir_value by)
{
	if (by.is_const)
		by = ir_unary(&l->b, IR_MOVE, 64, by);
	ir_add(&l->b, &(struct ir_insn){
			      .op = IR_ATOMIC_ADD, .dst = IR_NONE, .bits = 64, .a = at->base, .b = by, .imm = at->at });
}

/* Returns what was there. operation: BPF_XCHG or BPF_FETCH | BPF_ADD. */
static struct ir_value fetch(struct lower *l, const struct low_memory *at, uint32_t operation, struct ir_value v)
{
	struct ir_value was = ir_reg(ir_new_reg(&l->b));

	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	ir_add(&l->b, &(struct ir_insn){ .op = IR_ATOMIC,
					 .dst = was.reg,
					 .bits = 64,
					 .a = lower_address(l, at),
					 .b = v,
					 .index = operation });
	return was;
}

/* Adds numbers to 64-bit words. */
static void add_words(struct lower *l, const struct low_memory *at, const struct ir_value *by, uint32_t n)
{
	uint32_t shared = ir_new_block(&l->b), own = ir_new_block(&l->b), done = ir_new_block(&l->b);

	if_shared(l, shared, own);
	lower_at(l, shared);
	for (uint32_t i = 0; i < n; i++)
		add_atomically(l, &at[i], by[i]);
	ir_jump(&l->b, done);
	lower_at(l, own);
	for (uint32_t i = 0; i < n; i++)
		lower_store(l, &at[i], 64, ir_binary(&l->b, IR_ADD, lower_load(l, &at[i], 64, false), by[i]));
	ir_jump(&l->b, done);
	lower_at(l, done);
}

static void add_word(struct lower *l, const struct low_memory *at, struct ir_value by)
{
	add_words(l, at, &by, 1);
}

/* --- min() and max(): struct lang_extreme --- */

static enum ir_condition is_better(const struct type *type)
{
	if (type->kind == TYPE_MIN)
		return type->is_signed ? IR_SLT : IR_LT;
	return type->is_signed ? IR_SGT : IR_GT;
}

/*
 * Puts a value where a better one may come between. What was there comes back, and is put back if it is better. So the
 * best one is there or in our hands.
 */
static void put_extreme(struct lower *l, const struct low_memory *at, struct ir_value v, const struct type *type,
			uint32_t done)
{
	uint32_t ours = ir_new_reg(&l->b);

	ir_move(&l->b, ours, v);
	for (int i = 0; i < TURNS; i++) {
		uint32_t put = ir_new_block(&l->b), again = lower_cold_block(l);
		struct ir_value was;

		ir_branch(&l->b, is_better(type), ir_reg(ours), lower_load(l, at, 64, false), put, done);
		lower_at(l, put);
		was = fetch(l, at, BPF_XCHG, ir_reg(ours));
		ir_branch(&l->b, is_better(type), was, ir_reg(ours), again, done);
		lower_at(l, again);
		ir_move(&l->b, ours, was);
	}
}

/* Where runs may interrupt each other. The first value of a key is set in two steps: what comes between is counted. */
static void add_extreme_shared(struct lower *l, const struct low_memory *at, struct ir_value v, const struct type *type,
			       uint32_t done)
{
	struct low_memory set = lower_behind(*at, offsetof(struct lang_extreme, is_set));
	uint32_t known = ir_new_block(&l->b), claim = lower_cold_block(l), first = lower_cold_block(l);
	uint32_t other = lower_cold_block(l), restore = lower_cold_block(l), put = ir_new_block(&l->b);
	uint32_t lost = lower_cold_block(l);
	struct ir_value is_set = lower_load(l, &set, 64, false), was;

	ir_branch(&l->b, IR_NE, is_set, ir_imm(0), known, claim);
	lower_at(l, claim);
	was = fetch(l, &set, BPF_XCHG, ir_imm(LANG_EXTREME_BUSY));
	ir_branch(&l->b, IR_EQ, was, ir_imm(0), first, other);
	lower_at(l, first);
	lower_store(l, at, 64, v);
	lower_store(l, &set, 64, ir_imm(LANG_EXTREME_SET));
	ir_jump(&l->b, done);
	lower_at(l, other);
	ir_branch(&l->b, IR_EQ, was, ir_imm(LANG_EXTREME_SET), restore, lost);
	lower_at(l, restore);
	lower_store(l, &set, 64, ir_imm(LANG_EXTREME_SET));
	ir_jump(&l->b, put);
	lower_at(l, known);
	ir_branch(&l->b, IR_EQ, is_set, ir_imm(LANG_EXTREME_SET), put, lost);
	lower_at(l, put);
	put_extreme(l, at, v, type, done);
	ir_jump(&l->b, lost);
	lower_at(l, lost);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_NESTED));
	ir_jump(&l->b, done);
}

static void add_extreme(struct lower *l, const struct low_memory *at, struct ir_value v, const struct type *type)
{
	struct low_memory set = lower_behind(*at, offsetof(struct lang_extreme, is_set));
	uint32_t shared, own, compare, store, done = ir_new_block(&l->b);

	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	if (l->options->features.fetching_atomics) {
		shared = ir_new_block(&l->b);
		own = ir_new_block(&l->b);
		if_shared(l, shared, own);
		lower_at(l, shared);
		add_extreme_shared(l, at, v, type, done);
		lower_at(l, own);
	}
	compare = ir_new_block(&l->b);
	store = ir_new_block(&l->b);
	ir_branch(&l->b, IR_NE, lower_load(l, &set, 64, false), ir_imm(0), compare, store);
	lower_at(l, compare);
	ir_branch(&l->b, is_better(type), v, lower_load(l, at, 64, false), store, done);
	lower_at(l, store);
	lower_store(l, at, 64, v);
	lower_store(l, &set, 64, ir_imm(LANG_EXTREME_SET));
	ir_jump(&l->b, done);
	lower_at(l, done);
}

/* --- averages, and the sums of squares --- */

/* struct lang_average */
static void add_average(struct lower *l, const struct low_memory *at, struct ir_value v)
{
	struct low_memory places[] = { *at, lower_behind(*at, offsetof(struct lang_average, count)) };
	struct ir_value by[] = { v, ir_imm(1) };

	add_words(l, places, by, 2);
}

/*
 * Adds to the low half of the square sum. Returns what is there then. Without the instruction that returns it (5.12) it
 * may be that of others, which matters only if it passes 2^64 just then.
 */
static struct ir_value add_low(struct lower *l, const struct low_memory *low, struct ir_value sum)
{
	uint32_t shared = ir_new_block(&l->b), own = ir_new_block(&l->b), done = ir_new_block(&l->b);
	uint32_t now = ir_new_reg(&l->b);
	struct ir_value was;

	if_shared(l, shared, own);
	lower_at(l, shared);
	if (l->options->features.fetching_atomics) {
		was = fetch(l, low, BPF_FETCH | BPF_ADD, sum);
	} else {
		was = lower_load(l, low, 64, false);
		add_atomically(l, low, sum);
	}
	ir_move(&l->b, now, ir_binary(&l->b, IR_ADD, was, sum));
	ir_jump(&l->b, done);
	lower_at(l, own);
	ir_move(&l->b, now, ir_binary(&l->b, IR_ADD, lower_load(l, low, 64, false), sum));
	lower_store(l, low, 64, ir_reg(now));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(now);
}

/* Adds with carry to the square sum: low, then high. */
static void add_square(struct lower *l, const struct low_memory *at, struct ir_value v)
{
	struct low_memory low = lower_behind(*at, offsetof(struct lang_deviation, squares_low));
	struct low_memory high = lower_behind(*at, offsetof(struct lang_deviation, squares_high));
	struct ir_value sign, a, b, middle, part, sum, rest;
	uint32_t carry = ir_new_reg(&l->b), more = ir_new_block(&l->b), next = ir_new_block(&l->b);
	uint32_t more2 = ir_new_block(&l->b), done = ir_new_block(&l->b);

	sign = ir_binary(&l->b, IR_SAR, v, ir_imm(63));
	v = ir_binary(&l->b, IR_SUB, ir_binary(&l->b, IR_XOR, v, sign), sign);
	a = ir_unary(&l->b, IR_ZERO, 32, v);
	b = ir_binary(&l->b, IR_SHR, v, ir_imm(32));
	middle = ir_binary(&l->b, IR_MUL, a, b);
	part = ir_binary(&l->b, IR_MUL, a, a);
	sum = ir_binary(&l->b, IR_ADD, part, ir_binary(&l->b, IR_SHL, middle, ir_imm(33)));
	rest = ir_binary(&l->b, IR_ADD, ir_binary(&l->b, IR_MUL, b, b), ir_binary(&l->b, IR_SHR, middle, ir_imm(31)));
	ir_move(&l->b, carry, rest);
	ir_branch(&l->b, IR_LT, sum, part, more, next);
	lower_at(l, more);
	ir_move(&l->b, carry, ir_binary(&l->b, IR_ADD, ir_reg(carry), ir_imm(1)));
	ir_jump(&l->b, next);
	lower_at(l, next);
	part = add_low(l, &low, sum);
	ir_branch(&l->b, IR_LT, part, sum, more2, done);
	lower_at(l, more2);
	ir_move(&l->b, carry, ir_binary(&l->b, IR_ADD, ir_reg(carry), ir_imm(1)));
	ir_jump(&l->b, done);
	lower_at(l, done);
	add_word(l, &high, ir_reg(carry));
}

/* --- histograms --- */

/* The bucket of lhist(): 0 is below min, the last one is max and above. */
static struct ir_value linear_bucket(struct lower *l, struct ir_value v, const struct type *type)
{
	const struct type_hist *hist = &type->hist;
	uint32_t bucket = ir_new_reg(&l->b), inner = ir_new_block(&l->b), above = ir_new_block(&l->b);
	uint32_t between = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value behind;

	if (v.is_const)
		v = ir_unary(&l->b, IR_MOVE, 64, v);
	ir_move(&l->b, bucket, ir_imm(0));
	ir_branch(&l->b, IR_SLT, v, ir_imm(hist->min), done, inner);
	lower_at(l, inner);
	ir_branch(&l->b, IR_SGE, v, ir_imm(hist->max), above, between);
	lower_at(l, above);
	ir_move(&l->b, bucket, ir_imm(hist->buckets - 1));
	ir_jump(&l->b, done);
	lower_at(l, between);
	behind = ir_binary(&l->b, IR_SUB, v, ir_imm(hist->min));
	ir_move(&l->b, bucket,
		ir_binary(&l->b, IR_ADD, ir_binary(&l->b, IR_DIV, behind, ir_imm(hist->step)), ir_imm(1)));
	ir_jump(&l->b, done);
	lower_at(l, done);
	return ir_reg(bucket);
}

static void add_bucket(struct lower *l, const struct low_memory *at, struct ir_value bucket, uint32_t buckets,
		       uint32_t out)
{
	uint32_t next = ir_new_block(&l->b);
	struct ir_value offset;
	struct low_memory place;

	if (l->options->features.fetching_atomics) {
		ir_branch(&l->b, IR_LT, bucket, ir_imm(buckets), next, out);
		lower_at(l, next);
	}
	offset = ir_binary(&l->b, IR_SHL, bucket, ir_imm(3));
	if (!l->options->features.fetching_atomics) /* the verifier would forget the branch if the bucket is spilled */
		offset.imm = (8LL * buckets - 8) << 32;
	place = lower_pointed(ir_binary(&l->b, IR_ADD, at->base, offset), SPACE_BPF);
	place.at = at->at;
	add_word(l, &place, ir_imm(1));
}

static struct ir_value bucket_of(struct lower *l, struct ir_value v, const struct type *type)
{
	switch (type->kind) {
	case TYPE_LHIST:
		return linear_bucket(l, v, type);
	case TYPE_QUANTILES:
		return lower_library(l, LANG_FN_quantile, 1, v);
	default:
		return lower_library(l, LANG_FN_hist, 2, v, ir_imm(type->hist.bits));
	}
}

/* --- series --- */

/* A moment that is there already. */
static void join_moment(struct lower *l, const struct low_memory *at, struct ir_value v, const struct type *type)
{
	struct low_memory value = lower_behind(*at, offsetof(struct lang_moment, value));
	struct low_memory count = lower_behind(*at, offsetof(struct lang_moment, count));
	uint32_t store = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value old = lower_load(l, &value, 64, false);

	lower_store(l, &count, 64, ir_binary(&l->b, IR_ADD, lower_load(l, &count, 64, false), ir_imm(1)));
	if (type->hist.of == TYPE_MIN || type->hist.of == TYPE_MAX) {
		if (v.is_const)
			v = ir_unary(&l->b, IR_MOVE, 64, v);
		ir_branch(&l->b, type->hist.of == TYPE_MIN ? IR_SLT : IR_SGT, v, old, store, done);
	} else {
		ir_jump(&l->b, store);
	}
	lower_at(l, store);
	if (type->hist.of == TYPE_AVG || type->hist.of == TYPE_SUM)
		v = ir_binary(&l->b, IR_ADD, old, v);
	lower_store(l, &value, 64, v);
	ir_jump(&l->b, done);
	lower_at(l, done);
}

/*
 * Where runs may interrupt each other: takes the number of a moment out until it is changed. What finds it taken is
 * counted.
 */
static void claim_moment(struct lower *l, const struct low_memory *moment, uint32_t was, uint32_t out)
{
	uint32_t shared = ir_new_block(&l->b), own = ir_new_block(&l->b), done = ir_new_block(&l->b);
	uint32_t lost = lower_cold_block(l);

	if (!l->options->features.fetching_atomics) {
		ir_move(&l->b, was, lower_load(l, moment, 64, false));
		return;
	}
	if_shared(l, shared, own);
	lower_at(l, own);
	ir_move(&l->b, was, lower_load(l, moment, 64, false));
	ir_jump(&l->b, done);
	lower_at(l, shared);
	ir_move(&l->b, was, fetch(l, moment, BPF_XCHG, ir_imm((int64_t)LANG_MOMENT_BUSY)));
	ir_branch(&l->b, IR_EQ, ir_reg(was), ir_imm((int64_t)LANG_MOMENT_BUSY), lost, done);
	lower_at(l, lost);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_NESTED));
	ir_jump(&l->b, out);
	lower_at(l, done);
}

static void add_moment(struct lower *l, const struct low_memory *at, struct ir_value now, struct ir_value v,
		       const struct type *type, uint32_t out)
{
	uint32_t next = ir_new_block(&l->b), same = ir_new_block(&l->b), other = ir_new_block(&l->b);
	uint32_t was = ir_new_reg(&l->b);
	struct ir_value number = ir_binary(&l->b, IR_DIV, now, ir_imm(type->hist.interval ? type->hist.interval : 1));
	struct ir_value index = ir_binary(&l->b, IR_MOD, number, ir_imm(type->hist.buckets)), offset;
	struct low_memory moment, part;

	ir_branch(&l->b, IR_LT, index, ir_imm(type->hist.buckets), next, out);
	lower_at(l, next);
	offset = ir_binary(&l->b, IR_MUL, index, ir_imm(sizeof(struct lang_moment)));
	moment = lower_pointed(ir_binary(&l->b, IR_ADD, at->base, offset), SPACE_BPF);
	moment.at = at->at;
	claim_moment(l, &moment, was, out);
	ir_branch(&l->b, IR_EQ, ir_reg(was), number, same, other);
	lower_at(l, other);
	part = lower_behind(moment, offsetof(struct lang_moment, value));
	lower_store(l, &part, 64, v);
	part = lower_behind(moment, offsetof(struct lang_moment, count));
	lower_store(l, &part, 64, ir_imm(1));
	lower_store(l, &moment, 64, number);
	ir_jump(&l->b, out);
	lower_at(l, same);
	join_moment(l, &moment, v, type);
	lower_store(l, &moment, 64, number);
}

/* --- all --- */

void lower_aggregate(struct lower *l, struct lang_map *map, struct ast *key, struct ast *call)
{
	const struct type *type = map->value;
	uint32_t out = ir_new_block(&l->b);
	struct ir_value v = call->call.args ? lower_number(l, call->call.args) : ir_imm(1), bucket = ir_imm(0);
	struct low_memory at, sum;

	if (type->kind == TYPE_HIST || type->kind == TYPE_LHIST || type->kind == TYPE_QUANTILES)
		bucket = bucket_of(l, v, type);
	else if (type->kind == TYPE_TSERIES)
		bucket = lower_wall_clock(l); /* intervals begin at its round times */
	at = lower_map_entry(l, map, key, out);
	switch (type->kind) {
	case TYPE_COUNT:
		add_word(l, &at, ir_imm(1));
		break;
	case TYPE_SUM:
		add_word(l, &at, v);
		break;
	case TYPE_MIN:
	case TYPE_MAX:
		add_extreme(l, &at, v, type);
		break;
	case TYPE_AVG:
	case TYPE_STATS:
		add_average(l, &at, v);
		break;
	case TYPE_STDDEV:
		add_average(l, &at, v);
		add_square(l, &at, v.is_const ? ir_unary(&l->b, IR_MOVE, 64, v) : v);
		break;
	case TYPE_TSERIES:
		add_moment(l, &at, bucket, v, type, out);
		break;
	default:
		add_bucket(l, &at, bucket, type->hist.buckets, out);
		sum = lower_behind(at, type->hist.buckets * 8);
		if (type->hist.has_sum)
			add_word(l, &sum, v);
		break;
	}
	ir_jump(&l->b, out);
	lower_at(l, out);
}
