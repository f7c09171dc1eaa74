/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the kernel's own BTF as it lies in its file (the kernel's Documentation/bpf/btf.rst).
 * No index of all types is built, which is what costs libbpf its 5 ms: they are walked from front to back,
 * and who wants a type by its id afterwards is let in at the nearest of some marks.
 */
#ifndef SONDE_BTF_IMAGE_H
#define SONDE_BTF_IMAGE_H

#include <linux/btf.h>

#include "kernel.h"

struct btf_image {
	int fd;
	size_t size; /* of the file */
	void *map;   /* of all of it, or NULL: what is wanted is read */
	char *strings;
	size_t strings_len;
	size_t types_at, types_len; /* in the file */
	uint8_t *window;	    /* all types, or those that were read last: */
	size_t from, have, cap;	    /* from where in them, and bytes */
	uint32_t n_types;	    /* that btf_image_each() has passed */
	struct {
		size_t *v; /* where some of them are */
		size_t n, cap;
	} marks;
};

/* Of an image that is {}. To be released even after an error. */
int btf_image_open(struct btf_image *image, struct err *err);
void btf_image_release(struct btf_image *image);

/* The types of some kinds, a set of 1 << BTF_KIND_..., in the order of their ids; as kernel_each_btf_func(). */
int btf_image_each(struct btf_image *image, uint32_t kinds, kernel_btf_fn fn, void *ctx, struct err *err);
/* A copy of a type and what belongs to it, the caller's; NULL for void and what there is not. After btf_image_each() only. */
int btf_image_type(struct btf_image *image, uint32_t id, struct btf_type **type);
/* "" for no name. Valid until the release. */
const char *btf_image_string(const struct btf_image *image, uint32_t offset);

#endif
