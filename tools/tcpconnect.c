// SPDX-License-Identifier: BSD-2-Clause
/* tcpconnect: attempts to connect by TCP. */
#include "engines/counted.h"
#include "engines/tcp.h"
#include "run/tool.h"
#include "tools/tcpconnect.h"
#include "tools/tcpconnect.skel.h"

/* Sockets that are connecting at a time and whose port is waited for; a row each beyond that comes without its port. */
#define CONNECTING_MAX 16384

struct settings {
	bool uid, lport, count;
	uint32_t connecting; /* room for so many */
	struct tcpconnect_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, uid, 'U', "print-uid", NULL, "show the user's id"),
	OPT(OPT_CALL, struct settings, config.wanted.remote, 'P', "port", "PORTS",
	    "only connections to these ports, such as 80,443",
	    .call = tcp_add_ports),
	TCP_VERSION_OPTIONS(struct settings, config.wanted),
	OPT(OPT_BOOL, struct settings, lport, 'L', "lport", NULL,
	    "show the local port; the row then comes when the connection is established or has failed"),
	OPT(OPT_BOOL, struct settings, count, 'c', "count", NULL,
	    "count the attempts by addresses and remote port, and print a table at the end"),
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.lport = settings->lport;
	settings->connecting = settings->lport ? CONNECTING_MAX : 0;
	return 0;
}

static const struct field fields[] = {
	EVENT_TIMES,
	EVENT_ID(uid, "UID", -6, .shown = IS_SET(uid)),
	EVENT_ID(pid, "PID", -6),
	EVENT_ID_DATA(tid),
	EVENT_ID_DATA(ppid),
	EVENT_COMM("COMM", -12),
	TCP_VERSION(),
	TCP_LADDR("saddr", "SADDR", -16),
	TCP_LPORT(-6, .shown = IS_SET(lport)),
	TCP_RADDR("daddr", "DADDR", -16),
	TCP_RPORT("dport", "DPORT", -6),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct field by_ends[] = {
	TCP_LADDR("saddr", "LADDR", -25),
	TCP_RADDR("daddr", "RADDR", -25),
	TCP_RPORT("dport", "RPORT", -20),
	COUNTED("connects", "CONNECTS", -1),
};

static const struct schema counts = { by_ends, ARRAY_SIZE(by_ends) };

static const struct progs_probe probes[] = {
	TCP_PROBES("state_changed", IS_SET(lport)),
};

static const struct progs_map maps[] = {
	{ "connecting", SETTING(uint32_t, struct settings, connecting) },
};

static const struct event_source source = {
	.progs = {
		PROGS(tcpconnect),
		PROGS_PROBES(probes),
		PROGS_MAPS(maps),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.what = "attempts to connect by TCP",
	},
	.counted = &counts,
	.count = IS_SET(count),
};

TOOL(tcpconnect, .brief = "print each attempt to connect by TCP", .args = "[-- COMMAND [ARG]...]", .schema = &schema,
     .group = GROUP_WHO,
     EVENT_ENGINE(source), .letters = "u:uid", OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Prints a row for each TCP connection that a process of this machine tries to open, whatever the "
	     "result: who does it, from which address, to which address and port. The row comes before the first "
	     "packet is sent.\n\n"
	     "The kernel chooses the local port a little later. -L waits for it: the row comes when the connection "
	     "is established or has failed, with the time of that moment. A connection that is undecided when "
	     "tracing ends has no row. A port that was never chosen is shown as -. JSON has the port if it is "
	     "known, otherwise null.\n\n"
	     "A connection over IPv4 is shown as IPv4 even if its socket is an IPv6 socket.",
     EXAMPLES({ "sonde tcpconnect", "all attempts, until Ctrl-C" },
	      { "sonde tcpconnect -P 80,443 -T", "to these ports, with the time" },
	      { "sonde tcpconnect -c -P 5432", "how many, by addresses" },
	      { "sonde tcpconnect -L -U", "with the local port and the user" },
	      { "sonde tcpconnect -- curl -s example.org", "connections of a command" }));
