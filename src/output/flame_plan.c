// SPDX-License-Identifier: BSD-2-Clause
/* Chooses and places the boxes of a flame graph. */
#include "baseline.h"
#include "flame_plan.h"

uint64_t flame_plan_weight(const struct flame_plan *plan, uint32_t node)
{
	const struct tree_sum *sum = &plan->tree->v[node].total;

	return plan->by_time ? files_time(plan->files, sum) : sum->count;
}

/* Folded files have microseconds: see files_weight(). */
uint64_t flame_plan_old_weight(const struct flame_plan *plan, uint32_t node)
{
	return plan->old->v[node].total.count * (plan->by_time ? 1000 : 1);
}

static int compare_weights(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Sets the limit so that FLAME_MAX_FRAMES are drawn at most. No frame is wider than its caller, which is drawn too. */
static void find_least(struct flame_plan *plan)
{
	uint64_t *weights __free = base_alloc(plan->tree->n * sizeof(*weights));
	size_t n = 0;

	plan->least = 1;
	for (uint32_t i = 1; i < plan->tree->n; i++) {
		weights[n] = flame_plan_weight(plan, i);
		n += !!weights[n];
	}
	if (n <= FLAME_MAX_FRAMES)
		return;
	qsort(weights, n, sizeof(*weights), compare_weights);
	plan->least = weights[FLAME_MAX_FRAMES] + 1;
	while (n && weights[n - 1] < plan->least) {
		n--;
		plan->narrow++;
	}
}

static uint64_t old_of(const struct flame_plan *plan, uint32_t node)
{
	bool has = plan->match && (!node || plan->match[node]);

	return has ? flame_plan_old_weight(plan, plan->match[node]) : 0;
}

/* Appends the boxes of what a box called, from right to left: the left one is the next that place_boxes() takes. */
static void push_children(const struct flame_plan *plan, struct flame_boxes *todo, const struct flame_box *caller)
{
	struct flame_box narrow = { .depth = caller->depth + 1 };
	uint64_t start = caller->start;
	size_t first = todo->n;

	for (uint32_t i = plan->tree->v[caller->node].child; i; i = plan->tree->v[i].next) {
		struct flame_box box = { .node = i, .depth = narrow.depth, .start = start };

		box.weight = flame_plan_weight(plan, i);
		box.old = old_of(plan, i);
		if (box.weight >= plan->least) {
			*vec_push(todo) = box;
			start += box.weight;
		} else if (box.weight) {
			narrow.weight += box.weight;
			narrow.old += box.old;
			narrow.narrow++;
		}
	}
	narrow.start = start;
	if (narrow.narrow && narrow.weight >= plan->least)
		*vec_push(todo) = narrow;
	for (size_t i = first, j = todo->n; i + 1 < j; i++) {
		struct flame_box box = todo->v[i];

		todo->v[i] = todo->v[--j];
		todo->v[j] = box;
	}
}

static void place_boxes(struct flame_plan *plan)
{
	struct flame_boxes todo = {};

	*vec_push(&todo) = (struct flame_box){ .weight = plan->total, .old = plan->old_total };
	while (todo.n) {
		struct flame_box box = todo.v[--todo.n];

		*vec_push(&plan->boxes) = box;
		if (box.depth > plan->depth)
			plan->depth = box.depth;
		if (!box.narrow)
			push_children(plan, &todo, &box);
	}
	free(todo.v);
}

void flame_plan_init(struct flame_plan *plan, const struct files *files)
{
	*plan = (struct flame_plan){ .files = files, .tree = &files->tree, .by_time = files->about.by_time };
	plan->total = flame_plan_weight(plan, 0);
	if (files->compared) {
		plan->old = &files->old;
		plan->old_total = flame_plan_old_weight(plan, 0);
		plan->match = baseline_match(plan->old, plan->tree);
	}
	find_least(plan);
	place_boxes(plan);
}

void flame_plan_release(struct flame_plan *plan)
{
	free(plan->match);
	free(plan->boxes.v);
	*plan = (struct flame_plan){};
}

static int compare_old(const void *a, const void *b, void *old)
{
	const struct tree_node *v = ((const struct tree *)old)->v;

	return compare_weights(&v[*(const uint32_t *)a].total.count, &v[*(const uint32_t *)b].total.count);
}

size_t flame_plan_gone(const struct flame_plan *plan, uint32_t **nodes)
{
	const struct tree *old = plan->old;
	bool *has __free = base_alloc(old->n * sizeof(*has));
	size_t n = 0;

	for (uint32_t i = 0; i < plan->tree->n; i++)
		has[plan->match[i]] |= !!flame_plan_weight(plan, i);
	has[0] = true;
	*nodes = base_alloc(old->n * sizeof(**nodes));
	for (uint32_t i = 1; i < old->n; i++)
		if (!has[i] && has[old->v[i].parent] && old->v[i].total.count)
			(*nodes)[n++] = i;
	qsort_r(*nodes, n, sizeof(**nodes), compare_old, (void *)old);
	return n;
}

static int compare_causes(const void *a, const void *b)
{
	const struct flame_cause *x = a, *y = b;
	int order = compare_weights(&x->weight, &y->weight);

	return order ? order : strcmp(x->frame->name, y->frame->name);
}

size_t flame_plan_causes(const struct flame_plan *plan, struct flame_cause **to)
{
	vec(struct flame_cause) causes = {};

	for (uint32_t i = 1; i < plan->tree->n; i++) {
		const struct frame *frame = plan->tree->v[i].frame;
		size_t at = 0;

		if (!frame->color)
			continue;
		while (at < causes.n && causes.v[at].frame != frame)
			at++;
		if (at == causes.n)
			vec_push(&causes)->frame = frame;
		causes.v[at].weight += flame_plan_weight(plan, i);
	}
	if (causes.n)
		qsort(causes.v, causes.n, sizeof(*causes.v), compare_causes);
	*to = causes.v;
	return causes.n;
}
