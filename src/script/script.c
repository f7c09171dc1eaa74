// SPDX-License-Identifier: BSD-2-Clause
/* The script engine: its stages, from the arguments to what is attached, and its run. */
#include <limits.h>
#include <poll.h>

#include "attach/keep.h"
#include "base/clock.h"
#include "bpf/lang.h"
#include "engine/intake.h"
#include "script_part.h"

/* What harnesses of bpftrace wait for. */
#define NOTIFY "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

/* --- begin --- */

/* What --info and a list of probes do not use. bpftrace ignores it. */
static int refuse_beside_answers(const struct script *script, struct err *err)
{
	const struct script_settings *settings = script->settings;
	struct engine_context *ctx = script->instance->ctx;
	const struct opt_list *args = &script->instance->args;
	bool lists_probes = settings->list && !script_lists_program(script);
	size_t n = settings->info ? 0 : lists_probes ? 1
						     : args->n;

	if (ctx->as_peer || (!settings->info && !settings->list))
		return 0;
	ctx->usage = true;
	if (args->n > n)
		return err_set(err, -EINVAL, "unexpected argument '%s': %s", args->v[n],
			       settings->info ? "--info takes none" : "-l takes one pattern, in quotes");
	if (ctx->command.pid)
		return err_set(err, -EINVAL, "unexpected command '%s': %s runs none", ctx->command.name,
			       settings->info ? "--info" : "-l");
	ctx->usage = false;
	return 0;
}

/* For how long calls are followed that were handed over: files are read meanwhile, and nothing else is done. */
#define LEARN_MS 20

/*
 * Where calls of probed functions end, is known of some only when they run. Each time another probe comes first. Returns
 * after how many ms to look again.
 */
static int learn_ends(struct script *script)
{
	size_t n = script->program->probes.n, first = script->attached.learn_first++;
	uint64_t until = clock_monotonic_ns() + LEARN_MS * NS_PER_MS;
	int ms = INT_MAX;

	for (size_t i = 0; script->attached.learns && i < n; i++) {
		struct attach *attach = script->probes[(first + i) % n].attach;
		int also = attach ? attach_learn(attach, until) : INT_MAX;

		ms = also < ms ? also : ms;
	}
	return ms;
}

static int take_own(void *ctx)
{
	struct script *script = ctx;
	struct pollfd process = { .fd = script->loaded.process, .events = POLLIN };

	if (process.fd >= 0 && poll(&process, 1, 0) > 0)
		script->instance->ctx->done = true;
	script_own_take(script);
	script_full_maps(script);
	return learn_ends(script);
}

/* What needs no program: --info, and -l of all that there is. */
static int answer(struct script *script, struct err *err)
{
	int ret = refuse_beside_answers(script, err);

	if (!ret && script->settings->info)
		script_info(script);
	else if (!ret && script->settings->list && !script_lists_program(script))
		ret = script_list(script, err);
	return ret;
}

static int attach(struct script *script, struct err *err)
{
	struct engine_instance *instance = script->instance;
	bool dry_run = script->settings->dry_run;
	int ret;

	intake_add(instance->intake, INTAKE_OWN, take_own, script);
	if (!script->export)
		engine_hurry();
	/* what begin has set is kept with the maps */
	if (!dry_run && !keep_is_adopted(engine_keep(instance)))
		script_own_run(script, PROBE_BEGIN);
	script->attached.begun = clock_boot_ns();
	ret = script_attach(script, err);
	return ret || dry_run ? ret : script_own_start(script, err);
}

int script_open(struct engine_instance *instance, const struct script_front *front, struct err *err)
{
	/* Each makes a part of struct script from those before. The run ends behind the one that has answered. */
	static int (*const stages[])(struct script *, struct err *) = {
		answer,
		script_compile,
		script_list_program,
		script_load,
		attach,
	};
	struct script *script = base_alloc(sizeof(*script));
	int ret = 0;

	instance->state = script;
	script->instance = instance;
	script->front = front;
	script->settings = instance->settings;
	script->kernel = kernel_new();
	script->file = script->loaded.process = -1;
	for (size_t i = 0; !ret && !instance->ctx->answered && i < ARRAY_SIZE(stages); i++)
		ret = stages[i](script, err);
	return ret;
}

/* --- the run --- */

void script_armed(struct engine_instance *instance)
{
	struct script *script = instance->state;

	if (script->front->armed)
		script->front->armed(script);
	/* From now on we precede other tasks, also the command, whose mappings must be read before it runs on. */
	if (script->loaded.stacks)
		stacks_take(script->loaded.stacks);
	/* What begin printed comes before the first line of a command. */
	stream_take_until(script->loaded.stream, script->attached.begun);
	output_flush(instance->ctx->out);
	if (getenv(NOTIFY)) {
		puts(NOTIFY);
		fflush(stdout);
	}
	if (script->settings->dry_run)
		instance->ctx->done = true;
	else if (script->settings->test)
		script_test_run(script);
	else if (script->settings->bench)
		script_test_bench(script);
	else
		script_own_iterate(script);
}

int script_take(struct engine_instance *instance)
{
	int ms = intake_take(instance->intake);

	script_output_flush(instance->state);
	return ms;
}

void script_take_all(struct script *script)
{
	const struct engine_context *ctx = script->instance->ctx;

	stream_end_at(script->loaded.stream, script->attached.is_over ? 0 : ctx->asked_at);
	stream_take_all(script->loaded.stream, ctx->should_hurry, ctx->should_stop_ctx);
}

static bool has_end(const struct script *script)
{
	vec_each(probe, &script->program->probes)
		if (probe->kind == PROBE_END)
			return true;
	return false;
}

/* end runs when nothing else does any more, also after exit(). */
static void run_end(struct script *script)
{
	script->attached.missed = script_missed(script);
	script->attached.unlearned = script_unlearned(script);
	script->attached.pushed_out = script_pushed_out(script);
	script->attached.knows_missed = true;
	script_look_at_switches(script);
	script_detach(script);
	script_take_all(script);
	script->attached.is_over = true;
	script->loaded.state->exited = 0;
	script_own_run(script, PROBE_END);
}

void script_emit(struct engine_instance *instance, bool last)
{
	struct script *script = instance->state;

	if (!last || script->settings->dry_run)
		return;
	if (has_end(script))
		run_end(script);
	script_take_all(script);
	script->front->ended(script);
	output_flush(instance->ctx->out);
}

void script_close(struct engine_instance *instance)
{
	struct script *script = instance->state;

	if (!script)
		return;
	if (script->program) {
		script_output_release(script);
		script_detach(script);
		if (script->probes)
			script_own_release(script);
	}
	script_unload(script);
	script_export_release(script);
	script_names_release(&script->names);
	if (script->front->release)
		script->front->release(script);
	if (script->program)
		lang_program_free(script->program);
	kernel_free(script->kernel);
	str_release(&script->text);
	str_release(&script->kept);
	free(script->attached.order.v);
	free(script);
}
