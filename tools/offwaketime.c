// SPDX-License-Identifier: BSD-2-Clause
/* offwaketime: how long threads sleep, at which stacks, and who wakes them. */
#include "engines/blocked.h"
#include "run/tool.h"

static const struct stack_counts_source source = {
	BLOCKED_SOURCE(blocked_wakes, "blocked time (us) and who ends it", "sleeps"),
};

static void get_waker(struct value *to, const void *row, const void *ctx)
{
	const struct stack_key *key = row;

	stack_counts_set_task(to, key->other_comm, " ", key->other_pid, "");
}

static void get_target(struct value *to, const void *row, const void *ctx)
{
	const struct stack_key *key = row;

	stack_counts_set_task(to, key->comm, " ", key->tid, "");
}

static const struct field fields[] = {
	TEXT_GET(FIELD_STR, get_waker, "    waker:           ", 0, GET_OF(struct stacks_row, key)),
	STACK_COUNTS_COMM(other_comm, "waker_comm"),
	STACK_COUNTS_ID(other_pid, "waker_tid"),
	STACK_COUNTS_PART(other_user, "waker_user_stack", "    ", .reversed = true),
	STACK_COUNTS_PART(other_kernel, "waker_kernel_stack", "    ", .reversed = true),
	STACK_COUNTS_PART(kernel, "kernel_stack", "    "),
	STACK_COUNTS_PART(user, "user_stack", "    "),
	TEXT_GET(FIELD_STR, get_target, "    target:          ", 0, GET_OF(struct stacks_row, key)),
	BLOCKED_THREAD,
};

static const struct schema schema = { fields, ARRAY_SIZE(fields), .stacked = true };

TOOL(offwaketime, .brief = "where threads sleep, how long, and who wakes them",
     .group = GROUP_SLOW,
     .args = "[DURATION] [-- COMMAND [ARG]...]", .schema = &schema, STACK_COUNTS_ENGINE(source),
     OPTIONS(blocked_options), SETTINGS(struct blocked_settings), .letters = "t:tid d:delimited",
     .description =
	     "Measures how long threads sleep, from when they leave the processor until another task wakes them. Adds the "
	     "times up by the stacks of both, and prints them in microseconds at the end, the largest last. The waker's "
	     "stack is printed first, from its root, then the sleeper's, so that both meet in the middle.\n\n"
	     "An interrupt that wakes a thread is shown with the task that it interrupted. A time counts if it began and "
	     "ended during tracing.",
     EXAMPLES({ "sonde offwaketime 5", "all threads, for 5 seconds" },
	      { "sonde offwaketime -p 185 -m 1000", "the threads of one process that sleep for a millisecond or more" },
	      { "sonde offwaketime -u --folded out.folded -- make -j4", "a command and its children, to a file" }));
