/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: the BPF object of a source (event.h), from its bytes until its maps are there. */
#ifndef SONDE_EVENT_OBJECT_H
#define SONDE_EVENT_OBJECT_H

#include "event.h"

struct bpf_object;

/* Read-only data of an object that is open. */
int event_object_fill(struct bpf_object *object, const char *map, const void *data, size_t size, struct err *err);

/*
 * Opens it with as much of the kernel's BTF as it needs, with the source's config and sizes of maps, and lets set_up() do
 * the rest, of which the last is to prepare it. *object is the caller's, after an error, too, if it is not NULL.
 */
int event_object_make(struct bpf_object **object, const struct event_source *source,
		      int (*set_up)(struct bpf_object *object, void *ctx, struct err *err), void *ctx,
		      struct err *err);

#endif
