// SPDX-License-Identifier: BSD-2-Clause
/* Finds the names of targets that the kernel reports as an address, a BTF id or a file offset. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/str.h"
#include "programs.h"
#include "binary/binary.h"
#include "kernel/kernel.h"

struct named {
	struct programs *programs;
	vec(struct bpf_target *) targets; /* functions of the kernel proper, known by their BTF id */
};

/* ---- kernel functions by address ---- */

/* If several symbols share an address, the first name is used. */
static void name_kernel_function(struct programs *programs, struct kernel *kernel, struct bpf_target *target)
{
	struct ksym_place place;

	if (kernel_symbol_at(kernel, target->addr, &place) || place.start != target->addr)
		return;
	target->name = pool_addf(&programs->strings, "%s%s%s", str_or_empty(place.module), place.module ? ":" : "",
				 place.name);
}

static void name_kernel_functions(struct programs *programs)
{
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();

	vec_each(program, programs)
		vec_each(target, &program->targets)
			if (!target->name && target->addr && !target->user)
				name_kernel_function(programs, kernel, target);
}

/* ---- functions with trampolines, by BTF id ---- */

static int name_btf_func(const char *name, uint32_t id, void *ctx)
{
	struct named *named = ctx;

	for (size_t i = 0; i < named->targets.n; i++) {
		struct bpf_target *target = named->targets.v[i];

		if (target->btf_id == id && !target->name)
			target->name = pool_add(&named->programs->strings, name);
	}
	return 0;
}

/* libbpf reads all of the kernel's BTF for this: done only if there is such a target. */
static const char *name_in_module(struct programs *programs, const char *module, const struct bpf_target *target)
{
	struct btf *base = btf__load_vmlinux_btf();
	struct btf *btf = base ? btf__load_from_kernel_by_id_split(target->btf_object, base) : NULL;
	const struct btf_type *type = btf ? btf__type_by_id(btf, target->btf_id) : NULL;
	const char *name = NULL;

	if (type)
		name = pool_addf(&programs->strings, "%s:%s", module, btf__name_by_offset(btf, type->name_off));
	btf__free(btf);
	btf__free(base);
	return name;
}

static void name_trampoline(struct named *named, struct bpf_target *target)
{
	struct bpf_program *program;
	char object[64];

	if (!kernel_btf_object_name(target->btf_object, object, sizeof(object))) {
		/* if the target is a BPF program, the field has that program's id, not a BTF's */
		program = programs_find(named->programs, target->btf_object);
		if (program)
			target->name = pool_addf(&named->programs->strings, "bpf:%s", program->name);
	} else if (!strcmp(object, "vmlinux")) {
		*vec_push(&named->targets) = target;
	} else {
		target->name = name_in_module(named->programs, object, target);
	}
}

static void name_trampolines(struct named *named)
{
	struct err err;

	named->targets.n = 0;
	vec_each(program, named->programs)
		vec_each(target, &program->targets)
			if (!target->name && target->btf_object)
				name_trampoline(named, target);
	if (named->targets.n)
		kernel_each_btf_func(name_btf_func, named, &err);
}

/* ---- user functions by offset ---- */

/*
 * Opens the file in our own mount namespace, or in the holder's. The caller keeps it open for targets of the same
 * file, so that its symbols are read once.
 */
static struct binary *open_file(const char *path, pid_t holder)
{
	__free char *root = base_printf("/proc/%d/root", holder);
	__free char *theirs = base_printf("%s%s", root, path);
	struct binary *binary = NULL;
	struct err err;

	if (binary_open("/", path, &binary, &err) && holder)
		binary_open(root, theirs, &binary, &err);
	return binary;
}

static const char *find_symbol(struct programs *programs, struct binary *binary, const struct bpf_target *target)
{
	const struct binary_symbol *symbols, *found = NULL;
	size_t n;
	struct err err;

	if (!binary || binary_functions(binary, &symbols, &n, &err))
		n = 0;
	for (size_t i = 0; i < n && symbols[i].offset <= target->addr; i++)
		if (!found || symbols[i].offset > found->offset)
			found = &symbols[i];
	if (found && target->addr == found->offset)
		return pool_addf(&programs->strings, "%s:%s", target->name, found->name);
	if (found && target->addr < found->offset + found->size)
		return pool_addf(&programs->strings, "%s:%s+0x%llx", target->name, found->name,
				 (unsigned long long)(target->addr - found->offset));
	return pool_addf(&programs->strings, "%s:0x%llx", target->name, (unsigned long long)target->addr);
}

static void name_user_functions(struct programs *programs)
{
	struct binary *binary = NULL;
	const char *path = "";

	vec_each(program, programs)
		vec_each(target, &program->targets) {
			if (!target->user || !target->name)
				continue;
			if (strcmp(target->name, path)) {
				binary_close(binary);
				binary = open_file(target->name, program->holder);
				path = target->name;
			}
			target->name = find_symbol(programs, binary, target);
		}
	binary_close(binary);
}

void programs_name_targets(struct programs *programs)
{
	struct named named = { .programs = programs };

	name_kernel_functions(programs);
	name_trampolines(&named);
	name_user_functions(programs);
	free(named.targets.v);
}
