/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: puts a compiled probe's instructions and the functions of bpf/lang.bpf.c that they call together
 * into an image, which attach loads copies of.
 */
#ifndef SONDE_SCRIPT_SCRIPT_LINK_H
#define SONDE_SCRIPT_SCRIPT_LINK_H

#include "attach/image.h"
#include "bpf/lang.h"
#include "engine/object.h"
#include "lang/program/program.h"

/* Whether this function of the library, or one that it calls, relocates against the kernel's types. */
bool script_link_is_typed(enum lang_function function);
/* Whether the program calls such a function. */
bool script_link_needs_types(const struct lang_program *program);
/*
 * Sizes the library's own maps for a program, in an object of bpf/lang.bpf.c that is open and not prepared; maps that
 * the program does not use are not created. Returns 0, or -errno with err.
 */
int script_link_size(const struct lang_program *program, struct object *object, struct err *err);
/*
 * Makes the image of a probe. The object is prepared and must stay open as long as the image; maps: a descriptor for
 * each of program->maps, -1 for those without keys. Returns 0, or -errno with err.
 */
int script_link(const struct lang_program *program, const struct lang_probe *probe, const struct object *object,
		const int *maps, struct image *image, struct err *err);

#endif
