/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within kernel/: the tables from which the kernel prints /proc/kallsyms (kernel/kallsyms.c, scripts/kallsyms.c:
 * names are strings of tokens, one byte each), out of its memory. Where they are it tells since Linux 6.0, in
 * vmcoreinfo (its Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef SONDE_KALLSYMS_IMAGE_H
#define SONDE_KALLSYMS_IMAGE_H

#include "modules_image.h"

struct kallsyms_token {
	char text[31];
	uint8_t len;
};

struct kallsyms_image {
	uint32_t n; /* symbols */
	int32_t *offsets;
	enum {
		OFFSETS_FROM_BASE,	/* unsigned */
		OFFSETS_PERCPU,		/* negative: base - 1 - offset; else the address itself, in each processor's area */
		OFFSETS_FROM_THEMSELVES /* each from where it is */
	} kind;
	uint64_t base; /* or where the first offset is */
	uint8_t *names;
	size_t names_len;
	struct kallsyms_token *tokens; /* 256 */
	struct modules_image modules;
};

/* Of one that is {}; to be released even after an error: something that is not as it is known here. */
int kallsyms_image_read(struct kallsyms_image *image, const struct memory *memory);
void kallsyms_image_release(struct kallsyms_image *image);

/*
 * Functions and data that can be written (types t w d b); then all of the modules'. Stops and returns what fn
 * returned when that is not 0.
 */
int kallsyms_image_each(const struct kallsyms_image *image, kallsyms_fn fn, void *ctx);

#endif
