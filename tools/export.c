// SPDX-License-Identifier: BSD-2-Clause
/* export: totals of other tools for Prometheus, all the time. */
#include "export/export.h"
#include "run/tool.h"

static const struct opt options[] = {
	OPT(OPT_STRING, struct export_options, listen, 'l', "listen", "WHERE",
	    "ADDR:PORT, unix:PATH or fd: (sockets of the service manager); " LISTEN_DEFAULT),
	OPT(OPT_STRING, struct export_options, textfile, 0, "textfile", "FILE",
	    "write the page to FILE, DIR/NAME.prom, for node-exporter's textfile collector, and serve it only with "
	    "--listen"),
	OPT(OPT_SECONDS, struct export_options, every, 0, "every", "TIME", "how often to write it; 15s"),
	OPT(OPT_BOOL, struct export_options, pin, 0, "pin", NULL,
	    "count on after the end, until the next start goes on from there: pins below /sys/fs/bpf/sonde"),
	OPT(OPT_BOOL, struct export_options, check, 0, "check", NULL,
	    "attach, scrape once to stdout, report what each line costs, and end"),
	OPT(OPT_BOOL, struct export_options, families, 0, "families", NULL,
	    "list the families of metrics of these lines, or of all tools, and end"),
	OPT(OPT_BOOL, struct export_options, strict, 0, "strict", NULL,
	    "end with an error if a line cannot be attached, rather than export the rest"),
	OPT(OPT_STRING, struct export_options, budget, 0, "budget", "SHARE",
	    "limit the total cost to this share of the machine, such as 0.5%; expensive lines are sampled, then paused"),
};

static int export(struct run *run, struct err *err)
{
	return export_run(run, run->instance.tool_settings, err);
}

TOOL(export, .brief = "counters and histograms for Prometheus, all the time", .args = "CONFIG | LINE...",
     .group = GROUP_ALWAYS, .front = { "sonde export /etc/sonde/metrics.conf", "metrics for Prometheus" },
     OPTIONS(options), SETTINGS(struct export_options), .act = export, .unlinked = true,
     LACKS({ "json csv", "the scraper chooses the format" }),
     .description =
	     "Each LINE is a tool with its options, as one types it in a shell; CONFIG is a file of such lines, with "
	     "comments after #. Tools that count or measure can be exported: their keys are labels, their counts "
	     "counters, their histograms histograms. At the end of a line, 'as NAME' names its metrics, 'max N' limits "
	     "the keys (128; the values of all others are in one row with other=\"true\"), and "
	     "'buckets LOW..HIGH/STEP' shows fewer buckets of a histogram.\n\n"
	     "Metrics are served over HTTP as text 0.0.4, OpenMetrics or protobuf, whichever the scraper prefers. "
	     "A line that cannot be attached is a metric (sonde_line_up, sonde_probe_attached), and the others run "
	     "on.\n\n"
	     "SIGHUP reads the configuration again. Unchanged lines go on with their totals, lines that could not be "
	     "attached are tried again, and a configuration with an error changes nothing.",
     EXAMPLES({ "sonde export /etc/sonde/metrics.conf", "serve http://127.0.0.1:9435/metrics" },
	      { "sonde export 'biolatency -D' 'runqlat max 64'", "lines in place of a file" },
	      { "sonde export 'funccount t:tcp:tcp_retransmit_skb as retransmits'", "counts calls, as retransmits_total" },
	      { "sonde export --check metrics.conf", "try a configuration: print one page, and what each line costs" },
	      { "sonde export --listen unix:/run/sonde.sock 'syscount'", "for a proxy on this machine" }));
