// SPDX-License-Identifier: BSD-2-Clause
/* killsnoop: signals as they are sent, by whom, to whom, and what came of it. */
#include "engines/event.h"
#include "output/words.h"
#include "run/tool.h"
#include "tools/killsnoop.h"
#include "tools/killsnoop.skel.h"

struct settings {
	struct killsnoop_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, config.failed, 'x', "failed", NULL, "only signals that could not be sent"),
	OPT(OPT_U32, struct settings, config.target, 'T', "tpid", "PID", "only signals to this process or thread",
	    .min = 1, .max = INT32_MAX),
	OPT(OPT_U32, struct settings, config.target, 0, "target", "PID", "the same", .min = 1, .max = INT32_MAX),
	OPT(OPT_CALL, struct settings, config.signals, 's', "signal", "SIGNAL[,SIGNAL]...",
	    "only these signals, by number or by name", .call = words_set_signals, .offers = words_offer_signals),
};

static const struct progs_probe probes[] = {
	[KILLSNOOP_KILL] = { .program = "signal_sent", .syscall = "kill" },
	[KILLSNOOP_TKILL] = { .program = "signal_sent", .syscall = "tkill" },
	[KILLSNOOP_TGKILL] = { .program = "signal_sent", .syscall = "tgkill" },
	[KILLSNOOP_SIGQUEUE] = { .program = "signal_sent", .syscall = "rt_sigqueueinfo" },
	[KILLSNOOP_TGSIGQUEUE] = { .program = "signal_sent", .syscall = "rt_tgsigqueueinfo" },
	[KILLSNOOP_PIDFD] = { .program = "signal_sent", .syscall = "pidfd_send_signal" },
};

static bool names_both(const struct killsnoop_event *e)
{
	return e->call == KILLSNOOP_TGKILL || e->call == KILLSNOOP_TGSIGQUEUE;
}

static void get_tgid(struct value *to, const void *row, const void *ctx)
{
	const struct killsnoop_event *e = row;

	if (names_both(e))
		value_set_s64(to, e->tgid);
}

static void get_tid(struct value *to, const void *row, const void *ctx)
{
	const struct killsnoop_event *e = row;

	if (names_both(e) || e->call == KILLSNOOP_TKILL)
		value_set_s64(to, e->target);
}

static void get_syscall(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, probes[((const struct killsnoop_event *)row)->call].syscall);
}

static const struct field fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8),
	EVENT_TIMESTAMP,
	EVENT_ID(pid, "PID", -7),
	EVENT_ID_DATA(tid),
	EVENT_ID_DATA(ppid),
	EVENT_ID_DATA(uid),
	EVENT_COMM("COMM", -16),
	FIELD(FIELD_S32, struct killsnoop_event, signal, "signal", "SIG", -4, .role = ROLE_LABEL),
	DATA(FIELD_SIGNAL, struct killsnoop_event, signal, "signal_name"),
	FIELD(FIELD_S32, struct killsnoop_event, target, "tpid", "TPID", -7, .role = ROLE_TASK,
	      KNOWN_BY(struct killsnoop_event, target_known)),
	DATA_GET(FIELD_S32, get_tgid, "target_tgid", .role = ROLE_TASK),
	DATA_GET(FIELD_S32, get_tid, "target_tid", .role = ROLE_TASK),
	FIELD(FIELD_S32, struct killsnoop_event, ret, "ret", "RESULT", -6),
	EVENT_ERROR(struct killsnoop_event, ret),
	DATA_GET(FIELD_STR, get_syscall, "syscall"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct event_source source = {
	.progs = {
		PROGS(killsnoop),
		PROGS_PROBES(probes),
		PROGS_CONFIG(struct settings, config),
		.what = "signals",
	},
};

TOOL(killsnoop, .brief = "print each signal that a process sends, and the result",
     .group = GROUP_WHO,
     .args = "[-- COMMAND [ARG]...]", .schema = &schema, EVENT_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each signal that a system call sends: kill, tkill, tgkill, rt_sigqueueinfo, "
	     "rt_tgsigqueueinfo or pidfd_send_signal. Signal 0 only asks whether a signal could be sent. Signals "
	     "that the kernel sends by itself, for a fault, a timer or Ctrl-C, have no row.\n\n"
	     "TPID is the number that the caller passed, in its own pid namespace: a process, a thread if the call "
	     "is about one (JSON then has its process, too), 0 for the caller's own process group, -PGID for "
	     "another group, -1 for all. For pidfd_send_signal it is the process of the descriptor, as the host "
	     "numbers it, or - if there is none. --tpid compares with these numbers, so it does not find signals to "
	     "groups.\n\n"
	     "Signals are named as kill -l shows them, with or without SIG, or numbered: -s TERM,SIGKILL,RTMIN+1,0.",
     EXAMPLES({ "sonde killsnoop", "all signals, until Ctrl-C" },
	      { "sonde killsnoop -x", "signals that could not be sent, and why" },
	      { "sonde killsnoop -s KILL,TERM -T 181", "who kills process 181" },
	      { "sonde killsnoop -- ./server", "signals that a program and its children send" },
	      { "sonde killsnoop -j | jq 'select(.signal > 0)'", "as data, without signal 0" }));
