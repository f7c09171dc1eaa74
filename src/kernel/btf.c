// SPDX-License-Identifier: BSD-2-Clause
/* Lists the functions or the typedefs in the BTF of the kernel, or the functions in that of a module. */
#include <bpf/bpf.h>

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

/* The ids of a module's types come behind those of the kernel's, which are counted for that. */
int kernel_each_btf_func_of(const char *module, kernel_btf_fn fn, void *ctx, struct err *err)
{
	__cleanup(btf_image_release) struct btf_image base = {};
	__cleanup(btf_image_release) struct btf_image image = { .fd = -1 };
	struct named named = { &image, fn, ctx };
	int ret = btf_image_open(&base, NULL, NULL, err);

	if (!ret)
		ret = btf_image_each(&base, 0, offer, NULL, err);
	if (!ret)
		ret = btf_image_open(&image, module, &base, err);
	return ret ? ret : btf_image_each(&image, 1U << BTF_KIND_FUNC, offer, &named, err);
}

static int is_name(const char *name, uint32_t id, void *ctx)
{
	return !strcmp(name, ctx);
}

bool kernel_btf_has_func(const char *name)
{
	struct err err;

	return kernel_each_btf_func(is_name, (void *)name, &err) > 0;
}

int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_TYPEDEF, fn, ctx, err);
}

/* --- as the kernel numbers them --- */

bool kernel_btf_object_name(uint32_t object, char *name, size_t size)
{
	__close int fd = bpf_btf_get_fd_by_id(object);
	struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = size };
	uint32_t len = sizeof(info);

	*name = 0;
	return fd >= 0 && !bpf_btf_get_info_by_fd(fd, &info, &len) && info.kernel_btf;
}

uint32_t kernel_btf_object(const char *module)
{
	uint32_t object = 0;
	char name[64];

	while (!bpf_btf_get_next_id(object, &object))
		if (kernel_btf_object_name(object, name, sizeof(name)) && !strcmp(name, module))
			return object;
	return 0;
}
