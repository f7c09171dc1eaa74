/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that runs when the kernel frees a task: nothing of its thread runs any more. */
#ifndef SONDE_ENGINE_FREED_H
#define SONDE_ENGINE_FREED_H

#include "attach/attach.h"

struct object;

/* Initialise with {}. */
struct freed {
	bool wanted;
	struct image image;
	struct target_set set;
	struct attach *attach;
};

/* program: its name in a prepared object; NULL: none. */
int freed_load(struct freed *freed, const struct object *object, const char *program, struct err *err);
/* Attaches it, if there is one. options: they and what they point to must outlive it. */
int freed_attach(struct freed *freed, const struct attach_options *options, struct err *err);
void freed_release(struct freed *freed);

#endif
