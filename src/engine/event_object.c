// SPDX-License-Identifier: BSD-2-Clause
/* Opens a source's BPF object, fills in its config and sizes its own maps. */
#include "event_object.h"

int event_object_open(struct object *object, const struct event_source *source, struct err *err)
{
	int ret = object_open(object, source->object, err);

	if (!ret && source->config)
		ret = object_fill(object, ".rodata.config", source->config, source->config_size, err);
	for (size_t i = 0; !ret && i < source->n_maps; i++)
		ret = object_size_map(object, source->maps[i].name, *source->maps[i].entries, err);
	return ret;
}
