// SPDX-License-Identifier: BSD-2-Clause
/* The table of the names that stand for values, and which kinds of probes have them. */
#include "base/nearest.h"
#include "check.h"

#define IN(kind) (1U << PROBE_##kind)
#define FUNCTIONS_IN \
	(IN(KPROBE) | IN(KRETPROBE) | IN(FENTRY) | IN(FEXIT) | IN(UPROBE) | IN(URETPROBE) | IN(TRACEPOINT) | \
	 IN(RAWTRACEPOINT) | IN(USDT))
#define CONTEXT_IN \
	~(IN(BEGIN) | IN(END) | IN(INTERVAL) | IN(SIGNAL) | IN(TEST) | IN(BENCH))
#define ARGUMENTS_IN (IN(KPROBE) | IN(UPROBE) | IN(USDT) | IN(RAWTRACEPOINT) | IN(FENTRY) | IN(FEXIT))

static const struct builtin builtins[] = {
	{ "pid", BUILTIN_PID },
	{ "tid", BUILTIN_TID },
	{ "uid", BUILTIN_UID },
	{ "gid", BUILTIN_GID },
	{ "comm", BUILTIN_COMM },
	{ "pcomm", BUILTIN_PCOMM },
	{ "ppid", BUILTIN_PPID },
	{ "nsecs", BUILTIN_NSECS },
	{ "elapsed", BUILTIN_ELAPSED },
	{ "cpu", BUILTIN_CPU },
	{ "ncpus", BUILTIN_NCPUS },
	{ "numaid", BUILTIN_NUMAID },
	{ "rand", BUILTIN_RAND },
	{ "cgroup", BUILTIN_CGROUP },
	{ "curtask", BUILTIN_CURTASK },
	{ "ctx", BUILTIN_CTX, CONTEXT_IN },
	{ "args", BUILTIN_ARGS, IN(FENTRY) | IN(FEXIT) | IN(TRACEPOINT) | IN(RAWTRACEPOINT) },
	{ "arg0", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg1", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg2", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg3", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg4", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg5", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg6", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg7", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg8", BUILTIN_ARG, ARGUMENTS_IN },
	{ "arg9", BUILTIN_ARG, ARGUMENTS_IN },
	{ "sarg0", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg1", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg2", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg3", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg4", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg5", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg6", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg7", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg8", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "sarg9", BUILTIN_SARG, IN(KPROBE) | IN(UPROBE) },
	{ "retval", BUILTIN_RETVAL, IN(KRETPROBE) | IN(URETPROBE) | IN(FEXIT) },
	{ "func", BUILTIN_FUNC, FUNCTIONS_IN },
	{ "probe", BUILTIN_PROBE },
	{ "probetype", BUILTIN_PROBETYPE },
	{ "kstack", BUILTIN_KSTACK },
	{ "ustack", BUILTIN_USTACK },
	{ "username", BUILTIN_USERNAME },
	{ "cpid", BUILTIN_CPID },
	{ "has_cpid", BUILTIN_HAS_CPID },
	{ "jiffies", BUILTIN_JIFFIES },
	{ "usermode", BUILTIN_USERMODE },
	{ "errno", BUILTIN_ERRNO, IN(TRACEPOINT) | IN(KRETPROBE) | IN(FEXIT) | IN(URETPROBE) },
	{ "vtimestamp", BUILTIN_VTIMESTAMP },
	{ "caller", BUILTIN_CALLER, IN(KPROBE) | IN(FENTRY) },
	{ "ucaller", BUILTIN_UCALLER, IN(UPROBE) },
};

const struct builtin *builtin_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

void builtin_offer(struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++)
		nearest_offer(nearest, builtins[i].name);
}
