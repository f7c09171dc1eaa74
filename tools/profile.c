// SPDX-License-Identifier: BSD-2-Clause
/* profile: what the processors do: stacks of the running tasks, many times a second. */
#include "base/clock.h"
#include "engines/event.h"
#include "run/tool.h"
#include "tools/profile.h"
#include "tools/profile.skel.h"

#define FREQUENCY 99

struct settings {
	struct stacks_settings stacks;
	struct progs_clock clock;
	uint32_t frequency;
	uint64_t count;
	bool user, kernel;
	char what[64];
};

static const struct opt options[] = {
	OPT(OPT_U32, struct settings, frequency, 'F', "frequency", "HZ",
	    "take HZ samples a second on each processor: 99", .min = 1, .max = 100000),
	OPT(OPT_U64, struct settings, count, 0, "count", "N",
	    "take a sample each N ns of a processor's clock (bcc's -c)", .min = 10000),
	OPT(OPT_BOOL, struct settings, clock.idle, 'I', "include-idle", NULL,
	    "include idle processors, as process 0"),
	STACKS_PARTS(struct settings, stacks),
	STACKS_OUTPUT(struct settings, stacks),
	OPT(OPT_BOOL, struct settings, stacks.annotated, 'a', "annotations", NULL,
	    "print _[k] after the names of kernel frames"),
	STACKS_OPTIONS(struct settings, stacks),
};

static void get_task(struct value *to, const void *row, const void *ctx)
{
	const struct stack_key *key = row;

	str_addn(to->room, key->comm, strnlen(key->comm, sizeof(key->comm)));
	str_addf(to->room, " (%u)", key->pid);
	value_set_made(to);
}

static const struct field fields[] = {
	FIELD(FIELD_STACK, struct stacks_row, kernel, "kernel_stack", "    ", 0),
	FIELD(FIELD_STACK, struct stacks_row, user, "user_stack", "    ", 0),
	TEXT_GET(FIELD_STR, get_task, "    -                ", 0, GET_OF(struct stacks_row, key)),
	DATA(FIELD_CHARS, struct stacks_row, key.comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_U32, struct stacks_row, key.pid, "pid", .role = ROLE_TASK),
	FIELD(FIELD_U64, struct stacks_row, count, "count", "        ", 0, .role = ROLE_COUNTER),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields), .stacked = true };

static const struct progs_probe probes[] = {
	{ .program = "sample", .clock = SETTING(struct progs_clock, struct settings, clock) },
};

static const struct stacks_source stacks = {
	.counts = "samples",
	.times = "cpu",
};

static void key_of(struct stack_key *key, const struct event *event)
{
	key->stack = ((const struct profile_event *)event)->stack;
	key->pid = event->pid;
	memcpy(key->comm, event->comm, sizeof(key->comm));
}

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	const char *parts = settings->stacks.user_only	   ? "user"
			    : settings->stacks.kernel_only ? "kernel"
							   : "user and kernel";

	if (settings->count && settings->frequency)
		return err_set(err, -EINVAL, "--frequency or --count, not both");
	if (!settings->frequency)
		settings->frequency = FREQUENCY;
	settings->clock.period = settings->count ? settings->count : NS_PER_SEC / settings->frequency;
	if (settings->count)
		snprintf(settings->what, sizeof(settings->what), "%s stacks every %llu ns", parts,
			 (unsigned long long)settings->count);
	else
		snprintf(settings->what, sizeof(settings->what), "%s stacks at %u Hertz", parts, settings->frequency);
	own->what = settings->what;
	return 0;
}

static const struct event_source source = {
	.progs = { PROGS(profile), PROGS_PROBES(probes), .configure = configure },
	.stacks = &stacks,
	.stacks_settings = SETTING(struct stacks_settings, struct settings, stacks),
	.period = SETTING(uint64_t, struct settings, clock.period),
	.key = key_of,
	.unit = "sample",
};

TOOL(profile, .brief = "where processors spend time: stacks of running tasks",
     .group = GROUP_SLOW,
     .args = "[DURATION] [-- COMMAND [ARG]...]",
     .schema = &schema, SAMPLE_ENGINE(source), .tables = true,
     .letters = "L:tid C:cpu d:delimited",
     OPTIONS(options), SETTINGS(struct settings),
     .description =
	     "Interrupts each processor 99 times a second, and takes the stack of the task that runs there. Prints, at "
	     "the end or at each --interval, the distinct stacks with the number of samples, the most frequent last: "
	     "kernel frames, user frames, the task's name and process id. Functions that are often in stacks are where "
	     "the time goes.\n\n"
	     "User stacks are complete without frame pointers, for programs in C, C++, Rust and the like: they are "
	     "unwound by .eh_frame, which every binary has. A function without a name in its file is "
	     "FILE+fn@0xSTART.\n\n"
	     "--top prints functions in place of stacks: how many samples each has itself (the processor was in it) and in "
	     "total (in it or in what it has called), and how much of all that is.\n\n"
	     "--flame, --folded, --pprof and --speedscope write files besides, several at once. The summary says how "
	     "many samples there were, and how many user stacks are complete.",
     EXAMPLES({ "sonde profile", "all processors, until Ctrl-C" },
	      { "sonde profile --top -p 1234 10", "the 30 hottest functions of a process" },
	      { "sonde profile -F 999 -p 1234 10", "one process for 10 seconds, 999 times a second" },
	      { "sonde profile --flame out.svg -- make -j2", "a flame graph of a command and its children" },
	      { "sonde profile -f -a 5 | grep vfs_", "folded stacks, kernel frames marked" },
	      { "sonde profile -K -i 10", "kernel stacks, every 10 seconds" }));
