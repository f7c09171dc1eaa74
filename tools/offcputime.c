// SPDX-License-Identifier: BSD-2-Clause
/* offcputime: how long threads are off the processor, and at which stacks. */
#include "engines/blocked.h"
#include "run/tool.h"

static const struct progs_probe probes[] = {
	{ .program = "off", .system = "sched", .name = "sched_switch", .raw = true },
};

static const struct stack_counts_source source = {
	BLOCKED_SOURCE(probes, "off-CPU time (us)", "off-CPU times"),
	.unended = blocked_unended,
	.unended_what = "thread",
	.unended_state = "off the processor",
};

static void get_thread(struct value *to, const void *row, const void *ctx)
{
	const struct stack_key *key = row;

	stack_counts_set_task(to, key->comm, " (", key->tid, ")");
}

static const struct field fields[] = {
	STACK_COUNTS_PART(kernel, "kernel_stack", "    "),
	STACK_COUNTS_PART(user, "user_stack", "    "),
	TEXT_GET(FIELD_STR, get_thread, "    -                ", 0, GET_OF(struct stacks_row, key)),
	BLOCKED_THREAD,
};

static const struct schema schema = { fields, ARRAY_SIZE(fields), .stacked = true };

TOOL(offcputime, .brief = "where threads wait and how long, by stack",
     .group = GROUP_SLOW,
     .args = "[DURATION] [-- COMMAND [ARG]...]", .schema = &schema, STACK_COUNTS_ENGINE(source),
     OPTIONS(blocked_options), SETTINGS(struct blocked_settings), .letters = "t:tid d:delimited",
     .description =
	     "Measures how long threads are off the processor, asleep or waiting for it, from when they leave until they "
	     "run again. Adds the times up by stack and thread, and prints them in microseconds at the end, the largest "
	     "last. The stack is where the thread left.\n\n"
	     "A time counts if it began during tracing. Threads that are still off the processor at the end count with "
	     "their time until then, unlike in bcc.",
     EXAMPLES({ "sonde offcputime 5", "all threads, for 5 seconds" },
	      { "sonde offcputime -p 185 -m 1000", "one process, only times of a millisecond or more" },
	      { "sonde offcputime --state 2", "uninterruptible sleep: disks and locks of the kernel" },
	      { "sonde offcputime -u --flame off.svg -- make -j4", "a flame graph of a command and its children" }));
