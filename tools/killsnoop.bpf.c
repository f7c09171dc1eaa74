// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports signals that are sent by a system call, when the call returns. It also returns in a process that has just
 * killed itself, because a signal takes effect on the way back to user space.
 */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/pidfd.bpf.h"
#include "bpf/signal.h"
#include "tools/killsnoop.h"

#define EBADF	    9
#define SIGNALS_MAX 64

const volatile struct killsnoop_config config SEC(".rodata.config");

struct call {
	int signal, ret;
	int target, tgid;
	bool known; /* the target is known */
};

static __always_inline void find_target(struct call *call, int fd, bool flags)
{
	struct pid *pid = call->ret == -EBADF ? NULL : pidfd_pid(fd, flags);

	call->known = pid;
	call->target = pid ? event_number(pid) : 0;
}

/* Reads the arguments. The calls differ only in which argument is the process, the thread and the signal. */
static __always_inline bool read_call(void *ctx, struct call *call)
{
	struct context_syscall sys;

	if (!context_sys_exit(ctx, &sys))
		return false;
	call->ret = sys.ret;
	call->target = sys.args[0];
	call->signal = sys.args[1];
	call->known = true;
	switch (context_probe()) {
	case KILLSNOOP_TGKILL:
	case KILLSNOOP_TGSIGQUEUE:
		call->tgid = sys.args[0];
		call->target = sys.args[1];
		call->signal = sys.args[2];
		break;
	case KILLSNOOP_PIDFD:
		find_target(call, sys.args[0], sys.args[3]);
		break;
	}
	return true;
}

static __always_inline bool signal_wanted(int signal)
{
	if (!config.signals.chosen)
		return true;
	if (signal <= 0 || signal > SIGNALS_MAX)
		return !signal && config.signals.zero;
	return config.signals.numbers >> (signal - 1) & 1;
}

static __always_inline bool target_wanted(const struct call *call)
{
	int wanted = config.target;

	return !wanted || call->target == wanted || call->tgid == wanted;
}

SEC("raw_tp")
int signal_sent(void *ctx)
{
	struct killsnoop_event *e;
	struct call call = {};

	if ((config.failed && context_result(ctx) >= 0) || !event_wanted() || !read_call(ctx, &call))
		return 0;
	if (!signal_wanted(call.signal) || !target_wanted(&call) || !(e = event_new(sizeof(*e))))
		return 0;
	e->signal = call.signal;
	e->ret = call.ret;
	e->target = call.target;
	e->tgid = call.tgid;
	e->call = context_probe();
	e->target_known = call.known;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
