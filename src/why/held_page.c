// SPDX-License-Identifier: BSD-2-Clause
/* The page of `sonde why --over`, and its rows as data. */
#include "held.h"
#include "output/hist.h"
#include "why_page.h"
#include "why_part.h"

#define MS(ns)	    ((double)(ns) / 1e6)
#define SECONDS(ns) ((double)(ns) / 1e9)
/* Rows of the table in text, and parts of a wait. */
#define MOST_ROWS  20
#define MOST_PARTS 6
/* Bytes of a command line. */
#define COMMAND_MOST 60
/* The kernel's numbers of policies. */
#define POLICY_FIFO	1
#define POLICY_RR	2
#define POLICY_BATCH	3
#define POLICY_IDLE	5
#define POLICY_DEADLINE 6
#define POLICY_EXT	7
#define RT_DEADLINE	100

static const struct hist hist = { .kind = HIST_PRECISE };

/* A row of data. Members that a kind does not have are null. */
struct held_row {
	const char *kind; /* "total", "holder", "wait", "part" */
	const char *held_by, *what, *state, *command;
	const char *comm;
	uint32_t pid, tid;
	uint32_t number, cpu; /* of a wait, from 1; of none: NO_CPU */
	uint64_t begin, ns, times, max, waits, threads, lasting;
	uint64_t p50, p99;
	struct frame_stack kernel, user;
};

static const char *const whats[] = {
	[HELD_BY_TASK] = "task",
	[HELD_BY_HARD] = "interrupt",
	[HELD_BY_SOFT] = "softirq",
	[HELD_BY_SELF] = "sonde",
	[HELD_BY_IDLE] = "idle",
	[HELD_BY_QUOTA] = "quota",
	[HELD_ELSEWHERE] = "elsewhere",
	[HELD_BY_UNKNOWN] = "unknown",
};

static const char *const wheres[] = {
	[HELD_SOMEWHERE] = "",
	[HELD_IN_USER] = "user",
	[HELD_IN_KERNEL] = "kernel",
	[HELD_NOT_PREEMPTED] = "kernel, preemption off",
	[HELD_LATE] = "user, interrupted late",
};

/* rt: held_rt(). */
static void add_policy(struct str *s, uint32_t policy, int32_t rt)
{
	static const char *const names[] = {
		[POLICY_BATCH] = "batch",
		[POLICY_IDLE] = "idle policy",
		[POLICY_DEADLINE] = "deadline",
		[POLICY_EXT] = "ext",
	};
	const char *comma = s->len ? ", " : "";

	if (policy == POLICY_FIFO || policy == POLICY_RR)
		str_addf(s, "%s%s %d", comma, policy == POLICY_FIFO ? "fifo" : "rr", rt);
	else if (policy < ARRAY_SIZE(names) && names[policy])
		str_addf(s, "%s%s", comma, names[policy]);
	/* of another policy, but raised by one who waits for its lock */
	else if (rt == RT_DEADLINE)
		str_addf(s, "%sraised to deadline", comma);
	else if (rt)
		str_addf(s, "%sraised to %d", comma, rt);
	else if (policy)
		str_addf(s, "%spolicy %u", comma, policy);
}

static void add_interrupt(const struct held *held, struct str *s, const struct held_key *key)
{
	char own[sizeof(key->comm) + 1] = "";
	const char *name = key->vector ? interrupts_vector(key->id) : interrupts_name(&held->interrupts, key->id);

	memcpy(own, key->comm, sizeof(key->comm));
	if (key->vector)
		str_addf(s, "interrupt %s", *own ? own : name ? name
							      : "between processors");
	else
		str_addf(s, "interrupt %u %s", key->id, str_or_empty(name));
}

static void add_who(const struct held *held, struct str *s, const struct held_key *key)
{
	switch (key->what) {
	case HELD_BY_HARD:
		add_interrupt(held, s, key);
		break;
	case HELD_BY_SOFT:
		str_addf(s, "softirq %s", key->id < INTERRUPTS_SOFT ? interrupts_soft[key->id] : "?");
		break;
	case HELD_BY_SELF:
		str_add(s, "sonde itself");
		break;
	case HELD_BY_IDLE:
		str_add(s, "idle processor waking up");
		break;
	case HELD_BY_QUOTA:
		str_add(s, "its cgroup's quota");
		break;
	case HELD_ELSEWHERE:
		str_add(s, "in other processors' queues");
		break;
	case HELD_BY_UNKNOWN:
		str_add(s, "not known");
		break;
	default:
		str_addf(s, "%.16s", key->comm);
		if (key->id)
			str_addf(s, " %u", key->id);
	}
}

static void add_state(struct str *s, const struct held_key *key)
{
	str_add(s, wheres[key->where]);
	if (key->what == HELD_BY_TASK)
		add_policy(s, key->policy, key->rt);
}

/* What is there without sonde comes first. */
static int by_time(const void *pa, const void *pb)
{
	const struct held_who *a = *(const struct held_who *const *)pa, *b = *(const struct held_who *const *)pb;
	bool self = a->key.what == HELD_BY_SELF;

	if (self != (b->key.what == HELD_BY_SELF))
		return self ? 1 : -1;
	return a->ns < b->ns ? 1 : a->ns > b->ns ? -1
						 : 0;
}

/* Those that held a processor, the longest first, sonde itself last; the caller frees the array. */
static const struct held_who **sort(const struct held_sums *sums, size_t *n)
{
	const struct held_who **sorted = base_alloc((sums->whos.n + 1) * sizeof(*sorted));

	*n = 0;
	vec_each(who, &sums->whos)
		if (who->ns)
			sorted[(*n)++] = who;
	qsort(sorted, *n, sizeof(*sorted), by_time);
	return sorted;
}

static uint64_t percentile(const struct held_sums *sums, unsigned int thousandths)
{
	return hist_percentile(&hist, sums->cells, thousandths);
}

/* --- text --- */

static void print_head(const struct held *held, struct output *out)
{
	const struct held_sums *sums = &held->sums;

	output_line(out, "%llu wait%s over %.12g ms of %zu thread%s for %zu processor%s in %.1f s, %.3f ms in all",
		    (unsigned long long)sums->waits, str_plural(sums->waits), MS(held->settings->over), sums->tids.n,
		    str_plural(sums->tids.n), held->n_cpus, str_plural(held->n_cpus), SECONDS(held->ended - held->began),
		    MS(sums->ns));
	if (!sums->waits)
		return;
	output_line(out, "p50 %.3f ms, p90 %.3f ms, p99 %.3f ms, max %.3f ms", MS(percentile(sums, 500)),
		    MS(percentile(sums, 900)), MS(percentile(sums, 990)), MS(sums->cells[HIST_MAX]));
	if (sums->last)
		output_line(out, "%llu of them last%s", (unsigned long long)sums->last, sums->last == 1 ? "s" : "");
}

static void print_line(struct output *out, const char *who, uint64_t times, uint64_t ns, uint64_t max, const char *rest)
{
	output_line(out, "  %-31s %6llu %10.3f %9.3f%s%s", who, (unsigned long long)times, MS(ns), MS(max), *rest ? "  " : "", rest);
}

static void print_table(const struct held *held, struct output *out)
{
	uint64_t times = 0, ns = 0, max = 0;
	size_t n;
	const struct held_who **sorted = sort(&held->sums, &n);

	output_line(out, "HELD BY                            TIMES   TOTAL ms    MAX ms  STATE, COMMAND");
	for (size_t i = 0; i < n; i++) {
		struct str name __str = {}, state __str = {};

		if (i >= MOST_ROWS && sorted[i]->key.what != HELD_BY_SELF) {
			times += sorted[i]->times;
			ns += sorted[i]->ns;
			max = sorted[i]->max > max ? sorted[i]->max : max;
			continue;
		}
		if (ns)
			print_line(out, "others", times, ns, max, "");
		ns = 0;
		add_who(held, &name, &sorted[i]->key);
		add_state(&state, &sorted[i]->key);
		if (sorted[i]->command)
			str_addf(&state, "%s%.*s", state.len ? "; " : "", COMMAND_MOST, sorted[i]->command);
		print_line(out, name.data, sorted[i]->times, sorted[i]->ns, sorted[i]->max, str_or_empty(state.data));
	}
	if (ns)
		print_line(out, "others", times, ns, max, "");
	free(sorted);
}

/* Prints the stack of a part below it. False: it has none. */
static bool print_stack(const struct held *held, struct output *out, const struct held_part *part)
{
	struct stacks_named named = {};

	if (!part->stack || !stacks_find(held->stacks, part->stack, &named) || !(named.kernel.n || named.user.n))
		return false;
	why_page_stack(out, &named);
	return true;
}

/* The longest one that has a stack is printed with it. */
static void print_parts(const struct held *held, struct output *out, const struct held_wait *wait)
{
	bool has_stack = false;
	uint64_t rest = 0;

	for (size_t i = 0; i < wait->parts.n; i++) {
		const struct held_part *part = &wait->parts.v[i];
		const struct held_who *who = &held->sums.whos.v[part->who];
		struct str line __str = {}, state __str = {};

		if (i >= MOST_PARTS) {
			rest += part->ns;
			continue;
		}
		add_who(held, &line, &who->key);
		add_state(&state, &who->key);
		output_line(out, "     %10.3f  %s%s%s", MS(part->ns), line.data, state.len ? ": " : "",
			    str_or_empty(state.data));
		has_stack = has_stack || print_stack(held, out, part);
	}
	if (rest)
		output_line(out, "     %10.3f  others", MS(rest));
}

static void print_wait(struct held *held, struct output *out, size_t i)
{
	const struct held_wait *wait = &held->sums.longest[i];
	struct str line __str = {}, policy __str = {};

	str_addf(&line, "%.16s %u", wait->comm, wait->tid);
	add_policy(&policy, wait->policy, held_rt(wait->prio));
	if (policy.len)
		str_addf(&line, " (%s)", policy.data);
	if (wait->legs.n)
		str_addf(&line, " on processor %u", wait->legs.v[wait->legs.n - 1].cpu);
	output_line(out, "%3zu. %10.3f  %s at %.6f s%s", i + 1, MS(wait->ended - wait->start), line.data,
		    SECONDS(wait->start - held->began), wait->lasts ? ", lasts" : "");
	print_parts(held, out, wait);
}

static void print_text(struct held *held, struct output *out)
{
	print_head(held, out);
	if (!held->sums.waits)
		return;
	print_table(held, out);
	if (held->sums.n_longest)
		output_line(out, "WORST WAITS");
	for (size_t i = 0; i < held->sums.n_longest; i++)
		print_wait(held, out, i);
}

/* --- data --- */

static const struct field fields[] = {
	DATA(FIELD_STR, struct held_row, kind, "kind", .role = ROLE_LABEL),
	DATA(FIELD_U32, struct held_row, number, "number", .role = ROLE_LABEL, .null = NULL_ZERO),
	DATA(FIELD_STR, struct held_row, held_by, "held_by", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct held_row, what, "what", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct held_row, state, "state", .role = ROLE_LABEL),
	DATA(FIELD_STR, struct held_row, comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_U32, struct held_row, pid, "pid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_U32, struct held_row, tid, "tid", .role = ROLE_TASK, .null = NULL_ZERO),
	DATA(FIELD_STR, struct held_row, command, "command", .role = ROLE_TASK),
	DATA(FIELD_U32, struct held_row, cpu, "cpu", .role = ROLE_LABEL, .null = NULL_MOST),
	DATA(FIELD_DURATION, struct held_row, begin, "begin_ns", .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct held_row, ns, "ns"),
	DATA(FIELD_U64, struct held_row, times, "times", .role = ROLE_COUNTER, .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct held_row, max, "max_ns", .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct held_row, p50, "p50_ns", .null = NULL_ZERO),
	DATA(FIELD_DURATION, struct held_row, p99, "p99_ns", .null = NULL_ZERO),
	DATA(FIELD_U64, struct held_row, threads, "threads", .role = ROLE_COUNTER, .null = NULL_ZERO),
	DATA(FIELD_U64, struct held_row, lasting, "lasting", .role = ROLE_COUNTER, .null = NULL_ZERO),
	DATA(FIELD_STACK, struct held_row, kernel, "kernel_stack"),
	DATA(FIELD_STACK, struct held_row, user, "user_stack"),
};

const struct schema held_schema = { fields, ARRAY_SIZE(fields) };

#define NO_CPU UINT32_MAX

static void put_holder(const struct held *held, struct output *out, struct held_row row, const struct held_who *who)
{
	struct str name __str = {}, state __str = {};
	char comm[sizeof(who->key.comm) + 1] = "";

	memcpy(comm, who->key.comm, sizeof(who->key.comm));
	add_who(held, &name, &who->key);
	add_state(&state, &who->key);
	row.held_by = name.data;
	row.what = whats[who->key.what];
	row.state = state.len ? state.data : NULL;
	if (who->key.what == HELD_BY_TASK) {
		row.comm = comm;
		row.pid = who->key.id;
		row.command = who->command;
	}
	output_row(out, &row);
}

static void put_wait(struct held *held, struct output *out, size_t i)
{
	const struct held_wait *wait = &held->sums.longest[i];
	char comm[sizeof(wait->comm) + 1] = "";
	const struct held_row row = {
		.kind = "wait",
		.number = i + 1,
		.comm = comm,
		.pid = wait->tgid,
		.tid = wait->tid,
		.cpu = wait->legs.n ? wait->legs.v[wait->legs.n - 1].cpu : NO_CPU,
		.begin = wait->start - held->began,
		.ns = wait->ended - wait->start,
		.lasting = wait->lasts,
	};

	memcpy(comm, wait->comm, sizeof(wait->comm));
	output_row(out, &row);
	vec_each(part, &wait->parts) {
		struct held_row of = { .kind = "part", .number = i + 1, .tid = part->tid, .cpu = NO_CPU, .ns = part->ns };
		struct stacks_named named = {};

		if (part->stack && stacks_find(held->stacks, part->stack, &named)) {
			of.kernel = named.kernel;
			of.user = named.user;
		}
		put_holder(held, out, of, &held->sums.whos.v[part->who]);
	}
}

static void put_data(struct held *held, struct output *out)
{
	const struct held_sums *sums = &held->sums;
	const struct held_row total = {
		.kind = "total",
		.cpu = NO_CPU,
		.ns = sums->ns,
		.times = sums->waits,
		.max = sums->cells[HIST_MAX],
		.p50 = percentile(sums, 500),
		.p99 = percentile(sums, 990),
		.threads = sums->tids.n,
		.lasting = sums->last,
	};
	size_t n;
	const struct held_who **sorted = sort(sums, &n);

	output_row(out, &total);
	for (size_t i = 0; i < n; i++)
		put_holder(held, out,
			   (struct held_row){ .kind = "holder", .cpu = NO_CPU, .ns = sorted[i]->ns, .times = sorted[i]->times, .max = sorted[i]->max },
			   sorted[i]);
	free(sorted);
	for (size_t i = 0; i < sums->n_longest; i++)
		put_wait(held, out, i);
}

void held_print(struct held *held, struct output *out)
{
	if (output_is_text(out)) {
		print_text(held, out);
		output_flush(out);
		return;
	}
	put_data(held, out);
	output_table_end(out);
}
