// SPDX-License-Identifier: BSD-2-Clause
/* What a program's output lacks: reported at the end, by name. */
#include <bpf/bpf.h>

#include "base/cpus.h"
#include "base/report.h"
#include "engine/probes.h"
#include "script_part.h"

/* Adds up an element of a per-processor array. */
static uint64_t lost(const struct script *script, const char *map, uint32_t index)
{
	__free uint64_t *each = base_alloc(cpus_ids() * sizeof(*each));
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(object_map_fd(&script->loaded.object, map), &index, each))
		return 0;
	for (int i = 0; i < cpus_ids(); i++)
		sum += each[i];
	return sum;
}

static uint64_t lost_records(const struct script *script)
{
	uint64_t sum = 0;

	vec_each(site, &script->program->sites)
		if ((*site)->kind != SITE_MISSING || script->settings->faults)
			sum += lost(script, "lang_lost_records", (*site)->number);
	return sum;
}

static bool is_same_place(const struct lang_site *a, const struct lang_site *b)
{
	return a->kind == b->kind && a->at.source == b->at.source && a->at.begin == b->at.begin &&
	       a->at.end == b->at.end;
}

/* A block that is compiled for several kinds of probes has several sites at one place: the first one stands for all. */
static uint64_t missing_at(const struct script *script, const struct lang_site *first)
{
	uint64_t sum = 0;

	vec_each(site, &script->program->sites) {
		if (!is_same_place(*site, first))
			continue;
		if ((*site)->number < first->number)
			return 0;
		sum += lost(script, "lang_lost_records", (*site)->number);
	}
	return sum;
}

/* No loss: the program deletes what is not there. Without -k each such place is reported once. */
static void say_missing(struct script *script)
{
	if (script->settings->faults)
		return;
	vec_each(site, &script->program->sites) {
		uint64_t n = (*site)->kind == SITE_MISSING ? missing_at(script, *site) : 0;
		__free char *times = n > 1 ? base_printf(" (%llu times)", (unsigned long long)n) : NULL;
		__free char *text = base_printf("%s%s", str_or_empty((*site)->format), str_or_empty(times));

		if (n)
			script_warn(script, *site, text);
	}
}

static uint64_t lost_updates(const struct script *script, const struct lang_map *map)
{
	return lost(script, "lang_full_maps", map->number);
}

static uint64_t say_records(const struct script *script)
{
	uint64_t full = lost_records(script), unread = stream_unread(script->loaded.stream);
	uint64_t late = stream_late(script->loaded.stream);

	if (full)
		report_note("%llu event%s lost: the buffer was full (--buffer-size makes it larger)",
			    (unsigned long long)full, str_plural(full));
	if (late)
		report_note("%llu event%s not printed: newer than the request to stop", (unsigned long long)late,
			    str_plural(late));
	if (unread)
		report_note("%llu event%s lost: not read at the end", (unsigned long long)unread, str_plural(unread));
	return full + unread;
}

static uint64_t say_maps(struct script *script)
{
	uint64_t sum = 0;

	vec_each(map, &script->program->maps) {
		uint64_t n = lost_updates(script, *map);

		if (n)
			report_note("Map full; can't update element: %llu update%s lost of %s, which has %u keys (%s)",
				    (unsigned long long)n, str_plural(n), (*map)->typed, (*map)->max_entries,
				    script->front->makes_room);
		sum += n;
	}
	return sum;
}

void script_full_maps(struct script *script)
{
	if (!script->loaded.state->full)
		return;
	script->loaded.state->full = 0;
	for (size_t i = 0; i < script->program->maps.n; i++) {
		const struct lang_map *map = script->program->maps.v[i];

		if (script->loaded.maps[i].was_full || !lost_updates(script, map))
			continue;
		script->loaded.maps[i].was_full = true;
		report_note(
			"Map full; can't update element: %s has %u keys, and updates with others are lost until some "
			"are freed",
			map->typed, map->max_entries);
	}
}

static uint64_t say_loops(const struct script *script)
{
	uint64_t plain = lost(script, "lang_losses", LANG_LOSS_TURNS);
	uint64_t long_ones = lost(script, "lang_losses", LANG_LOSS_TURNS_KERNEL);

	if (plain)
		report_note("%llu loop%s ended early, after %u turns: this kernel has to see where a loop ends, as in "
			    "while ($i < 1000) with $i++",
			    (unsigned long long)plain, str_plural(plain), LANG_TURNS_PLAIN);
	if (long_ones)
		report_note("%llu loop%s ended early, after %u turns: the kernel allows no more",
			    (unsigned long long)long_ones, str_plural(long_ones), LANG_TURNS_KERNEL);
	return plain + long_ones;
}

static uint64_t say_others(struct script *script)
{
	uint64_t busy = lost(script, "lang_losses", LANG_LOSS_SCRATCH),
		 unread = lost(script, "lang_losses", LANG_LOSS_READ);
	uint64_t nested = lost(script, "lang_losses", LANG_LOSS_NESTED);
	uint64_t missed = script->attached.knows_missed ? script->attached.missed : script_missed(script);
	uint64_t unlearned = script->attached.knows_missed ? script->attached.unlearned : script_unlearned(script);
	uint64_t pushed_out = script->attached.knows_missed ? script->attached.pushed_out : script_pushed_out(script);

	if (busy)
		report_note("%llu hit%s lost: no memory for strings was free, too many programs interrupted each other",
			    (unsigned long long)busy, str_plural(busy));
	if (nested)
		report_note("%llu update%s of min(), max() or tseries() lost: programs interrupted each other",
			    (unsigned long long)nested, str_plural(nested));
	if (unread)
		report_note("%llu read%s of memory failed, and gave 0 or \"\" (-k says where)",
			    (unsigned long long)unread, str_plural(unread));
	if (missed)
		report_note("%llu hit%s missed by the kernel", (unsigned long long)missed, str_plural(missed));
	if (unlearned)
		report_note("up to %llu return%s missing: the functions jumped to others by pointers, which had to be "
			    "learned first (--force uses the kernel's return probe, which can break programs)",
			    (unsigned long long)unlearned, str_plural(unlearned));
	probes_say_pushed_out(pushed_out);
	if (script->attached.skipped)
		report_note("%llu interval%s skipped: there was no time for so many",
			    (unsigned long long)script->attached.skipped, str_plural(script->attached.skipped));
	return busy + nested + missed + unlearned + pushed_out + script->attached.skipped;
}

void script_losses(struct engine_instance *instance)
{
	struct script *script = instance->state;
	uint64_t all;

	say_missing(script);
	all = say_records(script) + say_maps(script) + say_loops(script) + say_others(script);

	if (script->loaded.stacks)
		stacks_losses(script->loaded.stacks);
	script_look_at_switches(script);
	if ((all || script->attached.was_off) && script->settings->fail_on_loss)
		script->instance->ctx->failed = true;
}

void script_stats(struct engine_instance *instance, struct engine_stats *stats)
{
	struct script *script = instance->state;
	uint64_t full = 0;

	vec_each(map, &script->program->maps) {
		full += lost_updates(script, *map);
		if (script->loaded.maps[(*map)->number].fd >= 0)
			stats->memory += object_map_bytes(script->loaded.maps[(*map)->number].fd);
	}
	stats->memory += object_bytes(&script->loaded.object);
	engine_stats_add(stats, "map_full", full);
	engine_stats_add(stats, "buffer_full", lost_records(script));
	engine_stats_add(stats, "no_memory", lost(script, "lang_losses", LANG_LOSS_SCRATCH));
	engine_stats_add(stats, "interrupted", lost(script, "lang_losses", LANG_LOSS_NESTED));
	engine_stats_add(stats, "read_failed", lost(script, "lang_losses", LANG_LOSS_READ));
	engine_stats_add(stats, "loop_ended",
			 lost(script, "lang_losses", LANG_LOSS_TURNS) +
				 lost(script, "lang_losses", LANG_LOSS_TURNS_KERNEL));
	engine_stats_add(stats, "interval_skipped", script->attached.skipped);
	engine_stats_add(stats, "return_unlearned",
			 script->attached.knows_missed ? script->attached.unlearned : script_unlearned(script));
	if (script->export)
		script_export_stats(script, stats);
}

struct attach *script_attachment(const struct engine_instance *instance, size_t n)
{
	const struct script *script = instance->state;

	return n < script->attached.order.n ? script->probes[script->attached.order.v[n]].attach : NULL;
}
