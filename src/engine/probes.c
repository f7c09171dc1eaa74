// SPDX-License-Identifier: BSD-2-Clause
/* Resolves the specs on the command line, and reports the targets that have no probe. */
#include "base/report.h"
#include "probes.h"

/* Without --verbose, so many targets are named for each reason. */
#define NAMED_FEW 5

/* Reports each file whose symbols sonde could not read completely, and functions that a probe sees in part. */
static void say_unseen(const struct target_set *set)
{
	vec_each(refused, &set->refused)
		report_note("symbols may be missing: %s", *refused);
	vec_each(unseen, &set->unseen)
		report_note("%s", *unseen);
}

int probes_resolve(struct engine_instance *instance, const struct probes_settings *settings, const char *what,
		   struct target_set *set, struct err *err)
{
	struct target_options options = { .regex = settings->regex,
					  .mangled = settings->mangled,
					  .force = settings->force,
					  .both = settings->both,
					  .value = settings->value,
					  .pid = instance->ctx->pid };
	size_t n = instance->args.n + settings->n_also, bad = 0;
	__free const char **specs = base_alloc((n + 1) * sizeof(*specs));
	int ret;

	if (!n) {
		instance->ctx->usage = true;
		return err_set(err, -EINVAL, "nothing to %s: name at least one probe", what);
	}
	for (size_t i = 0; i < n; i++)
		specs[i] = i < instance->args.n ? instance->args.v[i] : settings->also[i - instance->args.n];
	ret = target_resolve(specs, n, &options, set, &bad, err);
	say_unseen(set);
	if (ret && err->at >= 0) {
		instance->ctx->usage = true;
		instance->ctx->fault = specs[bad];
	}
	if (ret)
		return ret;
	if (!set->n)
		return err_set(err, -ENOENT, "there is nothing to %s: %s: %s", what, set->notes.v[0].name,
			       set->notes.v[0].reason);
	report_verbose("%zu targets in %zu slots", set->n, set->n_slots);
	return 0;
}

static void add_target(struct target_set *set, const struct target *from, uint32_t slot)
{
	struct target *target = vec_push(set);

	*target = *from;
	target->slot = slot;
	target->name = pool_add(&set->pool, from->name);
	target->object = from->object ? pool_add(&set->pool, from->object) : NULL;
	target->label = pool_add(&set->pool, from->label);
	target->ends = pool_copy(&set->pool, from->ends, from->n_ends * sizeof(*from->ends));
	target->no_return = from->no_return ? pool_add(&set->pool, from->no_return) : NULL;
}

int probes_add_spec(struct target_set *set, const char *spec, uint32_t slot, const struct target_options *options,
		    struct err *err)
{
	__cleanup(target_set_release) struct target_set found = {};
	size_t bad;
	int ret = target_resolve(&spec, 1, options, &found, &bad, err);

	say_unseen(&found);
	if (ret)
		return ret;
	if (!found.n)
		return err_set(err, -ENOENT, "cannot attach to '%s': %s", found.notes.v[0].name,
			       found.notes.v[0].reason);
	vec_each(target, &found)
		add_target(set, target, slot);
	vec_each(file, &found.files)
		*vec_push(&set->files) = *file;
	found.files.n = 0;
	return 0;
}

struct attach_options probes_attach_options(struct engine_instance *instance, const struct probes_settings *settings)
{
	return (struct attach_options){
		.mech = settings->mech,
		.pid = instance->ctx->pid,
		.must_not_miss = instance->filter.any,
		.progress = engine_progress,
		.ctx = instance,
		.keep = engine_keep(instance),
	};
}

void probes_say_armed(struct engine_instance *instance, size_t n)
{
	__str struct str specs = {};

	for (size_t i = 0; i < instance->args.n; i++)
		str_addf(&specs, "%s\"%s\"", i ? " " : "", instance->args.v[i]);
	report_line("Tracing %zu function%s for %s... Hit Ctrl-C to end.", n, str_plural(n), specs.data);
}

void probes_not_attached(const struct attach *attach, const struct target_set *set, struct target_notes *notes)
{
	for (size_t i = 0; i < set->n; i++) {
		struct target_note *note;

		if (attach_is_attached(attach, i))
			continue;
		note = vec_push(notes);
		note->name = set->v[i].label;
		note->reason = attach_why_not(attach, i);
	}
}

static int by_reason(const void *pa, const void *pb)
{
	const struct target_note *a = pa, *b = pb;
	int ret = strcmp(a->reason, b->reason);

	return ret ? ret : strcmp(a->name, b->name);
}

/* Prints a line for each reason, with only some of thousands of names. */
static void say_notes(struct engine_instance *instance, const char *what, struct target_notes *notes)
{
	const struct target_note *v = notes->v;
	size_t end;

	if (notes->n)
		qsort(notes->v, notes->n, sizeof(*v), by_reason);
	for (size_t i = 0; i < notes->n; i = end) {
		__str struct str names = {};

		for (end = i; end < notes->n && !strcmp(v[end].reason, v[i].reason); end++)
			if (instance->ctx->verbose || end - i < NAMED_FEW)
				str_addf(&names, "%s%s", end > i ? ", " : "", v[end].name);
		if (!instance->ctx->verbose && end - i > NAMED_FEW)
			str_addf(&names, " and %zu more (-v names all)", end - i - NAMED_FEW);
		report_note("%zu %s, %s: %s", end - i, what, v[i].reason, names.data);
	}
}

void probes_say_left_out(struct engine_instance *instance, struct target_set *set, struct target_notes *failed)
{
	say_notes(instance, "not attached", failed);
	say_notes(instance, "left out", &set->notes);
}

const char *probes_why_missed_returns(const struct attach *attach)
{
	return attach_counts_missed_returns(attach) ? " or, with kprobe, more calls of a function were under way than "
						      "it follows, sleeping ones included"
						    : "";
}

void probes_say_missed(struct engine_instance *instance, const struct attach *attach, bool knows, uint64_t missed,
		       const char *consequence)
{
	if (!knows)
		report_verbose("this kernel does not count the hits that it misses");
	else if (missed)
		report_note("%llu hit%s missed by the kernel, %s: a BPF program was running on that processor%s%s",
			    (unsigned long long)missed, str_plural(missed), consequence,
			    probes_why_missed_returns(attach),
			    instance->filter.any ? " (hits that the filter would exclude are included)" : "");
}

uint64_t probes_say_missed_returns(struct engine_instance *instance, struct attach *attach, const char *consequence)
{
	uint64_t missed = 0;

	if (attach_missed_returns(attach, &missed))
		report_note("returns may be missing: with kprobe this kernel follows only a few calls of a function at "
			    "a time, sleeping ones included, and does not report how many it missed");
	if (missed)
		report_note("%llu return%s missed by the kernel, %s: with kprobe it follows only a few calls of a "
			    "function at a time, sleeping ones included%s",
			    (unsigned long long)missed, str_plural(missed), consequence,
			    instance->filter.any ? " (returns that the filter would exclude are included)" : "");
	return missed;
}

void probes_say_pushed_out(uint64_t n)
{
	if (n)
		report_note("up to %llu return%s missing: more calls at a time ended by a jump to another function than "
			    "there is room for",
			    (unsigned long long)n, str_plural(n));
}

bool probes_say_switched_off(const struct attach *attach)
{
	const char *why = attach_switched_off(attach);

	if (why)
		report_note("%s: hits since then are missing", why);
	return why;
}
