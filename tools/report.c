// SPDX-License-Identifier: BSD-2-Clause
/* report: what a recording says, as tables, as a timeline, beside another recording. src/report/ does it. */
#include "base/report.h"
#include "convert/convert.h"
#include "graph/graph_replay.h"
#include "report/difference.h"
#include "report/spent.h"
#include "report/summary.h"
#include "report/timeline.h"
#include "run/run.h"
#include "strace/replay.h"
#include "why/why.h"
#include "why/why_replay.h"

#define TOP_DEFAULT 20
#define TOP_UNSET   UINT32_MAX
#define VIEWS	    "[summary | timeline | tree | why | strace | diff OLD]"

struct settings {
	uint32_t top;
	const char *folded, *flame, *perfetto, *trace_dat;
	bool force;
};

static const struct opt options[] = {
	OPT(OPT_U32, struct settings, top, 'T', "top", "N",
	    "print only the N largest rows of a table: 20, all with --json and --csv; 0: all"),
	OPT(OPT_STRING, struct settings, folded, 0, "folded", "FILE", "write the threads' time as folded stacks to FILE; with tree, the time of calls"),
	OPT(OPT_STRING, struct settings, flame, 0, "flame", "FILE", "write the same as a flame graph to FILE, an SVG image"),
	OPT(OPT_STRING, struct settings, perfetto, 0, "perfetto", "FILE", "write the recording to FILE for Perfetto's UI"),
	OPT(OPT_STRING, struct settings, trace_dat, 0, "trace-dat", "FILE", "write it for trace-cmd and KernelShark"),
	OPT(OPT_BOOL, struct settings, force, 0, "overwrite", NULL, "overwrite output files that exist",
	    .also = "force"),
};

enum view {
	VIEW_SUMMARY,
	VIEW_TIMELINE,
	VIEW_TREE,
	VIEW_WHY,
	VIEW_STRACE,
	VIEW_DIFF
};

/* What the arguments say. */
struct wish {
	const char *file, *old;
	enum view view;
	bool has_view; /* named; files alone print no table */
};

static const char *const views[] = {
	[VIEW_SUMMARY] = "summary",
	[VIEW_TIMELINE] = "timeline",
	[VIEW_TREE] = "tree",
	[VIEW_WHY] = "why",
	[VIEW_STRACE] = "strace",
	[VIEW_DIFF] = "diff",
	NULL,
};

static int find_view(const char *word)
{
	for (int i = 0; views[i]; i++)
		if (!strcmp(word, views[i]))
			return i;
	return -1;
}

static int read_arguments(const struct run *run, struct wish *wish, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	const struct opt_list *args = &run->args;

	for (size_t i = 0; i < args->n; i++) {
		int view = find_view(args->v[i]);

		if (view >= 0 && !wish->has_view) {
			wish->view = view;
			wish->has_view = true;
			if (view == VIEW_DIFF && ++i == args->n)
				return err_set(err, -EINVAL, "diff needs another recording: sonde report NEW diff OLD");
			wish->old = view == VIEW_DIFF ? args->v[i] : NULL;
		} else if (!wish->file) {
			wish->file = args->v[i];
		} else {
			return err_set(err, -EINVAL,
				       "'%s' is too much: sonde report [FILE] " VIEWS, args->v[i]);
		}
	}
	if (!wish->file)
		wish->file = "sonde.trace";
	if ((settings->folded || settings->flame) && wish->view != VIEW_SUMMARY && wish->view != VIEW_TREE)
		return err_set(err, -EINVAL, "--folded and --flame write sums: they go with summary or tree");
	return 0;
}

/* 0: all. Who reads data has not asked for less. */
static uint32_t top(const struct run *run)
{
	const struct settings *settings = run->instance.tool_settings;

	if (settings->top != TOP_UNSET)
		return settings->top;
	return output_is_text(run->ctx.out) ? TOP_DEFAULT : 0;
}

/* What the recorder counted, and the reader has not found, or the other way round: the file is damaged. */
static void check_totals(const struct recording_info *info, const char *file, const struct sums *sums)
{
	uint64_t done = info->totals.recorded + info->totals.lost, found = sums->events + sums->lost;

	if (info->ended && done != found)
		report_note("%s: it has %llu events, with those lost, but its end says %llu", file,
			    (unsigned long long)found, (unsigned long long)done);
	if (sums->crowded)
		report_note("%s: the tables lack %llu event%s: they have no room for more rows", file,
			    (unsigned long long)sums->crowded, str_plural(sums->crowded));
}

/* What is not in the recording is said at the end. */
static void say_losses(const struct recording *r, const char *file, uint64_t lost)
{
	const struct recording_info *info = recording_info(r);

	for (size_t i = 0; i < info->n_notes; i++)
		report_note("%s", info->notes[i]);
	if (info->cut)
		report_note("%s: %s", file, info->cut);
	if (info->left_out)
		report_note("%s: %llu event%s left out: it has more than %u threads", file, (unsigned long long)info->left_out,
			    str_plural(info->left_out), RECORDING_TASKS_MAX);
	lost -= lost < info->left_out ? lost : info->left_out;
	if (lost)
		report_note("%s: %llu event%s lost while it was recorded", file, (unsigned long long)lost, str_plural(lost));
	if (info->totals.missed)
		report_note("%s: the kernel missed %llu", file, (unsigned long long)info->totals.missed);
}

static int read_sums(struct sums *sums, struct recording *r, struct err *err)
{
	int ret = sums_read(sums, r);

	if (ret)
		*err = *recording_error(r);
	return ret;
}

static int diff(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	struct sums sums = {}, old_sums = {};
	struct recording *old = recording_open(wish->old, err);
	int ret = old ? read_sums(&old_sums, old, err) : err->code;

	if (!ret)
		ret = read_sums(&sums, r, err);
	if (!ret) {
		difference_print(&old_sums, old, &sums, r, run->ctx.out, top(run));
		output_flush(run->ctx.out);
		say_losses(old, wish->old, old_sums.lost);
		check_totals(recording_info(old), wish->old, &old_sums);
		say_losses(r, wish->file, sums.lost);
		check_totals(recording_info(r), wish->file, &sums);
	}
	sums_release(&sums);
	sums_release(&old_sums);
	recording_close(old);
	return ret;
}

static int add_files(const struct settings *settings, struct files *files, struct err *err)
{
	int ret = 0;

	if (settings->folded)
		ret = files_add(files, &file_folded, settings->folded, settings->force, err);
	if (!ret && settings->flame)
		ret = files_add(files, &file_flame, settings->flame, settings->force, err);
	return ret;
}

static int write_files(struct files *files, const struct sums *sums, const struct recording *r, struct err *err)
{
	int ret = 0;

	if (files->n)
		spent_add(files, sums, r);
	for (size_t i = 0; !ret && i < files->n; i++)
		ret = files_write(files, &files->v[i], err);
	return ret;
}

static int summary(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	struct files files = {};
	struct sums sums = {};
	int ret = add_files(run->instance.tool_settings, &files, err);

	run->ctx.usage = ret == -EINVAL;
	if (!ret)
		ret = read_sums(&sums, r, err);
	if (!ret)
		ret = write_files(&files, &sums, r, err);
	if (!ret) {
		if (wish->has_view || !files.n)
			summary_print(&sums, r, run->ctx.out, top(run), run->options.csv);
		output_flush(run->ctx.out);
		say_losses(r, wish->file, sums.lost);
		check_totals(recording_info(r), wish->file, &sums);
		if (recording_info(r)->has_calls)
			report_note("%s: calls and their arguments are shown by: sonde report FILE strace", wish->file);
	}
	files_release(&files);
	sums_release(&sums);
	return ret;
}

static bool is_converted(const struct settings *settings)
{
	return settings->perfetto || settings->trace_dat;
}

static int convert_one(struct recording *r, const struct convert_format *format, const char *name, bool force,
		       struct files *files, struct err *err)
{
	int ret = files_add(files, &format->file, name, force, err);

	return ret ? ret : convert_write(format, r, &files->v[files->n - 1], err);
}

/* The files of other tools. The recording is at its start again then. */
static int convert(struct run *run, struct recording *r, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	struct files files = {};
	int ret = 0;

	if (settings->perfetto)
		ret = convert_one(r, &convert_perfetto, settings->perfetto, settings->force, &files, err);
	if (!ret && settings->trace_dat)
		ret = convert_one(r, &convert_trace_dat, settings->trace_dat, settings->force, &files, err);
	run->ctx.usage = ret == -EINVAL;
	files_release(&files);
	recording_rewind(r);
	return ret;
}

/* Its losses are events of their own. */
static int timeline(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	int ret = timeline_print(r, run->ctx.out);

	if (ret)
		*err = *recording_error(r);
	else
		say_losses(r, wish->file, 0);
	return ret;
}

static int tree(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	const struct graph_settings files = {
		.folded = settings->folded,
		.flame = settings->flame,
		.overwrite = settings->force,
		.title = run->ctx.title,
	};
	uint64_t lost = 0;
	int ret = graph_replay(r, &files, run->ctx.out, &lost, err);

	run->ctx.usage = ret == -EINVAL;
	if (!ret || ret == -ENODATA)
		say_losses(r, wish->file, lost);
	return ret;
}

static int why(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;
	uint32_t waits = settings->top == TOP_UNSET ? WHY_WORST : settings->top ? settings->top
										: WHY_REPLAY_WAITS;
	uint64_t lost = 0;
	int ret = why_replay(r, run->ctx.out, waits, &lost, err);

	if (!ret)
		say_losses(r, wish->file, lost);
	return ret;
}

static int strace(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	uint64_t lost = 0;
	int ret = strace_replay(r, run->ctx.out, &lost, err);

	/* the calls of a file that is cut or damaged may be what is not there */
	if (!ret || ret == -ENODATA)
		say_losses(r, wish->file, lost);
	return ret;
}

/* Files of other tools alone print no table. */
static int show(struct run *run, struct recording *r, const struct wish *wish, struct err *err)
{
	const struct settings *settings = run->instance.tool_settings;

	if (wish->view == VIEW_DIFF)
		return diff(run, r, wish, err);
	if (wish->view == VIEW_TIMELINE)
		return timeline(run, r, wish, err);
	if (wish->view == VIEW_TREE)
		return tree(run, r, wish, err);
	if (wish->view == VIEW_WHY)
		return why(run, r, wish, err);
	if (wish->view == VIEW_STRACE)
		return strace(run, r, wish, err);
	if (wish->has_view || settings->folded || settings->flame || !is_converted(settings))
		return summary(run, r, wish, err);
	say_losses(r, wish->file, recording_info(r)->totals.lost + recording_info(r)->left_out);
	return 0;
}

static int report(struct run *run, struct err *err)
{
	struct wish wish = {};
	struct recording *r;
	int ret = read_arguments(run, &wish, err);

	if (ret) {
		run->ctx.usage = true;
		return ret;
	}
	r = recording_open(wish.file, err);
	if (!r)
		return err->code;
	ret = convert(run, r, err);
	if (!ret)
		ret = show(run, r, &wish, err);
	recording_close(r);
	return ret;
}

static void offer(const char *word, opt_offer_fn fn, void *ctx)
{
	for (int i = 0; views[i]; i++)
		fn(views[i], ctx);
}

TOOL(report, .brief = "show a recording: sums, timeline, path, or what changed",
     .group = GROUP_HAPPENED,
     .args = "[FILE] " VIEWS, OPTIONS(options), SETTINGS_WITH(struct settings, .top = TOP_UNSET), .act = report,
     .offers = offer, .unlinked = true,
     .description =
	     "Reads what sonde record has written; FILE is sonde.trace if none is named. It needs no privileges, and no "
	     "kernel like the one that was recorded.\n\n"
	     "summary, which is the default, prints what each thread did with its time: RUN on a processor, WAIT "
	     "for one, SLEEP, and wait for a DISK (or sleep without being interruptible); then system calls by the time that "
	     "they took, functions of sonde graph --record by the time that they took without the calls in them, "
	     "requests to disks by their latency, and how many events there are of each kind. Threads that "
	     "existed before the recording are judged from their first event. --csv has the threads only.\n\n"
	     "timeline prints a line for each event, in order: who it was, the processor, the time since the recording "
	     "began, and what happened. Where records were lost it says so, and how many.\n\n"
	     "tree prints the calls of a recording of sonde graph --record as sonde graph does.\n\n"
	     "why prints the page of sonde why: the path of the command, if the recording is of one, where the time of "
	     "all threads went, and the longest waits, five or as many as --top says. Sleeps have the causes of sonde "
	     "why, by the system call alone: descriptor is a wait in a call on a file, a pipe, a terminal or a socket, "
	     "network is in socket, and locks in memory are in condition. It needs the scheduler's events; with those "
	     "of system calls, it divides the time on processors, and does not take a task for the waker that an "
	     "interrupt came upon.\n\n"
	     "strace prints system calls in the form of sonde strace -f, each line behind the number of its thread, on "
	     "a machine of the same architecture. A recording of sonde record strace has what arguments point to; one "
	     "of syscalls has addresses.\n\n"
	     "diff OLD prints the same sums for two recordings, what changed most first. Threads are added up by name.\n\n"
	     "--folded and --flame write where the wall time of all threads went: the thread's name, whether it ran, "
	     "waited for a processor, slept or waited for a disk, and the system call in which it slept.\n\n"
	     "--perfetto writes the recording for https://ui.perfetto.dev and its trace processor, --trace-dat for "
	     "trace-cmd report and KernelShark. Lost events are gaps where they were lost.\n\n"
	     "A recording that was cut off (by kill -9, by a full disk) is shown up to its end, with a note.",
     EXAMPLES({ "sonde report", "the sums of sonde.trace" }, { "sonde report x.trace timeline | less", "all events" },
	      { "sonde report why", "what made the command last" },
	      { "sonde report x.trace strace", "the calls of sonde record strace, with their arguments" },
	      { "sonde report x.trace tree", "the calls of sonde graph --record, as trees" },
	      { "sonde report new.trace diff old.trace", "what got slower" },
	      { "sonde report --flame wall.svg", "where the time of all threads went, as a picture" },
	      { "sonde report --perfetto out.pftrace", "a file to open in Perfetto's UI" },
	      { "sonde report x.trace timeline --json | jq 'select(.kind == \"exec\")'", "what was executed" }));
