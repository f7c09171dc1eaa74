// SPDX-License-Identifier: BSD-2-Clause
/*
 * Remembers what does not change while a program runs, such as the ids of the task and the arguments of the probe, and
 * entries of maps that were just looked up: /@start[tid]/ { ... @start[tid] ... } is one lookup. Only what every later
 * instruction comes by is remembered, hence nothing within arms of conditions and loops.
 */
#include "lowering.h"

static bool may_remember(const struct lower *l)
{
	return !l->conditional && !l->f->outer;
}

bool lower_remembered(struct lower *l, uint32_t what, struct ir_value *v)
{
	if (l->f->outer || !l->known[what].is_known)
		return false;
	*v = l->known[what].v;
	return true;
}

struct ir_value lower_remember(struct lower *l, uint32_t what, struct ir_value v)
{
	if (may_remember(l))
		l->known[what] = (struct low_known){ true, v };
	return v;
}

/* --- entries --- */

/* Whether two keys are the same whenever they are asked for. */
static bool is_same_key(const struct ast *a, const struct ast *b)
{
	if (a->is_constant || b->is_constant)
		return a->is_constant && b->is_constant && a->constant == b->constant && !a->text && !b->text;
	if (a->kind != b->kind)
		return false;
	if (a->kind == AST_TUPLE) {
		const struct ast *x = a->list.first, *y = b->list.first;

		while (x && y && is_same_key(x, y)) {
			x = x->next;
			y = y->next;
		}
		return !x && !y;
	}
	if (a->kind != AST_NAME || !a->name.builtin || a->name.builtin != b->name.builtin)
		return false;
	return a->name.builtin->is_stable;
}

bool lower_entry_remembered(const struct lower *l, const struct lang_map *map, const struct ast *key,
			    struct ir_value *entry)
{
	if (l->f->outer || l->entry.map != map || !is_same_key(l->entry.key, key))
		return false;
	*entry = l->entry.v;
	return true;
}

void lower_entry_remember(struct lower *l, const struct lang_map *map, const struct ast *key, struct ir_value entry)
{
	if (may_remember(l) && is_same_key(key, key))
		l->entry = (struct low_entry){ map, key, entry };
}

void lower_entry_forget(struct lower *l, const struct lang_map *map)
{
	if (!map || l->entry.map == map)
		l->entry = (struct low_entry){};
}
