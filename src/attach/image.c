// SPDX-License-Identifier: BSD-2-Clause
/* Locates the patch sites of a program, and fills them. Loads nothing. */
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "image.h"

/* All ids of bpf/patch.h. */
static const struct patch {
	uint64_t id;
	const char *name;
	enum patch_kind kind;
	bool by_copy; /* filled by attach, in each copy */
} patches[] = {
#define PATCH(ID, KIND, BY_COPY) \
	{ \
		ID, #ID, KIND, BY_COPY \
	}
	PATCH(PATCH_SLOT_HOW, PATCH_LOAD, true),
	PATCH(PATCH_SLOT_VALUE, PATCH_LOAD, true),
	PATCH(PATCH_SLOT_SHARED, PATCH_LOAD, true),
	PATCH(PATCH_CONTEXT, PATCH_LOAD, true),
	PATCH(PATCH_TYPED, PATCH_LOAD, true),
	PATCH(PATCH_LATENCY, PATCH_LOAD, true),
	PATCH(PATCH_LEAVES, PATCH_LOAD, true),
	PATCH(PATCH_CPU_OFFSETS, PATCH_LOAD, true),
	PATCH(PATCH_KPROBE, PATCH_LOAD, true),
	PATCH(PATCH_HIST_KIND, PATCH_LOAD, false),
	PATCH(PATCH_HIST_UNIT, PATCH_LOAD, false),
	PATCH(PATCH_HIST_STEP, PATCH_LOAD, false),
	PATCH(PATCH_SAMPLING, PATCH_LOAD, false),
	PATCH(PATCH_SHARDS, PATCH_OPERAND, false),
	PATCH(PATCH_SHARD_SIZE, PATCH_OPERAND, false),
	PATCH(PATCH_HIST_STRIDE, PATCH_OPERAND, false),
	PATCH(PATCH_PENDING_MASK, PATCH_OPERAND, false),
	PATCH(PATCH_RING_HOW, PATCH_LOAD, false),
	PATCH(PATCH_RING_LAST, PATCH_OPERAND, false),
	PATCH(PATCH_RING_BYTES, PATCH_OPERAND, false),
	PATCH(PATCH_RING_BLOCKS, PATCH_OPERAND, false),
	PATCH(PATCH_RING_BLOCK_BITS, PATCH_OPERAND, false),
	PATCH(PATCH_RING_BLOCK_LAST, PATCH_OPERAND, false),
	PATCH(PATCH_RING_OFFSET, PATCH_OPERAND, false),
	PATCH(PATCH_RING_PAGES, PATCH_OPERAND, false),
	PATCH(PATCH_RING_TABLE, PATCH_OPERAND, false),
	PATCH(PATCH_RING_LAP, PATCH_OPERAND, false),
	PATCH(PATCH_CALL_IS_RETURN, PATCH_CALL, true),
	PATCH(PATCH_CALL_COOKIE, PATCH_CALL, true),
#undef PATCH
};

static const struct patch *find(uint64_t id, enum patch_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(patches); i++)
		if (patches[i].id == id && patches[i].kind == kind)
			return &patches[i];
	return NULL;
}

static bool is_load(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* A compare-and-swap, or another atomic operation that returns the old value. */
static bool is_swap(const struct bpf_insn *insn)
{
	return insn->code == (BPF_STX | BPF_ATOMIC | BPF_DW) && insn->imm & BPF_FETCH;
}

/* Returns the patch of an instruction (some take two); NULL: it is not a site with an id. */
static const struct patch *patch_at(const struct bpf_insn *insn)
{
	if (is_load(insn))
		return insn->src_reg ? NULL
				     : find((uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32, PATCH_LOAD);
	if ((BPF_CLASS(insn->code) == BPF_ALU64 || BPF_CLASS(insn->code) == BPF_ALU) &&
	    BPF_SRC(insn->code) == BPF_K)
		return find((uint32_t)insn->imm, PATCH_OPERAND);
	if (insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg)
		return find((uint32_t)insn->imm, PATCH_CALL);
	return NULL;
}

static void locate(struct image *image)
{
	const struct bpf_insn *insns = image->code.insns;

	for (size_t i = 0; i < image->code.n; i += 1 + is_load(&insns[i])) {
		/* the verifier rejects a load without its second half */
		const struct patch *patch = is_load(&insns[i]) && i + 1 == image->code.n ? NULL : patch_at(&insns[i]);

		if (patch)
			*vec_push(&image->sites) = (struct patch_site){ patch->id, patch->kind, i, false };
		else if (is_swap(&insns[i]))
			*vec_push(&image->sites) = (struct patch_site){ 0, PATCH_SWAP, i, false };
	}
}

static void *copy_of(const void *data, size_t size)
{
	void *copy = base_alloc(size);

	if (size)
		memcpy(copy, data, size);
	return copy;
}

void image_make(struct image *image, const struct image_code *code)
{
	*image = (struct image){ .code = *code };
	image->code.name = base_strdup(code->name);
	image->code.insns = copy_of(code->insns, code->n * sizeof(*code->insns));
	image->code.func_info = copy_of(code->func_info, code->n_func_info * sizeof(struct bpf_func_info));
	locate(image);
}

void image_from_program(struct image *image, const struct bpf_object *object, const struct bpf_program *program)
{
	struct image_code code = {
		.name = bpf_program__name(program),
		.insns = bpf_program__insns(program),
		.n = bpf_program__insn_cnt(program),
	};

	/* the first is the program itself, which needs no type */
	if (bpf_program__func_info_cnt(program) > 1 && bpf_object__btf_fd(object) >= 0) {
		code.btf_fd = bpf_object__btf_fd(object);
		code.func_info = bpf_program__func_info(program);
		code.n_func_info = code.func_info ? bpf_program__func_info_cnt(program) : 0;
	}
	image_make(image, &code);
}

void image_release(struct image *image)
{
	free((void *)image->code.name);
	free((void *)image->code.insns);
	free((void *)image->code.func_info);
	free(image->sites.v);
	*image = (struct image){};
}

static void fill(struct bpf_insn *insn, enum patch_kind kind, uint64_t value)
{
	insn->imm = value;
	if (kind == PATCH_LOAD)
		insn[1].imm = value >> 32;
	else if (kind == PATCH_CALL)
		insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
}

void image_patch_copy(const struct image *image, struct bpf_insn *copy, uint64_t patch, uint64_t value)
{
	vec_each(site, &image->sites)
		if (site->patch == patch)
			fill(&copy[site->insn], site->kind, value);
}

bool image_has(const struct image *image, uint64_t patch)
{
	vec_each(site, &image->sites)
		if (site->patch == patch)
			return true;
	return false;
}

static const char *name_of(uint64_t patch)
{
	for (size_t i = 0; i < ARRAY_SIZE(patches); i++)
		if (patches[i].id == patch)
			return patches[i].name;
	return "of an unknown id";
}

int image_patch(struct image *image, uint64_t patch, uint64_t value, struct err *err)
{
	if (!image_has(image, patch))
		return err_set(err, -ENOENT, "the BPF program '%s' has no patch site %s", image->code.name, name_of(patch));
	image_patch_optional(image, patch, value);
	return 0;
}

void image_patch_optional(struct image *image, uint64_t patch, uint64_t value)
{
	image_patch_copy(image, (struct bpf_insn *)image->code.insns, patch, value);
	vec_each(site, &image->sites)
		site->filled |= site->patch == patch;
}

void image_use_value(struct image *image, int map)
{
	struct bpf_insn *insns = (struct bpf_insn *)image->code.insns;

	for (size_t i = 0; i < image->code.n; i += 1 + is_load(&insns[i])) {
		if (!is_load(&insns[i]) || insns[i].src_reg != BPF_PSEUDO_MAP_FD || insns[i].imm != map)
			continue;
		insns[i].src_reg = BPF_PSEUDO_MAP_VALUE;
		insns[i + 1].imm = 0;
	}
}

int image_check(const struct image *image, struct err *err)
{
	vec_each(site, &image->sites)
		if (site->kind != PATCH_SWAP && !site->filled && !find(site->patch, site->kind)->by_copy)
			return err_set(err, -EINVAL, "nothing fills the patch site %s of the BPF program '%s'",
				       name_of(site->patch), image->code.name);
	return 0;
}
