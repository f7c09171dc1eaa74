// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compiled code in the kernel. Random programs (tests/lang/ir_random.h) are emitted, linked with the library, loaded
 * and run, and must leave what an interpreter of their three-address code leaves. Before them a program for each
 * function of the library, which must load. Arguments: how many random programs, the first seed. Prints "ok" and what
 * was done, or what is wrong, and exits with 1.
 */
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "attach/attach.h"
#include "bpf/event.h"
#include "bpf/filter.h"
#include "bpf/lang.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "base/report.h"
#include "gen/bpf/lang.skel.h"
#include "lang/code/emit.h"
#include "script/script_link.h"
#include "tests/lang/ir_interpret.h"
#include "tests/lang/ir_random.h"
#include "tests/lang/show.h"

struct state {
	struct object object;
	struct lang_program program;
	uint64_t *cells;
	uint64_t results, instructions;
};

static void check(int ret, const char *what, const struct err *err)
{
	if (ret >= 0)
		return;
	printf("%s: %s\n", what, err->text[0] ? err->text : strerror(-ret));
	exit(1);
}

static void prepare(struct state *s)
{
	struct err err = {};

	s->program.cells_size = RANDOM_CELLS_SIZE;
	s->program.shard_size = 64;
	s->program.scratch_size = 64;
	check(object_open(&s->object, lang_bpf__elf_bytes, &err), "open", &err);
	check(object_size_value(&s->object, ".data.cells", RANDOM_CELLS_SIZE, &err), "size", &err);
	check(object_prepare(&s->object, NULL, &err), "prepare", &err);
	s->cells = object_memory(&s->object, ".data.cells", RANDOM_CELLS_SIZE);
}

/* Emits, links and loads the program. Returns the descriptor. */
static int load(struct state *s, struct ir_program *ir, const char *what)
{
	struct lang_probe probe = {};
	struct image image = {};
	struct err err = {};
	int fd;

	ir_fold(ir);
	check(lang_emit(ir, &probe.code, &probe.stack, &err), what, &err);
	check(script_link(&s->program, &probe, &s->object, NULL, &image, &err), what, &err);
	if (image_has(&image, PATCH_SHARDS)) {
		image_patch_optional(&image, PATCH_SHARDS, 0);
		image_patch_optional(&image, PATCH_SHARD_SIZE, 8);
	}
	fd = attach_load(&image, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, &err);
	if (fd < 0) {
		__str struct str text = {};

		ir_show(ir, &text);
		lang_code_show(&probe.code, &text);
		printf("%s\n", text.data);
	}
	check(fd, what, &err);
	s->instructions += probe.code.insns.n;
	lang_code_release(&probe.code);
	image_release(&image);
	return fd;
}

/* --- random programs --- */

static uint32_t run(int fd, const char *what)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct err none = {};

	check(bpf_prog_test_run_opts(fd, &opts), what, &none);
	return opts.retval;
}

static void try_program(struct state *s, uint64_t seed)
{
	struct random_ir r = { .state = seed + 1 };
	uint64_t cells[RANDOM_CELLS_SIZE / 8] = {}, inputs[RANDOM_INPUTS], ret;
	struct ir_machine m = { .data[LANG_DATA_CELLS] = (uint8_t *)cells, .steps = 1000000 };
	struct ir_program ir;
	char what[64];
	uint32_t got;
	int fd;

	snprintf(what, sizeof(what), "program %llu", (unsigned long long)seed);
	for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
		inputs[i] = random_number(&r);
	memcpy(cells, inputs, sizeof(inputs));
	random_program(seed, &ir);
	m.program = &ir;
	ret = ir_run(&m, 0, NULL);
	memset(s->cells, 0, RANDOM_CELLS_SIZE);
	memcpy(s->cells, inputs, sizeof(inputs));
	fd = load(s, &ir, what);
	got = run(fd, what);
	close(fd);
	for (uint32_t i = 0; i < ARRAY_SIZE(cells); i++) {
		if (s->cells[i] == cells[i] && got == (uint32_t)ret)
			continue;
		printf("%s: word %u is %llx, not %llx; it returned %x, not %x\n", what, i,
		       (unsigned long long)s->cells[i], (unsigned long long)cells[i], got, (uint32_t)ret);
		exit(1);
	}
	s->results += RANDOM_RESULTS;
	ir_program_release(&ir);
}

/* --- the library --- */

struct library_call {
	enum lang_function function;
	const char *args; /* c: ctx; o: an object of 64 bytes; n: 16; 0, 1: the number; p: an address of the kernel's */
};

static const struct library_call library_calls[] = {
	{ LANG_FN_wanted, "c" },
	{ LANG_FN_place, "c" },
	{ LANG_FN_shard, "" },
	{ LANG_FN_lost, "0" },
	{ LANG_FN_map_full, "0" },
	{ LANG_FN_arg, "c0" },
	{ LANG_FN_arg, "c1" },
	{ LANG_FN_hist, "p0" },
	{ LANG_FN_hist, "p1" },
	{ LANG_FN_quantile, "p" },
	{ LANG_FN_str, "onp0" },
	{ LANG_FN_str, "onp1" },
	{ LANG_FN_read, "onp0" },
	{ LANG_FN_read, "onp1" },
	{ LANG_FN_zero, "on" },
	{ LANG_FN_copy, "oon" },
	{ LANG_FN_compare, "oon" },
	{ LANG_FN_memory_compare, "oon" },
	{ LANG_FN_length, "on" },
	{ LANG_FN_find, "onon" },
	{ LANG_FN_find_word, "onp1" },
	{ LANG_FN_ids, "" },
	{ LANG_FN_parent, "t" },
	{ LANG_FN_group_comm, "to" },
	{ LANG_FN_kstack, "c0" },
	{ LANG_FN_kstack, "cn" },
	{ LANG_FN_ustack, "c0" },
	{ LANG_FN_ustack, "cn" },
	{ LANG_FN_progeny, "p" },
};

static struct ir_value argument(struct ir_builder *b, char kind, struct ir_value ctx, struct ir_value object,
				struct ir_value word)
{
	switch (kind) {
	case 'c':
		return ctx;
	case 'o':
		return object;
	case 'n':
		return ir_imm(16);
	case 'p':
		return word;
	case 't':
		return ir_call(b, IR_HELPER, BPF_FUNC_get_current_task, NULL, 0);
	}
	return ir_imm(kind - '0');
}

/* As much stack as a program may use, but for what arguments need: the library must do with the rest. */
static uint32_t own_stack(const struct library_call *call)
{
	return call->function == LANG_FN_ustack ? LANG_STACK_UNWIND : LANG_STACK_MAX - 16;
}

static void try_call(struct state *s, const struct library_call *call)
{
	struct ir_program ir = {};
	struct ir_builder b = { .program = &ir };
	struct ir_value ctx, object, word, args[5], result;
	uint8_t n = 0;

	b.function = ir_function_new(&ir, 0);
	ctx = ir_address(&b, IR_CONTEXT, 0, 0);
	object = ir_address(&b, IR_OBJECT, ir_new_object(&b, own_stack(call), 8), 0);
	word = ir_load(&b, 64, false, ir_address(&b, IR_DATA, LANG_DATA_CELLS, 0), 0);
	for (int i = 0; i < 8; i++)
		ir_store(&b, 64, object, i * 8, ir_imm(0x41));
	for (const char *kind = call->args; *kind; kind++, n++)
		args[n] = argument(&b, *kind, ctx, object, word);
	result = ir_call(&b, IR_LIBRARY, call->function, args, n);
	/* an address must not reach what user space reads */
	ir_return(&b, call->function == LANG_FN_shard ? ir_load(&b, 64, false, result, 0) : result);
	close(load(s, &ir, ir_library_name(call->function)));
	ir_program_release(&ir);
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
	struct state s = {};

	report_set_verbose(getenv("VERBOSE"));
	prepare(&s);
	for (size_t i = 0; i < ARRAY_SIZE(library_calls); i++)
		try_call(&s, &library_calls[i]);
	for (uint64_t seed = first; seed < first + n; seed++)
		try_program(&s, seed);
	printf("ok, %llu results, %llu instructions, %zu functions of the library\n", (unsigned long long)s.results,
	       (unsigned long long)s.instructions, ARRAY_SIZE(library_calls));
	object_release(&s.object);
	return 0;
}
