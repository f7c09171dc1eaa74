/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For kernel/ alone: parses the BTF of the running kernel, or of one of its modules, from its file. Format:
 * Documentation/bpf/btf.rst in the kernel's sources. libbpf builds an index of all types, which takes 5 ms. Here the
 * types are walked once from front to back, which leaves a sparse index to find a type by its id afterwards.
 *
 * A module's BTF is split: it continues the ids and the strings of the kernel's own, its base.
 */
#ifndef SONDE_KERNEL_BTF_IMAGE_H
#define SONDE_KERNEL_BTF_IMAGE_H

#include <linux/btf.h>

#include "kernel.h"

struct btf_image {
	const struct btf_image *base; /* NULL: it is the kernel's own */
	char path[80];
	int fd;
	size_t size; /* of the file, in bytes */
	void *map;   /* the whole file, or NULL: pieces are read */
	char *strings;
	size_t strings_len;
	size_t types_at, types_len; /* where the types are in the file, in bytes */
	uint8_t *window;	    /* all types if the file is mapped, else those that were read last */
	size_t from, have, cap;	    /* the window: its begin among the types, its bytes, the allocated bytes */
	uint32_t n_types;	    /* how many btf_image_each() has passed, without those of the base */
	vec(size_t) index;	    /* offsets of every STRIDE-th type among the types */
};

/*
 * Opens the kernel's BTF (module and base NULL), or a module's, whose base must outlive it and was walked to its end.
 * Initialise image with {}; the caller releases it, also after an error. -EINVAL: not BTF, or damaged. Else -errno.
 */
int btf_image_open(struct btf_image *image, const char *module, const struct btf_image *base, struct err *err);
void btf_image_release(struct btf_image *image);

/*
 * Calls fn for each type of some kinds, a set of 1 << BTF_KIND_..., in the order of their ids, and builds the
 * index. fn gets the type without its elements, valid during the call. A non-zero return of fn ends the walk and is
 * returned. -ENOTSUP: a type of an unknown kind. -EIO.
 */
typedef int (*btf_image_fn)(const struct btf_type *type, uint32_t id, void *ctx);
int btf_image_each(struct btf_image *image, uint32_t kinds, btf_image_fn fn, void *ctx, struct err *err);
/*
 * *type: a copy of the type with that id and its elements, which the caller frees; NULL for void, for an unknown id,
 * and for an id of the base. Only after btf_image_each() has passed it. -EIO.
 */
int btf_image_type(struct btf_image *image, uint32_t id, struct btf_type **type);
/* The string at an offset of the string section; "" if the offset is outside. Valid until the image is released. */
const char *btf_image_string(const struct btf_image *image, uint32_t offset);
/*
 * The offset of a string that is not empty, in the image itself, not in its base; 0: it is not there. Each string is
 * there once: pahole, which makes the kernel's BTF, removes duplicates.
 */
uint32_t btf_image_find_string(const struct btf_image *image, const char *text);
/* The id of the first type. */
static inline uint32_t btf_image_first(const struct btf_image *image)
{
	return image->base ? image->base->n_types + 1 : 1;
}

#endif
