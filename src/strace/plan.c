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
		      const struct strace_type *type, unsigned int arg, unsigned int n_before, bool enter)
{
	for (unsigned int i = 0; i < STRACE_TYPE_STEPS && type->steps[i].op; i++) {
		struct strace_step *step = &plans->steps[plans->n];

		/* there is no result yet */
		if (enter && type->steps[i].when & (STRACE_IF_OK | STRACE_IF_FAILED))
			continue;
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
		/* of -s 0 a byte is copied, too: whether it can be read decides what is printed */
		if (!step->most && step->op == STRACE_BYTES)
			step->most = 1;
	}
}

/* Whether a call's data are messages if it is on a socket of netlink: its steps say so. */
static bool may_be_netlink(const struct strace_call *call)
{
	for (unsigned int arg = 0; arg < STRACE_ARGS && call->args[arg]; arg++)
		for (unsigned int i = 0; i < STRACE_TYPE_STEPS && call->args[arg]->steps[i].op; i++)
			if (call->args[arg]->steps[i].when & STRACE_MESSAGE)
				return true;
	return false;
}

/* Adds the steps of one end of a call; returns how many. */
static unsigned char add_end(struct strace_plans *plans, const struct strace_settings *settings,
			     const struct strace_call *call, bool enter)
{
	size_t begin = plans->n;

	if (!enter && may_be_netlink(call))
		plans->steps[plans->n++] = (struct strace_step){ .op = STRACE_NETLINK, .tag = STRACE_NETLINK_TAG };
	for (unsigned int arg = 0; arg < STRACE_ARGS && call->args[arg]; arg++) {
		const struct strace_type *type = call->args[arg];

		if (type->both || type->enter == enter)
			add_steps(plans, settings, type, arg, plans->n - begin, enter);
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
	if (word_is_in(name, "rt_sigreturn sigreturn"))
		return STRACE_RESTORE;
	return word_is_in(name, "clone clone3 fork vfork") ? STRACE_FORK : STRACE_PLAIN;
}

/* How one step of a call's end can be copied right into the buffer of records. */
static enum strace_brief brief_of(const struct strace_step *step)
{
	if (step->from >= STRACE_ARGS || step->when & STRACE_TO_EDGE || step->of.last)
		return STRACE_LONG;
	if (step->op == STRACE_STRING)
		return STRACE_BRIEF_TEXT;
	if (step->op != STRACE_BYTES || step->count_from >= STRACE_FROM_BLOB || step->most > STRACE_STRUCT_ROOM)
		return STRACE_LONG;
	return step->most <= STRACE_BYTES_ROOM ? STRACE_BRIEF_BYTES : STRACE_BRIEF_STRUCT;
}

/* The call that has a number in 64-bit or in 32-bit programs; STRACE_CALLS stands for all greater ones. */
struct numbered {
	unsigned int number;
	bool compat;
	const char *name;
	const struct strace_call *call;
};

static struct numbered numbered_of(int i, bool compat)
{
	if (i >= STRACE_CALLS)
		return (struct numbered){ i, compat, NULL, NULL };
	if (compat)
		return (struct numbered){ i, true, syscall_name_32(i), strace_call_of_32(i) };
	return (struct numbered){ i, false, syscall_name(i), strace_call_of(i) };
}

/* Whether the begin of a call is sent when it happens: its memory is copied, or its end does not come or knows less. */
static bool is_early(const struct strace_plan *plan, const struct numbered *numbered)
{
	return plan->n_enter || plan->kind >= STRACE_EXEC || numbered->number >= STRACE_CALLS ||
	       (numbered->name && word_is_in(numbered->name, "exit exit_group"));
}

/* In which calls the begin is sent when it happens: as the only type with steps for it says. */
static struct strace_range early_of(const struct strace_call *call)
{
	struct strace_range range = {};
	unsigned int n = 0;

	for (unsigned int arg = 0; arg < STRACE_ARGS && call->args[arg]; arg++)
		if (call->args[arg]->enter || call->args[arg]->both) {
			range = call->args[arg]->begins;
			n++;
		}
	return n == 1 ? range : (struct strace_range){};
}

static void make_plan(struct strace_plans *plans, struct strace_plan *plan, const struct strace_settings *settings,
		      const struct numbered *numbered)
{
	const struct strace_call *call = numbered->call;
	struct strace_settings own = *settings;
	enum strace_brief other;

	own.whole = settings->whole || !strace_set_has(&settings->abbrev, numbered->number, numbered->compat);
	plan->kind = kind_of(numbered->name);
	if (call && plan->wanted && plans->n + 2 * STRACE_BLOBS <= STRACE_STEPS) {
		plan->enter = plans->n;
		plan->n_enter = add_end(plans, &own, call, true);
		plan->early_of = early_of(call);
		plan->exit = plans->n;
		plan->n_exit = add_end(plans, &own, call, false);
	}
	plan->early = is_early(plan, numbered);
	if (plan->n_exit != 1 && plan->n_exit != 2)
		return;
	plan->only = plans->steps[plan->exit];
	plan->brief = brief_of(&plan->only);
	if (plan->n_exit == 1)
		return;
	plan->other = plans->steps[plan->exit + 1];
	other = brief_of(&plan->other);
	if (plan->brief == STRACE_BRIEF_TEXT && (other == STRACE_BRIEF_BYTES || other == STRACE_BRIEF_STRUCT))
		plan->brief = STRACE_BRIEF_BOTH;
	else
		plan->brief = STRACE_LONG;
}

void strace_plans_make(struct strace_plans *plans, const struct strace_settings *settings,
		       const struct strace_set *set, bool has_command)
{
	for (int i = 0; i < 2 * (STRACE_CALLS + 1); i++) {
		const struct numbered numbered = numbered_of(i % (STRACE_CALLS + 1), i > STRACE_CALLS);
		struct strace_plan *plan = &plans->plans[numbered.compat][numbered.number + 1];

		if (strace_set_has(set, numbered.number, numbered.compat) ||
		    (has_command && numbered.call && numbered.call->args[0] == &t_program))
			plan->wanted = STRACE_WANTED;
		make_plan(plans, plan, settings, &numbered);
		if (plan->kind == STRACE_RESTORE && plan->wanted)
			plans->plans[numbered.compat][0] = *plan;
	}
	for (int i = 0; i < STRACE_PLANS; i++)
		if (plans->plans[true][i].wanted)
			plans->plans[false][i].wanted |= STRACE_WANTED_ELSE;
}
