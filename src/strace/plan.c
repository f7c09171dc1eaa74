// SPDX-License-Identifier: BSD-2-Clause
/* From the table of calls to the plans of the programs: which memory each call copies, at which end. */
#include "base/word.h"
#include "kernel/syscalls.h"
#include "strace_part.h"
#include "types.h"

/* An argument of the type, or a blob of it, becomes one of the call. */
static unsigned char source_of(unsigned char from, unsigned int arg, unsigned int n_before)
{
	if (from >= SELF - STRACE_ARGS)
		return (unsigned char)(from + arg - SELF);
	return from >= STRACE_FROM_BLOB ? from + n_before : from;
}

/* Bytes of a buffer that is to be dumped: most of a record, so that the arguments after it find room. */
#define DUMP_MOST 7000

static bool has_dumps(const struct strace_settings *settings)
{
	return settings->dump_read.any || settings->dump_written.any;
}

static void add_steps(struct strace_plans *plans, const struct strace_settings *settings,
		      const struct strace_type *type, unsigned int arg, unsigned int n_before)
{
	for (unsigned int i = 0; i < STRACE_TYPE_STEPS && type->steps[i].op; i++) {
		struct strace_step *step = &plans->steps[plans->n];

		if (type->steps[i].when & STRACE_IF_WHOLE && !settings->whole)
			continue;
		if ((type->steps[i].op == STRACE_FILE || type->steps[i].op == STRACE_FILES) && !strace_wants_files(settings))
			continue;
		plans->n++;
		*step = type->steps[i];
		step->tag = arg * STRACE_TYPE_STEPS + i;
		step->from = source_of(step->from, arg, n_before);
		step->count_from = source_of(step->count_from, arg, n_before);
		if (step->op == STRACE_STRINGS)
			step->scale = settings->whole ? STRACE_STRINGS_WHOLE : STRACE_VECTOR + 1;
		if (step->most == MOST_TEXT && has_dumps(settings) &&
		    (step->op == STRACE_BYTES || step->op == STRACE_VECTORS))
			step->most = DUMP_MOST;
		/* a text has two more: its NUL, and a byte that says that it goes on */
		if (step->most == MOST_TEXT)
			step->most = settings->size + (step->op == STRACE_STRING || step->op == STRACE_STRINGS ? 2 : 0);
	}
}

/* Adds the steps of one end of a call; returns how many. */
static unsigned char add_end(struct strace_plans *plans, const struct strace_settings *settings,
			     const struct strace_call *call, bool enter)
{
	size_t begin = plans->n;

	for (unsigned int arg = 0; arg < STRACE_ARGS && call->args[arg]; arg++) {
		const struct strace_type *type = call->args[arg];

		if (type->both || type->enter == enter)
			add_steps(plans, settings, type, arg, plans->n - begin);
	}
	if (!enter && strace_returns_fd(call) && strace_wants_files(settings))
		plans->steps[plans->n++] = (struct strace_step){
			.op = STRACE_FILE,
			.tag = STRACE_RET_TAG,
			.from = STRACE_FROM_RET,
			.when = STRACE_IF_OK,
		};
	return plans->n - begin;
}

/* What the programs must know of a call to count it. */
static enum strace_call_kind kind_of(const char *name)
{
	if (!name)
		return STRACE_PLAIN;
	if (word_is_in(name, "execve execveat"))
		return STRACE_EXEC;
	return word_is_in(name, "clone clone3 fork vfork") ? STRACE_FORK : STRACE_PLAIN;
}

void strace_plans_make(struct strace_plans *plans, const struct strace_settings *settings,
		       const struct strace_set *set, bool has_command)
{
	for (int i = 0; i < STRACE_PLANS; i++) {
		bool narrow = i >= STRACE_CALLS;
		int number = narrow ? strace_number_32(i - STRACE_CALLS) : i;
		const struct strace_call *call = narrow ? strace_call_of_32(i - STRACE_CALLS) : strace_call_of(i);
		struct strace_plan *plan = &plans->plans[i];
		struct strace_settings own = *settings;

		own.whole = settings->whole || !strace_set_has(&settings->abbrev, number);
		plan->wanted = strace_set_has(set, number) || (has_command && call && call->args[0] == &t_program);
		plan->kind = kind_of(syscall_name(number));
		if (!call || !plan->wanted || plans->n + 2 * STRACE_BLOBS > STRACE_STEPS)
			continue;
		plan->enter = plans->n;
		plan->n_enter = add_end(plans, &own, call, true);
		plan->exit = plans->n;
		plan->n_exit = add_end(plans, &own, call, false);
	}
}
