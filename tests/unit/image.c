// SPDX-License-Identifier: BSD-2-Clause
/* Images: of instructions written by hand, and what attach makes of one without a BPF object. */
#include <linux/bpf.h>
#include <signal.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <criterion/criterion.h>

#include "attach/plan.h"
#include "bpf/slot.h"

/* Nobody else sends this one. */
#define SIGNAL (SIGRTMIN + 13)
#define TIMES  7

#define LOAD(REG, VALUE) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = REG, .imm = (uint32_t)(VALUE) }, \
	{ \
		.imm = (uint64_t)(VALUE) >> 32 \
	}
#define LOAD_MAP(REG, FD) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = REG, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = FD }, \
	{ \
	}
#define ALU(OP, REG, VALUE) \
	{ \
		.code = BPF_ALU64 | OP | BPF_K, .dst_reg = REG, .imm = VALUE \
	}
#define EXIT \
	{ \
		.code = BPF_JMP | BPF_EXIT \
	}

static void make(struct image *image, const struct bpf_insn *insns, size_t n)
{
	image_make(image, &(struct image_code){ .name = "by_hand", .insns = insns, .n = n });
}

#define MAKE(image, insns) make(image, insns, ARRAY_SIZE(insns))

static uint64_t loaded(const struct image *image, size_t at)
{
	return (uint32_t)image->code.insns[at].imm | (uint64_t)(uint32_t)image->code.insns[at + 1].imm << 32;
}

Test(image, sites_are_filled)
{
	/* a site each of a load and an operand, and what looks like the second half of a load */
	const struct bpf_insn insns[] = {
		LOAD(1, PATCH_HIST_UNIT),
		ALU(BPF_AND, 2, PATCH_SHARDS),
		LOAD(3, PATCH_HIST_UNIT),
		ALU(BPF_ADD, 2, 5),
		EXIT,
	};
	__cleanup(image_release) struct image image = {};
	struct err err = {};

	MAKE(&image, insns);
	cr_expect_eq(image.sites.n, 3);
	cr_expect(image_has(&image, PATCH_SHARDS));
	cr_expect_eq(image_patch(&image, PATCH_HIST_UNIT, 0x123456789aULL, &err), 0, "%s", err.text);
	cr_expect_eq(loaded(&image, 0), 0x123456789aULL);
	cr_expect_eq(loaded(&image, 3), 0x123456789aULL);
	cr_expect_eq(image.code.insns[2].imm, PATCH_SHARDS);
	cr_expect_eq(image_patch(&image, PATCH_SHARDS, 3, &err), 0, "%s", err.text);
	cr_expect_eq(image.code.insns[2].imm, 3);
	cr_expect_eq(image.code.insns[5].imm, 5);
	/* a value that is itself an id is a value */
	cr_expect_eq(image_patch(&image, PATCH_HIST_UNIT, PATCH_SLOT_HOW, &err), 0);
	cr_expect_not(image_has(&image, PATCH_SLOT_HOW));
}

Test(image, kinds_of_sites)
{
	const struct bpf_insn insns[] = {
		/* the id of an operand in a load, of a load's low half in an operand, a map's number: no sites */
		LOAD(1, PATCH_SHARDS),
		ALU(BPF_AND, 2, (int32_t)PATCH_HIST_UNIT),
		LOAD_MAP(3, PATCH_SHARDS),
		{ .code = BPF_JMP | BPF_CALL, .imm = PATCH_CALL_COOKIE },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 1, .src_reg = 2, .imm = BPF_CMPXCHG },
		/* returns the old value, and does not */
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 1, .src_reg = 2, .imm = BPF_ADD | BPF_FETCH },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 1, .src_reg = 2, .imm = BPF_ADD },
		EXIT,
	};
	__cleanup(image_release) struct image image = {};

	MAKE(&image, insns);
	cr_assert_eq(image.sites.n, 3);
	cr_expect_eq(image.sites.v[0].kind, PATCH_CALL);
	cr_expect_eq(image.sites.v[0].insn, 5);
	cr_expect_eq(image.sites.v[1].kind, PATCH_SWAP);
	cr_expect_eq(image.sites.v[1].insn, 6);
	cr_expect_eq(image.sites.v[2].kind, PATCH_SWAP);
	cr_expect_eq(image.sites.v[2].insn, 7);
}

Test(image, value_of_a_map)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = 7 },
		{},
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = 8 },
		{},
		LOAD(1, 7),
		EXIT,
	};
	__cleanup(image_release) struct image image = {};

	MAKE(&image, insns);
	image_use_value(&image, 7);
	cr_expect_eq(image.code.insns[0].src_reg, BPF_PSEUDO_MAP_VALUE);
	cr_expect_eq(image.code.insns[0].imm, 7);
	cr_expect_eq(image.code.insns[2].src_reg, BPF_PSEUDO_MAP_FD);
	cr_expect_eq(image.code.insns[4].src_reg, 0);
}

Test(image, lacking_and_unfilled_sites)
{
	const struct bpf_insn insns[] = { LOAD(1, PATCH_SLOT_VALUE), ALU(BPF_MUL, 2, PATCH_SHARD_SIZE), EXIT };
	__cleanup(image_release) struct image image = {};
	struct err err = {};

	MAKE(&image, insns);
	cr_expect_eq(image_patch(&image, PATCH_HIST_KIND, 1, &err), -ENOENT);
	cr_expect_str_eq(err.text, "the BPF program 'by_hand' has no patch site PATCH_HIST_KIND");
	image_patch_optional(&image, PATCH_HIST_KIND, 1);
	cr_expect_eq(image_check(&image, &err), -EINVAL);
	cr_expect_str_eq(err.text, "nothing fills the patch site PATCH_SHARD_SIZE of the BPF program 'by_hand'");
	cr_expect_eq(image_patch(&image, PATCH_SHARD_SIZE, 64, &err), 0);
	/* attach fills PATCH_SLOT_VALUE in each copy */
	cr_expect_eq(image_check(&image, &err), 0, "%s", err.text);
}

/* --- attached --- */

/* Two functions without arguments that return an int: the program, and one that it calls. */
static int load_btf(struct bpf_func_info info[2], uint32_t called_at)
{
	struct btf *btf = btf__new_empty();
	int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), proto = btf__add_func_proto(btf, integer), fd;

	info[0] = (struct bpf_func_info){ 0, btf__add_func(btf, "by_hand", BTF_FUNC_STATIC, proto) };
	info[1] = (struct bpf_func_info){ called_at, btf__add_func(btf, "called", BTF_FUNC_STATIC, proto) };
	if (btf__load_into_kernel(btf))
		cr_skip_test("BPF is for root");
	fd = dup(btf__fd(btf));
	btf__free(btf);
	return fd;
}

static void add_target(struct target_set *set, const char *name)
{
	struct target *target = vec_push(set);

	target->kind = TARGET_TRACEPOINT;
	target->object = "signal";
	target->name = target->label = name;
	target->slot = set->n - 1;
	set->n_slots = set->n;
}

/* An array that both sides map: two words. */
static int make_map(uint64_t **words)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "words", 4, 2 * sizeof(**words), 1, &opts);

	if (fd == -EPERM)
		cr_skip_test("BPF is for root");
	cr_assert_geq(fd, 0, "%s", strerror(-fd));
	*words = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert_neq(*words, MAP_FAILED);
	return fd;
}

/* As generated code will be: no object, a function that is called, types of the functions, and patch sites. */
Test(image, raw_instructions_count)
{
	uint64_t *words;
	int map = make_map(&words);
	/* if (args[0] == SIGNAL) words[slot] += called(); */
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = 8, .imm = SIGNAL },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 9 },
		LOAD(2, PATCH_SLOT_VALUE),
		ALU(BPF_LSH, 2, 3),
		LOAD_MAP(3, map),
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = 3, .src_reg = 2 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 3, .imm = BPF_ADD },
		ALU(BPF_MOV, 0, 0),
		EXIT,
		ALU(BPF_MOV, 0, 1),
		EXIT,
	};
	struct bpf_func_info info[2];
	int btf = load_btf(info, 12);
	__cleanup(image_release) struct image image = {};
	__cleanup(target_set_release) struct target_set set = {};
	const struct attach_options options = {};
	const struct plan_step step = { .image = &image };
	struct err err = {};
	struct attach *attach;

	image_make(&image, &(struct image_code){ "by_hand", insns, ARRAY_SIZE(insns), btf, info, ARRAY_SIZE(info) });
	add_target(&set, "signal_deliver");
	add_target(&set, "signal_generate");
	add_target(&set, "signal_absent");
	attach = attach_new(&set, &options);
	cr_assert_eq(plan_run(attach, &step, 1, &err), 0, "%s", err.text);
	cr_expect_eq(attach_count(attach), 2);
	cr_expect(attach_is_attached(attach, 1));
	cr_expect_null(attach_why_not(attach, 1));
	cr_expect_not(attach_is_attached(attach, 2));
	cr_expect(attach_why_not(attach, 2));
	signal(SIGNAL, SIG_IGN);
	for (int i = 0; i < TIMES; i++)
		raise(SIGNAL);
	/* delivered are none of them, for they are ignored */
	cr_expect_eq(words[0], 0);
	cr_expect_eq(words[1], TIMES, "%llu", (unsigned long long)words[1]);
	attach_free(attach);
	raise(SIGNAL);
	cr_expect_eq(words[1], TIMES);
	close(map);
	close(btf);
}

/* Counts signals in words[1] if it knows the type of the task, else in words[0]. at: what it loads from the task. */
static void count_typed(uint64_t *words, int map, int at)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 2, .src_reg = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 2, .off = 11, .imm = SIGNAL },
		LOAD(2, PATCH_TYPED),
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 2, .off = 2 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 3, .src_reg = 1, .off = 16 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 3, .src_reg = 3, .off = at },
		ALU(BPF_LSH, 2, 3),
		LOAD_MAP(3, map),
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = 3, .src_reg = 2 },
		ALU(BPF_MOV, 4, 1),
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 3, .src_reg = 4, .imm = BPF_ADD },
		ALU(BPF_MOV, 0, 0),
		EXIT,
	};
	__cleanup(image_release) struct image image = {};
	__cleanup(target_set_release) struct target_set set = {};
	const struct plan_step step = { .image = &image };
	struct attach *attach;
	struct err err = {};

	MAKE(&image, insns);
	words[0] = words[1] = 0;
	add_target(&set, "signal_generate");
	attach = attach_new(&set, &(struct attach_options){});
	cr_assert_eq(plan_run(attach, &step, 1, &err), 0, "%s", err.text);
	cr_expect_eq(attach_count(attach), 1, "%s", attach_why_not(attach, 0));
	for (int i = 0; i < TIMES; i++)
		raise(SIGNAL);
	attach_free(attach);
}

/* A program that asks for the types of a tracepoint's arguments gets them. If the verifier refuses it, without them. */
Test(image, typed_arguments)
{
	uint64_t *words;
	int map = make_map(&words);

	signal(SIGNAL, SIG_IGN);
	count_typed(words, map, 0);
	cr_expect_eq(words[1], TIMES, "%llu", (unsigned long long)words[1]);
	cr_expect_eq(words[0], 0);
	count_typed(words, map, INT16_MAX & ~7);
	cr_expect_eq(words[1], 0);
	cr_expect_eq(words[0], TIMES, "%llu", (unsigned long long)words[0]);
	close(map);
}

/* A site that nobody fills is an error before anything is attached. */
Test(image, unfilled_is_not_attached)
{
	const struct bpf_insn insns[] = { LOAD(0, PATCH_HIST_UNIT), EXIT };
	__cleanup(image_release) struct image image = {};
	__cleanup(target_set_release) struct target_set set = {};
	const struct plan_step step = { .image = &image };
	struct attach *attach;
	struct err err = {};

	MAKE(&image, insns);
	add_target(&set, "signal_generate");
	attach = attach_new(&set, &(struct attach_options){});
	cr_expect_eq(plan_run(attach, &step, 1, &err), -EINVAL);
	cr_expect(strstr(err.text, "PATCH_HIST_UNIT"), "%s", err.text);
	cr_expect_eq(attach_count(attach), 0);
	attach_free(attach);
}

/* Each step is for what the steps before it left; one that is to be fallen back to, for slots that nothing serves. */
Test(image, steps_fall_back)
{
	const struct bpf_insn insns[] = { ALU(BPF_MOV, 0, 0), EXIT };
	static const uint32_t targets[] = { 0, 1, 2 };
	__cleanup(image_release) struct image image = {};
	__cleanup(target_set_release) struct target_set set = {};
	const struct plan_step steps[] = {
		{ .image = &image, .targets = &targets[0], .n = 1, .mech = MECH_RAW_TP, .insist = true },
		{ .image = &image, .targets = &targets[1], .n = 1, .mech = MECH_RAW_TP, .fallback = true },
		{ .image = &image, .targets = &targets[2], .n = 1, .mech = MECH_RAW_TP, .fallback = true },
		{ .image = &image, .targets = &targets[1], .n = 1, .mech = MECH_RAW_TP },
	};
	struct attach *attach;
	struct err err = {};
	uint64_t *words;

	close(make_map(&words));
	MAKE(&image, insns);
	add_target(&set, "signal_absent");
	add_target(&set, "signal_generate");
	add_target(&set, "signal_deliver");
	vec_each(target, &set)
		target->slot = 0;
	attach = attach_new(&set, &(struct attach_options){});
	cr_expect_eq(plan_run(attach, steps, 1, &err), -ENOTSUP);
	cr_expect(strstr(err.text, "'signal_absent' by raw_tp"), "%s", err.text);
	cr_expect_eq(plan_run(attach, steps, ARRAY_SIZE(steps), &err), 0, "%s", err.text);
	cr_expect_not(attach_is_attached(attach, 0));
	cr_expect(attach_is_attached(attach, 1));
	cr_expect_not(attach_is_attached(attach, 2));
	cr_expect_eq(attach_count(attach), 1);
	attach_free(attach);
}
