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
	OPT(OPT_BOOL, typeof(settings), force, 'F', "force", NULL, "reset everything of tracefs, or of --owner, also what is in use"),
	OPT(OPT_BOOL, typeof(settings), dry, 'n', "dry-run", NULL, "say what would be done and change nothing"),
	OPT(OPT_STRING, typeof(settings), owner, 0, "owner", "NAME", "remove what this tool made, too, unless its process is alive",
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
		   "Takes away the kprobe, uprobe and other dynamic events that a tracer left in tracefs when it crashed or was "
		   "killed, and what was enabled of them. Each is attributed by its name: those of bcc, libbpf, dtrace, systemtap "
		   "and ply hold the process that made them. Those of a dead process go, those of a living one stay. Where the "
		   "name tells the tool only, an event goes when it is not enabled and has no trigger, and neither perf nor a BPF "
		   "program uses it; perf probe's stay. What bears nobody's name was made by hand, or by a tool that is not known: it "
		   "stays, until --owner gives its group. An instance goes when all that was set in it does, and nothing is recorded "
		   "in it.\n\n"
		   "A process id may have been given to another process since: then the events stay, with the process named. "
		   "Where the kernel keeps the time at which an event was made (tracefs has none since eventfs), one that is older "
		   "than that process goes. An id that is now another command than ply's, dtrace's or systemtap's is told; --owner "
		   "takes its events away. Processes in other pid namespaces are known by their ids in there. Within a pid "
		   "namespace nobody can be proven dead.\n\n"
		   "BPF programs, maps and links that are pinned in a bpffs, of all that are mounted, belong to the first directory "
		   "of their path, but where it is known better (iproute2, cilium, calico, libxdp). sonde's own go. Those of others "
		   "are listed, and go when --owner names them. What a living process has open, or what stands beside that, and what "
		   "is of a tool whose command runs, stays. -F alone touches no pin of others.\n\n"
		   "--owner takes any name, of a tool, of a directory of pins, of the group of events that bear no tool's name, or of "
		   "an instance. With -F it takes away what is that owner's and in "
		   "use, too, and nothing else by force.\n\n"
		   "ftrace's own settings, enabled events, triggers and filters belong to nobody that could be asked. They are "
		   "checked, and told where they are not as the kernel begins, with the process that reads the ring buffer, if one "
		   "does; -F resets them. The ring buffers are not read, "
		   "and emptied with -F only; but newer kernels empty one themselves when an event that was enabled in it is removed.\n\n"
		   "A kernel that is locked down (confidentiality) refuses tracefs: pins are cleaned then, and the rest is told.\n\n"
		   "Exits 0 when all is clean, 1 when something could not be cleaned, and with -n 3 when there is something to "
		   "clean.",
	   EXAMPLES({ "sonde reset-trace", "clean up; silent when there was nothing to do" },
		    { "sonde reset-trace -n -v", "what would be done, file by file" },
		    { "sonde reset-trace --owner perf", "perf probe's events as well" },
		    { "sonde reset-trace --owner tetragon", "what tetragon pinned, unless it runs" },
		    { "sonde reset-trace -F", "everything, also what is in use by others" }));
