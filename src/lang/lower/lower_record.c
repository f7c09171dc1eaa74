// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records: what printf(), print() and the like send to user space. A record whose texts are short is reserved in the
 * ring buffer and filled in place; one with long texts is put together in scratch memory, each text as long as it is,
 * and copied. Most strings that may be long are short: a record with room for SHORT_TEXT bytes of each is tried first.
 */
#include <linux/bpf.h>

#include "lowering.h"

/* Texts of at most that many bytes together lie in a record of a constant size. */
#define SHORT_TEXTS 160
/* Bytes of a string, with its NUL, in a record that is tried first. */
#define SHORT_TEXT 64
/* Arguments of a record whose values are all there before it is begun. */
#define VALUES_MAX 8

struct record {
	const struct lang_site *site;
	struct low_memory begin; /* struct lang_record */
	/* Where the next text goes: bytes from the begin, a constant or a register. */
	struct ir_value end;
	uint32_t most; /* what `end` is at most */
	/* Where it goes if a string is longer than SHORT_TEXT, or cannot be read; 0: the record has room for each. */
	uint32_t longer;
};

static bool is_text(const struct type *type)
{
	return type->kind == TYPE_STRING || type->kind == TYPE_BUFFER;
}

/* The most bytes of a text. One more of a string that is read shows whether it was cut. */
static uint32_t room_of(const struct lang_site_argument *arg, const struct low_value *value)
{
	if (value->kind == LOW_LITERAL)
		return (value->len + 8) & ~7U;
	return (arg->type->size + 1 + 7) & ~7U;
}

static struct low_memory data_at(const struct record *record, int64_t at)
{
	return lower_behind(record->begin, sizeof(struct lang_record) + at);
}

/* Kernels before 6.8 forget the bounds of a register that was spilled: they are shown again where they are needed. */
static struct ir_value end_of(struct lower *l, const struct record *record)
{
	return lower_bounded(l, record->end, 0, record->most);
}

/* The place of the next text. */
static struct low_memory text_place(struct lower *l, const struct record *record)
{
	struct low_memory place = record->begin;

	if (record->end.is_const)
		return lower_behind(place, record->end.imm);
	return lower_pointed(ir_binary(&l->b, IR_ADD, lower_address(l, &place), end_of(l, record)), SPACE_BPF);
}

/* Writes where the next text is, and its size with LANG_TEXT_CUT; then as many bytes are in use. */
static void close_text(struct lower *l, struct record *record, uint32_t i, struct ir_value size, struct ir_value used)
{
	struct low_memory to = data_at(record, record->site->args[i].at);
	struct ir_value at = record->end;

	at = at.is_const ? ir_imm(at.imm - sizeof(struct lang_record))
			 : ir_binary(&l->b, IR_SUB, at, ir_imm(sizeof(struct lang_record)));
	lower_store(l, &to, 32, at);
	to.at += offsetof(struct lang_text, size);
	lower_store(l, &to, 32, size);
	record->most += used.is_const ? used.imm : (record->site->args[i].type->size + 1 + 7) & ~7U;
	if (record->end.is_const && used.is_const) {
		record->end.imm += used.imm;
		return;
	}
	if (record->end.is_const)
		record->end = ir_unary(&l->b, IR_MOVE, 64, record->end);
	record->end = ir_binary(&l->b, IR_ADD, record->end, used);
}

/* --- the kinds of texts --- */

/* Counts a read that failed. n: what the helper returned. */
static void count_failure(struct lower *l, uint32_t helper, struct ir_value n)
{
	bool is_user = helper == BPF_FUNC_probe_read_user_str;
	uint32_t failed = lower_cold_block(l), empty = lower_cold_block(l);

	/* Kernels before 6.14 return 0 for a user's string without a byte. */
	ir_branch(&l->b, IR_EQ, n, ir_imm(0), empty, failed);
	lower_at(l, failed);
	lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_READ));
	lower_fault(l, is_user ? "probe_read_user_str" : "probe_read_kernel_str", n);
	ir_jump(&l->b, empty);
	lower_at(l, empty);
}

/* Reads a string from memory of whatever space: *len: bytes without the NUL, *size: the same with LANG_TEXT_CUT. */
static void read_text(struct lower *l, const struct low_memory *to, const struct low_value *value, uint32_t room,
		      uint32_t *len, uint32_t *size)
{
	uint32_t whole = ir_new_block(&l->b), cut = lower_cold_block(l), other = lower_cold_block(l);
	uint32_t none = lower_cold_block(l), shorter = lower_cold_block(l), done = ir_new_block(&l->b);
	uint32_t helper = value->memory.space == SPACE_USER ? BPF_FUNC_probe_read_user_str
							    : BPF_FUNC_probe_read_kernel_str;
	struct ir_value limit = value->limit.is_const ? ir_imm(value->limit.imm < room ? value->limit.imm : room)
						      : value->limit;
	struct ir_value to_address = lower_address(l, to), n = ir_reg(ir_new_reg(&l->b)), max;

	limit = lower_bounded(l, limit, 1, room);
	max = limit.is_const ? ir_imm(limit.imm + 1) : ir_binary(&l->b, IR_ADD, limit, ir_imm(1));
	if (!limit.is_const)
		max.imm = limit.imm + (1LL << 32) + 1;
	*len = ir_new_reg(&l->b);
	*size = ir_new_reg(&l->b);
	ir_move(&l->b, n.reg, lower_helper(l, helper, 3, to_address, max, value->v));
	ir_move(&l->b, *len, ir_binary(&l->b, IR_SUB, n, ir_imm(1)));
	if (!limit.is_const) { /* the verifier of old kernels learns nothing from two registers */
		uint32_t bounded = ir_new_block(&l->b);

		ir_branch(&l->b, IR_LE, ir_reg(*len), ir_imm(room), bounded, none);
		lower_at(l, bounded);
	}
	ir_branch(&l->b, IR_LT, ir_reg(*len), limit, whole, other);
	lower_at(l, whole);
	ir_move(&l->b, *size, ir_reg(*len));
	ir_jump(&l->b, done);
	lower_at(l, other);
	ir_branch(&l->b, IR_EQ, ir_reg(*len), limit, cut, none);
	lower_at(l, cut);
	ir_branch(&l->b, IR_GE, ir_reg(*len), ir_imm(1), shorter, none);
	lower_at(l, shorter);
	ir_move(&l->b, *len, ir_binary(&l->b, IR_SUB, ir_reg(*len), ir_imm(1)));
	ir_move(&l->b, *size,
		value->is_part ? ir_reg(*len) : ir_binary(&l->b, IR_OR, ir_reg(*len), ir_imm(LANG_TEXT_CUT)));
	ir_jump(&l->b, done);
	lower_at(l, none);
	if (value->memory.is_unsure) { /* it may be a pointer of the user */
		struct low_value user = *value;
		uint32_t user_len, user_size;

		user.memory.is_unsure = false;
		user.memory.space = SPACE_USER;
		read_text(l, to, &user, room, &user_len, &user_size);
		ir_move(&l->b, *len, ir_reg(user_len));
		ir_move(&l->b, *size, ir_reg(user_size));
	} else {
		if (value->kind == LOW_STRING && !value->is_quiet)
			count_failure(l, helper, n);
		ir_move(&l->b, *len, ir_imm(0));
		ir_move(&l->b, *size, ir_imm(0));
	}
	ir_jump(&l->b, done);
	lower_at(l, done);
}

/* A string that is read from memory of a space that is known. */
static bool is_long(const struct lang_site_argument *arg, const struct low_value *value)
{
	return arg->type->kind == TYPE_STRING && value->kind == LOW_STRING && !value->memory.is_unsure &&
	       value->limit.is_const && value->limit.imm >= SHORT_TEXT && arg->type->size >= SHORT_TEXT;
}

static void add_short_string(struct lower *l, struct record *record, uint32_t i, const struct low_value *value)
{
	bool is_user = value->memory.space == SPACE_USER;
	struct low_memory to = text_place(l, record);
	uint32_t fits = ir_new_block(&l->b), other = is_user ? lower_cold_block(l) : record->longer, empty;
	struct ir_value len = ir_reg(ir_new_reg(&l->b)), n;

	n = lower_helper(l, is_user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str, 3,
			 lower_address(l, &to), ir_imm(SHORT_TEXT), value->v);
	ir_move(&l->b, len.reg, ir_binary(&l->b, IR_SUB, n, ir_imm(1)));
	ir_branch(&l->b, IR_LT, len, ir_imm(SHORT_TEXT - 1), fits, other);
	if (is_user) { /* as in count_failure() */
		empty = lower_cold_block(l);
		lower_at(l, other);
		ir_branch(&l->b, IR_EQ, len, ir_imm(-1), empty, record->longer);
		lower_at(l, empty);
		ir_move(&l->b, len.reg, ir_imm(0));
		ir_jump(&l->b, fits);
	}
	lower_at(l, fits);
	close_text(l, record, i, len, ir_imm(SHORT_TEXT));
}

static void add_string(struct lower *l, struct record *record, uint32_t i, struct low_value value)
{
	struct low_memory to = text_place(l, record);
	const struct type *type = record->site->args[i].type;
	uint32_t len, size;

	if (value.at.end)
		l->b.at = value.at;
	if (value.kind == LOW_LITERAL) {
		lower_bytes(l, &to, value.text, value.len);
		close_text(l, record, i, ir_imm(value.len), ir_imm(value.len));
		return;
	}
	if (value.kind != LOW_STRING && type->size <= LOWER_OBJECT_MAX) {
		lower_write(l, &value, &to, type);
		close_text(l, record, i, ir_imm(type->size - 1), ir_imm(type->size));
		return;
	}
	if (value.kind == LOW_MEMORY || value.kind == LOW_OPTIONAL) { /* its NUL ends the copy; NULL has none */
		value.v = value.kind == LOW_OPTIONAL ? value.memory.base : lower_address(l, &value.memory);
		value.limit = ir_imm(value.type->size);
		value.memory.is_unsure = false;
	}
	read_text(l, &to, &value, type->size, &len, &size);
	close_text(l, record, i, ir_reg(size), ir_reg(len));
}

/* A buffer of the user that is empty if it cannot be read. */
static void add_quiet_buffer(struct lower *l, struct record *record, uint32_t i, const struct low_value *value)
{
	struct low_memory to = text_place(l, record);
	uint32_t most = record->site->args[i].type->size - 4, size = ir_new_reg(&l->b);
	uint32_t unread = lower_cold_block(l), done = ir_new_block(&l->b);
	struct ir_value read;

	ir_move(&l->b, size, lower_bounded(l, value->limit, 0, most));
	read = lower_helper(l, BPF_FUNC_probe_read_user, 3, lower_address(l, &to),
			    lower_bounded(l, value->limit, 0, most), value->v);
	ir_branch(&l->b, IR_EQ, read, ir_imm(0), done, unread);
	lower_at(l, unread);
	ir_move(&l->b, size, ir_imm(0));
	ir_jump(&l->b, done);
	lower_at(l, done);
	close_text(l, record, i, lower_bounded(l, ir_reg(size), 0, most), lower_bounded(l, ir_reg(size), 0, most));
}

static void add_buffer(struct lower *l, struct record *record, uint32_t i, struct low_value value)
{
	struct low_memory to = text_place(l, record), from;
	const struct type *type = record->site->args[i].type;
	struct ir_value size = value.limit;

	if (value.at.end)
		l->b.at = value.at;
	if (value.kind == LOW_BUFFER) {
		from = lower_pointed(value.v, value.memory.space);
	} else { /* the length, and all the bytes */
		from = lower_place(l, &value, type);
		size = lower_load(l, &from, 32, false);
		from.at += 4;
		lower_read(l, &to, &from, ir_imm(type->size - 4));
		close_text(l, record, i, size, ir_imm(type->size - 4));
		return;
	}
	lower_read(l, &to, &from, lower_bounded(l, size, 0, type->size - 4));
	size = lower_bounded(l, size, 0, type->size - 4);
	close_text(l, record, i, size, size);
}

/* --- the fixed part --- */

static void add_gap(struct lower *l, struct record *record, uint32_t from, uint32_t until)
{
	struct low_memory gap = data_at(record, from);

	if (until > from)
		lower_zero(l, &gap, until - from);
}

/* args: expressions whose values are not there yet; NULL: values has them. */
static void fill(struct lower *l, struct record *record, const struct low_value *values, struct ast *args)
{
	const struct lang_site *site = record->site;
	uint32_t done = 0;

	record->end = ir_imm(sizeof(struct lang_record) + site->size);
	record->most = record->end.imm;
	for (uint32_t i = 0; i < site->n_args; i++) {
		const struct lang_site_argument *arg = &site->args[i];
		struct low_memory to = data_at(record, arg->at);
		struct low_value value;

		if (args) {
			value = lower_expression(l, args);
			args = args->next;
		} else {
			value = values[i];
		}
		add_gap(l, record, done, arg->at);
		if (record->longer && is_long(arg, &value))
			add_short_string(l, record, i, &value);
		else if (arg->type->kind == TYPE_STRING)
			add_string(l, record, i, value);
		else if (arg->type->kind == TYPE_BUFFER && value.is_quiet)
			add_quiet_buffer(l, record, i, &value);
		else if (arg->type->kind == TYPE_BUFFER)
			add_buffer(l, record, i, value);
		else
			lower_write(l, &value, &to, arg->type);
		done = arg->at + (is_text(arg->type) ? sizeof(struct lang_text) : arg->type->size);
	}
	add_gap(l, record, done, site->size);
}

/* The site and the number of bytes of data. */
static void write_head(struct lower *l, const struct record *record, struct ir_value end)
{
	struct low_memory site = lower_behind(record->begin, offsetof(struct lang_record, site));
	struct low_memory size = lower_behind(record->begin, offsetof(struct lang_record, size));
	int64_t head = sizeof(struct lang_record);

	if (end.is_const) {
		lower_store(l, &site, 64, ir_imm((int64_t)((uint64_t)(end.imm - head) << 32 | record->site->number)));
		return;
	}
	lower_store(l, &site, 32, ir_imm(record->site->number));
	lower_store(l, &size, 32, ir_binary(&l->b, IR_SUB, end, ir_imm(head)));
}

/* --- the two forms --- */

/* texts: the most bytes of all texts. longer: where it goes if one of the strings needs more; 0: none can. */
static void reserve_record(struct lower *l, const struct lang_site *site, const struct low_value *values,
			   uint32_t texts, uint32_t longer)
{
	uint32_t there = ir_new_block(&l->b), lost = lower_cold_block(l), done = ir_new_block(&l->b);
	struct ir_value size = ir_imm(sizeof(struct lang_record) + site->size + texts), memory;
	struct record record = { .site = site, .longer = longer ? lower_cold_block(l) : 0 };

	memory = lower_helper(l, BPF_FUNC_ringbuf_reserve, 3, ir_address(&l->b, IR_RING, 0, 0), size, ir_imm(0));
	ir_branch(&l->b, IR_NE, memory, ir_imm(0), there, lost);
	lower_at(l, lost);
	lower_library(l, LANG_FN_lost, 1, ir_imm(site->number));
	ir_jump(&l->b, done);
	lower_at(l, there);
	record.begin = lower_pointed(memory, SPACE_BPF);
	fill(l, &record, values, NULL);
	write_head(l, &record, size);
	lower_library(l, LANG_FN_submit, 1, memory);
	ir_jump(&l->b, done);
	if (longer) {
		lower_at(l, record.longer);
		lower_library(l, LANG_FN_discard, 1, memory);
		ir_jump(&l->b, longer);
	}
	lower_at(l, done);
}

void lower_output(struct lower *l, const struct low_memory *begin, struct ir_value bytes, const struct lang_site *site)
{
	uint32_t lost = lower_cold_block(l), done = ir_new_block(&l->b);

	ir_branch(&l->b, IR_EQ, lower_library(l, LANG_FN_output, 2, lower_address(l, begin), bytes), ir_imm(0), done,
		  lost);
	lower_at(l, lost);
	lower_library(l, LANG_FN_lost, 1, ir_imm(site->number));
	ir_jump(&l->b, done);
	lower_at(l, done);
}

static void output_record(struct lower *l, const struct lang_site *site, const struct low_value *values,
			  struct ast *args, uint32_t texts)
{
	struct record record = { .site = site };
	struct low_mark mark = lower_mark(l);

	record.begin = lower_scratch(l, sizeof(struct lang_record) + site->size + texts);
	fill(l, &record, values, args);
	write_head(l, &record, record.end);
	lower_output(l, &record.begin, end_of(l, &record), site);
	lower_release(l, mark);
}

/*
 * Whether writing a value may fail, which is counted. Strings for which a short record is tried are not meant: it
 * counts none.
 */
static bool may_fail(const struct low_value *value)
{
	enum type_space space = value->memory.space;

	switch (value->kind) {
	case LOW_STRING:
	case LOW_TUPLE:
		return true;
	case LOW_MEMORY:
	case LOW_OPTIONAL:
	case LOW_BUFFER:
		return space != SPACE_BPF && space != SPACE_CONTEXT;
	default:
		return false;
	}
}

/*
 * Tries a short record; if a string is longer, the arguments are written once more. So none of them may count a failed
 * read.
 */
static void try_record(struct lower *l, const struct lang_site *site, const struct low_value *values, uint32_t texts,
		       uint32_t most)
{
	uint32_t longer = ir_new_block(&l->b), done;
	struct low_claim claim;

	l->conditional++;
	reserve_record(l, site, values, texts, longer);
	done = ir_new_block(&l->b);
	ir_jump(&l->b, done);
	lower_at(l, longer);
	claim = lower_claim_begin(l, done);
	output_record(l, site, values, NULL, most);
	lower_claim_end(l, &claim);
	ir_jump(&l->b, done);
	lower_at(l, done);
	l->conditional--;
}

void lower_record_values(struct lower *l, const struct lang_site *site, const struct low_value *values)
{
	uint32_t texts = 0, most = 0;
	bool counts_once = true;

	for (uint32_t i = 0; i < site->n_args; i++) {
		bool may_try = is_long(&site->args[i], &values[i]);

		counts_once &= may_try || !may_fail(&values[i]);
		if (is_text(site->args[i].type)) {
			uint32_t room = room_of(&site->args[i], &values[i]);

			most += room;
			texts += may_try ? SHORT_TEXT : room;
		}
	}
	if (most <= SHORT_TEXTS)
		reserve_record(l, site, values, most, 0);
	else if (texts <= SHORT_TEXTS && counts_once && l->may_claim && !l->f->outer && !l->options->reports_faults)
		try_record(l, site, values, texts, most);
	else
		output_record(l, site, values, NULL, most);
}

/* Many arguments have no room in registers: each is written as soon as it is known. */
static void output_at_once(struct lower *l, struct lang_site *site, struct ast *args)
{
	uint32_t texts = 0;

	for (uint32_t i = 0; i < site->n_args; i++)
		if (is_text(site->args[i].type))
			texts += (site->args[i].type->size + 1 + 7) & ~7U;
	output_record(l, site, NULL, args, texts);
}

void lower_record(struct lower *l, struct lang_site *site, struct ast *args)
{
	struct low_value *values = pool_alloc(&l->program->pool, (site->n_args + 1) * sizeof(*values));
	uint32_t i = 0;

	if (site->n_args > VALUES_MAX) {
		output_at_once(l, site, args);
		return;
	}
	for (struct ast *arg = args; arg && i < site->n_args; arg = arg->next) {
		struct low_value value = lower_expression(l, arg);

		/* Numbers are read before the record is begun, and before a later argument changes them. */
		if (lower_is_word(value.type))
			value = lower_scalar(lower_use(l, &value), value.type);
		values[i++] = value;
	}
	for (; i < site->n_args; i++)
		values[i] = lower_scalar(ir_imm(0), type_integer(8, true));
	lower_record_values(l, site, values);
}
