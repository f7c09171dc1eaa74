// SPDX-License-Identifier: BSD-2-Clause
/* Names callers by the kernel's symbols. Each address is looked for once. */
#include "base/report.h"
#include "graph_flat.h"
#include "kernel/kernel.h"
#include "probe/target.h"

static const char *why_not(const struct target *target)
{
	if (target->kind == TARGET_USER)
		return "--flat takes functions of the kernel only";
	if (target->kind != TARGET_KERNEL || target->ret || target->offset)
		return "--flat takes functions, which are probed at their entry";
	return NULL;
}

int graph_flat_check(const struct target_set *set, struct err *err)
{
	vec_each(target, set)
		if (why_not(target))
			return err_set(err, -EINVAL, "'%s': %s", target->label, why_not(target));
	return 0;
}

/* A call that is a function's last instruction returns behind its end: the byte before is the call's. */
static const char *find_caller(struct graph_flat *flat, uint64_t address)
{
	struct ksym_place place;
	int ret;

	if (!flat->kernel) {
		flat->kernel = kernel_new();
		kernel_read_bpf(flat->kernel);
	}
	ret = kernel_symbol_at(flat->kernel, address - 1, &place);
	if (ret == -EPERM && !flat->said_hidden)
		report_note("callers have no names: the kernel hides addresses (kptr_restrict)");
	flat->said_hidden |= ret == -EPERM;
	if (ret)
		return pool_addf(&flat->names, "0x%llx", (unsigned long long)address);
	return pool_add(&flat->names, place.name);
}

const char *graph_flat_caller(struct graph_flat *flat, uint64_t address)
{
	uint32_t number = set_add(&flat->addresses, &address, sizeof(address));

	if (number == flat->callers.n)
		*vec_push(&flat->callers) = find_caller(flat, address);
	return flat->callers.v[number];
}

void graph_flat_release(struct graph_flat *flat)
{
	kernel_free(flat->kernel);
	set_release(&flat->addresses);
	free(flat->callers.v);
	pool_release(&flat->names);
}
