// SPDX-License-Identifier: BSD-2-Clause
/* Measures what each line costs, asks the policy, and carries out what it says. */
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attach/attach.h"
#include "base/clock.h"
#include "base/report.h"
#include "base/str.h"
#include "budget.h"
#include "budget_policy.h"

#define WINDOW_EVERY (10 * NS_PER_SEC)
/* Fewer runs say nothing about the cost of one. */
#define RUNS_LEAST 20
/* What a program takes if the kernel does not say, ns as below. */
#define PROGRAM_NS 100
/* Of what a program takes, the part that it takes to leave something out. */
#define CHOICE 0.4

/*
 * What the trap of each mechanism takes before the program runs and after it: ns on a processor that takes CALL_NS for
 * a system call that does nothing.
 */
#define CALL_NS 100.0
#define CALLS	1000
static const double trap_ns[MECHS] = {
	[MECH_FENTRY] = 30,
	[MECH_FENTRY_MULTI] = 30,
	[MECH_KPROBE_MULTI] = 80,
	[MECH_KPROBE] = 250,
	[MECH_RAW_TP] = 30,
	[MECH_TP] = 130,
	[MECH_UPROBE_MULTI] = 1000,
	[MECH_UPROBE] = 1100,
	[MECH_EVENT] = 600,
};

struct metered {
	struct source *source;
	uint64_t began; /* of the source: another one may be at the same address later */
	uint64_t hits;	/* when they were read last */
	double per_hit; /* ns */
	struct budget_window learned;
	double steady; /* ns a second, of programs that run without a hit */
	bool paused;
	/* When the window was opened. */
	struct attach_runs runs;
	uint64_t window_hits;
};

struct budget {
	struct budget_policy policy;
	double speed;	 /* of this processor: factor for trap_ns */
	double machine;	 /* ns of processor time in a ns */
	uint64_t second; /* when the last one ended, 0: not yet */
	uint64_t window_due, window_began;
	int stats; /* descriptor that enables the kernel's statistics, -1: the window is closed */
	bool no_stats;
	bool glance; /* a trial has just begun */
	struct metered *v;
	struct budget_line *lines; /* in the same order */
	size_t n;
};

/* --- begin and end --- */

/* Returns how much slower this processor is in the kernel than that of trap_ns, by the shortest system call. */
static double speed(void)
{
	uint64_t least = UINT64_MAX;

	for (int turn = 0; turn < 3; turn++) {
		uint64_t began = clock_monotonic_ns(), took;

		for (int i = 0; i < CALLS; i++)
			syscall(SYS_getppid);
		took = clock_monotonic_ns() - began;
		least = took < least ? took : least;
	}
	return (double)least / CALLS / CALL_NS;
}

int budget_new(struct budget **to, const char *text, struct err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct budget *budget;
	char *end;
	double share = strtod(text, &end);

	if (end == text || strcmp(end, "%") != 0 || !(share > 0 && share <= 100))
		return err_set(err, -EINVAL,
			       "--budget %s: give a share of the machine, from above 0%% to 100%%, such as 0.5%%",
			       text);
	budget = base_alloc(sizeof(*budget));
	budget->policy.limit = share / 100;
	budget->speed = speed();
	budget->machine = cpus > 0 ? cpus : 1;
	budget->stats = -1;
	*to = budget;
	return 0;
}

static void close_stats(struct budget *budget)
{
	if (budget->stats >= 0)
		close(budget->stats);
	budget->stats = -1;
}

void budget_free(struct budget *budget)
{
	if (!budget)
		return;
	close_stats(budget);
	free(budget->v);
	free(budget->lines);
	free(budget);
}

static uint64_t window_end(const struct budget *budget)
{
	return budget_policy_window_end(&budget->policy, budget->window_began, budget->second + NS_PER_SEC);
}

uint64_t budget_deadline(const struct budget *budget)
{
	if (!budget)
		return UINT64_MAX;
	return budget->stats >= 0 ? window_end(budget) : budget->second + NS_PER_SEC;
}

/* --- which lines --- */

static uint64_t hits_of(struct source *source)
{
	struct engine_stats stats = {};

	source_stats(source, &stats);
	return stats.hits;
}

/* What a hit costs before anything was measured: a function that is probed at both ends has two runs for each. */
static double guess(const struct budget *budget, struct source *source)
{
	const struct attach *attach;
	double ns = 0;
	size_t n = 0;

	for (size_t part = 0; (attach = source_attachment(source, part)); part++) {
		for (size_t i = 0; i < attach_targets(attach); i++) {
			enum mech mech = attach_mechanism(attach, i);

			ns += mech ? trap_ns[mech] + PROGRAM_NS : 0;
			n += mech != MECH_AUTO;
		}
	}
	return n ? ns / n * budget->speed * (source_sampling(source) ? 2 : 1) : 0;
}

static void read_runs(struct source *source, struct attach_runs *runs)
{
	const struct attach *attach;

	*runs = (struct attach_runs){};
	for (size_t n = 0; (attach = source_attachment(source, n)); n++)
		attach_add_runs(attach, runs);
}

static void add(struct budget *budget, struct source *source, struct metered *metered, struct budget_line *line)
{
	*metered = (struct metered){ .source = source, .began = source_began(source), .hits = hits_of(source) };
	metered->per_hit = guess(budget, source);
	if (budget->stats >= 0) {
		read_runs(source, &metered->runs);
		metered->window_hits = metered->hits;
	}
	*line = (struct budget_line){ .samples = source_sampling(source), .fixed = 1 };
	if (!line->samples)
		return;
	line->fixed = CHOICE;
	line->shift = *source_sampling(source); /* if the source was adopted */
}

static void follow(struct budget *budget, const struct sources *sources)
{
	struct metered *v = base_alloc((sources->n + 1) * sizeof(*v));
	struct budget_line *lines = base_alloc((sources->n + 1) * sizeof(*lines));
	size_t n = 0;

	for (size_t i = 0; i < sources->n; i++) {
		struct source *source = sources->v[i];
		size_t old = 0;

		if (!source_is_up(source))
			continue;
		while (old < budget->n && (budget->v[old].source != source ||
					   budget->v[old].began != source_began(source)))
			old++;
		if (old < budget->n) {
			v[n] = budget->v[old];
			lines[n] = budget->lines[old];
		} else {
			add(budget, source, &v[n], &lines[n]);
			/* the window does not know how often its programs had run */
			close_stats(budget);
			budget->window_due = 0;
		}
		n++;
	}
	free(budget->v);
	free(budget->lines);
	budget->v = v;
	budget->lines = lines;
	budget->n = n;
}

void budget_follow(struct budget *budget, const struct sources *sources)
{
	if (budget)
		follow(budget, sources);
}

/* --- what they cost --- */

static void open_window(struct budget *budget, uint64_t now)
{
	if (budget->no_stats || budget->stats >= 0)
		return;
	budget->stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (budget->stats < 0) {
		budget->no_stats = true;
		report_line("the kernel's statistics of BPF programs are not permitted: "
			    "what the lines cost is estimated");
		return;
	}
	/* Enabling takes a while. */
	budget->window_began = clock_monotonic_ns();
	budget->window_due = now + WINDOW_EVERY;
	for (size_t i = 0; i < budget->n; i++) {
		read_runs(budget->v[i].source, &budget->v[i].runs);
		budget->v[i].window_hits = hits_of(budget->v[i].source);
	}
}

/* Learns from the window what a hit of the line costs. Returns the line's ns in the window. */
static double learn(const struct budget *budget, struct metered *metered, struct budget_line *line, double ns)
{
	struct budget_window *learned = &metered->learned, window;
	double traps = 0, programs, all;
	struct attach_runs runs;
	uint64_t n = 0;

	read_runs(metered->source, &runs);
	window.hits = budget_policy_grown(hits_of(metered->source), metered->window_hits);
	programs = runs.ns - metered->runs.ns;
	for (size_t mech = 0; mech < MECHS; mech++) {
		uint64_t more = runs.n[mech] - metered->runs.n[mech];

		n += more;
		traps += more * trap_ns[mech] * budget->speed;
	}
	all = traps + programs;
	window.runs = n;
	window.ns = all;
	window.programs_ns = programs;
	if (n >= RUNS_LEAST && window.hits >= RUNS_LEAST / 2) {
		budget_policy_learn(learned, &window);
		report_verbose("%s: %.1f ns in a program, %.1f ns in the trap before it, %.2f runs a hit",
			       source_label(metered->source), learned->programs_ns / learned->runs,
			       (learned->ns - learned->programs_ns) / learned->runs, learned->runs / learned->hits);
		metered->per_hit = learned->ns / learned->hits;
		metered->steady = 0;
	} else {
		/* what runs and counts nothing, because a filter rejects it */
		metered->steady = all / ns * NS_PER_SEC;
	}
	if (line->samples && n >= RUNS_LEAST && !line->shift)
		line->fixed = (traps + programs * CHOICE) / all;
	return all;
}

static void close_window(struct budget *budget, uint64_t now)
{
	double ns = now - budget->window_began;

	/* Disabling takes a while, in which hits would grow and runs would not. */
	for (size_t i = 0; i < budget->n; i++) {
		double all = learn(budget, &budget->v[i], &budget->lines[i], ns);

		if (budget->glance)
			budget->lines[i].cost = all / ns / budget->machine;
	}
	close_stats(budget);
}

static void measure(struct budget *budget, uint64_t now)
{
	double seconds = (now - budget->second) / (double)NS_PER_SEC;

	for (size_t i = 0; i < budget->n; i++) {
		struct metered *metered = &budget->v[i];
		uint64_t hits = hits_of(metered->source), grown = budget_policy_grown(hits, metered->hits);
		double ns = grown * metered->per_hit + metered->steady * seconds;

		if (budget_policy_knows_little(&metered->learned, grown))
			budget->window_due = 0;
		metered->hits = hits;
		budget->lines[i].cost = ns / seconds / NS_PER_SEC / budget->machine;
	}
}

/* --- what follows --- */

static void pause_line(const struct budget *budget, struct metered *metered, double cost)
{
	struct attach *attach;
	char why[96];

	snprintf(why, sizeof(why), "paused: it cost %.2g %% of the machine, the budget is %g %%", cost * 100,
		 budget->policy.limit * 100);
	for (size_t n = 0; (attach = source_attachment(metered->source, n)); n++)
		attach_pause(attach, why);
	source_relinked(metered->source);
	metered->paused = true;
	report_line("%s: %s", source_label(metered->source), why);
}

/* Returns whether at least a part of it runs; otherwise the pause lasts. */
static bool resume_line(struct metered *metered)
{
	struct attach *attach;
	struct err err = {};

	for (size_t n = 0; (attach = source_attachment(metered->source, n)); n++)
		if (attach_resume(attach, &err))
			report_error("%s: %s", source_label(metered->source), err.text);
	if (err.code && !source_attached(metered->source)) {
		for (size_t n = 0; (attach = source_attachment(metered->source, n)); n++)
			attach_pause(attach, err.text);
		return false;
	}
	source_relinked(metered->source);
	metered->paused = false;
	metered->hits = hits_of(metered->source);
	report_line("%s: resumed, to see what it costs now", source_label(metered->source));
	return true;
}

static void apply_line(const struct budget *budget, struct metered *metered, struct budget_line *line)
{
	uint64_t *word = source_sampling(metered->source);

	if (word && *word != line->shift) {
		double was = line->fixed + (1 - line->fixed) / (1U << *word);

		/* a guess, until the next window */
		metered->per_hit *= (line->fixed + (1 - line->fixed) / (1U << line->shift)) / was;
		metered->learned = (struct budget_window){};
		__atomic_store_n(word, line->shift, __ATOMIC_RELAXED);
		report_line("%s: measures one of %u", source_label(metered->source), 1U << line->shift);
	}
	if (line->paused && !metered->paused)
		pause_line(budget, metered, line->cost);
	else if (!line->paused && metered->paused && !resume_line(metered))
		budget_policy_failed(line);
}

static void apply(struct budget *budget)
{
	budget->glance = false;
	for (size_t i = 0; i < budget->n; i++) {
		budget->glance |= budget->v[i].paused && !budget->lines[i].paused;
		apply_line(budget, &budget->v[i], &budget->lines[i]);
	}
	budget->window_due = 0;
}

void budget_tick(struct budget *budget, struct sources *sources, uint64_t now)
{
	if (!budget || now < budget_deadline(budget))
		return;
	follow(budget, sources);
	if (budget->stats >= 0 && now >= window_end(budget)) {
		bool glance = budget->glance;

		close_window(budget, now);
		budget->glance = false;
		if (glance && budget_policy_glance(&budget->policy, budget->lines, budget->n))
			apply(budget);
	}
	if (now < budget->second + NS_PER_SEC)
		return;
	if (budget->second) {
		measure(budget, now);
		if (budget_policy_step(&budget->policy, budget->lines, budget->n))
			apply(budget);
	}
	budget->second = now;
	/* what is over the budget is measured before anything is done about it */
	if (now >= budget->window_due || budget->policy.over)
		open_window(budget, clock_monotonic_ns());
}

/* --- metrics --- */

static void gauge(struct metrics *page, const char *name, const char *help, const struct source *source, double value)
{
	const struct metrics_info info = { name, NULL, help, METRICS_GAUGE };

	metrics_begin(page, metrics_family(page, &info), 0);
	if (source)
		metrics_label(page, "line", source_label(source), strlen(source_label(source)));
	metrics_set(page, metrics_real(value));
}

void budget_collect(const struct budget *budget, struct metrics *page)
{
	const struct metrics_info gap = { "sonde_gap_seconds", "seconds",
					  "Time in which the line was paused, and counted nothing.", METRICS_COUNTER };

	if (!budget)
		return;
	gauge(page, "sonde_budget_ratio", "The share of the machine that all lines may cost.", NULL,
	      budget->policy.limit);
	for (size_t i = 0; i < budget->n; i++) {
		const struct metered *metered = &budget->v[i];
		const struct source *source = metered->source;

		gauge(page, "sonde_cost_ratio", "The share of the machine that the line cost in the last second.",
		      source, budget->lines[i].paused ? 0 : budget->lines[i].cost);
		gauge(page, "sonde_sampling_ratio", "The line measures one of so many, and counts it as often.", source,
		      1U << budget->lines[i].shift);
		metrics_begin(page, metrics_family(page, &gap), source_began(source));
		metrics_label(page, "line", source_label(source), strlen(source_label(source)));
		metrics_set(page, metrics_seconds(source_gap_ns(source)));
	}
}
