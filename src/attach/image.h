/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image is a BPF program as instructions that attach loads copies of. Its patch sites (bpf/patch.h) are located once, when it is
 * made. Some are the same in all copies, and the engine fills them with image_patch(); attach fills the others in each copy.
 * Whoever asks for a site that the image lacks gets an error, and so does who attaches an image with a site that nobody has filled.
 */
#ifndef SONDE_IMAGE_H
#define SONDE_IMAGE_H

#include "base/base.h"
#include "bpf/patch.h"

struct bpf_insn;
struct bpf_program;

enum patch_kind {
	PATCH_LOAD,    /* a load of 64 bits, two instructions */
	PATCH_OPERAND, /* the 32-bit operand of a calculation with 64 bits */
	PATCH_CALL,    /* a call of one of the kernel's functions of sessions */
	PATCH_SWAP,    /* a compare-and-swap of 64 bits, which some kernels lack; it has no id */
};

struct patch_site {
	uint64_t patch; /* its id, of bpf/patch.h */
	enum patch_kind kind;
	uint32_t insn; /* the index of the instruction, or of the first of two */
	bool filled;   /* in all copies */
};

/* Instructions to make an image of: all that is copied stays the caller's. */
struct image_code {
	const char *name; /* of the program, as the kernel lists it: 15 bytes of it */
	const struct bpf_insn *insns;
	size_t n;
	/* The types of the functions in it, where the instructions need these (callbacks): 0 none. */
	int btf_fd;	       /* must stay open as long as the image is */
	const void *func_info; /* n_func_info times struct bpf_func_info */
	uint32_t n_func_info;
};

/* Initialise with {}. What is in it is read by attach alone. */
struct image {
	struct image_code code; /* the image's own */
	struct {
		struct patch_site *v;
		size_t n, cap;
	} sites;
};

/* The address of each map, and of each subprogram, must be in the instructions. */
void image_make(struct image *image, const struct image_code *code);
/* Of an object that is prepared: the program's instructions, without the types of its functions. */
void image_from_program(struct image *image, const struct bpf_program *program);
/* Also of an image that was never made. */
void image_release(struct image *image);

bool image_has(const struct image *image, uint64_t patch);
/* Fills all sites of this id, in all copies that are loaded from now on. -ENOENT, and err names the site, where there is none. */
int image_patch(struct image *image, uint64_t patch, uint64_t value, struct err *err);
/* The same for a site that not every program has. */
void image_patch_optional(struct image *image, uint64_t patch, uint64_t value);
/* -EINVAL, and err names the site, where there is one that neither the engine has filled nor attach fills. */
int image_check(const struct image *image, struct err *err);

/* Within attach/: fills the sites of this id, if there are any, in a copy of the image's instructions. */
void image_patch_copy(const struct image *image, struct bpf_insn *copy, uint64_t patch, uint64_t value);

#endif
