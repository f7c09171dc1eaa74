// SPDX-License-Identifier: BSD-2-Clause
/* Lists the functions or the typedefs in the BTF of the kernel. */
#include "btf_image.h"

struct named {
	const struct btf_image *image;
	kernel_btf_fn fn;
	void *ctx;
};

static int offer(const struct btf_type *type, uint32_t id, void *ctx)
{
	const struct named *named = ctx;

	return named->fn(btf_image_string(named->image, type->name_off), id, named->ctx);
}

static int each_of_kind(unsigned int kind, kernel_btf_fn fn, void *ctx, struct err *err)
{
	__cleanup(btf_image_release) struct btf_image image = {};
	struct named named = { &image, fn, ctx };
	int ret = btf_image_open(&image, NULL, NULL, err);

	return ret ? ret : btf_image_each(&image, 1U << kind, offer, &named, err);
}

int kernel_each_btf_func(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_FUNC, fn, ctx, err);
}

int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_TYPEDEF, fn, ctx, err);
}
