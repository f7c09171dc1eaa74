// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random programs in the language (tests/lang/program_random.h). Each is compiled, linked, loaded and run in the
 * kernel, and must leave in its maps what tests/lang/program_evaluate.h computes from the same checked tree. Others,
 * which use what only the kernel knows, are loaded as programs of kernel probes. Arguments: how many programs, the
 * first seed, and "show" to print them. Prints "ok" and what was done, or what is wrong and the program, and exits
 * with 1.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "base/cpus.h"
#include "base/report.h"
#include "bpf/event.h"
#include "bpf/filter.h"
#include "bpf/lang.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "gen/bpf/lang.skel.h"
#include "lang/code/emit.h"
#include "lang/lower/lower.h"
#include "lang/tree/parse.h"
#include "script/script_part.h"
#include "tests/lang/program_evaluate.h"
#include "tests/lang/program_random.h"

/*
 * What the object has room for: some maps whose keys are in a table (LANG_KEYS_MEMORY), for each of two processors.
 * Linux 5.10 allows values of less than 4 MB.
 */
#define CELLS	(2 * 1024 * 1024)
#define SHARD	(1024 * 1024)
#define SCRATCH (64 * 1024)

struct state {
	struct lang_options options;
	struct object object;
	struct script_memory memory;
	uint64_t evaluated, loaded, refused, steps, instructions;
	bool show;
};

/* A program on its way. */
struct one {
	uint64_t seed;
	struct str text;
	struct lang_program *program;
	struct checked_program checked;
	struct script_map *maps;
	struct evaluate e;
};

static void fail(const struct one *one, const char *what, const char *why)
{
	__str struct str messages = {};

	if (one && one->program)
		lang_messages_show(&one->program->messages, &one->program->sources, false, &messages);
	if (one)
		printf("%sprogram %llu: ", one->text.data, (unsigned long long)one->seed);
	printf("%s: %s\n%s", what, why, str_or_empty(messages.data));
	exit(1);
}

static void check(int ret, const struct one *one, const char *what, const struct err *err)
{
	if (ret < 0)
		fail(one, what, err->text[0] ? err->text : strerror(-ret));
}

static void prepare(struct state *s)
{
	struct lang_site *sites[32] = {};
	struct lang_map *maps[64] = {};
	struct lang_program largest = { .scratch_size = SCRATCH, .zero_size = SHARD };
	struct err err = {};

	largest.sites.v = sites;
	largest.sites.n = ARRAY_SIZE(sites);
	largest.maps.v = maps;
	largest.maps.n = ARRAY_SIZE(maps);
	s->options = (struct lang_options){ .features = script_features(),
					    .test = true,
					    .n_cpus = cpus_ids(),
					    .positional = random_parameters,
					    .n_positional = ARRAY_SIZE(random_parameters) };
	s->options.kernel = kernel_new();
	for (s->options.n_shards = 1; s->options.n_shards < s->options.n_cpus;)
		s->options.n_shards *= 2;
	check(object_open(&s->object, lang_bpf__elf_bytes, &err), NULL, "open", &err);
	check(object_size_value(&s->object, ".data.cells", CELLS, &err), NULL, "size", &err);
	check(object_size_value(&s->object, ".data.shards", SHARD * s->options.n_shards, &err), NULL, "size", &err);
	check(script_link_size(&largest, &s->object, &err), NULL, "size", &err);
	check(object_prepare(&s->object, NULL, &err), NULL, "prepare", &err);
	s->memory.cells = object_memory(&s->object, ".data.cells", CELLS);
}

/* --- compiling --- */

/* False: the checker refused it. */
static bool compile(struct state *s, struct one *one)
{
	const struct parse_options parse = { random_parameters, ARRAY_SIZE(random_parameters) };
	struct lang_program *p = one->program = base_alloc(sizeof(*p));
	struct ast_program *ast;

	p->types = ctypes_new(&p->pool);
	ast = lang_parse(&p->sources, lang_sources_add(&p->sources, "random", one->text.data, one->text.len), &parse,
			 p->types, &p->pool, &p->messages);
	if (!ast)
		fail(one, "parse", "it was refused");
	return lang_check(p, ast, &s->options, &one->checked);
}

static void create_maps(struct state *s, struct one *one)
{
	struct err err = {};

	one->maps = base_alloc((one->program->maps.n + 1) * sizeof(*one->maps));
	for (size_t i = 0; i < one->program->maps.n; i++)
		check(script_map_init(&one->maps[i], one->program->maps.v[i], &s->memory, NULL, &err), one, "map",
		      &err);
}

/* Returns the descriptor of the second probe's program. */
static int load(struct state *s, struct one *one, int type)
{
	struct checked_probe *checked = &one->checked.probes.v[1];
	const struct lang_program *program = one->program;
	__free int *fds = base_alloc((program->maps.n + 1) * sizeof(*fds));
	struct ir_program ir = {};
	struct image image = {};
	struct err err = {};
	int fd;

	if (!lang_lower(one->program, checked, &s->options, &ir))
		fail(one, "lower", "it was refused");
	ir_fold(&ir);
	check(lang_emit(&ir, &checked->probe->code, &checked->probe->stack, &err), one, "emit", &err);
	if (program->scratch_size > SCRATCH || program->cells_size > CELLS || program->shard_size > SHARD)
		fail(one, "size", "there is no room for it");
	create_maps(s, one);
	for (size_t i = 0; i < program->maps.n; i++)
		fds[i] = one->maps[i].fd;
	check(script_link(program, checked->probe, &s->object, fds, &image, &err), one, "link", &err);
	image_patch_optional(&image, PATCH_SHARDS, s->options.n_shards - 1);
	image_patch_optional(&image, PATCH_SHARD_SIZE, program->shard_size);
	fd = attach_load(&image, type, 0, 0, &err);
	check(fd, one, "load", &err);
	s->instructions += checked->probe->code.insns.n;
	image_release(&image);
	ir_program_release(&ir);
	return fd;
}

static void release(struct one *one)
{
	for (size_t i = 0; one->maps && i < one->program->maps.n; i++)
		script_map_release(&one->maps[i]);
	for (size_t i = 0; one->e.maps && i < one->program->maps.n; i++)
		free(one->e.maps[i].entries.v);
	free(one->maps);
	free(one->e.maps);
	free(one->e.variables.v);
	free(one->checked.probes.v);
	lang_program_free(one->program);
	str_release(&one->text);
}

/* --- running --- */

static void random_bytes(struct random_ir *r, const struct lang_map *map, uint8_t *to)
{
	uint64_t n = random_number(r);

	if (map->value->kind == TYPE_STRING) {
		for (uint32_t i = 0, len = random_below(r, map->value->size); i < len; i++)
			to[i] = "ab/c"[random_below(r, 4)];
		return;
	}
	n = map->value->kind == TYPE_BOOL ? n & 1 : n;
	memcpy(to, &n, map->value->size < 8 ? map->value->size : 8);
}

/* Fills @i, @b and @s, for the kernel and for us. */
static void fill(struct state *s, struct one *one)
{
	struct random_ir r = { .state = one->seed + 1 };

	memset(s->memory.cells, 0, CELLS);
	one->e.maps = base_alloc((one->program->maps.n + 1) * sizeof(*one->e.maps));
	for (size_t i = 0; i < one->program->maps.n; i++) {
		const struct lang_map *map = one->program->maps.v[i];
		uint8_t *cell = (uint8_t *)s->memory.cells + map->at_cell;

		one->e.maps[i].map = map;
		if (map->key)
			continue;
		if (strchr("ibs", map->name[1]))
			random_bytes(&r, map, cell);
		one->e.maps[i].value = eval_at(cell, map->value);
	}
}

static void differs(const struct one *one, const struct lang_map *map, const uint8_t *got, const uint8_t *wanted)
{
	char text[256];
	int n = snprintf(text, sizeof(text), "it is");

	for (uint32_t i = 0; i < map->value->size && i < 32; i++)
		n += snprintf(text + n, sizeof(text) - n, " %02x", got[i]);
	n += snprintf(text + n, sizeof(text) - n, ", not");
	for (uint32_t i = 0; i < map->value->size && i < 32; i++)
		n += snprintf(text + n, sizeof(text) - n, " %02x", wanted[i]);
	fail(one, map->name, text);
}

static void compare_hash(const struct one *one, const struct evaluate_map *map)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	uint8_t got[EVALUATE_BYTES];
	size_t n = 0;

	vec_each(entry, &map->entries) {
		if (!entry->is_there)
			continue;
		n++;
		if (bpf_map_lookup_elem(one->maps[map->map->number].fd, entry->key.bytes, got))
			fail(one, map->map->name, "an entry is missing");
		if (memcmp(got, entry->value.bytes, map->map->value->size))
			differs(one, map->map, got, entry->value.bytes);
	}
	if (map->entries.n > RANDOM_KEYS)
		fail(one, map->map->name, "its keys may find no room");
	if (script_map_read(&one->maps[map->map->number], &entries) || entries.n != n)
		fail(one, map->map->name, "it has more entries");
}

static void compare(const struct state *s, const struct one *one)
{
	for (size_t i = 0; i < one->program->maps.n; i++) {
		const struct evaluate_map *map = &one->e.maps[i];
		const uint8_t *cell = (const uint8_t *)s->memory.cells + map->map->at_cell;

		if (map->map->key)
			compare_hash(one, map);
		else if (memcmp(cell, map->value.bytes, map->map->value->size))
			differs(one, map->map, cell, map->value.bytes);
	}
}

static void run(struct state *s, struct one *one, int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct err none = {};

	fill(s, one);
	evaluate_statements(&one->e, one->checked.probes.v[1].ast->body->block.first);
	check(bpf_prog_test_run_opts(fd, &opts), one, "run", &none);
	compare(s, one);
	s->steps += one->e.steps;
	s->evaluated++;
}

/* Every fourth program is for kernel probes, if the kernel has those. */
static void try_program(struct state *s, uint64_t seed)
{
	bool all = seed % 4 == 3;
	struct one one = { .seed = seed };
	struct random_text t = { .to = &one.text, .all = all, .has_loops = s->options.features.loop };
	int fd;

	random_text(&t, seed, all ? "kprobe:vfs_read" : "test:x");
	if (s->show)
		printf("%s\n", one.text.data);
	if (!compile(s, &one)) {
		s->refused++;
		if (s->show || s->refused * 20 > s->evaluated + s->loaded + 100)
			fail(&one, "check", "too many are refused");
		release(&one);
		return;
	}
	fd = load(s, &one, all ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_RAW_TRACEPOINT);
	if (all)
		s->loaded++;
	else
		run(s, &one, fd);
	close(fd);
	release(&one);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	struct state s = { .show = argc > 3 };

	report_set_verbose(getenv("VERBOSE"));
	prepare(&s);
	for (uint64_t seed = first; seed < first + n; seed++)
		try_program(&s, seed);
	printf("ok, %llu evaluated, %llu only loaded, %llu refused, %llu steps, %llu instructions\n",
	       (unsigned long long)s.evaluated, (unsigned long long)s.loaded, (unsigned long long)s.refused,
	       (unsigned long long)s.steps, (unsigned long long)s.instructions);
	object_release(&s.object);
	return 0;
}
