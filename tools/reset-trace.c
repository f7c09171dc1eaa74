// SPDX-License-Identifier: BSD-2-Clause
/*
 * reset-trace: removes what dead tracers left behind. src/traces/ finds what there is, decides, acts and reports; this file
 * has the options and the exit status.
 */
#include "base/report.h"
#include "run/run.h"
#include "traces/clean.h"
#include "traces/faults.h"
#include "traces/owner.h"
#include "traces/rows.h"
#include "traces/text.h"

struct settings {
	bool force, dry, quiet;
	const char *owner;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, force, 'F', "force", NULL,
	    "reset all of tracefs, or of --owner, even what is in use"),
	OPT(OPT_BOOL, struct settings, dry, 'n', "dry-run", NULL, "print what would be done and change nothing"),
	OPT(OPT_STRING, struct settings, owner, 0, "owner", "NAME",
	    "also remove what this tool made, unless its process is alive",
	    .offers = owner_offer),
	OPT(OPT_BOOL, struct settings, quiet, 'q', "quiet", NULL, "print nothing but errors"),
};

static int reset(struct run *run, const struct traces *traces)
{
	const struct settings *settings = run->instance.tool_settings;
	struct trace_policy policy = { .force = settings->force, .owner = settings->owner };
	struct trace_verdicts plan __cleanup(trace_verdicts_release) = {};

	trace_verdicts_make(&plan, traces, &policy);
	if (!settings->dry)
		traces_clean(traces, &plan);
	if (!output_is_text(run->ctx.out) && !settings->quiet)
		traces_print_rows(run->ctx.out, traces, &plan);
	else if (!settings->quiet)
		traces_print_text(run->ctx.out, traces, &plan, settings->dry, run->options.verbose);
	output_flush(run->ctx.out);
	traces_report_unreadable(traces);
	if (traces_report_errors(traces, &plan, run->options.verbose))
		return 1;
	return settings->dry && trace_verdicts_act(&plan) ? 3 : 0;
}

static int reset_trace(struct run *run, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	struct traces traces __cleanup(traces_release) = {};
	int ret, status;

	report_set_quiet(settings->quiet);
	ret = traces_read(&traces, err);
	/* a kernel that is locked down refuses tracefs even to root, and nothing else */
	if (ret && (ret != -EPERM || geteuid()))
		return ret;
	if (!ret && settings->owner && traces_check_owner(&traces, settings->owner, err)) {
		run->ctx.usage = true;
		return -EINVAL;
	}
	status = reset(run, &traces);
	return ret ? ret : status;
}

TOOL_NAMED(reset_trace, "reset-trace", .also = "reset", .brief = "clean up after tracers that were killed", .args = "",
	   .group = GROUP_CRASH, .front = { "sonde reset-trace -n -v", "what dead tracers left" },
	   OPTIONS(options), SETTINGS(struct settings), .schema = &traces_schema, .act = reset_trace,
	   .description =
		   "Removes the kprobe, uprobe and other dynamic events that a tracer left in tracefs when it "
		   "crashed or was killed, and disables them first. The name of an event shows its owner: bcc, "
		   "libbpf, dtrace, systemtap and ply write the id of their process into it. Events of a dead "
		   "process are removed, those of a living process stay. If the name shows only the tool, an "
		   "event is removed if it is not enabled, has no trigger, and neither perf nor a BPF program "
		   "uses it; perf probe's events stay. An event that carries no name was made by hand or by an "
		   "unknown tool. It stays, unless --owner names its group. An instance is removed if everything "
		   "that was set in it goes, and nothing is recorded in it.\n\n"
		   "Another process may have got the id since. Then the events stay, and the process is named. If "
		   "the kernel stores when an event was made (tracefs does not since eventfs), an event that is "
		   "older than that process is removed. If an id now belongs to a command other than ply, dtrace "
		   "or systemtap, sonde reports it; --owner removes its events. Processes in other pid namespaces "
		   "are known by their ids there. Inside a pid namespace nobody can be proven dead.\n\n"
		   "BPF programs, maps and links that are pinned in a mounted bpffs belong to the first directory "
		   "of their path, unless sonde knows better (iproute2, cilium, calico, libxdp). sonde removes "
		   "its own pins. It lists those of others, and removes them if --owner names them. A pin stays "
		   "if a living process has its object open, or that of another pin in the same directory, or if "
		   "the tool's command is running. -F alone removes no pin of others.\n\n"
		   "--owner takes the name of a tool, of a directory of pins, of the group of events without a "
		   "tool's name, or of an instance. With -F it also removes what is in use by that owner, and "
		   "forces nothing else.\n\n"
		   "Settings of ftrace, enabled events, triggers and filters have no owner. sonde checks them, "
		   "and reports those that differ from the state after boot, with the process that reads the ring "
		   "buffer, if there is one; -F resets them. sonde does not read the ring buffers, and empties "
		   "them only with -F. But newer kernels empty a ring buffer when an event that was enabled in it "
		   "is removed.\n\n"
		   "A kernel that is locked down (confidentiality) refuses access to tracefs. sonde then cleans "
		   "up pins and reports the rest.\n\n"
		   "Exits with 0 if everything is clean, with 1 if something could not be cleaned up, and with -n "
		   "with 3 if there is something to clean up.",
	   EXAMPLES({ "sonde reset-trace", "clean up; silent if there is nothing to do" },
		    { "sonde reset-trace -n -v", "print what would be done, file by file" },
		    { "sonde reset-trace --owner perf", "also remove perf probe's events" },
		    { "sonde reset-trace --owner tetragon", "also remove what tetragon pinned, unless it runs" },
		    { "sonde reset-trace -F", "reset everything, even what others use" }));
