/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths as programs collect them (bpf/path.bpf.h), as columns. */
#ifndef SONDE_ENGINES_EVENT_PATH_H
#define SONDE_ENGINES_EVENT_PATH_H

#include "bpf/path.h"
#include "output/field.h"

/*
 * STRUCT.MEMBER is a struct path_record. Data has the path as it was passed, and the full path if it is known. People
 * see the full one where it is known.
 */
#define EVENT_PATH(STRUCT, MEMBER, TITLE, WIDTH) \
	DATA_GET(FIELD_PATH, event_path_get, "path", GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_PATH, event_path_get_full, "full_path", GET_OF(STRUCT, MEMBER)), \
		TEXT_GET(FIELD_PATH, event_path_get_shown, TITLE, WIDTH, .absent = "?", GET_OF(STRUCT, MEMBER))
void event_path_get(struct value *to, const void *path, const void *ctx);
void event_path_get_full(struct value *to, const void *path, const void *ctx);
void event_path_get_shown(struct value *to, const void *path, const void *ctx);

#endif
