/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types in the kernel's BTF, found by name and read one by one. A file is walked once, when it is asked for first.
 * Modules have BTF of their own, which refers to the kernel's.
 */
#ifndef SONDE_KERNEL_TYPES_H
#define SONDE_KERNEL_TYPES_H

#include <linux/btf.h>

#include "base/base.h"

struct kernel_types;

/* Opens nothing yet. */
struct kernel_types *kernel_types_new(void);
void kernel_types_free(struct kernel_types *types);

/* A module's types, or the kernel's own (module NULL), as a number for the calls below; -ENOENT: it has none. */
int kernel_types_module(struct kernel_types *types, const char *module, struct err *err);
/* The name of a module by such a number, valid until the session is freed; NULL: the kernel itself. */
const char *kernel_types_module_name(const struct kernel_types *types, int module);

/*
 * The id of the type of this name and of one of the kinds (a set of 1 << BTF_KIND_...); 0: there is none. Definitions
 * come before forward declarations.
 */
uint32_t kernel_types_find(struct kernel_types *types, int module, const char *name, uint32_t kinds, struct err *err);
/* The enum (or enum64) that has a constant of this name; 0: none. *value: the constant. */
uint32_t kernel_types_find_value(struct kernel_types *types, int module, const char *name, int64_t *value);
/* A type and its elements, valid until the session is freed; NULL: void, or there is no such id. */
const struct btf_type *kernel_types_get(struct kernel_types *types, int module, uint32_t id);
/* The string at an offset, valid until the session is freed. */
const char *kernel_types_string(struct kernel_types *types, int module, uint32_t offset);
/* Calls fn for each type of some kinds, with its name. Stops and returns what fn returned if that is not 0. */
int kernel_types_each(struct kernel_types *types, int module, uint32_t kinds,
		      int (*fn)(const char *name, uint32_t id, void *ctx), void *ctx, struct err *err);

#endif
