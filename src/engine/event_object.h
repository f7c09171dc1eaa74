/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: the BPF object of a source (event.h), as its tool and the options want it. */
#ifndef SONDE_EVENT_OBJECT_H
#define SONDE_EVENT_OBJECT_H

#include "event.h"
#include "object.h"

/* Opens it, with the source's config and sizes of maps. The caller releases it, after an error, too. */
int event_object_open(struct object *object, const struct event_source *source, struct err *err);

#endif
