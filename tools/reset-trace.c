// SPDX-License-Identifier: BSD-2-Clause
/*
 * reset-trace: takes away what tracers that are gone left behind. What is there, whose it is, what is to be done, the doing
 * of it and the words for it are src/traces/; here is what is asked for, what went wrong, and how it ends.
 */
#include "base/report.h"
#include "run/run.h"
#include "traces/clean.h"
#include "traces/owner.h"
#include "traces/rows.h"
#include "traces/text.h"

#define ERRORS_SHOWN 5

static struct {
	bool force, dry, quiet;
	const char *owner;
} settings;

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), force, 'F', "force", NULL,
	    "reset all of tracefs, or of --owner, even what is in use"),
	OPT(OPT_BOOL, typeof(settings), dry, 'n', "dry-run", NULL, "print what would be done and change nothing"),
	OPT(OPT_STRING, typeof(settings), owner, 0, "owner", "NAME",
	    "also remove what this tool made, unless its process is alive",
	    .offers = owner_offer),
	OPT(OPT_BOOL, typeof(settings), quiet, 'q', "quiet", NULL, "print nothing but errors"),
};

static size_t say_errors(const struct traces *traces, const struct trace_plan *plan, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct trace_item *item = &traces->v[i];
		const struct trace_step *step = &plan->v[i];
		__free char *file = NULL;

		if (!trace_step_failed(step) || (n++ >= ERRORS_SHOWN && !all))
			continue;
		file = traces_file_name(traces, item->file);
		report_error("cannot %s %s%s%s%s%s: %s%s", trace_step_action(item, step), item->group ? item->group : "",
			     item->group ? "/" : "", item->group ? item->name : "", item->group ? " in " : "", file,
			     strerror(-step->error),
			     step->error == -EBUSY && trace_is_event(item) ? " (perf or a BPF program uses it)" : "");
	}
	if (n > ERRORS_SHOWN && !all)
		report_error("and %zu more like these (-v names all)", n - ERRORS_SHOWN);
	return n;
}

/* What this kernel does not let us see is no reason to be silent about it. */
static void say_unreadable(const struct traces *traces)
{
	__str struct str files = {};
	int error = 0;

	for (size_t i = 0; i < traces->n; i++) {
		if (!traces->v[i].unreadable)
			continue;
		str_addf(&files, "%s%s", files.len ? ", " : "", traces->v[i].file);
		error = traces->v[i].unreadable;
	}
	if (files.len)
		report_note("not checked, for it cannot be read: %s: %s", files.data, strerror(-error));
}

static bool anything_to_do(const struct trace_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (trace_step_acts(&plan->v[i]))
			return true;
	return false;
}

static int reset(struct run *run, const struct traces *traces)
{
	struct trace_policy policy = { .force = settings.force, .owner = settings.owner };
	struct trace_plan plan __cleanup(trace_plan_release) = {};

	trace_plan_make(&plan, traces, &policy);
	if (!settings.dry)
		traces_clean(traces, &plan);
	if (!output_is_text(run->ctx.out) && !settings.quiet)
		traces_print_rows(run->ctx.out, traces, &plan);
	else if (!settings.quiet)
		traces_print_text(run->ctx.out, traces, &plan, settings.dry, run->options.verbose);
	output_flush(run->ctx.out);
	say_unreadable(traces);
	if (say_errors(traces, &plan, run->options.verbose))
		return 1;
	return settings.dry && anything_to_do(&plan) ? 3 : 0;
}

static bool is_there(const struct traces *traces, const char *owner)
{
	vec_each(item, traces)
		if (trace_is_named(item, owner))
			return true;
	return false;
}

/* A name that no tool is known by and that nothing bears is a wrong one. */
static int check_owner(const struct traces *traces, const char *owner, struct err *err)
{
	struct nearest nearest;
	const char *name;

	if (owner_is_known(owner) || is_there(traces, owner))
		return 0;
	nearest_init(&nearest, owner);
	owner_suggest(&nearest);
	vec_each(item, traces)
		if (item->owner.tool)
			nearest_offer(&nearest, item->owner.tool);
	name = nearest_name(&nearest);
	return err_set(err, -EINVAL, "--owner %s: no tool is known by this name, and nothing here is its%s%s%s", owner,
		       name ? " (did you mean " : "", name ? name : "", name ? "?)" : "");
}

static int reset_trace(struct run *run, struct err *err)
{
	struct traces traces __cleanup(traces_release) = {};
	int ret, status;

	report_set_quiet(settings.quiet);
	ret = traces_read(&traces, err);
	/* a kernel that is locked down refuses tracefs even to root, and nothing else */
	if (ret && (ret != -EPERM || geteuid()))
		return ret;
	if (!ret && settings.owner && check_owner(&traces, settings.owner, err)) {
		run->ctx.usage = true;
		return -EINVAL;
	}
	status = reset(run, &traces);
	return ret ? ret : status;
}

TOOL_NAMED(reset_trace, "reset-trace", .also = "reset", .brief = "clean up after tracers that were killed", .args = "",
	   OPTIONS(options), .settings = &settings, .schema = &traces_schema, .act = reset_trace,
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
