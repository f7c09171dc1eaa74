// SPDX-License-Identifier: BSD-2-Clause
/* Makes rows of tracers: folds them, computes their cost, sorts them. */
#include <bpf/bpf.h>

#include "base/clock.h"
#include "tracer_rows.h"

/* A crashed tool can leave thousands of dynamic events: those of one owner and group become one row. */
static bool belongs_to(const struct tracer *a, const struct tracer *b)
{
	return a->group && b->group && !strcmp(a->group, b->group) && !strcmp(a->kind, b->kind) && a->state == b->state &&
	       a->pid == b->pid && str_same(a->tool, b->tool) && a->processes.n == b->processes.n &&
	       (!a->processes.n || a->processes.v->pid == b->processes.v->pid);
}

static void sum(uint64_t *to, uint64_t value)
{
	if (value != TRACER_NONE)
		*to = (*to == TRACER_NONE ? 0 : *to) + value;
}

static void add_row(struct tracer_rows *rows, const struct tracer *tracer, bool fold)
{
	struct tracer_row *last = rows->n ? &rows->v[rows->n - 1] : NULL;

	if (fold && last && belongs_to(&last->tracer, tracer)) {
		last->n++;
		sum(&last->tracer.hits, tracer->hits);
		sum(&last->tracer.missed, tracer->missed);
	} else {
		last = vec_push(rows);
		*last = (struct tracer_row){ .tracer = *tracer, .n = 1, .at = rows->n - 1 };
	}
}

static void add_cost(struct tracer_row *row, const struct tracer_look *before, uint64_t elapsed)
{
	const struct bpf_program *program = programs_find(&before->programs, row->tracer.program);
	double scale = elapsed ? (double)NS_PER_SEC / elapsed : 0;

	/* a program that was not there before has all its runs since then */
	row->has_cost = true;
	row->runs = (row->tracer.runs - (program ? program->runs : 0)) * scale;
	row->cpu = (row->tracer.run_ns - (program ? program->run_ns : 0)) * scale * 100 / NS_PER_SEC;
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct tracer_row *a = pa, *b = pb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? 1 : -1;
	return a->at < b->at ? -1 : 1;
}

void tracer_rows_make(struct tracer_rows *rows, const struct tracers *tracers, const struct tracer_look *before, bool fold)
{
	uint64_t elapsed = clock_monotonic_ns() - before->at_ns;
	bool counts = before->stats >= 0;

	rows->columns = (struct tracer_columns){ .cost = counts };
	vec_each(it, tracers)
		add_row(rows, it, fold);
	vec_each(it, rows) {
		rows->columns.hits |= it->tracer.hits != TRACER_NONE;
		rows->columns.missed |= it->tracer.missed != TRACER_NONE && it->tracer.missed;
		if (counts && it->tracer.program)
			add_cost(it, before, elapsed);
	}
	if (counts && rows->n)
		qsort(rows->v, rows->n, sizeof(*rows->v), by_cpu);
}

void tracer_rows_release(struct tracer_rows *rows)
{
	free(rows->v);
}

int tracer_look_begin(struct tracer_look *look, struct err *err)
{
	const struct holders nobody = {};
	int ret;

	look->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (look->stats < 0)
		return err_set(err, -errno, "cannot switch the kernel's BPF statistics on: %s%s", strerror(errno),
			       geteuid() ? " (try sudo)" : "");
	ret = programs_read(&look->programs, &nobody);
	look->at_ns = clock_monotonic_ns();
	return ret ? err_set(err, ret, "cannot list BPF programs: %s", strerror(-ret)) : 0;
}

void tracer_look_keep(struct tracer_look *look, struct tracers *tracers)
{
	programs_release(&look->programs);
	look->programs = tracers->programs;
	tracers->programs = (struct programs){};
	look->at_ns = clock_monotonic_ns();
}

void tracer_look_release(struct tracer_look *look)
{
	programs_release(&look->programs);
	if (look->stats >= 0)
		close(look->stats);
}
