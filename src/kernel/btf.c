// SPDX-License-Identifier: BSD-2-Clause
/* Lists the functions or the typedefs in the BTF of the kernel. */
#include "btf_image.h"

static int each_of_kind(unsigned int kind, kernel_btf_fn fn, void *ctx, struct err *err)
{
	__cleanup(btf_image_release) struct btf_image image = {};
	int ret = btf_image_open(&image, err);

	return ret ? ret : btf_image_each(&image, 1U << kind, fn, ctx, err);
}

int kernel_each_btf_func(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_FUNC, fn, ctx, err);
}

int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_TYPEDEF, fn, ctx, err);
}
