// SPDX-License-Identifier: BSD-2-Clause
/* Attaches a program's probes to their targets. Probes that the run loop runs itself are in script_own.c. */
#include <linux/perf_event.h>

#include "attach/plan.h"
#include "base/report.h"
#include "engine/filter.h"
#include "engine/probes.h"
#include "script_part.h"

static bool is_pattern(const struct lang_probe *probe)
{
	return probe->attach && probe->attach->spec && strpbrk(probe->attach->spec, "*?[");
}

/* Whether several runs may write to one shard at a time: programs on one processor interrupt each other. */
static bool is_shared(const struct lang_program *program)
{
	size_t n = 0;

	vec_each(probe, &program->probes)
		n += probe->targets.n > 0;
	return n > 1;
}

/* The attach point that a target comes from; a pattern's targets may have that of another one. */
static struct span place_of(const struct lang_probe *probe, const struct target *target)
{
	size_t n = strlen(target->name);

	for (const struct lang_attach *attach = probe->attach; attach; attach = attach->next) {
		size_t len = strlen(attach->text);

		if (len > n && attach->text[len - n - 1] == ':' && !strcmp(attach->text + len - n, target->name))
			return attach->at;
	}
	return probe->attach->at;
}

/*
 * Reports the error as the compiler does, with its place in the program. A tool's user has not written the program, and
 * a front-end's has written another text.
 */
static void show_place(const struct script *script, struct span at, const struct err *err)
{
	struct lang_messages messages = {};
	__str struct str text = {};

	if (!script->front->shows_places || script->instance->source)
		return;
	lang_error(&messages, at, "%s", err->text);
	lang_messages_show(&messages, &script->program->sources, false, &text);
	fputs(str_or_empty(text.data), stderr);
	lang_messages_release(&messages);
	script->instance->ctx->said = true;
}

/*
 * A target that cannot be attached is an error, unless the program says otherwise (missing_probes), or it is one of
 * many that a pattern matched.
 */
static int check_missing(const struct script *script, const struct lang_probe *probe, const struct attach *attach,
			 struct err *err)
{
	bool warns = script->program->config.missing_probes == MISSING_WARN || is_pattern(probe);

	for (size_t i = 0; i < probe->targets.n; i++) {
		if (attach_is_attached(attach, i))
			continue;
		if (!warns && script->program->config.missing_probes != MISSING_IGNORE) {
			err_set(err, -ENOTSUP, "cannot attach to '%s': %s", probe->targets.v[i].label,
				attach_why_not(attach, i));
			show_place(script, place_of(probe, &probe->targets.v[i]), err);
			return err->code;
		}
		if (script->program->config.missing_probes == MISSING_WARN)
			report_note("cannot attach to '%s': %s", probe->targets.v[i].label, attach_why_not(attach, i));
		else
			report_verbose("cannot attach to '%s': %s", probe->targets.v[i].label,
				       attach_why_not(attach, i));
	}
	return 0;
}

static bool is_event(const struct lang_probe *probe)
{
	return probe->kind >= PROBE_PROFILE && probe->kind <= PROBE_WATCHPOINT;
}

/* Perf's events have no spec: a probe is one target. */
void script_attach_events(struct script *script)
{
	vec_each(probe, &script->program->probes) {
		const struct lang_attach *from = probe->attach;
		struct target_event event = { .period = from->period, .config = from->event };
		struct target *target;

		if (!is_event(probe) || probe->targets.n)
			continue;
		switch (probe->kind) {
		case PROBE_PROFILE:
			event.config = PERF_COUNT_SW_CPU_CLOCK;
			/* fall through */
		case PROBE_SOFTWARE:
			event.type = PERF_TYPE_SOFTWARE;
			break;
		case PROBE_HARDWARE:
			event.type = PERF_TYPE_HARDWARE;
			break;
		default:
			event.type = PERF_TYPE_BREAKPOINT;
			event.period = 1;
			event.address = from->address;
			event.length = from->length;
			event.access = from->access;
		}
		target = vec_push(&probe->targets);
		target->kind = TARGET_EVENT;
		target->event = pool_copy(&probe->targets.pool, &event, sizeof(event));
		target->label = target->name = from->text;
		probe->targets.n_slots = 1;
	}
}

/*
 * Keys of threads, and keys that the program deletes, are of what is going on: a start time, say. After a pause its end
 * may have gone by.
 */
static bool is_of_moment(const struct script *script, const struct lang_map *map)
{
	return !script_exports(script, map) && (map->is_deleted || (map->key && !map->is_general));
}

static int forget(void *ctx)
{
	const struct engine_instance *instance = ctx;
	struct script *script = instance->state;
	int ret = 0;

	for (size_t i = 0; !ret && i < script->program->maps.n; i++)
		if (is_of_moment(script, script->program->maps.v[i]))
			ret = script_map_clear(&script->loaded.maps[i], 0);
	return ret;
}

static void new_attach(struct script *script, size_t i)
{
	const struct lang_probe *probe = &script->program->probes.v[i];
	const struct attach_options options = {
		.mech = is_event(probe) ? MECH_AUTO : script->settings->mech,
		.shared = is_shared(script->program),
		.pid = script->instance->ctx->pid,
		.arguments = probe->needs.arguments,
		.registers = probe->needs.registers,
		.record = probe->needs.record,
		.must_not_miss = true,
		.progress = engine_progress,
		.forget = forget,
		.ctx = script->instance,
		.keep = engine_keep(script->instance),
	};

	script->probes[i].attach = attach_new(&probe->targets, &options);
}

static int attach_probe(struct script *script, size_t i, struct err *err)
{
	const struct lang_probe *probe = &script->program->probes.v[i];
	const struct plan_step step = { .image = &script->probes[i].image };
	struct attach *attach = script->probes[i].attach;
	int ret = plan_run(attach, &step, 1, err);

	if (ret == -ENOTSUP && script->program->config.missing_probes == MISSING_ERROR)
		show_place(script, place_of(probe, &probe->targets.v[0]), err);
	if (ret && (ret != -ENOTSUP || script->program->config.missing_probes == MISSING_ERROR))
		return ret;
	ret = check_missing(script, probe, attach, err);
	*vec_push(&script->attached.order) = i;
	return ret;
}

/* --- the order --- */

/* What the kernel usually runs last first. */
static bool is_reversed(const struct lang_probe *probe)
{
	return probe->kind != PROBE_TRACEPOINT && probe->kind != PROBE_RAWTRACEPOINT;
}

static bool shares_place(const struct target_set *a, const struct target_set *b)
{
	vec_each(x, a)
		vec_each(y, b)
			if (x->offset == y->offset && str_same(x->name, y->name) && str_same(x->object, y->object))
				return true;
	return false;
}

/*
 * Returns have several mechanisms, and some of them run what was attached first, first. Which one serves a probe is
 * known when it is attached. What is kept belongs to its attachment, which then stays as it is.
 */
static bool was_first(const struct script *script, size_t i)
{
	const struct lang_probe *probes = script->program->probes.v;

	if (probes[i].kind != PROBE_KRETPROBE || attach_runs_last_first(script->probes[i].attach) ||
	    engine_keep(script->instance))
		return false;
	for (size_t j = 0; j < script->program->probes.n; j++)
		if (j != i && probes[j].kind == PROBE_KRETPROBE && shares_place(&probes[i].targets, &probes[j].targets))
			return true;
	return false;
}

static void detach_again(struct script *script, size_t i)
{
	attach_free(script->probes[i].attach);
	new_attach(script, i);
	script->attached.order.n--;
}

/*
 * Programs on one place run in the order in which they are written. So those that the kernel runs last first are
 * attached from the last to the first, then the others.
 */
static int attach_in_order(struct script *script, struct err *err)
{
	size_t n = script->program->probes.n;
	__free bool *is_left = base_alloc((n + 1) * sizeof(*is_left));
	int ret = 0;

	for (size_t i = 0; i < n; i++) {
		is_left[i] = script->program->probes.v[i].targets.n;
		if (is_left[i])
			new_attach(script, i);
	}
	for (size_t i = n; !ret && i-- > 0;) {
		if (!is_left[i] || !is_reversed(&script->program->probes.v[i]))
			continue;
		ret = attach_probe(script, i, err);
		is_left[i] = !ret && was_first(script, i);
		if (is_left[i])
			detach_again(script, i);
	}
	for (size_t i = 0; !ret && i < n; i++)
		if (is_left[i])
			ret = attach_probe(script, i, err);
	return ret;
}

/* Probes that hang on something, whether it is there or not. */
static size_t count_hooks(const struct script *script)
{
	size_t n = 0;

	vec_each(probe, &script->program->probes)
		n += probe->kind > PROBE_BENCH && probe->kind != PROBE_ITER;
	return n;
}

int script_attach(struct script *script, struct err *err)
{
	size_t own = script->attached.n;
	int ret = attach_in_order(script, err);

	script->attached.learns = !filter_pidns();
	vec_each(i, &script->attached.order)
		script->attached.n += attach_count(script->probes[*i].attach);
	/* Of a tool nobody expects that it prints headings, and traces nothing. */
	if (!ret && script->instance->source && count_hooks(script) && script->attached.n == own)
		return err_set(err, -ENOENT, "nothing of what it traces is here: -v says why");
	if (!ret && !script->attached.n)
		ret = err_set(err, -ENOENT, "no probe is left to attach%s",
			      script->program->has_tests ? ": --test runs test probes, --bench bench probes" : "");
	return ret;
}

void script_look_at_switches(struct script *script)
{
	for (size_t i = 0; !script->attached.was_off && script->probes && i < script->program->probes.n; i++)
		if (script->probes[i].attach)
			script->attached.was_off = probes_say_switched_off(script->probes[i].attach);
}

void script_detach(struct script *script)
{
	for (size_t i = 0; script->probes && i < script->program->probes.n; i++) {
		if (script->probes[i].attach)
			attach_free(script->probes[i].attach);
		script->probes[i].attach = NULL;
	}
}

uint64_t script_unlearned(const struct script *script)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < script->program->probes.n; i++)
		if (script->probes[i].attach)
			sum += attach_unlearned(script->probes[i].attach);
	return sum;
}

uint64_t script_pushed_out(const struct script *script)
{
	uint64_t sum = 0;

	for (size_t i = 0; script->probes && i < script->program->probes.n; i++)
		if (script->probes[i].attach)
			sum += attach_pushed_out(script->probes[i].attach);
	return sum;
}

uint64_t script_missed(const struct script *script)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < script->program->probes.n; i++) {
		const struct lang_probe *probe = &script->program->probes.v[i];
		struct attach *attach = script->probes[i].attach;
		__free uint64_t *by_slot = base_alloc((probe->targets.n_slots + 1) * sizeof(*by_slot));
		uint64_t others = 0, returns = 0;

		if (attach && !attach_missed_returns(attach, &returns))
			sum += returns;
		if (!attach || attach_missed(attach, by_slot, &others))
			continue;
		for (size_t slot = 0; slot < probe->targets.n_slots; slot++)
			sum += by_slot[slot];
		sum += others;
	}
	return sum;
}
