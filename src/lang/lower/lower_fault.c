// SPDX-License-Identifier: BSD-2-Clause
/* Helpers that fail: counted, and with -k a warning each, with its place in the program. */
#include "lowering.h"

/* n_args: 1 for the helper's result. */
static struct lang_site *fault_site(struct lower *l, enum lang_site_kind kind, const char *text, uint32_t n_args)
{
	struct lang_site *site = pool_alloc(&l->program->pool, sizeof(*site));
	struct lang_site_argument *arg = pool_alloc(&l->program->pool, sizeof(*arg));

	arg->type = type_integer(8, true);
	site->kind = kind;
	site->at = l->b.at;
	site->number = l->program->sites.n;
	site->format = text;
	site->args = arg;
	site->n_args = n_args;
	site->size = 8 * n_args;
	*(struct lang_site **)vec_push(&l->program->sites) = site;
	return site;
}

void lower_fault(struct lower *l, const char *helper, struct ir_value ret)
{
	struct low_value value = lower_scalar(ret, type_integer(8, true));

	if (l->options->reports_faults)
		lower_record_values(l, fault_site(l, SITE_FAULT, helper, 1), &value);
}

void lower_check_read(struct lower *l, const char *helper, struct ir_value ret, bool is_counted)
{
	uint32_t failed, done;

	if (is_counted && !l->options->reports_faults)
		return;
	failed = lower_cold_block(l);
	done = ir_new_block(&l->b);
	ir_branch(&l->b, IR_SGE, ret, ir_imm(0), done, failed);
	lower_at(l, failed);
	if (!is_counted)
		lower_library(l, LANG_FN_loss, 1, ir_imm(LANG_LOSS_READ));
	lower_fault(l, helper, ret);
	ir_jump(&l->b, done);
	lower_at(l, done);
}

void lower_check_entry(struct lower *l, struct ir_value entry)
{
	uint32_t missing, done;

	if (!l->options->reports_faults)
		return;
	missing = lower_cold_block(l);
	done = ir_new_block(&l->b);
	ir_branch(&l->b, IR_NE, entry, ir_imm(0), done, missing);
	lower_at(l, missing);
	lower_record_values(l,
			    fault_site(l, SITE_MISSING, "Can't lookup map element because it does not exist.", 0),
			    NULL);
	ir_jump(&l->b, done);
	lower_at(l, done);
}
