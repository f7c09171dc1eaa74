// SPDX-License-Identifier: BSD-2-Clause
/*
 * What decides the meaning of a program's maps: its text, and what the compiler made of it. Another version may compile
 * the same text in another way, and then must not adopt what the older one has kept (attach/keep.h).
 */
#include <linux/bpf.h>

#include "attach/keep.h"
#include "script_part.h"

static void mix_text(struct keep *keep, const char *text)
{
	keep_mix(keep, str_or_empty(text), strlen(str_or_empty(text)) + 1);
}

static void mix_map(struct keep *keep, const struct lang_map *map)
{
	const uint32_t shape[] = {
		map->storage,
		map->max_entries,
		map->at_cell,
		map->n_slots,
		map->at_keys,
		map->value->kind,
		map->value->size,
		map->has_tasks,
	};

	mix_text(keep, map->name);
	keep_mix(keep, shape, sizeof(shape));
}

static void mix_code(struct keep *keep, const struct lang_code *code)
{
	keep_mix(keep, code->insns.v, code->insns.n * sizeof(*code->insns.v));
	vec_each(relocation, &code->relocations) {
		const uint32_t words[] = { relocation->insn, relocation->kind, relocation->index, relocation->offset };

		keep_mix(keep, words, sizeof(words));
	}
}

/* What clear() and zero() have subtracted is in our own memory. */
static bool subtracts(const struct lang_program *program)
{
	vec_each(site, &program->sites)
		if ((*site)->kind == SITE_CLEAR || (*site)->kind == SITE_ZERO)
			return true;
	return false;
}

void script_keep(const struct script *script)
{
	struct keep *keep = engine_keep(script->instance);
	const struct lang_program *program = script->program;

	if (!keep)
		return;
	vec_each(source, &program->sources)
		keep_mix(keep, source->text, source->len);
	vec_each(map, &program->maps)
		mix_map(keep, *map);
	vec_each(probe, &program->probes)
		mix_code(keep, &probe->code);
	vec_each(text, &program->texts)
		mix_text(keep, *text);
	if (subtracts(program))
		keep_refuse(keep, "its program clears maps");
}
