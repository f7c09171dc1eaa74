// SPDX-License-Identifier: BSD-2-Clause
/* The programs of bpf/strace.bpf.c: what they are told, and how they are loaded. It knows no lines. */
#include "base/cpus.h"
#include "bpf/event.h"
#include "bpf/filter.h"
#include "bpf/path.h"
#include "bpf/pending.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/strace.h"
#include "bpf/strace.skel.h"
#include "engine/filter.h"
#include "engine/stream.h"
#include "programs.h"

/*
 * Calls for each processor whose begin may be noted. One runs there, and newer kernels preempt programs; more would
 * have to have keys that choose the same few entries.
 */
#define IN_CALLS 16

#define MEMBER(TYPE, NAME) SETTING(TYPE, struct strace_programs, NAME)

/* They are attached in this order: no call begins whose end is not seen. */
static const struct progs_probe probes[] = {
	{ .program = "call_ends", .system = "raw_syscalls", .name = "sys_exit" },
	{ .program = "call_begins", .system = "raw_syscalls", .name = "sys_enter" },
	{ .program = "stack_taken", .system = "raw_syscalls", .name = "sys_enter", .when = MEMBER(bool, has_stacks) },
	{ .program = "call_waits", .system = "sched", .name = "sched_switch", .raw = true, .when = MEMBER(bool, has_lines) },
	{ .program = "signal_delivered", .system = "signal", .name = "signal_deliver", .raw = true },
	{ .program = "thread_ended", .system = "sched", .name = "sched_process_exit" },
	{ .program = "task_switched", .system = "sched", .name = "sched_switch", .raw = true, .when = MEMBER(bool, switches) },
};

static const struct progs_map maps[] = {
	{ "strace_counts", MEMBER(uint32_t, counts) },
	{ "strace_opens", MEMBER(uint32_t, opens) },
};

static const struct progs_source source = {
	PROGS(strace),
	PROGS_PROBES(probes),
	PROGS_MAPS(maps),
	PROGS_CONFIG(struct strace_programs, config),
	.pending = { .entries = 1, .instead = MEMBER(uint32_t, in_calls), .size = sizeof(struct strace_pending) },
	.what = "system calls",
};

/* --- what they are told --- */

/* Whether no filter matters but that on one thread, a process or members. */
static bool is_simple(const struct filter *filter)
{
	return !filter_pidns() && !(filter->by_tid && filter->by_tgid) && !filter->by_uid && !filter->by_cpu && !filter->by_comm &&
	       !filter->by_cgroup;
}

/* Whether a filter may leave a thread out that it has let pass: by its name, user, cgroup or processor. */
static bool is_fickle(const struct filter *filter)
{
	return filter->by_uid || filter->by_cpu || filter->by_comm || filter->by_cgroup;
}

static uint32_t how_of(const struct strace_programs *programs)
{
	const struct strace_settings *settings = programs->settings;
	const struct engine_context *ctx = programs->instance->ctx;
	const struct filter *filter = &programs->instance->filter;
	bool one = !settings->follow && (ctx->command.pid || ctx->pid || ctx->tid);
	bool first = !settings->follow && ctx->pids.n > 1;
	bool alone = one && !settings->detach && is_simple(filter);
	/* with -n, lines of signals have the number of the call before */
	uint32_t status = settings->numbers ? ~0U : settings->status;
	const struct {
		bool on;
		uint32_t bit;
	} bits[] = {
		{ one, STRACE_HOW_ONE },
		{ first, STRACE_HOW_FIRST },
		{ alone, STRACE_HOW_ALONE },
		{ !one && is_simple(filter) && filter->by_members && !filter->by_tgid && !filter->by_tid, STRACE_HOW_MEMBERS },
		{ strace_wants_files(settings), STRACE_HOW_FILES },
		{ strace_counts(settings), STRACE_HOW_COUNT },
		{ settings->summary, STRACE_HOW_NO_RECORDS },
		{ settings->wall, STRACE_HOW_WALL },
		{ programs->names || (settings->pids & STRACE_PID_NAMES && !settings->ip), STRACE_HOW_COMM },
		{ settings->ip && !programs->names, STRACE_HOW_IP },
		{ settings->pids, STRACE_HOW_SPACE },
		{ settings->detach, STRACE_HOW_DETACH },
		{ settings->stack, STRACE_HOW_EARLY },
		{ alone && !programs->timed, STRACE_HOW_UNTIMED },
		{ !(status & STRACE_FAILED), STRACE_HOW_SKIP_FAILED },
		{ !(status & STRACE_SUCCESSFUL), STRACE_HOW_SKIP_SUCCESSFUL },
		{ settings->slower, STRACE_HOW_SLOWER },
		{ filter_pidns(), STRACE_HOW_PIDNS },
		{ is_fickle(filter), STRACE_HOW_KEEP },
	};
	uint32_t how = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		how |= bits[i].on ? bits[i].bit : 0;
	return how;
}

static void configure(struct strace_programs *programs)
{
	const struct strace_settings *settings = programs->settings;
	const struct engine_context *ctx = programs->instance->ctx;

	programs->config = (struct strace_config){
		.how = how_of(programs),
		.command = ctx->command.pid,
		.slower = settings->slower,
		.tid = ctx->command.pid ? (uint32_t)ctx->command.pid : ctx->tid ?
										: ctx->pid,
	};
	programs->has_lines = !settings->summary;
	programs->in_calls = programs->config.how & STRACE_HOW_KEEP ? STRACE_OPENS : IN_CALLS * cpus_ids();
}

void strace_programs_init(struct strace_programs *programs)
{
	const struct engine_context *ctx = programs->instance->ctx;

	configure(programs);
	strace_plans_make(&programs->plans, programs->settings, &programs->settings->trace, ctx->command.pid);
	programs->progs = (struct progs){
		.source = &source,
		.instance = programs->instance,
		.settings = programs,
		.options = {
			.must_not_miss = true,
			.shared = true,
			.pid = ctx->pid,
			.progress = engine_progress,
			.ctx = programs->instance,
		},
	};
}

/* --- how they are loaded --- */

static int fill(struct strace_programs *programs, struct err *err)
{
	const struct filter *filter = &programs->instance->filter;
	const struct event_setup setup = {
		.pidns_ino = filter_pidns(),
		/* our own process is none of these */
		.reader = filter->by_members || filter->by_tgid ? 0 : filter_own_process(),
	};
	struct object *object = &programs->progs.object;
	const struct strace_plans *plans = &programs->plans;
	int ret = object_fill(object, ".rodata.event", &setup, sizeof(setup), err);

	if (!ret)
		ret = object_fill(object, ".rodata.plans", plans->plans, sizeof(plans->plans), err);
	if (!ret)
		ret = object_fill(object, ".rodata.steps", plans->steps, sizeof(plans->steps), err);
	if (!ret)
		ret = object_size_map(object, "strace_lanes", STRACE_LANES * cpus_ids(), err);
	return ret ? ret : stream_set_size(object, programs->settings->buffer_size, err);
}

/* Without -k the maps of stacks are not made. */
static int open_stacks(struct strace_programs *programs, struct err *err)
{
	static const char *const unused[] = { "stacks", "stack_seen", "stack_counts", "stack_losses", "stack_slots",
					      "unwind_blocks", "unwind_spaces", "unwind_files", "unwind_rules" };
	struct object *object = &programs->progs.object;
	int ret = 0;

	for (size_t i = 0; !ret && !programs->has_stacks && i < ARRAY_SIZE(unused); i++)
		ret = object_size_map(object, unused[i], 0, err);
	if (ret || !programs->has_stacks)
		return ret;
	programs->stacks_settings = programs->settings->stacks;
	programs->stacks_settings.user_only = true;
	programs->stacks_source = (struct stacks_source){ .settings = &programs->stacks_settings };
	return stacks_open(&programs->stacks, programs->instance, &programs->stacks_source, object, err);
}

int strace_programs_load(struct strace_programs *programs, const struct object *members, stream_fn on_record, void *ctx,
			 struct err *err)
{
	struct progs *progs = &programs->progs;
	struct object *object = &progs->object;
	int ret = progs_configure(progs, err);

	if (!ret)
		ret = progs_open(progs, err);
	if (!ret)
		ret = fill(programs, err);
	if (!ret && members && programs->instance->filter.by_members)
		ret = object_reuse_map(object, "members", object_map_fd(members, "members"), err);
	if (!ret)
		ret = open_stacks(programs, err);
	if (!ret)
		ret = progs_prepare(progs, err);
	if (!ret && programs->has_stacks)
		ret = stacks_start(programs->stacks, object, err);
	return ret ? ret : stream_open(&programs->stream, object, programs->instance->intake, on_record, ctx, err);
}

void strace_programs_release(struct strace_programs *programs)
{
	stream_close(programs->stream);
	progs_release(&programs->progs);
	stacks_free(programs->stacks);
}

uint64_t strace_programs_lost(const struct strace_programs *programs)
{
	return stream_dropped(programs->stream, EVENT_LOSS_BUFFER) + stream_dropped(programs->stream, EVENT_LOSS_OWN);
}
