// SPDX-License-Identifier: BSD-2-Clause
/*
 * status: who is tracing this kernel. What there is and whose it is are src/traces/tracers.h; here is how it is shown, and what
 * BPF programs cost in the time between two looks.
 */
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/report.h"
#include "run/run.h"
#include "traces/tracers.h"

static struct {
	bool watch, cost;
	uint64_t interval;
} settings = { .interval = NS_PER_SEC };

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), watch, 'w', "watch", NULL, "show it again and again, as top does, until q or Ctrl-C"),
	OPT(OPT_BOOL, typeof(settings), cost, 0, "cost", NULL, "count runs of BPF programs, and their time, over an interval"),
	OPT(OPT_SECONDS, typeof(settings), interval, 'i', "interval", "SECONDS", "of --cost, and between two tables (default 1)"),
};

/* ---- a row: a tracer, or several events of one owner ---- */

struct row {
	struct tracer tracer; /* its lists are not ours */
	size_t n;	      /* tracers */
	size_t at;	      /* before they are sorted */
	double runs, cpu;     /* with has_cost: a second, and per cent of one processor */
};

/* Columns that only some machines, or runs, have something for. */
static bool has_hits, has_missed, has_cost;

static const struct tracer *tracer_of(const void *row)
{
	return &((const struct row *)row)->tracer;
}

static void add_number(struct str *s, uint64_t value, enum output_format format)
{
	if (value != TRACER_NONE)
		str_add_u64(s, value);
	else
		str_add(s, format == OUTPUT_JSON ? "null" : "-");
}

static void add_list(struct str *s, const char *const *texts, size_t n)
{
	str_addc(s, '[');
	for (size_t i = 0; i < n; i++) {
		str_add(s, i ? "," : "");
		if (texts[i])
			str_add_json(s, texts[i], strlen(texts[i]));
		else
			str_add(s, "null");
	}
	str_addc(s, ']');
}

/* An event by GROUP/EVENT, several by their group and number; what is set in an instance with its name. */
static void add_name(struct str *s, const void *row, enum output_format format)
{
	const struct tracer *tracer = tracer_of(row);
	size_t n = ((const struct row *)row)->n;

	if (format == OUTPUT_JSON) {
		str_add_json(s, tracer->name, strlen(tracer->name));
		return;
	}
	if (tracer->instance && strcmp(tracer->instance, tracer->name)) {
		str_add_shown(s, tracer->instance, strlen(tracer->instance));
		str_add(s, ": ");
	}
	if (tracer->group) {
		str_add_shown(s, tracer->group, strlen(tracer->group));
		str_addc(s, '/');
	}
	if (n > 1)
		str_addf(s, "(%zu)", n);
	else
		str_add_shown(s, tracer->name, strlen(tracer->name));
}

/* "/usr/lib/libc.so.6:malloc" is shown as "libc.so.6:malloc"; -v shows all of all. */
static void show_targets(struct str *s, const struct tracer *tracer)
{
	bool all = report_is_verbose();
	size_t n = all ? tracer->targets.n : 1;

	for (size_t i = 0; i < n; i++) {
		const char *name = tracer->targets.v[i] ?: "-", *slash = strrchr(name, '/');

		if (!all && slash && slash[1])
			name = slash + 1;
		str_add(s, i ? "," : "");
		str_add_shown(s, name, strlen(name));
	}
	if (tracer->targets.n > n)
		str_addf(s, " +%zu", tracer->targets.n - n);
}

static void add_targets(struct str *s, const void *row, enum output_format format)
{
	const struct tracer *tracer = tracer_of(row);

	if (format == OUTPUT_JSON)
		add_list(s, tracer->targets.v, tracer->targets.n);
	else if (tracer->program && !tracer->attached)
		str_add(s, "not attached");
	else if (tracer->targets.n)
		show_targets(s, tracer);
	else if (tracer->links)
		str_addf(s, "(%zu)", tracer->links);
	else
		str_addc(s, '-');
}

static void add_active(struct str *s, const void *row, enum output_format format)
{
	const struct tracer *tracer = tracer_of(row);

	if (tracer->program || tracer->group)
		str_add(s, tracer->attached || tracer->enabled ? "true" : "false");
	else
		str_add(s, "null");
}

static void add_program(struct str *s, const void *row, enum output_format format)
{
	uint32_t id = tracer_of(row)->program;

	add_number(s, id ? id : TRACER_NONE, format);
}

static void add_hits(struct str *s, const void *row, enum output_format format)
{
	add_number(s, tracer_of(row)->hits, format);
}

static void add_missed(struct str *s, const void *row, enum output_format format)
{
	add_number(s, tracer_of(row)->missed, format);
}

/* With three digits at most: 512, 1.5K, 48K, 12M. */
static void add_memory(struct str *s, const void *row, enum output_format format)
{
	uint64_t bytes = tracer_of(row)->memory;
	const char *units = "KMGT", *unit = "";
	double value = bytes;

	if (format == OUTPUT_JSON || bytes == TRACER_NONE) {
		add_number(s, bytes, format);
		return;
	}
	for (; value >= 999.5 && *units; value /= 1024)
		unit = units++;
	str_addf(s, "%.*f%.1s", *unit && value < 9.95, value, unit);
}

static void add_rate(struct str *s, const struct row *row, double rate, int decimals, enum output_format format)
{
	if (has_cost && row->tracer.program)
		str_addf(s, "%.*f", decimals, rate);
	else
		add_number(s, TRACER_NONE, format);
}

static void add_runs(struct str *s, const void *row, enum output_format format)
{
	add_rate(s, row, ((const struct row *)row)->runs, 0, format);
}

static void add_cpu(struct str *s, const void *row, enum output_format format)
{
	add_rate(s, row, ((const struct row *)row)->cpu, format == OUTPUT_JSON ? 4 : 2, format);
}

/* ---- owners ---- */

static void show_processes(struct str *s, const struct tracer *tracer)
{
	const struct tracer_process *first = tracer->processes.v;

	str_add_shown(s, first->comm, strlen(first->comm));
	str_addf(s, " (%d)", first->pid);
	if (tracer->processes.n > 1)
		str_addf(s, " +%zu", tracer->processes.n - 1);
}

/* "orphan: bcc (pid 123, dead)" */
static void show_inferred(struct str *s, const struct tracer *tracer)
{
	const struct tracer_process *first = tracer->processes.v;

	str_add(s, tracer->state == TRACER_ORPHAN ? "orphan: " : "inferred: ");
	if (!tracer->tool) {
		show_processes(s, tracer);
		return;
	}
	str_add(s, tracer->tool);
	if (!tracer->pid)
		return;
	str_addf(s, " (pid %d, ", tracer->pid);
	if (first)
		str_add_shown(s, first->comm, strlen(first->comm));
	else
		str_add(s, tracer->dead ? "dead" : "unseen");
	str_addc(s, ')');
}

static void show_owner(struct str *s, const struct tracer *tracer)
{
	switch (tracer->state) {
	case TRACER_HELD:
		show_processes(s, tracer);
		break;
	case TRACER_PINNED:
		str_add(s, "pin ");
		str_add_shown(s, tracer->pins.v[0], strlen(tracer->pins.v[0]));
		break;
	case TRACER_INFERRED:
	case TRACER_ORPHAN:
		show_inferred(s, tracer);
		break;
	case TRACER_UNKNOWN:
		str_addc(s, '-');
		break;
	}
}

static void add_owner(struct str *s, const void *row, enum output_format format)
{
	static const char *const states[] = {
		[TRACER_UNKNOWN] = "unknown",
		[TRACER_HELD] = "held",
		[TRACER_PINNED] = "pinned",
		[TRACER_INFERRED] = "inferred",
		[TRACER_ORPHAN] = "orphan",
	};
	const struct tracer *tracer = tracer_of(row);

	if (format == OUTPUT_TEXT) {
		show_owner(s, tracer);
		return;
	}
	str_addf(s, "{\"state\":\"%s\",\"tool\":", states[tracer->state]);
	str_addf(s, tracer->tool ? "\"%s\"" : "null", tracer->tool);
	str_add(s, ",\"pid\":");
	add_number(s, tracer->pid ? (uint64_t)tracer->pid : TRACER_NONE, format);
	str_addf(s, ",\"dead\":%s,\"processes\":[", tracer->dead ? "true" : "false");
	vec_each(it, &tracer->processes) {
		str_addf(s, "%s{\"pid\":%d,\"comm\":", it == tracer->processes.v ? "" : ",", it->pid);
		str_add_json(s, it->comm, strlen(it->comm));
		str_addc(s, '}');
	}
	str_add(s, "],\"pins\":");
	add_list(s, tracer->pins.v, tracer->pins.n);
	str_addc(s, '}');
}

#define JSON_STR(MEMBER, KEY) FIELD(FIELD_STR, struct row, MEMBER, KEY, NULL, 0, .data_only = true)
#define JSON_BY(ADD, KEY)     FIELD_BY(ADD, KEY, NULL, 0, .data_only = true)

static const struct field fields[] = {
	FIELD(FIELD_STR, struct row, tracer.kind, "kind", "KIND", -13),
	FIELD_BY(add_name, "name", "NAME", -15),
	JSON_STR(tracer.group, "group"),
	JSON_STR(tracer.instance, "instance"),
	JSON_STR(tracer.file, "file"),
	JSON_BY(add_program, "program"),
	FIELD(FIELD_U64, struct row, tracer.links, "links", NULL, 0, .data_only = true),
	JSON_BY(add_active, "active"),
	FIELD_BY(add_targets, "targets", "TARGET", -18, .may_cut = true),
	FIELD_BY(add_hits, "hits", "HITS", 7, .shown = &has_hits),
	FIELD_BY(add_missed, "missed", "MISSED", 6, .shown = &has_missed),
	FIELD_BY(add_memory, "memory", "MEM", 5),
	FIELD_BY(add_runs, "runs_per_second", "RUNS/S", 7, .shown = &has_cost),
	FIELD_BY(add_cpu, "cpu_percent", "%CPU", 5, .shown = &has_cost),
	FIELD_BY(add_owner, "owner", "OWNER", -20),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

/* ---- rows of tracers ---- */

struct rows {
	struct row *v;
	size_t n, cap;
};

static void rows_release(struct rows *rows)
{
	free(rows->v);
}

/* Dynamic events that one crashed tool has left can be thousands: those of one owner and group are one row. */
static bool belongs_to(const struct tracer *a, const struct tracer *b)
{
	return a->group && b->group && !strcmp(a->group, b->group) && !strcmp(a->kind, b->kind) && a->state == b->state &&
	       a->pid == b->pid && str_same(a->tool, b->tool) && a->processes.n == b->processes.n &&
	       (!a->processes.n || a->processes.v->pid == b->processes.v->pid);
}

static void sum(uint64_t *to, uint64_t value)
{
	if (value != TRACER_NONE)
		*to = (*to == TRACER_NONE ? 0 : *to) + value;
}

static void add_row(struct rows *rows, const struct tracer *tracer, bool fold)
{
	struct row *last = rows->n ? &rows->v[rows->n - 1] : NULL;

	if (fold && last && belongs_to(&last->tracer, tracer)) {
		last->n++;
		sum(&last->tracer.hits, tracer->hits);
		sum(&last->tracer.missed, tracer->missed);
	} else {
		last = vec_push(rows);
		last->n = 1;
		last->tracer = *tracer;
	}
}

/* ---- cost: what programs ran between two looks ---- */

/* What was seen before, for the difference to it. */
struct look {
	struct programs programs;
	uint64_t at; /* ns */
};

static void look_release(struct look *look)
{
	programs_release(&look->programs);
}

static void add_cost(struct row *row, const struct programs *before, uint64_t elapsed)
{
	const struct bpf_program *program = programs_find(before, row->tracer.program);
	double scale = elapsed ? (double)NS_PER_SEC / elapsed : 0;

	/* one that came since has run since then */
	row->runs = (row->tracer.runs - (program ? program->runs : 0)) * scale;
	row->cpu = (row->tracer.run_ns - (program ? program->run_ns : 0)) * scale * 100 / NS_PER_SEC;
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? 1 : -1;
	return a->at < b->at ? -1 : 1;
}

/* ---- a table ---- */

static void make_rows(struct rows *rows, const struct tracers *tracers, const struct look *before, bool fold)
{
	uint64_t elapsed = clock_monotonic_ns() - before->at;

	has_hits = has_missed = false;
	vec_each(it, tracers)
		add_row(rows, it, fold);
	vec_each(it, rows) {
		has_hits |= it->tracer.hits != TRACER_NONE;
		has_missed |= it->tracer.missed != TRACER_NONE && it->tracer.missed;
		it->at = it - rows->v;
		if (has_cost && it->tracer.program)
			add_cost(it, &before->programs, elapsed);
	}
	if (has_cost && rows->n)
		qsort(rows->v, rows->n, sizeof(*rows->v), by_cpu);
}

/* Looks, shows, and leaves what was seen for the next look. */
static void show(struct run *run, struct look *before, bool first)
{
	struct tracers tracers __cleanup(tracers_release) = {};
	struct rows rows __cleanup(rows_release) = {};

	tracers_read(&tracers);
	make_rows(&rows, &tracers, before, !run->options.json && !run->options.verbose);
	if (settings.watch)
		output_screen(run->ctx.out);
	if (rows.n || settings.watch) {
		engine_table_begin(&run->instance);
		vec_each(it, &rows)
			output_row(run->ctx.out, it);
		output_table_end(run->ctx.out);
	}
	for (size_t i = 0; first && i < tracers.notes.n; i++)
		report_note("%s", tracers.notes.v[i]);
	if (first && !rows.n && !tracers.notes.n)
		report_note("nothing traces this kernel");
	programs_release(&before->programs);
	before->programs = tracers.programs;
	tracers.programs = (struct programs){};
	before->at = clock_monotonic_ns();
}

/* The kernel counts as long as the descriptor is open: however we end, it is switched off again. */
static int count_runs(struct look *before, int *fd, struct err *err)
{
	const struct holders nobody = {};
	int ret;

	*fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (*fd < 0)
		return err_set(err, -errno, "cannot switch the kernel's BPF statistics on: %s%s", strerror(errno),
			       geteuid() ? " (try sudo)" : "");
	has_cost = true;
	ret = programs_read(&before->programs, &nobody);
	before->at = clock_monotonic_ns();
	return ret ? err_set(err, ret, "cannot list BPF programs: %s", strerror(-ret)) : 0;
}

static int status(struct run *run, struct err *err)
{
	struct look before __cleanup(look_release) = {};
	__close int stats = -1;
	bool first = true;
	int ret = settings.cost ? count_runs(&before, &stats, err) : 0;

	if (ret || (settings.cost && !run_pause(run, settings.interval, false)))
		return ret;
	do {
		show(run, &before, first);
		first = false;
	} while (settings.watch && run_pause(run, settings.interval, true));
	return 0;
}

TOOL(status, .brief = "who is tracing this kernel, and what it costs", .args = "", OPTIONS(options), .settings = &settings,
     .schema = &schema, .act = status, .unlinked = true,
     .description =
	     "One table of everything that traces this kernel: BPF programs with what they are attached to, perf probes and other "
	     "dynamic events with their hits, events, triggers and filters that are set in tracefs, ftrace's tracer and settings, "
	     "instances, perf events, and who reads trace_pipe.\n\n"
	     "OWNER is the process that holds it open, or the pin that keeps it; \"inferred\" where only a name tells (bcc and "
	     "others write their process id into the names of events) or somebody who reads the instance; \"orphan\" where that "
	     "owner is dead, or names no process and nothing uses it (sonde reset-trace removes these); - where no name tells, as of "
	     "what was made by hand.\n\n"
	     "TARGET is the first of what it is attached to, and how many more there are; -v names all, and each event of an owner "
	     "who has several. MEM is the kernel's memory for a program and its maps; maps that programs share count in each. HITS and MISSED "
	     "are shown where the kernel tells them.\n\n"
	     "With --cost the kernel counts runs of BPF programs, and the time they take, over one interval: RUNS/S and %CPU, of one "
	     "processor. This makes each run a little slower while it lasts. Without root it shows what it may, and says what it could not see.",
     EXAMPLES({ "sonde status", "who is tracing" }, { "sonde status --cost -i 5", "and what BPF programs cost, over 5 seconds" },
	      { "sonde status -w --cost", "the same again and again, the most expensive first" },
	      { "sonde status --json | jq 'select(.owner.state == \"orphan\")'", "what crashed tools have left" }));
