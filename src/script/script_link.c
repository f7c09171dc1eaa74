// SPDX-License-Identifier: BSD-2-Clause
/*
 * Links compiled code with the library. libbpf has prepared the library's object: its functions stand one behind the
 * other after lang_carrier(), with the addresses of maps. Those that the code reaches are copied behind it.
 */
#include <ctype.h>
#include <linux/bpf.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "attach/quirks.h"
#include "base/cpus.h"
#include "lang/code/ir.h"
#include "script_link.h"

/*
 * From this many instructions on the verifier remembers all states: a BEGIN that prints 100 lines took it 442,390 steps
 * on 5.10 and takes 5,353. Shorter programs take as long either way. Newer kernels find the same states by themselves,
 * and would keep one for each turn of each loop: 6.12 took 4.7 s and 211 MB for what takes it 2.8 s and 24 MB.
 */
#define MUCH_CODE 1024

/* Pieces of stacks and of records of unwinding, which are only there if the program takes stacks. */
static const char *const stack_maps[] = { "stacks", "stack_slots", "stack_seen", "stack_counts", "stack_losses",
					  "unwind_blocks", "unwind_spaces", "unwind_files", "unwind_rules",
					  "interp_plans" };

static const char *const sections[LANG_DATAS] = {
	[LANG_DATA_CELLS] = ".data.cells",
	[LANG_DATA_SHARDS] = ".data.shards",
	[LANG_DATA_SETUP] = ".rodata.setup",
	[LANG_DATA_STATE] = ".data.state",
	[LANG_DATA_ZERO] = ".rodata.zero",
};

bool script_link_is_typed(enum lang_function function)
{
	return function == LANG_FN_parent || function == LANG_FN_group_comm || function == LANG_FN_comm ||
	       function == LANG_FN_progeny || function == LANG_FN_ustack;
}

bool script_link_needs_types(const struct lang_program *program)
{
	vec_each(probe, &program->probes)
		vec_each(relocation, &probe->code.relocations)
			if ((relocation->kind == RELOCATE_LIBRARY || relocation->kind == RELOCATE_LIBRARY_ADDRESS) &&
			    script_link_is_typed(relocation->index))
				return true;
	return false;
}

/* --- sizes --- */

static bool takes_stacks(const struct lang_program *program)
{
	vec_each(probe, &program->probes)
		if (probe->needs.kernel_stack || probe->needs.user_stack)
			return true;
	return false;
}

static int size_scratch(const struct lang_program *program, struct object *object, struct err *err)
{
	int ret;

	if (!program->scratch_size)
		return object_size_map(object, "lang_memory", 0, err);
	ret = object_size_map(object, "lang_memory", LANG_SCRATCH_SLOTS * cpus_ids(), err);
	/* in front of the memory is the word that says whether it is taken */
	return ret ? ret : object_size_value(object, "lang_memory", (program->scratch_size + 15) / 8 * 8, err);
}

int script_link_size(const struct lang_program *program, struct object *object, struct err *err)
{
	int ret = object_size_map(object, "lang_lost_records", program->sites.n ? program->sites.n : 1, err);

	if (!ret)
		ret = object_size_map(object, "lang_full_maps", program->maps.n ? program->maps.n : 1, err);
	if (!ret)
		ret = size_scratch(program, object, err);
	if (!ret && program->zero_size)
		ret = object_size_value(object, ".rodata.zero", program->zero_size, err);
	for (size_t i = 0; !ret && !takes_stacks(program) && i < ARRAY_SIZE(stack_maps); i++)
		ret = object_size_map(object, stack_maps[i], 0, err);
	return ret;
}

/* --- the library --- */

struct function {
	const char *name;
	uint32_t begin, end; /* instructions of the carrier */
	uint32_t type;	     /* in the object's BTF */
	bool is_wanted;
	uint32_t at; /* where it is in the linked program */
};

struct linking {
	const struct lang_program *program;
	const struct lang_code *code;
	const struct object *object;
	const int *maps;
	const struct bpf_insn *library; /* the carrier, and all functions behind it */
	size_t n_library;
	struct {
		struct function *v; /* [0]: the carrier */
		size_t n, cap;
	} functions;
	struct {
		struct bpf_insn *v;
		size_t n, cap;
	} insns;
	struct {
		struct bpf_func_info *v;
		size_t n, cap;
	} infos;
};

static void linking_release(struct linking *linking)
{
	free(linking->functions.v);
	free(linking->insns.v);
	free(linking->infos.v);
}

static int read_library(struct linking *linking, struct err *err)
{
	const struct bpf_object *bpf = linking->object->core.bpf;
	const struct btf *btf = bpf_object__btf(bpf);
	const struct bpf_program *carrier;
	const struct bpf_func_info *infos;
	int ret = object_program(linking->object, "lang_carrier", &carrier, err);

	if (ret)
		return ret;
	linking->library = bpf_program__insns(carrier);
	linking->n_library = bpf_program__insn_cnt(carrier);
	infos = bpf_program__func_info(carrier);
	if (!infos || !btf)
		return err_set(err, -ENOTSUP, "this kernel has no types for BPF functions");
	for (uint32_t i = 0; i < bpf_program__func_info_cnt(carrier); i++) {
		const struct btf_type *type = btf__type_by_id(btf, infos[i].type_id);
		struct function *function = vec_push(&linking->functions);

		function->name = type ? btf__name_by_offset(btf, type->name_off) : "";
		function->begin = infos[i].insn_off;
		function->type = infos[i].type_id;
		function->end = linking->n_library;
		if (i)
			function[-1].end = function->begin;
	}
	return 0;
}

static struct function *find(const struct linking *linking, const char *name)
{
	vec_each(function, &linking->functions)
		if (!strcmp(function->name, name))
			return function;
	return NULL;
}

static struct function *find_library(const struct linking *linking, enum lang_function function)
{
	char name[64];

	snprintf(name, sizeof(name), "lang_%s", ir_library_name(function));
	return find(linking, name);
}

/* Which function an instruction of the carrier belongs to. */
static struct function *function_at(const struct linking *linking, uint32_t insn)
{
	vec_each(function, &linking->functions)
		if (insn >= function->begin && insn < function->end)
			return function;
	return NULL;
}

static bool is_load(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* Whether the instruction refers to another function, by the distance. */
static bool refers(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == BPF_PSEUDO_CALL;
	return is_load(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/* Marks a function, and those that it calls. The library has no recursion: BPF allows none. */
static void want(struct linking *linking, struct function *function)
{
	if (function->is_wanted)
		return;
	function->is_wanted = true;
	for (uint32_t i = function->begin; i < function->end; i += 1 + is_load(&linking->library[i]))
		if (refers(&linking->library[i])) {
			struct function *called = function_at(linking, i + 1 + linking->library[i].imm);

			if (called)
				want(linking, called);
		}
}

static int want_library(struct linking *linking, struct err *err)
{
	vec_each(relocation, &linking->code->relocations) {
		struct function *function;

		if (relocation->kind != RELOCATE_LIBRARY && relocation->kind != RELOCATE_LIBRARY_ADDRESS)
			continue;
		function = find_library(linking, relocation->index);
		if (!function)
			return err_set(err, -ENOENT, "the library has no function lang_%s",
				       ir_library_name(relocation->index));
		want(linking, function);
	}
	return 0;
}

/* --- putting together --- */

static void add_info(struct linking *linking, uint32_t insn, uint32_t type)
{
	*vec_push(&linking->infos) = (struct bpf_func_info){ .insn_off = insn, .type_id = type };
}

/* The code's own functions have the types of the library's callbacks. */
static void add_code(struct linking *linking)
{
	const struct lang_code *code = linking->code;

	vec_each(insn, &code->insns)
		*vec_push(&linking->insns) = *insn;
	for (size_t i = 0; i < code->functions.n; i++) {
		const struct lang_code_function *own = &code->functions.v[i];
		const struct function *type =
			i ? find(linking, own->n_params == 4 ? "lang_callback_map" : "lang_callback_loop")
			  : &linking->functions.v[0];

		add_info(linking, own->begin, type ? type->type : linking->functions.v[0].type);
	}
}

static void add_functions(struct linking *linking)
{
	vec_each(function, &linking->functions) {
		if (!function->is_wanted)
			continue;
		function->at = linking->insns.n;
		add_info(linking, function->at, function->type);
		for (uint32_t i = function->begin; i < function->end; i++)
			*vec_push(&linking->insns) = linking->library[i];
	}
}

/* Calls within the library, whose functions stand elsewhere now. */
static void move_calls(struct linking *linking)
{
	vec_each(function, &linking->functions) {
		if (!function->is_wanted)
			continue;
		for (uint32_t i = function->begin; i < function->end; i += 1 + is_load(&linking->library[i])) {
			const struct bpf_insn *from = &linking->library[i];
			uint32_t at = function->at + i - function->begin, to = i + 1 + from->imm;
			const struct function *called = refers(from) ? function_at(linking, to) : NULL;

			if (called)
				linking->insns.v[at].imm = called->at + (to - called->begin) - (at + 1);
		}
	}
}

static void set_load(struct bpf_insn *insn, uint8_t kind, int32_t imm, int32_t next)
{
	insn[0].src_reg = kind;
	insn[0].imm = imm;
	insn[1].imm = next;
}

static void relocate(struct linking *linking, const struct lang_relocation *relocation)
{
	struct bpf_insn *insn = &linking->insns.v[relocation->insn];
	const struct function *function;
	uint32_t local;

	switch (relocation->kind) {
	case RELOCATE_MAP:
		set_load(insn, BPF_PSEUDO_MAP_FD, linking->maps[relocation->index], 0);
		break;
	case RELOCATE_RING:
		set_load(insn, BPF_PSEUDO_MAP_FD, object_map_fd(linking->object, "events"), 0);
		break;
	case RELOCATE_DATA:
		set_load(insn, BPF_PSEUDO_MAP_VALUE, object_map_fd(linking->object, sections[relocation->index]),
			 relocation->offset);
		break;
	case RELOCATE_LIBRARY:
	case RELOCATE_LIBRARY_ADDRESS:
		function = find_library(linking, relocation->index);
		insn->src_reg = relocation->kind == RELOCATE_LIBRARY ? BPF_PSEUDO_CALL : BPF_PSEUDO_FUNC;
		insn->imm = function->at - (relocation->insn + 1);
		break;
	case RELOCATE_LOCAL:
	case RELOCATE_LOCAL_ADDRESS:
		local = linking->code->functions.v[relocation->index].begin;
		insn->src_reg = relocation->kind == RELOCATE_LOCAL ? BPF_PSEUDO_CALL : BPF_PSEUDO_FUNC;
		insn->imm = local - (relocation->insn + 1);
		break;
	}
}

/* "kprobe:vfs_read" becomes kprobe_vfs_read; the kernel keeps 15 bytes. */
static void add_name(const struct lang_probe *probe, char *name, size_t size)
{
	snprintf(name, size, "%s", probe->attach ? probe->attach->text : "probe");
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}

int script_link(const struct lang_program *program, const struct lang_probe *probe, const struct object *object,
		const int *maps, struct image *image, struct err *err)
{
	__cleanup(linking_release) struct linking linking = {
		.program = program,
		.code = &probe->code,
		.object = object,
		.maps = maps,
	};
	char name[BPF_OBJ_NAME_LEN];
	struct image_code code = { .name = name };
	int ret = read_library(&linking, err);

	if (!ret)
		ret = want_library(&linking, err);
	if (ret)
		return ret;
	add_code(&linking);
	add_functions(&linking);
	move_calls(&linking);
	vec_each(relocation, &probe->code.relocations)
		relocate(&linking, relocation);
	add_name(probe, name, sizeof(name));
	code.insns = linking.insns.v;
	code.n = linking.insns.n;
	code.remembers_all = code.n >= MUCH_CODE && !quirk_uprobe_multi(); /* 6.6: between 6.1 and 6.12 */
	/* a program without functions needs no types */
	if (linking.infos.n > 1) {
		code.btf_fd = bpf_object__btf_fd(object->core.bpf);
		code.func_info = linking.infos.v;
		code.n_func_info = linking.infos.n;
	}
	image_make(image, &code);
	return 0;
}
