// SPDX-License-Identifier: BSD-2-Clause
/* wakeuptime: who wakes threads, and how long these have slept. */
#include "engines/blocked.h"
#include "run/tool.h"

static const struct opt options[] = {
	BLOCKED_USER_THREADS,
	BLOCKED_TIMES,
};

static const struct stack_counts_source source = {
	BLOCKED_SOURCE(blocked_wakes, "blocked time (us) by who ends it", "sleeps"),
	.kernel_only = true,
};

static const struct field fields[] = {
	FIELD(FIELD_CHARS, struct stacks_row, key.comm, "comm", "    target:          ", 0, .role = ROLE_TASK),
	STACK_COUNTS_PART(kernel, "waker_kernel_stack", "    "),
	FIELD(FIELD_CHARS, struct stacks_row, key.other_comm, "waker_comm", "    waker:           ", 0, .role = ROLE_TASK),
	STACK_COUNTS_TIME("        "),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields), .stacked = true };

TOOL(wakeuptime, .brief = "who wakes threads, and how long these have slept",
     .group = GROUP_SLOW,
     .args = "[DURATION] [-- COMMAND [ARG]...]", .schema = &schema, STACK_COUNTS_ENGINE(source),
     OPTIONS(options), SETTINGS(struct blocked_settings),
     LACKS({ "user-stacks-only kernel-stacks-only delimited", "it shows only the kernel part of the waker's stack" }),
     .description =
	     "Measures how long threads sleep, from when they leave the processor until another task wakes them. Adds the "
	     "times up by the kernel stack of the waker and the names of both, and prints them in microseconds at the "
	     "end, the largest last.\n\n"
	     "An interrupt that wakes a thread is shown with the task that it interrupted. A time counts if it began and "
	     "ended during tracing.",
     EXAMPLES({ "sonde wakeuptime 5", "all threads, for 5 seconds" },
	      { "sonde wakeuptime -p 185", "who wakes the threads of one process" },
	      { "sonde wakeuptime -u -m 1000", "user threads that sleep for a millisecond or more" }));
