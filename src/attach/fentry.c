// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel functions by BPF trampoline, the cheapest for each call: one program for each (fentry, fexit), or one program
 * and one link for many (fentry.multi, fexit.multi, fsession.multi: 7.2).
 */
#include <linux/bpf.h>

#include "kernel/types.h"
#include "mechanism.h"
#include "quirks.h"
#include "tracing_multi.h"

/* Above this number, one kprobe.multi link is attached sooner than the trampolines. */
#define FENTRY_FEW 8
/* Above this number, the kernel takes longer to make the trampolines of a link than most users wait for it. */
#define MULTI_MANY 1000

/* What the kernel's trampolines pass on. */
#define ARGUMENTS_MAX 12
#define ARGUMENT_SIZE 16 /* of a struct, in bytes */

/* Why no trampoline can serve the target, in one way or the other. */
static const char *cannot(const struct attach *attach, const struct target *target, bool asked)
{
	if (attach->options.registers)
		return "the program reads registers, which fentry does not give";
	if (target->offset)
		return "fentry attaches to a function's first instruction only";
	if (target->object && !asked)
		return "a module that fentry is attached to cannot be removed";
	if (!target->unique)
		return "several functions have this name, and fentry goes by name";
	if ((target->ret || attach->session) && quirk_never_returns(target->name))
		return "it never returns";
	return NULL;
}

static const char *refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	const struct target *target = candidate->target;
	bool asked = attach_asked(attach, candidate) == MECH_FENTRY;
	const char *why = cannot(attach, target, asked);

	if (attach->options.arguments && !quirk_func_args())
		return "the tool reads arguments, which fentry does not give by number on this kernel";
	if (why)
		return why;
	if (!target->alone && !quirk_trampolines_of_modules())
		return "several functions have this name, and this kernel's fentry does not look at the module";
	if (n > FENTRY_FEW && !asked)
		return "too many for fentry";
	/* kprobes cost twice as much, but run with preemption off */
	if (attach->options.must_not_miss && !asked && quirk_preemptible())
		return "a preemptible kernel skips hits";
	return NULL;
}

static struct copy copy_of(const struct candidate *candidate)
{
	return (struct copy){
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = candidate->target->ret ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		.btf_id = candidate->btf_id,
		.btf_object = candidate->btf_object,
		.how = SLOT_CONSTANT,
		.value = candidate->target->slot,
	};
}

static int attach_one(struct attach *attach, struct candidate *candidate)
{
	const struct copy copy = copy_of(candidate);
	int program, ret;

	if (!candidate->btf_id) {
		attach->rejected = candidate->no_btf;
		return -ENOENT;
	}
	program = copy_load(attach, &copy);
	if (program < 0)
		return program;
	ret = bpf_raw_tracepoint_open(NULL, program);
	/* Linux 5.10 forgets the function when the first link is closed */
	if (ret == -ENOENT && (attach->pauses.resuming || attach->pauses.adopted)) {
		program = copy_load_anew(attach, program);
		ret = program < 0 ? program : bpf_raw_tracepoint_open(NULL, program);
	}
	/* not about one function: arm64 before 6.4 loads such programs but cannot attach them */
	return ret == -ENOTSUPP ? -EOPNOTSUPP : ret;
}

static int attach_all(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	int ret = btf_ids_of_functions(attach, candidates, n, err);

	return ret ? ret : attach_each(attach, candidates, n, MECH_FENTRY, attach_one);
}

static size_t ahead(struct attach *attach, struct candidate **candidates, size_t n, struct copy *copies)
{
	struct err err = {};
	size_t found = 0;

	btf_ids_of_functions(attach, candidates, n, &err);
	for (size_t i = 0; i < n; i++)
		if (candidates[i]->btf_id)
			copies[found++] = copy_of(candidates[i]);
	return found;
}

const struct mechanism mechanism_fentry = {
	.mech = MECH_FENTRY,
	.kind = TARGET_KERNEL,
	.refuses = refuses,
	.attach = attach_all,
	.ahead = ahead,
};

/*
 * One program serves all functions, and while it is preempted, the kernel skips the hits of all of them on that
 * processor: of those of three busy tasks a quarter (7.2), where kprobe.multi skips none. So users must ask for it there.
 */
static const char *multi_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	bool asked = attach_asked(attach, candidate) == MECH_FENTRY_MULTI;

	if (!asked && n > MULTI_MANY)
		return "too many for fentry.multi";
	if (!asked && !quirk_never_preempted())
		return "a preemptible kernel skips hits";
	return cannot(attach, candidate->target, false);
}

/* A type without its names and qualifiers; NULL: void. */
static const struct btf_type *bare_type(struct kernel_types *types, uint32_t id)
{
	const uint32_t names = 1U << BTF_KIND_TYPEDEF | 1U << BTF_KIND_CONST | 1U << BTF_KIND_VOLATILE |
			       1U << BTF_KIND_RESTRICT | 1U << BTF_KIND_TYPE_TAG;
	const struct btf_type *type = kernel_types_get(types, 0, id);

	while (type && 1U << BTF_INFO_KIND(type->info) & names)
		type = kernel_types_get(types, 0, type->type);
	return type;
}

static bool is_struct(const struct btf_type *type)
{
	return type && (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(type->info) == BTF_KIND_UNION);
}

/* Why the kernel makes no trampoline for the function; NULL: it does. One such function makes the whole link fail. */
static const char *no_trampoline(struct kernel_types *types, const struct candidate *candidate)
{
	const struct btf_type *function = kernel_types_get(types, 0, candidate->btf_id);
	const struct btf_type *type = function ? kernel_types_get(types, 0, function->type) : NULL;
	const struct btf_param *params = (const void *)(type + 1);

	if (!type)
		return "the kernel's BTF does not have it";
	if (is_struct(bare_type(types, type->type)))
		return "it returns a struct";
	if (BTF_INFO_VLEN(type->info) > ARGUMENTS_MAX)
		return "it has too many arguments";
	for (size_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_type *param = bare_type(types, params[i].type);

		if (!params[i].type)
			return "it has a variable number of arguments";
		if (is_struct(param) && param->size > ARGUMENT_SIZE)
			return "one of its arguments is a large struct";
	}
	return NULL;
}

static enum bpf_attach_type multi_type(const struct attach *attach, const struct target *target)
{
	if (attach->session)
		return TRACING_FSESSION_MULTI;
	return target->ret ? TRACING_FEXIT_MULTI : TRACING_FENTRY_MULTI;
}

static int multi_link(struct attach *attach, struct candidate **candidates, size_t n)
{
	const struct target *first = candidates[0]->target;
	__free uint32_t *ids = base_alloc(n * sizeof(*ids));
	__free uint64_t *cookies = base_alloc(n * sizeof(*cookies));
	const struct copy copy = {
		.type = BPF_PROG_TYPE_TRACING,
		.attach_type = multi_type(attach, first),
		.how = n == 1 ? SLOT_CONSTANT : SLOT_COOKIE,
		.value = n == 1 ? first->slot : 0,
	};
	int program = copy_load(attach, &copy);

	if (program < 0)
		return program;
	for (size_t i = 0; i < n; i++) {
		ids[i] = candidates[i]->btf_id;
		cookies[i] = candidates[i]->target->slot;
	}
	return tracing_multi_link(program, copy.attach_type, ids, cookies, n);
}

static int multi_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	__free struct candidate **some = base_alloc(n * sizeof(*some));
	struct kernel_types *types;
	int ret;

	if (!quirk_tracing_multi())
		return err_set(err, -ENOTSUP, "this kernel has no fentry.multi");
	ret = btf_ids_of_functions(attach, candidates, n, err);
	types = kernel_types_new();
	for (int returns = 0; !ret && returns < 2; returns++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++) {
			if (candidates[i]->target->ret != returns)
				continue;
			candidates[i]->why_not = no_trampoline(types, candidates[i]);
			if (!candidates[i]->why_not)
				some[m++] = candidates[i];
		}
		if (m)
			ret = attach_halving(attach, some, m, MECH_FENTRY_MULTI, multi_link);
	}
	kernel_types_free(types);
	return ret;
}

const struct mechanism mechanism_fentry_multi = {
	.mech = MECH_FENTRY_MULTI,
	.kind = TARGET_KERNEL,
	.refuses = multi_refuses,
	.attach = multi_attach,
};

const struct mechanism mechanism_fsession_multi = {
	.mech = MECH_FENTRY_MULTI,
	.kind = TARGET_KERNEL,
	.session = true,
	.refuses = multi_refuses,
	.attach = multi_attach,
};
