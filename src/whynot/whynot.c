// SPDX-License-Identifier: BSD-2-Clause
/* Loads and attaches the programs, and prints what they know of a call that failed. */
#include "attach/plan.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "bpf/event.h"
#include "bpf/filter.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "bpf/path.h"
#include "bpf/slot.h"
#include "bpf/strace.h"
#include "bpf/whynot.h"
#include "bpf/whynot.skel.h"
#include "engine/filter.h"
#include "engine/object.h"
#include "engine/pairs.h"
#include "kernel/syscalls.h"
#include "output/words.h"
#include "whynot_part.h"

/* The ends of calls, and of threads. */
static const struct {
	const char *program, *system, *name;
} tracepoints[] = {
	{ "whynot_begins", "raw_syscalls", "sys_enter" },
	{ "whynot_ends", "raw_syscalls", "sys_exit" },
	{ "whynot_thread_ended", "sched", "sched_process_exit" },
};

struct state {
	struct engine_instance *instance;
	struct object object;
	struct whynot_functions functions;
	struct whynot_config config;
	struct pairs pairs;
	struct attach *attach;
	/* the tracepoints */
	struct target_set ends;
	struct image images[ARRAY_SIZE(tracepoints)];
	struct attach *ends_attach;
	struct str args;
	uint64_t answers;
	size_t watched;
	uint64_t unseen; /* calls of which nothing came */
};

/* --- begin --- */

static int fill(struct state *state, struct err *err)
{
	const struct filter *filter = &state->instance->filter;
	const struct event_setup setup = {
		.pidns_ino = filter_pidns(),
		.reader = filter->by_members || filter->by_tgid ? 0 : filter_own_process(),
	};
	__free struct whynot_function *functions = base_alloc(WHYNOT_SLOTS * sizeof(*functions));
	struct object *object = &state->object;
	int ret = object_fill(object, ".rodata.event", &setup, sizeof(setup), err);

	state->config.pidns = setup.pidns_ino;
	whynot_functions_fill(&state->functions, functions);
	if (!ret)
		ret = object_fill(object, ".rodata.config", &state->config, sizeof(state->config), err);
	if (!ret)
		ret = object_fill(object, ".data.functions", functions, WHYNOT_SLOTS * sizeof(*functions), err);
	return ret ? ret : object_fill_slots(object, &state->functions.set, err);
}

/* The buffer and the filters are strace's. */
static int share(struct state *state, const struct object *lines, struct err *err)
{
	const struct filter *filter = &state->instance->filter;
	int ret = filter_before(state->instance, &state->object, err);

	if (!ret)
		ret = object_reuse_map(&state->object, "events", object_map_fd(lines, "events"), err);
	if (!ret && filter->by_members)
		ret = object_reuse_map(&state->object, "members", object_map_fd(lines, "members"), err);
	if (!ret && filter->by_cgroup)
		ret = object_reuse_map(&state->object, "cgroups", object_map_fd(lines, "cgroups"), err);
	return ret;
}

static int make_images(struct state *state, struct err *err)
{
	int ret = object_image(&state->object, "whynot_entry", &state->pairs.entry, err);

	if (!ret)
		ret = object_image(&state->object, "whynot_return", &state->pairs.ret, err);
	if (!ret)
		ret = object_image(&state->object, "whynot_session", &state->pairs.session, err);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(tracepoints); i++)
		ret = object_image(&state->object, tracepoints[i].program, &state->images[i], err);
	return ret;
}

static int attach_ends(struct state *state, const struct attach_options *options, struct err *err)
{
	struct plan_step steps[ARRAY_SIZE(tracepoints)] = {};
	uint32_t numbers[ARRAY_SIZE(tracepoints)];

	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		struct target *target = vec_push(&state->ends);

		target->kind = TARGET_TRACEPOINT;
		target->object = tracepoints[i].system;
		target->name = tracepoints[i].name;
		target->label = tracepoints[i].name;
		target->slot = i;
		numbers[i] = i;
		steps[i] = (struct plan_step){
			.image = &state->images[i], .targets = &numbers[i], .n = 1
		};
	}
	state->ends.n_slots = ARRAY_SIZE(tracepoints);
	state->ends_attach = attach_new(&state->ends, options);
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		int ret = plan_run(state->ends_attach, &steps[i], 1, err);

		if (ret)
			return ret;
	}
	return 0;
}

static int attach_all(struct state *state, struct err *err)
{
	struct attach_options options = {
		.must_not_miss = true,
		.shared = true,
		.arguments = true,
		.progress = engine_progress,
		.ctx = state->instance,
	};
	int ret;

	report_verbose("programs are prepared");
	state->attach = attach_new(&state->functions.set, &options);
	ret = pairs_attach(&state->pairs, state->attach, &state->functions.set, err);
	if (ret)
		return ret;
	state->watched = pairs_count(state->attach, &state->functions.set);
	report_verbose("%zu of %zu functions are watched", state->watched, state->functions.n);
	return attach_ends(state, &options, err);
}

static void whynot_close(void *at);

static int whynot_open(void **at, struct engine_instance *instance, const struct object *lines, uint32_t error,
		       struct err *err)
{
	struct state *state = base_alloc(sizeof(*state));
	int ret;

	*at = state;
	state->instance = instance;
	state->config.error = error;
	ret = object_open(&state->object, whynot_bpf__elf_bytes, err);
	if (!ret)
		ret = whynot_functions_find(&state->functions, !quirk_kprobe_session(), err);
	report_verbose("%zu functions are chosen", state->functions.n);
	if (!ret)
		ret = pairs_make(&state->functions.set, false, err);
	if (!ret)
		ret = fill(state, err);
	if (!ret)
		ret = share(state, lines, err);
	if (!ret)
		ret = object_prepare(&state->object, NULL, err);
	if (!ret)
		ret = make_images(state, err);
	return ret ? ret : attach_all(state, err);
}

static void whynot_close(void *at)
{
	struct state *state = at;

	attach_free(state->ends_attach);
	attach_free(state->attach);
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++)
		image_release(&state->images[i]);
	pairs_release(&state->pairs);
	object_release(&state->object);
	whynot_functions_release(&state->functions);
	target_set_release(&state->ends);
	str_release(&state->args);
	free(state);
}

/* --- lines --- */

static const char *call_name(const struct strace_record *call)
{
	return call->flags & STRACE_COMPAT ? syscall_name_32(call->nr) : syscall_name(call->nr);
}

static const struct target *target_of(const struct state *state, const struct whynot_failure *failure)
{
	return &state->functions.set.v[failure->slot];
}

static void add_result(const struct state *state, const struct whynot_failure *failure, struct str *out)
{
	if (failure->ret < 0 && words_error_name(failure->ret))
		str_addf(out, "-%s", words_error_name(failure->ret));
	else
		prototypes_add_result(state->functions.prototypes, target_of(state, failure), failure->ret, out);
}

/* vfs_open(path="/etc/passwd", file=0xffff888004a1b000) = -EACCES */
static void add_failure(const struct state *state, const struct whynot_failure *failure, struct str *out)
{
	str_addf(out, "%s(", state->functions.names[failure->slot]);
	prototypes_add_args(state->functions.prototypes, target_of(state, failure), failure->args, failure->text, out);
	str_add(out, ") = ");
	add_result(state, failure, out);
}

/* Nothing if nobody is known to have decided. */
static void add_decider(const struct state *state, const struct whynot_verdict *verdict, struct str *out)
{
	if (verdict->seccomp)
		str_addf(out, "%s() = -1", state->functions.names[verdict->decider->slot]);
	else if (verdict->decider)
		add_failure(state, verdict->decider, out);
}

static void add_chain(const struct state *state, const struct whynot_verdict *verdict, const struct strace_record *call,
		      struct str *out)
{
	const char *name = call_name(call);

	str_add(out, name ? name : "?");
	for (size_t i = 0; i < verdict->n; i++)
		str_addf(out, " > %s", state->functions.names[verdict->chain[i]->slot]);
}

static void whynot_describe(void *at, struct str *out, const struct strace_record *call, const void *from, size_t size)
{
	const struct whynot_facts *facts = from;
	struct state *state = at;
	struct whynot_verdict verdict;

	if (!facts || size < offsetof(struct whynot_facts, failures)) {
		state->unseen++;
		str_add(out, "    nothing is known: the record of its functions was lost\n");
		return;
	}
	state->answers++;
	verdict = whynot_judge(&state->functions, facts, call->ret);
	str_add(out, "    decided by  ");
	if (verdict.decider)
		add_decider(state, &verdict, out);
	else if (facts->flags & WHYNOT_BEGUN)
		str_addf(out, "not known: none of the %zu watched functions failed with it", state->watched);
	else
		str_add(out, "not known: the call was not seen to begin");
	if (verdict.cause) {
		str_add(out, "\n    because     ");
		add_failure(state, verdict.cause, out);
	}
	if (verdict.n) {
		str_add(out, "\n    chain       ");
		add_chain(state, &verdict, call, out);
	}
	str_reset(&state->args);
	whynot_explain(&state->args, &state->functions, facts, &verdict, call, call_name(call), "\n                ");
	if (state->args.len)
		str_addf(out, "\n    look at     %s", state->args.data);
	str_addc(out, '\n');
}

struct whynot_row {
	struct strace_row call;
	const char *function, *decided, *because, *chain, *reason; /* NULL: none, or not known */
};

static void whynot_print(void *at, struct output *out, const struct strace_row *row, const struct strace_record *call,
			 const void *from, size_t size)
{
	struct str decided __str = {}, because __str = {}, chain __str = {}, reason __str = {};
	const struct whynot_facts *facts = from;
	struct whynot_row all = { .call = *row };
	struct state *state = at;
	struct whynot_verdict verdict;

	if (!facts || size < offsetof(struct whynot_facts, failures)) {
		state->unseen++;
		output_row(out, &all);
		return;
	}
	state->answers++;
	verdict = whynot_judge(&state->functions, facts, call->ret);
	add_decider(state, &verdict, &decided);
	if (verdict.cause)
		add_failure(state, verdict.cause, &because);
	if (verdict.n)
		add_chain(state, &verdict, call, &chain);
	whynot_explain(&reason, &state->functions, facts, &verdict, call, call_name(call), "; ");
	all.decided = decided.data;
	all.because = because.data;
	all.chain = chain.data;
	all.reason = reason.data;
	str_reset(&state->args);
	if (verdict.decider)
		all.function = state->functions.names[verdict.decider->slot];
	output_row(out, &all);
}

/* --- end --- */

static bool whynot_losses(void *at)
{
	struct state *state = at;
	__free uint64_t *by_slot = base_alloc((state->functions.set.n_slots + 1) * sizeof(*by_slot));
	uint64_t crowded = object_word(&state->object, ".data.whynot", WHYNOT_NO_ROOM);
	uint64_t dropped = object_word(&state->object, ".data.whynot", WHYNOT_DROPPED), missed = 0;
	bool knows = !attach_missed(state->attach, by_slot, &missed);
	uint64_t ends[ARRAY_SIZE(tracepoints)] = {}, begins = 0;

	if (!attach_missed(state->ends_attach, ends, &begins))
		for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
			begins += ends[i];
	for (size_t i = 0; knows && i < state->functions.set.n_slots; i++)
		missed += by_slot[i];
	if (crowded)
		report_note("%llu call%s without an answer: more threads at a time than %d",
			    (unsigned long long)crowded,
			    str_plural(crowded), WHYNOT_THREADS);
	if (dropped)
		report_note("%llu answer%s lost: the buffer was full (--buffer-size makes it larger)",
			    (unsigned long long)dropped, str_plural(dropped));
	if (state->unseen > crowded + dropped)
		report_note("%llu call%s without an answer: no record of functions came",
			    (unsigned long long)(state->unseen - crowded - dropped),
			    str_plural(state->unseen - crowded - dropped));
	if (begins)
		report_note("%llu begin%s or ends of calls missed by the kernel: an answer may be another call's",
			    (unsigned long long)begins, str_plural(begins));
	/* without an answer, none is wrong */
	missed = state->answers ? missed : 0;
	if (missed)
		report_note("%llu hit%s of functions missed by the kernel: an answer may name another function",
			    (unsigned long long)missed, str_plural(missed));
	return crowded || dropped || missed || begins || state->unseen;
}

static const struct field fields[] = {
	STRACE_FIELDS,
	DATA(FIELD_STR, struct whynot_row, function, "func"),
	DATA(FIELD_STR, struct whynot_row, decided, "decided"),
	DATA(FIELD_STR, struct whynot_row, because, "because"),
	DATA(FIELD_STR, struct whynot_row, chain, "chain"),
	DATA(FIELD_STR, struct whynot_row, reason, "reason"),
};

const struct schema whynot_schema = { fields, ARRAY_SIZE(fields) };

const struct strace_beside whynot_beside = {
	.open = whynot_open,
	.describe = whynot_describe,
	.print = whynot_print,
	.losses = whynot_losses,
	.close = whynot_close,
};
