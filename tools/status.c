// SPDX-License-Identifier: BSD-2-Clause
/* status: who is tracing this kernel, once or again and again. */
#include "base/clock.h"
#include "base/report.h"
#include "run/run.h"
#include "traces/tracer_rows.h"

struct settings {
	bool watch, cost;
	uint64_t interval;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, watch, 'w', "watch", NULL, "refresh the table, as top does, until q or Ctrl-C"),
	OPT(OPT_BOOL, struct settings, cost, 0, "cost", NULL, "count runs of BPF programs, and their time, over an interval"),
	OPT(OPT_SECONDS, struct settings, interval, 'i', "interval", "SECONDS",
	    "the interval of --cost, and between two tables (default 1)"),
};

/* Reads, shows, and keeps what was read for the next time. */
static void show(struct run *run, struct tracer_look *before, bool first)
{
	const struct settings *settings = run->instance.tool_settings;
	struct tracers tracers __cleanup(tracers_release) = {};
	struct tracer_rows rows __cleanup(tracer_rows_release) = {};

	tracers_read(&tracers);
	tracer_rows_make(&rows, &tracers, before, output_is_text(run->ctx.out) && !run->options.verbose);
	if (settings->watch)
		output_screen(run->ctx.out);
	if (rows.n || settings->watch) {
		engine_choose_columns(&run->instance, &rows.columns);
		engine_table_begin(&run->instance);
		vec_each(it, &rows)
			output_row(run->ctx.out, it);
		output_table_end(run->ctx.out);
	}
	for (size_t i = 0; first && i < tracers.notes.n; i++)
		report_note("%s", tracers.notes.v[i]);
	if (first && !rows.n && !tracers.notes.n)
		report_note("nothing traces this kernel");
	tracer_look_keep(before, &tracers);
}

static int status(struct run *run, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	struct tracer_look before __cleanup(tracer_look_release) = TRACER_LOOK_NONE;
	bool first = true;
	int ret = settings->cost ? tracer_look_begin(&before, err) : 0;

	if (ret || (settings->cost && !run_pause(run, settings->interval, false)))
		return ret;
	do {
		show(run, &before, first);
		first = false;
	} while (settings->watch && run_pause(run, settings->interval, true));
	return 0;
}

TOOL(status, .brief = "who is tracing this kernel, and what it costs", .args = "", OPTIONS(options), SETTINGS_WITH(struct settings, .interval = NS_PER_SEC),
     .group = GROUP_CRASH,
     .schema = &tracer_rows_schema, .act = status, .unlinked = true,
     .description =
	     "Prints one table of everything that traces this kernel: BPF programs with what they are attached to, "
	     "perf probes and other dynamic events with their hits, events, triggers and filters that are set in "
	     "tracefs, ftrace's tracer and settings, instances, perf events, and who reads trace_pipe.\n\n"
	     "OWNER is the process that holds the item open, or the pin that keeps it. \"inferred\" means that only "
	     "a name (bcc and others write their process id into the names of events) or a reader of the instance "
	     "shows the owner. \"orphan\" means that this owner is dead, or that the name shows no process and "
	     "nothing uses the item; sonde reset-trace removes these. - means that no name shows the owner, as for "
	     "an event made by hand.\n\n"
	     "TARGET is the first place that the item is attached to, and how many more there are. -v lists all, "
	     "and each event of an owner that has several. MEM is the kernel's memory for a program and its maps; "
	     "shared maps count for each program. HITS and MISSED are shown if the kernel counts them.\n\n"
	     "With --cost the kernel counts runs of BPF programs and their time over one interval: RUNS/S and %CPU, "
	     "of one processor. This makes each run a little slower during that time. Without root, status shows "
	     "what it can read, and reports what it could not see.",
     EXAMPLES({ "sonde status", "who is tracing" },
	      { "sonde status --cost -i 5", "with the cost of BPF programs, over 5 seconds" },
	      { "sonde status -w --cost", "refreshed, the most expensive first" },
	      { "sonde status --json | jq 'select(.owner.state == \"orphan\")'", "what crashed tools left behind" }));
