// SPDX-License-Identifier: BSD-2-Clause
/* join(): the strings of an array of pointers, one behind the other, as one text of a record. */
#include <linux/bpf.h>

#include "lowering.h"

#define JOIN_STRINGS 32	  /* at most so many */
#define JOIN_STRING  1024 /* bytes of each with its NUL */

/* The n-th pointer of the array. */
static struct ir_value pointer_at(struct lower *l, const struct low_memory *array, uint32_t n)
{
	struct low_memory pointer = lower_behind(*array, 8 * n);

	return lower_load_scalar(l, &pointer, type_integer(8, false));
}

/* Reads one string to base + end; end grows by its length, or not at all if it cannot be read. */
static void add_string(struct lower *l, const struct low_memory *base, uint32_t end, struct ir_value from,
		       enum type_space space)
{
	uint32_t ok = ir_new_block(&l->b), done = ir_new_block(&l->b);
	struct ir_value to = ir_binary(&l->b, IR_ADD, lower_address(l, base), ir_reg(end)), n, len;

	n = lower_helper(l, space == SPACE_USER ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str, 3, to,
			 ir_imm(JOIN_STRING), from);
	len = ir_binary(&l->b, IR_SUB, n, ir_imm(1));
	ir_branch(&l->b, IR_LT, len, ir_imm(JOIN_STRING), ok, done);
	lower_at(l, ok);
	ir_move(&l->b, end, ir_binary(&l->b, IR_ADD, ir_reg(end), len));
	ir_jump(&l->b, done);
	lower_at(l, done);
}

static void add_separator(struct lower *l, const struct low_memory *base, uint32_t end, const char *text)
{
	struct low_memory to = lower_pointed(ir_binary(&l->b, IR_ADD, lower_address(l, base), ir_reg(end)), SPACE_BPF);

	lower_bytes(l, &to, text, strlen(text));
	ir_move(&l->b, end, ir_binary(&l->b, IR_ADD, ir_reg(end), ir_imm(strlen(text))));
}

struct low_value lower_join(struct lower *l, struct ast *call)
{
	struct lang_site *site = call->call.site;
	struct low_value array = lower_expression(l, call->call.args);
	struct low_memory pointers = lower_target(l, lower_use(l, &array), call->call.args->type);
	uint32_t room = site->args[0].type->size - 4, out = ir_new_block(&l->b), end = ir_new_reg(&l->b);
	uint32_t head = sizeof(struct lang_record) + site->size;
	struct low_memory record = lower_scratch(l, head + room), texts = lower_behind(record, head), part;

	ir_move(&l->b, end, ir_imm(0));
	for (uint32_t i = 0; i < JOIN_STRINGS; i++) {
		uint32_t fits = ir_new_block(&l->b), next = ir_new_block(&l->b);
		struct ir_value from = pointer_at(l, &pointers, i);

		ir_branch(&l->b, IR_NE, from, ir_imm(0), fits, out);
		lower_at(l, fits);
		ir_branch(&l->b, IR_LT, ir_reg(end), ir_imm(room - JOIN_STRING - strlen(site->format)), next, out);
		lower_at(l, next);
		if (i)
			add_separator(l, &texts, end, site->format);
		add_string(l, &texts, end, from, pointers.space);
	}
	ir_jump(&l->b, out);
	lower_at(l, out);
	part = lower_behind(record, offsetof(struct lang_record, site));
	lower_store(l, &part, 32, ir_imm(site->number));
	part.at += 4;
	lower_store(l, &part, 32, ir_binary(&l->b, IR_ADD, ir_reg(end), ir_imm(site->size)));
	part = lower_behind(record, sizeof(struct lang_record) + site->args[0].at);
	lower_store(l, &part, 32, ir_imm(site->size));
	part.at += 4;
	lower_store(l, &part, 32, ir_reg(end));
	lower_output(l, &record, ir_binary(&l->b, IR_ADD, ir_reg(end), ir_imm(head)), site);
	return lower_nothing(l, call);
}
