/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the tables from which the kernel prints its own part of /proc/kallsyms (kernel/kallsyms.c,
 * scripts/kallsyms.c: names are strings of tokens, one byte each), copied out of its memory. They stay as they are,
 * packed: a name is unpacked when it is asked for. Nobody holds them who looks up addresses. From Linux 6.0 on
 * vmcoreinfo says where they are (the kernel's Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef SONDE_KERNEL_KALLSYMS_IMAGE_H
#define SONDE_KERNEL_KALLSYMS_IMAGE_H

#include "memory.h"

struct kallsyms_token {
	char text[31];
	uint8_t len;
};

struct kallsyms_mark {
	uint64_t addr;
	size_t name; /* where it is in names */
};

struct kallsyms_image {
	uint32_t n; /* symbols */
	int32_t *offsets; /* NULL, and so is names: the tables are not held, but read in pieces */
	enum {
		OFFSETS_FROM_BASE,	/* unsigned */
		OFFSETS_PERCPU,		/* negative: base - 1 - offset; else the address, of a per-processor variable */
		OFFSETS_FROM_THEMSELVES /* each from its own address */
	} kind;
	uint64_t base; /* or the address of the first offset */
	const struct memory *memory;
	uint64_t offsets_at, names_at; /* in that memory */
	uint8_t *names;
	size_t names_len;
	struct kallsyms_token *tokens; /* 256 */
	vec(struct kallsyms_mark) index; /* every 16th symbol, for kallsyms_image_at() */
};

/*
 * Into an image and places that are {}: 0, or -errno where something is not in the form that is known here. Release
 * the image in either case; the memory must be open until then. by_address: only addresses will be looked up, so the
 * tables, 3.5 MB, are not held.
 */
int kallsyms_image_read(struct kallsyms_image *image, struct memory_places *places, const struct memory *memory,
			bool by_address);
void kallsyms_image_release(struct kallsyms_image *image);

/*
 * fn gets each function, or each of a name, by address. Names that are not wanted are not unpacked. Stops and returns
 * what fn returned when that is not 0.
 */
int kallsyms_image_each(const struct kallsyms_image *image, const char *name, ksym_fn fn, void *ctx);
/* The address of the first symbol of that name, of any type; 0: there is none. */
uint64_t kallsyms_image_address(const struct kallsyms_image *image, const char *name);
/* As kernel_symbol_at(): 0, -ENOENT. Frees the tables. */
int kallsyms_image_at(struct kallsyms_image *image, uint64_t addr, struct ksym_place *place);

#endif
