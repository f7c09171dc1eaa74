// SPDX-License-Identifier: BSD-2-Clause
/* funcslower: calls of functions that take longer than a bound, as they return. */
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "engines/event.h"
#include "probe/offer.h"
#include "engine/probes.h"
#include "run/tool.h"
#include "bpf/slow.h"
#include "bpf/slow.skel.h"
#include "bpf/slow_stacks.skel.h"

#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL

struct settings {
	struct stacks_settings stacks;
	uint32_t ms, us, args, calls;
	struct probes_settings probes;
	bool user, kernel;	      /* parts of stacks */
	bool in_ms, in_us, with_args; /* columns */
	bool with_stacks;
	struct slow_config config;
};

static const struct opt options[] = {
	OPT(OPT_U32, struct settings, ms, 'm', "min-ms", "MS", "only calls of at least MS milliseconds: 1",
	    .max = UINT32_MAX - 1),
	OPT(OPT_U32, struct settings, us, 'u', "min-us", "US", "only calls of at least US microseconds; 0: every call",
	    .max = UINT32_MAX - 1),
	OPT(OPT_U32, struct settings, args, 'a', "arguments", "N", "print the first N arguments, as hexadecimal numbers",
	    .min = 1, .max = SLOW_ARGS),
	PROBES_REGEX(struct settings, probes),
	PROBES_MANGLED(struct settings, probes.mangled),
	OPT(OPT_U32, struct settings, calls, 0, "max-calls", "N", "at most N pending calls at a time: 4096", .min = 1,
	    .max = 250000),
	PROBES_FORCE(struct settings, probes.force),
	OPT(OPT_BOOL, struct settings, user, 'U', "user-stack", NULL, "print the user stack of each slow call"),
	OPT(OPT_BOOL, struct settings, kernel, 'K', "kernel-stack", NULL, "print the kernel stack of each slow call"),
	STACKS_OPTIONS(struct settings, stacks),
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	bool us = settings->us != UINT32_MAX, ms = settings->ms != UINT32_MAX;

	if (ms && us)
		return err_set(err, -EINVAL, "milliseconds or microseconds, not both");
	settings->config.least = us ? settings->us * NS_PER_US : (ms ? settings->ms : 1) * NS_PER_MS;
	settings->config.args = settings->args;
	settings->in_us = us;
	settings->in_ms = !us;
	settings->with_args = settings->args;
	settings->with_stacks = settings->user || settings->kernel;
	settings->stacks.user_only = !settings->kernel;
	settings->stacks.kernel_only = !settings->user;
	if (settings->with_stacks) {
		own->object = slow_stacks_bpf__elf_bytes;
		own->pending.size = sizeof(struct slow_stack_call);
	}
	return 0;
}

/* In microseconds, in data as well. */
static void get_us(struct value *to, const void *row, const void *ctx)
{
	value_set_real(to, (double)((const struct slow_event *)row)->ns / NS_PER_US);
}

static void get_args(struct value *to, const void *row, const void *ctx)
{
	const struct settings *settings = engine_tool_settings(ctx);

	value_set_numbers(to, ((const struct slow_event *)row)->args, settings->args);
}

/* A row with stacks; rows without are the event. */
struct row {
	struct slow_event event;
	struct stacks_named named;
};

static const void *add_stacks(const struct event *event, struct stacks *stacks)
{
	const struct slow_stack_event *from = (const void *)event;
	static struct row row;

	row.event = from->event;
	stacks_find(stacks, from->stack, &row.named);
	return &row;
}

/* clang-format off */
#define COLUMNS \
	EVENT_TIMES, \
	EVENT_COMM("COMM", -14), \
	EVENT_ID(pid, "PID", -6), \
	EVENT_ID_DATA(tid), \
	FIELD(FIELD_DURATION, struct slow_event, ns, "ns", "LAT(ms)", 7, .unit = UNIT_MS, .decimals = 2, \
	      .shown = IS_SET(in_ms)), \
	FIELD_GET(FIELD_REAL, get_us, "us", "LAT(us)", 7, .role = ROLE_DURATION, .decimals = 2, .data_decimals = 2, \
		  .shown = IS_SET(in_us)), \
	FIELD(FIELD_S64, struct slow_event, ret, "retval", "RVAL", 16, .base = 16, \
	      KNOWN_BY(struct slow_event, returned)), \
	EVENT_FUNCTION(struct slow_event, function), \
	FIELD_GET(FIELD_LIST, get_args, "args", "ARGS", -1, .base = 16, .prefix = "0x", .shown = IS_SET(with_args))
/* clang-format on */

static const struct field fields[] = { COLUMNS };
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct field stack_fields[] = {
	COLUMNS,
	FIELD(FIELD_STACK, struct row, named.kernel, "kernel_stack", NULL, 0),
	FIELD(FIELD_STACK, struct row, named.user, "user_stack", NULL, 0),
};
static const struct schema stack_schema = { stack_fields, ARRAY_SIZE(stack_fields) };

static const struct progs_pairs pairs = {
	.entry = "slower_entry",
	.ret = "slower_return",
	.session = "slower_session",
	.settings = SETTING(struct probes_settings, struct settings, probes),
};

static const struct stacks_source stacks = {};

static const struct event_source source = {
	.progs = {
		PROGS(slow),
		PROGS_CONFIG(struct settings, config),
		.pairs = &pairs,
		.pending = { "calls at a time", .instead = SETTING(uint32_t, struct settings, calls),
			     .size = sizeof(struct slow_call) },
		.configure = configure,
		.what = "slow calls",
	},
	.stacks = &stacks,
	.with_stacks = IS_SET(with_stacks),
	.stacks_settings = SETTING(struct stacks_settings, struct settings, stacks),
	.row = add_stacks,
	.row_schema = &stack_schema,
};

TOOL(funcslower, .brief = "print calls of functions that take longer than a bound",
     .group = GROUP_SLOW,
     .args = "FUNCTION... [-- COMMAND [ARG]...]", .schema = &schema,
     EVENT_ENGINE(source), OPTIONS(options), SETTINGS_WITH(struct settings, .ms = UINT32_MAX, .us = UINT32_MAX, .calls = 4096),
     .offers = spec_offer,
     .description =
	     "Prints a row for each call of a kernel or user function that takes at least as long as the bound: who "
	     "called, how long the call took (in milliseconds, with -u in microseconds), what it returned "
	     "(hexadecimal) and, with -a, its arguments. Functions are named as for funclatency. JSON has "
	     "nanoseconds, and the value as a signed number. Both show the whole register: a function that returns "
	     "an int may leave the upper half undefined.\n\n"
	     "-K and -U print the kernel and the user stack below each row: the function and its callers when the call "
	     "began. A user function has no kernel stack. The stack of every call is taken, because only its return "
	     "shows whether it is slow.",
     EXAMPLES({ "sonde funcslower vfs_write", "writes that take a millisecond or more" },
	      { "sonde funcslower -u 10 -a 3 'vfs_*'", "calls of 10 microseconds or more, with three arguments" },
	      { "sonde funcslower -m 100 -p 1234 c:getaddrinfo", "a user function, in one process" },
	      { "sonde funcslower -UK -m 10 vfs_read", "slow reads, and who reads" }));
