// SPDX-License-Identifier: BSD-2-Clause
/* Reads tracefs from a directory that replaces it, and decides what to clean. */
#include "kernel_fixture.h"
#include "traces/clean.h"
#include "traces/parse.h"

#define TRACING "/sys/kernel/tracing/"

static void expect_event(const char *line, enum trace_kind listed, enum trace_kind kind, const char *group,
			 const char *name)
{
	struct parsed_event event;

	cr_assert(parse_event(line, listed, &event), "%s", line);
	cr_expect_eq(event.kind, kind, "%s", line);
	cr_expect_str_eq(event.group, group);
	cr_expect_str_eq(event.name, name);
}

Test(traces, events_of_lists)
{
	struct parsed_event event;
	char line[400];

	expect_event("p:kprobes/a vfs_read", TRACE_KPROBE, TRACE_KPROBE, "kprobes", "a");
	expect_event("r16:kprobes/a_b-c vfs_read $retval", TRACE_KPROBE, TRACE_KPROBE, "kprobes", "a_b-c");
	expect_event("p:uprobes/x /bin/a/b:0x10 p/q=%ax", TRACE_UPROBE, TRACE_UPROBE, "uprobes", "x");
	expect_event("e:eprobes/x sched.sched_switch", TRACE_PROBE, TRACE_EPROBE, "eprobes", "x");
	expect_event("f:fprobes/x vfs_read", TRACE_PROBE, TRACE_PROBE, "fprobes", "x");
	expect_event("t:tracepoints/x sched_switch", TRACE_PROBE, TRACE_PROBE, "tracepoints", "x");
	expect_event("s:synthetic/x\tu64 lat; int pid", TRACE_PROBE, TRACE_SYNTHETIC, "synthetic", "x");
	expect_event("s:x\tu64 a/b", TRACE_PROBE, TRACE_SYNTHETIC, "synthetic", "x");
	expect_event("p:kprobes/only", TRACE_KPROBE, TRACE_KPROBE, "kprobes", "only");
	/* a list is read for its own kinds */
	cr_expect_not(parse_event("p:kprobes/a vfs_read", TRACE_PROBE, &event));
	cr_expect_not(parse_event("e:eprobes/a x", TRACE_KPROBE, &event));
	cr_expect_not(parse_event("", TRACE_KPROBE, &event));
	cr_expect_not(parse_event("p", TRACE_KPROBE, &event));
	cr_expect_not(parse_event("p:", TRACE_KPROBE, &event));
	cr_expect_not(parse_event("p:a/ x", TRACE_KPROBE, &event));
	cr_expect_not(parse_event("# p:a/b x", TRACE_KPROBE, &event));
	snprintf(line, sizeof(line), "p:%0200d/x y", 0);
	cr_expect_not(parse_event(line, TRACE_KPROBE, &event));
	snprintf(line, sizeof(line), "p:x/%0200d y", 0);
	cr_expect_not(parse_event(line, TRACE_KPROBE, &event));
}

static void expect_setting(const char *text, const char *expected)
{
	__free char *copy = base_strdup(text);

	parse_setting(copy);
	cr_expect_str_eq(copy, expected);
}

Test(traces, settings)
{
	expect_setting("", "");
	expect_setting("nop\n", "nop");
	expect_setting("no pid\n", "");
	expect_setting("#### all functions enabled ####\n", "");
	expect_setting("#### all functions enabled ####\nschedule:traceoff:unlimited\n", "schedule:traceoff:unlimited");
	expect_setting("a\nb\n", "a\nb");
	expect_setting("a", "a");
}

static size_t removable(const char *line)
{
	return parse_trigger_len(line);
}

Test(traces, triggers)
{
	cr_expect_eq(removable("traceoff:unlimited"), 18);
	cr_expect_eq(removable("hist:keys=a:size=2048 [active]"), 21);
	cr_expect_eq(removable("hist:keys=a if b>0 [paused]"), 18);
	cr_expect_eq(removable("stacktrace if a == \"[x]\""), 24);
}

Test(traces, entries)
{
	cr_expect_eq(parse_entries("entries: 12\noverrun: 3\n"), 12);
	cr_expect_eq(parse_entries("read events: 3\n"), 0);
}

/* ---- an inventory ---- */

static struct traces traces;
static struct trace_verdicts plan;

static void event_files(const char *prefix, const char *event, const char *trigger, const char *filter)
{
	__free char *t = base_printf(TRACING "%sevents/%s/trigger", prefix, event);
	__free char *f = base_printf(TRACING "%sevents/%s/filter", prefix, event);

	fixture_file(t, trigger);
	fixture_file(f, filter);
}

static void instance_files(const char *prefix, const char *enabled, const char *entries)
{
	__free char *set_event = base_printf(TRACING "%sset_event", prefix);
	__free char *stats = base_printf(TRACING "%sper_cpu/cpu0/stats", prefix);
	__free char *tracer = base_printf(TRACING "%scurrent_tracer", prefix);
	__free char *on = base_printf(TRACING "%stracing_on", prefix);

	fixture_file(set_event, enabled);
	fixture_file(stats, entries);
	fixture_file(tracer, "nop\n");
	fixture_file(on, "1\n");
	event_files(prefix, "sched/sched_switch", "# Available triggers:\n", "none\n");
}

static void setup(void)
{
	__free char *link = NULL;

	fixture_init();
	link = base_printf("%s/proc/self/ns/pid", fixture_dir);
	fixture_file("/proc/self/ns/x", "");
	cr_assert_eq(symlink("pid:[4026531836]", link), 0);
	fixture_file("/proc/10/status", "Name:\tpython3\nState:\tS\nNSpid:\t10\nVmSize:\t1 kB\nThreads:\t1\n");
	fixture_file(TRACING "kprobe_events", "");
	fixture_file(TRACING "uprobe_events", "");
	fixture_file(TRACING "dynamic_events", "");
	instance_files("", "", "entries: 0\n");
}

static void teardown(void)
{
	trace_verdicts_release(&plan);
	traces_release(&traces);
	fixture_fini();
}

TestSuite(inventory, .init = setup, .fini = teardown);

static void make_plan(struct trace_policy policy)
{
	struct err err = {};

	cr_assert_eq(traces_read(&traces, &err), 0, "%s", err.text);
	trace_verdicts_make(&plan, &traces, &policy);
}

/* How many steps have this verdict, and the one item of this kind and name. */
static size_t verdicts(enum trace_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < plan.n; i++)
		n += plan.v[i].verdict == verdict;
	return n;
}

static const struct trace_item *item_of(enum trace_kind kind, const char *name)
{
	vec_each(item, &traces)
		if (item->kind == kind && item->name && !strcmp(item->name, name))
			return item;
	cr_assert_fail("no %s %s", trace_kind_name(kind), name);
	return NULL;
}

static enum trace_verdict verdict_of(enum trace_kind kind, const char *name)
{
	return plan.v[item_of(kind, name) - traces.v].verdict;
}

Test(inventory, clean)
{
	make_plan((struct trace_policy){});
	cr_expect_eq(verdicts(TRACE_FINE), plan.n);
	cr_expect_eq(traces.instances.n, 1);
	vec_each(item, &traces)
		cr_expect_not(item->set, "%s", item->file);
}

Test(inventory, forced_and_clean)
{
	make_plan((struct trace_policy){ .force = true });
	cr_expect_eq(verdicts(TRACE_FINE), plan.n);
}

static void many(void)
{
	fixture_file(TRACING "kprobe_events", "p:kprobes/dead_bcc_99 vfs_read\n"
					      "p:kprobes/alive_bcc_10 vfs_read\n"
					      "p:kprobes/two vfs_read\np:kprobes/two vfs_write\n"
					      "p:kprobes/on vfs_read\np:kprobes/p99_1 vfs_read\np:probe/mine vfs_read\n"
					      "p:ebpf_0af/ebpf_probe vfs_read\n");
	fixture_file(TRACING "dynamic_events", "p:kprobes/two vfs_read\ns:synthetic/s\tu64 x\n");
	fixture_file(TRACING "set_event", "kprobes:dead_bcc_99\nkprobes:on\nkprobes:p99_1\nkprobes:alive_bcc_10\n"
					  "sched:sched_switch\n:mod:later\n");
	event_files("", "kprobes/two", "# Available triggers:\n", "none\n");
	event_files("", "kprobes/dead_bcc_99", "stacktrace:unlimited\n", "x > 1\n");
	event_files("", "sched/sched_switch", "traceoff:unlimited\nstacktrace:count=2\n", "prev_pid > 0\n");
}

Test(inventory, each_of_its_kind)
{
	many();
	make_plan((struct trace_policy){});
	cr_expect_eq(verdict_of(TRACE_KPROBE, "dead_bcc_99"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "dead_bcc_99"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_TRIGGER, "dead_bcc_99"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_FILTER, "dead_bcc_99"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "alive_bcc_10"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "alive_bcc_10"), TRACE_FINE);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "two"), TRACE_UNRELATED, "by hand");
	cr_expect_eq(verdict_of(TRACE_SYNTHETIC, "s"), TRACE_UNRELATED);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "ebpf_probe"), TRACE_TRY);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "on"), TRACE_UNRELATED);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "p99_1"), TRACE_OWNED, "the pid is a guess");
	cr_expect_eq(verdict_of(TRACE_KPROBE, "mine"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "sched_switch"), TRACE_UNRELATED);
	cr_expect_eq(verdict_of(TRACE_TRIGGER, "sched_switch"), TRACE_UNRELATED);
	cr_expect_eq(verdict_of(TRACE_FILTER, "sched_switch"), TRACE_UNRELATED);
	cr_expect_eq(item_of(TRACE_KPROBE, "dead_bcc_99")->users, 2);
	cr_expect_str_eq(item_of(TRACE_TRIGGER, "dead_bcc_99")->file, "events/kprobes/dead_bcc_99/trigger");
	cr_expect_str_eq(item_of(TRACE_KPROBE, "alive_bcc_10")->owner.process->comm, "python3");
}

/* An event that only a trigger enables is listed as well, and its enable file says that it is off. */
Test(inventory, enabled_for_a_trigger)
{
	fixture_file(TRACING "set_event", "sched:sched_switch\nsched:sched_waking\n");
	fixture_file(TRACING "events/sched/sched_switch/enable", "0*\n");
	fixture_file(TRACING "events/sched/sched_waking/enable", "1*\n");
	make_plan((struct trace_policy){});
	cr_expect_eq(verdicts(TRACE_UNRELATED), 1);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "sched_waking"), TRACE_UNRELATED);
}

Test(inventory, a_named_owner)
{
	many();
	make_plan((struct trace_policy){ .owner = "perf" });
	cr_expect_eq(verdict_of(TRACE_KPROBE, "mine"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "alive_bcc_10"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "on"), TRACE_UNRELATED);
}

/* An event without the name of a tool is shown by its group. */
Test(inventory, a_named_group)
{
	many();
	make_plan((struct trace_policy){ .owner = "kprobes" });
	cr_expect_eq(verdict_of(TRACE_KPROBE, "two"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "on"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "alive_bcc_10"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "p99_1"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_SYNTHETIC, "s"), TRACE_UNRELATED);
}

Test(inventory, a_named_owner_that_lives)
{
	many();
	make_plan((struct trace_policy){ .owner = "bcc" });
	cr_expect_eq(verdict_of(TRACE_KPROBE, "alive_bcc_10"), TRACE_OWNED);
}

Test(inventory, forced)
{
	many();
	make_plan((struct trace_policy){ .force = true });
	cr_expect_eq(verdicts(TRACE_OWNED) + verdicts(TRACE_UNRELATED) + verdicts(TRACE_TRY), 0);
	cr_expect_eq(verdict_of(TRACE_KPROBE, "alive_bcc_10"), TRACE_CLEAN);
	cr_expect_eq(verdict_of(TRACE_FILTER, "sched_switch"), TRACE_CLEAN);
}

Test(inventory, within_a_namespace)
{
	__free char *link = base_printf("%s/proc/self/ns/pid", fixture_dir);

	many();
	cr_assert_eq(unlink(link), 0);
	make_plan((struct trace_policy){});
	cr_expect_eq(verdict_of(TRACE_KPROBE, "dead_bcc_99"), TRACE_OWNED);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "dead_bcc_99"), TRACE_FINE);
}

Test(inventory, instances)
{
	fixture_file(TRACING "kprobe_events", "p:kprobes/dead_bcc_99 vfs_read\n");
	instance_files("instances/empty/", "", "entries: 0\n");
	instance_files("instances/full/", "", "entries: 3\n");
	instance_files("instances/orphan/", "kprobes:dead_bcc_99\n", "entries: 0\n");
	instance_files("instances/used/", "sched:sched_switch\n", "entries: 0\n");
	make_plan((struct trace_policy){});
	cr_expect_eq(traces.instances.n, 5);
	cr_expect_eq(verdict_of(TRACE_INSTANCE, "empty"), TRACE_FINE);
	cr_expect_eq(verdict_of(TRACE_INSTANCE, "full"), TRACE_FINE);
	cr_expect_eq(verdict_of(TRACE_INSTANCE, "orphan"), TRACE_TRY);
	cr_expect_eq(verdict_of(TRACE_INSTANCE, "used"), TRACE_FINE);
	cr_expect_eq(verdict_of(TRACE_ENABLED, "dead_bcc_99"), TRACE_CLEAN);
	cr_expect_str_eq(item_of(TRACE_ENABLED, "dead_bcc_99")->file,
			 "instances/orphan/events/kprobes/dead_bcc_99/enable");
}

Test(inventory, settings_that_are_set)
{
	fixture_file(TRACING "set_ftrace_filter", "vfs_read\nvfs_write\n");
	fixture_file(TRACING "tracing_thresh", "0\n");
	make_plan((struct trace_policy){});
	cr_expect_eq(verdicts(TRACE_UNRELATED), 1);
	vec_each(item, &traces)
		if (item->set)
			cr_expect_str_eq(item->text, "vfs_read\nvfs_write");
}

Test(inventory, cleaning_appends)
{
	__str struct str text = {};

	fixture_file(TRACING "kprobe_events", "p:kprobes/dead_bcc_99 vfs_read\np:kprobes/alive_bcc_10 vfs_read\n");
	make_plan((struct trace_policy){});
	traces_clean(&traces, &plan);
	cr_assert_eq(traces_read_file(&traces, "kprobe_events", &text), 0);
	cr_expect_str_eq(text.data,
			 "p:kprobes/dead_bcc_99 vfs_read\np:kprobes/alive_bcc_10 vfs_read\n-:kprobes/dead_bcc_99\n");
	for (size_t i = 0; i < plan.n; i++)
		cr_expect_eq(plan.v[i].done, plan.v[i].verdict == TRACE_CLEAN);
}
