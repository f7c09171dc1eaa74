// SPDX-License-Identifier: BSD-2-Clause
/* tcpretrans: TCP retransmissions. */
#include "engines/counted.h"
#include "engines/tcp.h"
#include "run/tool.h"
#include "tools/tcpretrans.h"
#include "tools/tcpretrans.skel.h"

struct settings {
	bool seq, probes, count;
	struct tcp_wanted wanted;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, seq, 's', "sequence", NULL, "show sequence numbers"),
	OPT(OPT_BOOL, struct settings, probes, 'l', "lossprobe", NULL, "also show tail loss probes"),
	OPT(OPT_BOOL, struct settings, count, 'c', "count", NULL, "count by connection, and print a table at the end"),
	TCP_VERSION_OPTIONS(struct settings, wanted),
};

static const struct field fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8),
	EVENT_TIMESTAMP,
	EVENT_ID(pid, "PID", -7),
	TCP_VERSION(),
	TCP_LOCAL(-20),
	TCP_RETRANSMIT(struct tcpretrans_event, segment),
	TCP_REMOTE(-20),
	TCP_STATE(struct tcpretrans_event, state, -12),
	FIELD(FIELD_U32, struct tcpretrans_event, seq, "seq", "SEQ", -10, .shown = IS_SET(seq),
	      KNOWN_BY(struct tcpretrans_event, segment)),
};
static const struct field by_ends[] = { TCP_LOCAL(-25), TCP_REMOTE(-25), COUNTED("retransmits", "RETRANSMITS", -1) };
static const struct schema schema = { fields, ARRAY_SIZE(fields) }, counts = { by_ends, ARRAY_SIZE(by_ends) };

static const struct progs_probe probes[] = {
	{ .program = "retransmits", .system = "tcp", .name = "tcp_retransmit_skb" },
	{ .program = "retransmits", .function = "tcp_send_loss_probe", .when = IS_SET(probes) },
};
static const struct event_source source = {
	.progs = { PROGS(tcpretrans), PROGS_PROBES(probes), PROGS_CONFIG(struct settings, wanted), .no_task = true,
		   .what = "TCP retransmissions" },
	.counted = &counts,
	.count = IS_SET(count),
};

TOOL(tcpretrans, .brief = "print each TCP retransmission", .args = "[-- COMMAND [ARG]...]", .schema = &schema,
     .group = GROUP_HAPPENED,
     EVENT_ENGINE(source), OPTIONS(options), SETTINGS(struct settings),
     LACKS(PROGS_LACKS_TASK("timers and incoming packets cause retransmissions, in whichever process runs")),
     .description = "Prints a row for each TCP segment that is sent again (R>) and, with -l, for each tail loss probe "
		    "(L>); one that sends a segment again has a second row. PID is the process that the processor was "
		    "running, 0 for none: mostly a bystander, so tasks cannot be filtered.",
     EXAMPLES({ "sonde tcpretrans -l -s", "with loss probes and sequence numbers" }));
