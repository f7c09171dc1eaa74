// SPDX-License-Identifier: BSD-2-Clause
/*
 * One pass over the kernel's BTF (format: the kernel's Documentation/bpf/btf.rst),
 * for names and type ids only. Everything else about BTF is libbpf's.
 */
#include <linux/btf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kernel_files.h"

#define PATH "/sys/kernel/btf/vmlinux"

struct image {
	const uint8_t *data;
	size_t size;
	bool mapped;
};

static void image_release(struct image *image)
{
	if (image->mapped)
		munmap((void *)image->data, image->size);
	else
		free((void *)image->data);
}

/* Mapped where the kernel can (6.16 and later), else read: 5 MB that are given back at once. */
static int image_read(struct image *image, struct err *err)
{
	__close int fd = kernel_open(PATH, O_RDONLY);
	__free uint8_t *data = NULL;
	struct stat st;
	size_t have = 0;
	void *map;

	if (fd < 0 || fstat(fd, &st))
		return err_set(err, -errno, "the kernel offers no BTF: cannot open " PATH ": %s",
			       strerror(errno));
	image->size = st.st_size;
	map = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map != MAP_FAILED) {
		image->data = map;
		image->mapped = true;
		return 0;
	}
	data = malloc(image->size);
	if (!data)
		return err_set(err, -ENOMEM, "no memory for " PATH);
	while (have < image->size) {
		ssize_t n = read(fd, data + have, image->size - have);

		if (n <= 0)
			return err_set(err, -EIO, "cannot read " PATH);
		have += n;
	}
	image->data = take_ptr(data);
	return 0;
}

/* What follows a struct btf_type, in bytes; -1 for a kind that this file does not know. */
static ssize_t trailer_size(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	}
	return -1;
}

static int each_of_kind(unsigned int kind, kernel_btf_fn fn, void *ctx, struct err *err)
{
	__cleanup(image_release) struct image image = {};
	const struct btf_header *h;
	const uint8_t *at, *end;
	const char *strings;
	uint32_t id = 1;
	int ret = image_read(&image, err);

	if (ret)
		return ret;
	h = (const void *)image.data;
	if (image.size < sizeof(*h) || h->magic != BTF_MAGIC ||
	    (uint64_t)h->hdr_len + h->type_off + h->type_len > image.size ||
	    (uint64_t)h->hdr_len + h->str_off + h->str_len > image.size || !h->str_len ||
	    image.data[h->hdr_len + h->str_off + h->str_len - 1])
		return err_set(err, -EINVAL, PATH " is not BTF as it is known here");
	strings = (const char *)image.data + h->hdr_len + h->str_off;
	at = image.data + h->hdr_len + h->type_off;
	for (end = at + h->type_len; at + sizeof(struct btf_type) <= end; id++) {
		const struct btf_type *t = (const void *)at;
		ssize_t more = trailer_size(t);

		if (more < 0)
			return err_set(err, -ENOTSUP, PATH " has a type of a kind that is not known here (%u)",
				       BTF_INFO_KIND(t->info));
		if (BTF_INFO_KIND(t->info) == kind && t->name_off < h->str_len) {
			ret = fn(strings + t->name_off, id, ctx);
			if (ret)
				return ret;
		}
		at += sizeof(*t) + more;
	}
	return 0;
}

int kernel_each_btf_func(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_FUNC, fn, ctx, err);
}

int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err)
{
	return each_of_kind(BTF_KIND_TYPEDEF, fn, ctx, err);
}
