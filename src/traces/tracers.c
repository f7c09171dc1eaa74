// SPDX-License-Identifier: BSD-2-Clause
/* The list of tracers as such. */
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
