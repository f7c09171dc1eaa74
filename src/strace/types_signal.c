// SPDX-License-Identifier: BSD-2-Clause
/* Signals: what a process does with them, and which it blocks. */
#include <signal.h>

#include "types.h"

static STRACE_FAMILY(hows, "SIG_???", N(SIG_BLOCK), N(SIG_UNBLOCK), N(SIG_SETMASK));
CHOICE(t_how, hows);

/* The kernel's struct sigaction. */
struct action {
	uint64_t handler, flags, restorer, mask;
};

#define RESTORER 0x04000000

static void print_action(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(flags, "SA_???", { "SA_RESTORER", RESTORER }, { "SA_ONSTACK", 0x08000000 },
			     { "SA_RESTART", 0x10000000 }, { "SA_INTERRUPT", 0x20000000 },
			     { "SA_NODEFER", 0x40000000 }, { "SA_RESETHAND", 0x80000000 }, N(SA_SIGINFO),
			     N(SA_NOCLDSTOP), N(SA_NOCLDWAIT));
	static const struct strace_words handlers = { "SIG_", "DFL IGN =0xffffffffffffffff ERR" };
	const struct action *action = strace_struct(line, arg, 0, sizeof(*action));
	struct str *out = line->out;

	if (!action)
		return;
	str_add(out, "{sa_handler=");
	if (action->handler < 2 || action->handler == UINT64_MAX)
		strace_word(out, &handlers, action->handler);
	else
		strace_address(out, action->handler);
	str_add(out, ", sa_mask=");
	strace_sigset(out, &action->mask, sizeof(action->mask));
	str_add(out, ", sa_flags=");
	strace_flags(out, &flags, action->flags);
	if (action->flags & RESTORER) {
		str_add(out, ", sa_restorer=");
		strace_address(out, action->restorer);
	}
	str_addc(out, '}');
}

const struct strace_type t_sigaction = { print_action, .steps = { STEP_READS(32) } },
			 t_sigaction_out = { print_action, .steps = { STEP_WRITES(32) } };

/* The size of the set is the next argument that is a size. */
static uint64_t size_of_set(const struct strace_line *line, unsigned int arg)
{
	while (++arg < STRACE_ARGS && line->call->args[arg])
		if (line->call->args[arg] == &t_size)
			return strace_arg(line, arg);
	return sizeof(uint64_t);
}

/* A set that has not the size of the kernel's is none. */
static void print_sigset(struct strace_line *line, unsigned int arg)
{
	const void *mask;

	if (size_of_set(line, arg) != sizeof(uint64_t)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	mask = strace_struct(line, arg, 0, 8);
	if (mask)
		strace_sigset(line->out, mask, 8);
}

/* rt_sigpending fills in a part of it, too. */
static void print_pending(struct strace_line *line, unsigned int arg)
{
	uint64_t size = size_of_set(line, arg);
	bool is_set = strace_ok(line) && size && size <= sizeof(uint64_t);
	const void *mask = is_set ? strace_struct(line, arg, 0, sizeof(uint64_t)) : NULL;

	if (mask)
		strace_sigset(line->out, mask, size);
	else if (!is_set)
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_sigset = { print_sigset, .steps = { STEP_READS(8) } },
			 t_sigset_out = { print_sigset, .steps = { STEP_WRITES(8) } },
			 t_sigpending = { print_pending, .steps = { STEP_WRITES(8) } };

static void print_restored(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);

	if (!blob || blob->n < 8)
		return;
	str_add(line->out, "{mask=");
	strace_sigset(line->out, strace_bytes(blob), 8);
	str_addc(line->out, '}');
}
/* rt_sigreturn has no arguments: the program puts the address of the mask there */
const struct strace_type t_restored = { print_restored, .enter = true, .steps = { STEP_READS(8) } };

static void print_stack(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(flags, "SS_???", N(SS_ONSTACK), N(SS_DISABLE), { "SS_AUTODISARM", 0x80000000 });
	const struct {
		uint64_t sp;
		uint32_t flags, unused;
		uint64_t size;
	} *stack = strace_struct(line, arg, 0, sizeof(*stack));

	if (!stack)
		return;
	str_add(line->out, "{ss_sp=");
	strace_address(line->out, stack->sp);
	str_add(line->out, ", ss_flags=");
	strace_flags(line->out, &flags, stack->flags);
	str_addf(line->out, ", ss_size=%llu}", (unsigned long long)stack->size);
}
const struct strace_type t_sigaltstack = { print_stack, .steps = { STEP_READS(24) } },
			 t_sigaltstack_out = { print_stack, .steps = { STEP_WRITES(24) } };

/* In all styles by its name, as strace has it. */
void strace_ret_signal(struct strace_line *line)
{
	str_add_s64(line->out, strace_ret(line));
	str_add(line->out, " (");
	strace_signal_name(line->out, strace_ret(line));
	str_addc(line->out, ')');
}
