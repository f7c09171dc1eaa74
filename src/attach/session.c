// SPDX-License-Identifier: BSD-2-Clause
/* Sessions: one program at a function's entry and at its return, and the kernel's functions that tell it which, and keep a number. */
#include <linux/bpf.h>

#include "bpf/latency.h"
#include "kernel/kernel.h"
#include "mechanism.h"

static struct call {
	int32_t mark;
	const char *name;
	uint32_t id; /* in the kernel's BTF, 0 not found */
} calls[] = {
	{ LATENCY_CALL_IS_RETURN, "bpf_session_is_return" },
	{ LATENCY_CALL_COOKIE, "bpf_session_cookie" },
};

static int offer(const char *name, uint32_t id, void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(name, calls[i].name))
			calls[i].id = id;
	return 0;
}

void session_patch(struct bpf_insn *insns, size_t n)
{
	static bool looked;

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < ARRAY_SIZE(calls); c++) {
			if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].imm != calls[c].mark)
				continue;
			if (!looked)
				kernel_each_btf_func(offer, NULL, NULL);
			looked = true;
			insns[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
			insns[i].imm = calls[c].id;
		}
}
