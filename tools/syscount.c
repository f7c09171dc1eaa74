// SPDX-License-Identifier: BSD-2-Clause
/* syscount: system calls by count or by time, by process, and strace -c's table. */
#include "engines/syscall_names.h"
#include "engines/syscalls_columns.h"
#include "output/words.h"
#include "run/filter_parse.h"
#include "run/run.h"

#define TOP_DEFAULT 10

struct settings {
	bool list, latency, milliseconds;
	struct syscalls_settings calls;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, list, 'l', "list", NULL, "print the names of all system calls"),
	OPT(OPT_U32, struct settings, calls.top, 'T', "top", "N", "print only the N largest rows: 10, with --summary all", .min = 1),
	OPT(OPT_BOOL, struct settings, calls.failed, 'x', "failures", NULL, "only calls that failed"),
	OPT(OPT_CALL, struct settings, calls.error, 'e', "errno", "ERROR",
	    "only calls that failed with this error: ENOENT, or 2",
	    .call = words_set_error, .offers = words_offer_errors),
	OPT(OPT_CALL, struct settings, calls.number, 0, "syscall", "SYSCALL", "only this system call, by name", .call = syscall_names_set,
	    .offers = syscall_names_offer),
	OPT(OPT_U32, struct settings, calls.ppid, 0, "ppid", "PPID", "only calls of this process's children", .min = 1),
	OPT(OPT_BOOL, struct settings, latency, 'L', "latency", NULL, "show the time of calls, and sort by it"),
	OPT(OPT_BOOL, struct settings, milliseconds, 'm', "milliseconds", NULL, "the same, in milliseconds"),
	OPT(OPT_BOOL, struct settings, calls.by_process, 'P', "process", NULL, "count by process, not by system call"),
	OPT(OPT_BOOL, struct settings, calls.with_total, 0, "summary", NULL, "the table of strace -c"),
	OPT(OPT_U32, struct settings, calls.keys, 0, "max-keys", "N", "at most N processes, with -P: 10240", .min = 1,
	    .max = 4 * 1024 * 1024),
	OPT(OPT_U32, struct settings, calls.calls, 0, "max-calls", "N",
	    "at most N pending calls at a time, if they are timed: twice the number of threads", .min = 1, .max = 1000000),
};

static int configure(struct engine_instance *instance, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	struct syscalls_settings *calls = &settings->calls;

	if (calls->with_total && (calls->by_process || settings->milliseconds))
		return err_set(err, -EINVAL, "--summary has columns of its own: without -%c", calls->by_process ? 'P' : 'm');
	calls->timed = settings->latency || settings->milliseconds || calls->with_total;
	if (!calls->top)
		calls->top = calls->with_total ? UINT32_MAX : TOP_DEFAULT;
	/* as in bcc */
	instance->ctx->time |= instance->ctx->interval > 0;
	instance->schema = syscalls_columns(calls, settings->milliseconds ? UNIT_MS : UNIT_US);
	return filter_check_parent(calls->ppid, err);
}

static const struct syscalls_source source = {
	.settings = SETTING(struct syscalls_settings, struct settings, calls),
	.configure = configure,
};

static int list(struct run *run, struct err *err)
{
	syscall_names_list(run->ctx.out);
	return 0;
}

TOOL(syscount, .brief = "count and time system calls, by call or by process", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_OFTEN,
     OPTIONS(options), SETTINGS_WITH(struct settings, .calls = { .keys = SYSCALLS_KEYS_DEFAULT, .number = -1 }), .schema = &syscalls_schema, SYSCALLS_ENGINE(source), .act = list,
     .act_instead = IS_SET(list), .letters = "t:tid",
     .description =
	     "Counts system calls in the kernel as they return, and prints the most frequent ones, or with -L those "
	     "that took longest, at the end or at each interval. The time runs from the call to its return, waiting "
	     "included. A call that began before tracing counts, without its time. Calls that do not return, exit "
	     "and exit_group, do not count; fork and its like count once, in the parent.\n\n"
	     "--summary prints the table of strace -c, with the calls and errors that strace -c would count: for a "
	     "command and its children (-c), from the execve with which it begins, for a process (-p) or for the "
	     "whole system. Its seconds are those of strace -c -w. As in strace, a call that a signal interrupts, "
	     "to be restarted, has failed (ERESTARTSYS).\n\n"
	     "Calls of 32-bit programs have other numbers. They are counted by process; if rows are system calls, "
	     "sonde reports how many there were at the end. Without -L an execveat that succeeds counts as the "
	     "execve that the kernel makes of it.",
     EXAMPLES({ "sonde syscount -d 5", "the ten most frequent system calls of 5 seconds" },
	      { "sonde syscount -i 1 -L -T 5", "every second, the five that took longest" },
	      { "sonde syscount -P -e EAGAIN", "which processes get EAGAIN, until Ctrl-C" },
	      { "sonde syscount -p 181 -L -m", "one process, in milliseconds" },
	      { "sonde syscount --summary -c 'tar cf /dev/null /usr/share'", "instead of strace -c -f" }));
