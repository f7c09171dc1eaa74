// SPDX-License-Identifier: BSD-2-Clause
/* Turns BPF programs, and perf events without a program, into tracers. */
#include "tracers_part.h"

static void add_holders(struct tracers *tracers, struct tracer *tracer, enum holding_kind kind, uint32_t id)
{
	size_t n;
	const struct holding *holding = holders_find(&tracers->traces.holders, kind, id, &n);

	for (size_t i = 0; i < n; i++)
		tracer_add_process(tracer, holding[i].pid, holding[i].comm);
}

static void add_pins(struct tracers *tracers, struct tracer *tracer, enum bpf_object_kind kind, uint32_t id)
{
	vec_each(it, &tracers->traces.pins)
		if (!it->error && it->kind == kind && it->id == id)
			*vec_push(&tracer->pins) = it->path;
}

static bool has_map(const struct bpf_program *program, uint32_t id)
{
	for (size_t i = 0; i < program->maps.n; i++)
		if (program->maps.v[i] == id)
			return true;
	return false;
}

/*
 * A process that holds a link keeps the program attached. A program without links is held by the processes that
 * have its descriptor.
 */
static void set_owner(struct tracers *tracers, struct tracer *tracer, const struct bpf_program *program)
{
	for (size_t i = 0; i < program->links.n; i++) {
		add_holders(tracers, tracer, HOLDS_LINK, program->links.v[i]);
		add_pins(tracers, tracer, BPF_OBJECT_LINK, program->links.v[i]);
	}
	add_holders(tracers, tracer, HOLDS_PERF_EVENT, program->id);
	add_holders(tracers, tracer, HOLDS_PROGRAM, program->id);
	add_pins(tracers, tracer, BPF_OBJECT_PROGRAM, program->id);
	vec_each(it, &tracers->traces.pins)
		if (!it->error && it->kind == BPF_OBJECT_MAP && has_map(program, it->id))
			*vec_push(&tracer->pins) = it->path;
	if (tracer->processes.n)
		tracer->state = TRACER_HELD;
	else if (tracer->pins.n)
		tracer->state = TRACER_PINNED;
}

static void add_program(struct tracers *tracers, const struct bpf_program *program)
{
	struct tracer *tracer = tracers_add(tracers, program->kind, program->name);

	tracer->program = program->id;
	tracer->links = program->links.n;
	tracer->memory = program->memory;
	tracer->missed = program->missed;
	tracer->runs = program->runs;
	tracer->run_ns = program->run_ns;
	if (programs_are_counted())
		tracer->hits = program->runs;
	for (size_t i = 0; i < program->targets.n; i++)
		tracer_add_target(tracer, program->targets.v[i].name);
	tracer->attached = program->attached;
	set_owner(tracers, tracer, program);
}

void tracers_add_programs(struct tracers *tracers)
{
	vec_each(program, &tracers->programs)
		add_program(tracers, program);
}

/* The kernel reports only which process holds how many. */
void tracers_add_perf_events(struct tracers *tracers)
{
	size_t n;
	const struct holding *perf = holders_find(&tracers->traces.holders, HOLDS_PERF_EVENT, 0, &n);

	for (size_t i = 0; i < n;) {
		size_t first = i;
		struct tracer *tracer;

		while (i < n && perf[i].pid == perf[first].pid)
			i++;
		tracer = tracers_add(tracers, "perf_event", perf[first].comm);
		tracer->state = TRACER_HELD;
		tracer->links = i - first;
		tracer_add_process(tracer, perf[first].pid, perf[first].comm);
	}
}
