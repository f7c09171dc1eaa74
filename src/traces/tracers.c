// SPDX-License-Identifier: BSD-2-Clause
/* Combines what programs, descriptors, pins and tracefs show. What one of them does not show us becomes a note. */
#include "tracers_part.h"

struct tracer *tracers_add(struct tracers *tracers, const char *kind, const char *name)
{
	struct tracer *tracer = vec_push(tracers);

	tracer->kind = kind;
	tracer->name = name;
	tracer->hits = tracer->missed = tracer->memory = TRACER_NONE;
	return tracer;
}

void tracers_note(struct tracers *tracers, const char *fmt, ...)
{
	__str struct str text = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&text, fmt, ap);
	va_end(ap);
	*vec_push(&tracers->notes) = pool_add(&tracers->strings, text.data);
}

void tracer_add_target(struct tracer *tracer, const char *name)
{
	*vec_push(&tracer->targets) = name;
}

void tracer_add_process(struct tracer *tracer, pid_t pid, const char *comm)
{
	struct tracer_process *process;

	vec_each(it, &tracer->processes)
		if (it->pid == pid)
			return;
	process = vec_push(&tracer->processes);
	process->pid = pid;
	process->comm = comm;
}

/* ---- BPF programs ---- */

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

/* ---- perf events without a program: the kernel reports only who holds how many ---- */

static void add_perf_events(struct tracers *tracers)
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

/* ---- */

static void read_all(struct tracers *tracers)
{
	struct err err = {};
	int ret;

	if (traces_read(&tracers->traces, &err))
		tracers_note(tracers, "%s", err.text);
	if (tracers->traces.holders.unreadable)
		tracers_note(tracers, "the descriptors of %zu process%s cannot be read: what they hold is shown without an owner (try sudo)",
			     tracers->traces.holders.unreadable, tracers->traces.holders.unreadable == 1 ? "" : "es");
	ret = programs_read(&tracers->programs, &tracers->traces.holders);
	if (ret)
		tracers_note(tracers, "BPF programs and links cannot be listed: %s%s", strerror(-ret),
			     geteuid() ? " (try sudo)" : "");
	programs_name_targets(&tracers->programs);
}

void tracers_read(struct tracers *tracers)
{
	*tracers = (struct tracers){};
	read_all(tracers);
	for (size_t i = 0; i < tracers->programs.n; i++)
		add_program(tracers, &tracers->programs.v[i]);
	add_perf_events(tracers);
	tracers_add_events(tracers);
}

void tracers_release(struct tracers *tracers)
{
	vec_each(it, tracers) {
		free(it->targets.v);
		free(it->processes.v);
		free(it->pins.v);
	}
	free(tracers->v);
	free(tracers->notes.v);
	traces_release(&tracers->traces);
	programs_release(&tracers->programs);
	pool_release(&tracers->strings);
	*tracers = (struct tracers){};
}
