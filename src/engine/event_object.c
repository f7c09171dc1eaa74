// SPDX-License-Identifier: BSD-2-Clause
/* A source's BPF object: opened and filled. Loads no program. */
#include <bpf/libbpf.h>

#include "kernel/core_btf.h"
#include "event_object.h"

int event_object_fill(struct bpf_object *object, const char *name, const void *data, size_t size, struct err *err)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t room = 0;
	void *at = map ? bpf_map__initial_value(map, &room) : NULL;

	if (!at || room < size)
		return err_set(err, -ENOENT, "the BPF object has no %s", name);
	memcpy(at, data, size);
	return 0;
}

static int size_maps(const struct event_source *source, struct bpf_object *object, struct err *err)
{
	for (size_t i = 0; i < source->n_maps; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object, source->maps[i].name);

		if (!map)
			return err_set(err, -ENOENT, "the BPF object has no map '%s'", source->maps[i].name);
		bpf_map__set_autocreate(map, *source->maps[i].entries);
		bpf_map__set_max_entries(map, *source->maps[i].entries);
	}
	return 0;
}

int event_object_make(struct bpf_object **object, const struct event_source *source,
		      int (*set_up)(struct bpf_object *object, void *ctx, struct err *err), void *ctx,
		      struct err *err)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	size_t size;
	const void *elf = source->object(&size);
	int ret = core_btf_make(&btf, elf, size, err);

	if (ret)
		return ret;
	*object = bpf_object__open_mem(elf, size, &opts);
	if (!*object)
		return err_set(err, -errno, "cannot open the BPF object: %s", strerror(errno));
	if (source->config)
		ret = event_object_fill(*object, ".rodata.config", source->config, source->config_size, err);
	if (!ret)
		ret = size_maps(source, *object, err);
	return ret ? ret : set_up(*object, ctx, err);
}
