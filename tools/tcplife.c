// SPDX-License-Identifier: BSD-2-Clause
/* tcplife: TCP connections as they end, with what they carried and how long they lived. */
#include "engines/tcp.h"
#include "run/tool.h"
#include "tools/tcplife.h"
#include "tools/tcplife.skel.h"

/* The kernel needs 120 bytes for each, open or not. */
#define CONNECTIONS_DEFAULT 32768
#define CONNECTIONS_MAX	    (16 * 1024 * 1024)

struct settings {
	bool wide;
	uint32_t connections;
	struct tcplife_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, wide, 'w', "wide", NULL, "columns wide enough for IPv6 addresses"),
	OPT(OPT_CALL, struct settings, config.wanted.local, 'L', "localport", "PORTS",
	    "only these local ports, such as 80,443", .call = tcp_add_ports),
	OPT(OPT_CALL, struct settings, config.wanted.remote, 'D', "remoteport", "PORTS",
	    "only these remote ports", .call = tcp_add_ports),
	TCP_VERSION_OPTIONS(struct settings, config.wanted),
	OPT(OPT_U32, struct settings, connections, 0, "max-connections", "N",
	    "follow at most N at a time, 120 bytes each: 32768", .min = 1, .max = CONNECTIONS_MAX),
};

#define OWNER KNOWN_BY(struct tcplife_event, owner_known)

static const struct field fields[] = {
	EVENT_TIMES,
	EVENT_ID(pid, "PID", -5, OWNER),
	EVENT_ID_DATA(tid, OWNER),
	EVENT_ID_DATA(ppid, OWNER),
	EVENT_ID_DATA(uid, OWNER),
	EVENT_COMM("COMM", -10, OWNER),
	TCP_VERSION(.shown = IS_SET(wide)),
	TCP_LADDR("laddr", "LADDR", -15),
	TCP_LPORT(-5),
	TCP_RADDR("raddr", "RADDR", -15),
	TCP_RPORT("rport", "RPORT", -5),
	FIELD(FIELD_BYTES, struct tcplife_event, sent, "tx_bytes", "TX_KB", 5, .unit = UNIT_KB, .role = ROLE_COUNTER),
	FIELD(FIELD_BYTES, struct tcplife_event, received, "rx_bytes", "RX_KB", 5, .unit = UNIT_KB, .role = ROLE_COUNTER),
	FIELD(FIELD_DURATION, struct tcplife_event, duration, "duration_ns", "MS", -1, .unit = UNIT_MS, .decimals = 2),
};

static const struct {
	const char *key;
	int width;
} wide[] = { { "comm", -16 }, { "laddr", -26 }, { "raddr", -26 }, { "tx_bytes", 6 }, { "rx_bytes", 6 } };

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	struct field *columns = engine_own_fields(instance);

	if (!settings->connections)
		settings->connections = CONNECTIONS_DEFAULT;
	for (size_t i = 0; settings->wide && i < ARRAY_SIZE(fields); i++)
		for (size_t w = 0; w < ARRAY_SIZE(wide); w++)
			if (!strcmp(columns[i].key, wide[w].key))
				columns[i].width = wide[w].width;
	return 0;
}

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct progs_probe probes[] = {
	TCP_PROBES("state_changed", 0),
	/* without these, who closes a connection is its owner */
	{ .program = "accepted", .syscall = "accept4", .optional = true },
	{ .program = "accepted", .syscall = "accept", .optional = true },
};

static const struct progs_map maps[] = {
	{ "connections", SETTING(uint32_t, struct settings, connections) },
};

static const struct event_source source = {
	.progs = {
		PROGS(tcplife),
		PROGS_PROBES(probes),
		PROGS_MAPS(maps),
		PROGS_CONFIG(struct settings, config),
		.configure = configure,
		.what = "TCP connections as they end",
	},
	.lost_what = "connection",
	.lost_why = "more were open than are followed at a time (--max-connections)",
};

TOOL(tcplife, .brief = "print each TCP connection that ends: bytes, duration", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_LONG,
     .schema = &schema, EVENT_ENGINE(source), .letters = "u:uid", OPTIONS(options),
     SETTINGS(struct settings),
     .description =
	     "Prints a row for each TCP connection that ends: its process, its addresses and ports, how much of "
	     "what was sent the other side has acknowledged, how much was received (KB of 1024 bytes, rounded down; "
	     "JSON has the bytes, without those that SYN and FIN count as), and how long it lived, from connect() "
	     "on, or on the accepting side from when it was established. Failed attempts have a row too, with "
	     "nothing sent. A connection from before tracing has no row.\n\n"
	     "PID and COMM are those of the process that connected or accepted, as it was then, and all filters "
	     "(-p, --comm, --uid, --cgroup, a command) go by it. A connection that was taken by other means than "
	     "accept(2), for example by io_uring, belongs to the process that first does something to end it. If no "
	     "process was ever seen (reset before it was accepted), they are -, in JSON null; with a filter there "
	     "is no row.\n\n"
	     "A connection over IPv4 is shown as IPv4 even if its socket is an IPv6 socket.",
     EXAMPLES({ "sonde tcplife", "all connections, until Ctrl-C" },
	      { "sonde tcplife -w -T", "wide enough for IPv6, with the time" },
	      { "sonde tcplife -L 80,443", "connections to these local ports" },
	      { "sonde tcplife -D 5432 -p 1234", "connections of one process to a database" },
	      { "sonde tcplife -j -- git fetch", "connections of a command, as data" }));
