// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sessions: one program runs at a function's entry and at its return. Functions of the kernel tell the program which
 * of the two it is, and store a number from the entry to the return.
 */
#include <linux/bpf.h>

#include "kernel/kernel.h"
#include "mechanism.h"

static struct call {
	uint64_t patch;
	const char *name;
	uint32_t id; /* id in the kernel's BTF, 0: not found */
} calls[] = {
	{ PATCH_CALL_IS_RETURN, "bpf_session_is_return" },
	{ PATCH_CALL_COOKIE, "bpf_session_cookie" },
};

static int offer(const char *name, uint32_t id, void *ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(name, calls[i].name))
			calls[i].id = id;
	return 0;
}

void session_patch(const struct image *image, struct bpf_insn *copy)
{
	static bool looked;

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!image_has(image, calls[i].patch))
			continue;
		if (!looked)
			kernel_each_btf_func(offer, NULL, NULL);
		looked = true;
		image_patch_copy(image, copy, calls[i].patch, calls[i].id);
	}
}
