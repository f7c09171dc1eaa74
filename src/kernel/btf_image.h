/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For kernel/ alone: parses the BTF of the running kernel from its file. Format: Documentation/bpf/btf.rst in the
 * kernel's sources. libbpf builds an index of all types, which takes 5 ms. Here the types are walked once from
 * front to back, which leaves a sparse index to find a type by its id afterwards.
 */
#ifndef SONDE_BTF_IMAGE_H
#define SONDE_BTF_IMAGE_H

#include <linux/btf.h>

#include "kernel.h"

struct btf_image {
	int fd;
	size_t size; /* of the file, in bytes */
	void *map;   /* the whole file, or NULL: pieces are read */
	char *strings;
	size_t strings_len;
	size_t types_at, types_len; /* where the types are in the file, in bytes */
	uint8_t *window;	    /* all types if the file is mapped, else those that were read last */
	size_t from, have, cap;	    /* the window: its begin among the types, its bytes, the allocated bytes */
	uint32_t n_types;	    /* how many btf_image_each() has passed */
	struct {
		size_t *v; /* offsets of every STRIDE-th type among the types */
		size_t n, cap;
	} index;
};

/* Initialise image with {}; the caller releases it, also after an error. -EINVAL: not BTF, or damaged. Else -errno. */
int btf_image_open(struct btf_image *image, struct err *err);
void btf_image_release(struct btf_image *image);

/*
 * Calls fn for each type of some kinds, a set of 1 << BTF_KIND_..., in the order of their ids, and builds the
 * index. A non-zero return of fn ends the walk and is returned. -ENOTSUP: a type of an unknown kind. -EIO.
 */
int btf_image_each(struct btf_image *image, uint32_t kinds, kernel_btf_fn fn, void *ctx, struct err *err);
/*
 * *type: a copy of the type with that id and its elements, which the caller frees; NULL for void and for an unknown
 * id. Only after btf_image_each() has passed it. -EIO.
 */
int btf_image_type(struct btf_image *image, uint32_t id, struct btf_type **type);
/* The string at an offset of the string section; "" if the offset is outside. Valid until the image is released. */
const char *btf_image_string(const struct btf_image *image, uint32_t offset);

#endif
