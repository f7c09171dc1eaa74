/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: files of user functions in which nothing was hit, for they are other files than what was traced uses. */
#ifndef SONDE_UNHIT_H
#define SONDE_UNHIT_H

#include "engine.h"
#include "attach/attach.h"

/* Remembers what the command executes first, once it has been let go. */
void unhit_note_command(struct engine_context *ctx);
/*
 * hits: by slot, since tracing began. A line for each file of the set without any, where it is known that the command
 * began with another file (of a library nothing is known then), or that the process of -p has not mapped it.
 */
void unhit_say(const struct engine_instance *instance, const struct target_set *set,
	       const struct attach *attach, const uint64_t *hits);

#endif
