// SPDX-License-Identifier: BSD-2-Clause
/* What acts on the traced process: signals, and other results of the kernel's functions. */
#include <linux/bpf.h>
#include <signal.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

/* "SIGTERM", "TERM" or a number; 0: none of them. */
static int check_signal_number(const char *name)
{
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (int i = 1; i < NSIG; i++)
		if (sigabbrev_np(i) && !strcmp(sigabbrev_np(i), name))
			return i;
	return 0;
}

static const struct type *check_signal(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;

	check_value(c, arg);
	if (check_is_known_text(arg)) {
		int number = check_signal_number(arg->text);

		if (!number)
			check_error(c, arg->at, "%s is not a valid signal", arg->text);
		check_set_integer(arg, number, type_integer(4, false));
		return type_void();
	}
	if (check_integer(c, arg, "the number of a signal") && arg->is_constant &&
	    (arg->constant < 1 || arg->constant > 64))
		check_error(c, arg->at, "%lld is not a valid signal, allowed range: [1,64]", (long long)arg->constant);
	return type_void();
}

static struct low_value lower_signal(struct lower *l, struct ast *call)
{
	lower_helper(l, BPF_FUNC_send_signal, 1, lower_number(l, call->call.args));
	return lower_nothing(l, call);
}

FUNCTION(signal, 1, 1, check_signal, lower_signal, .is_statement = true, .is_unsafe = true);

static struct low_value lower_signal_thread(struct lower *l, struct ast *call)
{
	lower_helper(l, BPF_FUNC_send_signal_thread, 1, lower_number(l, call->call.args));
	return lower_nothing(l, call);
}

FUNCTION(signal_thread, 1, 1, check_signal, lower_signal_thread, .is_statement = true, .is_unsafe = true);

static struct low_value lower_override(struct lower *l, struct ast *call)
{
	struct ir_value v = lower_number(l, call->call.args);

	l->probe->needs.registers = true;
	lower_helper(l, BPF_FUNC_override_return, 2, l->f->context, v);
	return lower_nothing(l, call);
}

FUNCTION(override, 1, 1, check_scalar_call, lower_override, .is_statement = true, .is_unsafe = true,
	 .probes = IN(KPROBE), .result = TYPE_VOID);
FUNCTION(unwatch, 1, 1, check_scalar_call, lower_instead, .is_statement = true, .result = TYPE_VOID,
	 .instead = "a map that the probe's predicate tests switches it off");
