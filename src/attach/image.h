/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image is a BPF program as instructions, of which attach loads copies. Its patch sites (bpf/patch.h) are located
 * once, when the image is made. The engine fills the sites that are the same in all copies with image_patch(); attach
 * fills the others in each copy. It is an error to fill a site that the image lacks, or to attach an image with an
 * unfilled site.
 */
#ifndef SONDE_ATTACH_IMAGE_H
#define SONDE_ATTACH_IMAGE_H

#include "base/base.h"
#include "bpf/patch.h"

struct bpf_insn;
struct bpf_object;
struct bpf_program;

enum patch_kind {
	PATCH_LOAD,    /* a load of 64 bits, two instructions */
	PATCH_OPERAND, /* the 32-bit operand of a calculation */
	PATCH_CALL,    /* a call of one of the kernel's functions for sessions */
	PATCH_SWAP,    /* an atomic operation of 64 bits that returns the old value, which some kernels lack; no id */
};

struct patch_site {
	uint64_t patch; /* its id in bpf/patch.h */
	enum patch_kind kind;
	uint32_t insn; /* the index of the instruction, or of the first of two */
	bool filled;   /* with one value for all copies */
};

/* Instructions to make an image from. They are copied, and stay the caller's. */
struct image_code {
	const char *name; /* the program's name; the kernel keeps 15 bytes */
	const struct bpf_insn *insns;
	size_t n;
	/* The types of its functions, if the instructions need them (callbacks, global functions). */
	int btf_fd;	       /* must stay open as long as the image exists; 0: none */
	const void *func_info; /* an array of n_func_info struct bpf_func_info */
	uint32_t n_func_info;
	/*
	 * The verifier remembers its state wherever paths meet, in place of at some of these places. Up to 6.1 it may
	 * remember only those between the reservation and the submission of a record, which never fit another path, and
	 * then follows each path to the end of the program.
	 */
	bool remembers_all;
};

/* Initialise with {}. Only attach/ reads the members. */
struct image {
	struct image_code code; /* the image's own */
	vec(struct patch_site) sites;
};

/* Makes an image. The instructions must contain the address of each map and of each subprogram. */
void image_make(struct image *image, const struct image_code *code);
/*
 * Makes an image of a program in a prepared object, with the types of its functions if it has several: the verifier
 * checks a global function once by itself. The object must stay open as long as the image exists.
 */
void image_from_program(struct image *image, const struct bpf_object *object, const struct bpf_program *program);
/* Releases an image, also one that was never made. */
void image_release(struct image *image);

/* True if the image has a site with this id. */
bool image_has(const struct image *image, uint64_t patch);
/*
 * Fills all sites with this id, for all copies that are loaded from now on. Returns 0, or -ENOENT with err: there is
 * none.
 */
int image_patch(struct image *image, uint64_t patch, uint64_t value, struct err *err);
/* The same, for a site that not every program has. */
void image_patch_optional(struct image *image, uint64_t patch, uint64_t value);
/*
 * Replaces each load of an array by that of the address of its only value, which a program may use without a lookup.
 * libbpf does so for data sections. map: its descriptor, as in the instructions of a prepared object.
 */
void image_use_value(struct image *image, int map);
/* Returns 0, or -EINVAL with err: a site that the engine has not filled and attach does not fill. */
int image_check(const struct image *image, struct err *err);

/* Within attach/: fills the sites with this id, if there are any, in a copy of the image's instructions. */
void image_patch_copy(const struct image *image, struct bpf_insn *copy, uint64_t patch, uint64_t value);

#endif
