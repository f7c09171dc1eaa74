// SPDX-License-Identifier: BSD-2-Clause
/* stackcount: from where kernel and user functions, tracepoints and USDT probes are reached. */
#include "bpf/slot.h"
#include "engines/stack_counts.h"
#include "probe/offer.h"
#include "run/tool.h"
#include "tools/stackcount.h"
#include "tools/stackcount.skel.h"

struct settings {
	struct probes_settings probes;
	bool per_pid;
	bool named; /* processes are shown */
	struct stackcount_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, per_pid, 'P', "perpid", NULL, "count each process by itself"),
	PROBES_REGEX(struct settings, probes),
	PROBES_MANGLED(struct settings, probes.mangled),
	PROBES_MECHANISM(struct settings, probes),
	PROBES_FORCE(struct settings, probes.force),
};

/* As in bcc, -p implies -P, and the one process is not named. */
static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;

	settings->config.by_process = settings->per_pid || instance->ctx->pid;
	settings->named = settings->per_pid && !instance->ctx->pid;
	return 0;
}

static const struct progs_specs specs = { .program = "count", .settings = SETTING(struct probes_settings, struct settings, probes), .what = "count" };

static const struct stack_counts_source source = {
	.progs = { PROGS(stackcount), PROGS_CONFIG(struct settings, config), .specs = &specs, .configure = configure },
	.stacks = { .counts = "calls" },
};

static void get_process(struct value *to, const void *row, const void *ctx)
{
	const struct stack_key *key = row;

	stack_counts_set_task(to, key->comm, " [", key->pid, "]");
}

static const struct field fields[] = {
	STACK_COUNTS_PART(kernel, "kernel_stack", "  "),
	STACK_COUNTS_PART(user, "user_stack", "  "),
	TEXT_GET(FIELD_STR, get_process, "    ", 0, GET_OF(struct stacks_row, key), .shown = IS_SET(named)),
	STACK_COUNTS_COMM(comm, "comm"),
	STACK_COUNTS_ID(pid, "pid"),
	STACK_COUNTS_PROBE,
	FIELD(FIELD_U64, struct stacks_row, count, "count", "    ", 0, .role = ROLE_COUNTER),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields), .stacked = true };

TOOL(stackcount, .brief = "count calls of functions and tracepoints by stack",
     .group = GROUP_WHO,
     .args = "SPEC... [-- COMMAND [ARG]...]", .schema = &schema, STACK_COUNTS_ENGINE(source),
     OPTIONS(options), SETTINGS(struct settings), .letters = "d:delimited s:offset D:duration", .offers = spec_offer,
     LACKS({ "max-pending", "a call is counted when it begins" }),
     .description =
	     "Counts hits of probes by stack: who calls this? Prints each distinct stack, from the probed function to "
	     "the first function of the thread, with its count at the end or at each interval, the most frequent last. "
	     "Probes are named as for funccount.\n\n"
	     "The kernel part comes first. It is empty for user functions. All processes are counted together, "
	     "unless -P or -p is given.",
     EXAMPLES({ "sonde stackcount submit_bio", "kernel and user stacks, until Ctrl-C" },
	      { "sonde stackcount -K -i 1 -D 10 -T 'tcp_send*'", "kernel stacks every second, for 10 seconds" },
	      { "sonde stackcount -P t:sched:sched_process_fork", "a tracepoint, each process by itself" },
	      { "sonde stackcount -p 185 c:malloc", "a user function, in one process" },
	      { "sonde stackcount --flame malloc.svg c:malloc -- ls -lR /usr", "a flame graph of who allocates" }));
