/* SPDX-License-Identifier: BSD-2-Clause */
/* For engines: reports files of user functions without hits because the traced processes use other files. */
#ifndef SONDE_ENGINE_UNHIT_H
#define SONDE_ENGINE_UNHIT_H

#include "engine.h"
#include "attach/attach.h"

/* Records which file the command executes first. Call it after the command has been released. */
void unhit_note_command(struct engine_context *ctx);
/*
 * hits: by slot, since tracing began. Prints a line for each file of the set without hits if it is known that the
 * command first executed another file (a library may be used later), or that the process of -p has not mapped the
 * file.
 */
void unhit_say(const struct engine_instance *instance, const struct target_set *set,
	       const struct attach *attach, const uint64_t *hits);

#endif
