// SPDX-License-Identifier: BSD-2-Clause
/* Puts kept maps in place of those that would be created, after a check of their shape and of their read-only data. */
#include <sys/mman.h>

#include "keep_part.h"

/* --- what is adopted --- */

static bool has_shape(int fd, uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t entries)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	return !bpf_map_get_info_by_fd(fd, &info, &len) && info.type == type && info.key_size == key_size &&
	       info.value_size == value_size && info.max_entries == entries;
}

int keep_map(struct keep *keep, const char *name, uint32_t type, uint32_t key_size, uint32_t value_size,
	     uint32_t entries)
{
	const struct kept_map *kept;
	__close int fd = -1;

	if (!keep_is_adopted(keep))
		return -ENOENT;
	if (keep->maps.n >= keep->text.maps.n)
		return -ESTALE;
	kept = &keep->text.maps.v[keep->maps.n];
	if (strcmp(kept->name, name))
		return -ESTALE;
	fd = keep_take(keep, KEEP_MAP, kept->id);
	if (fd < 0 || !has_shape(fd, type, key_size, value_size, entries))
		return -ESTALE;
	keep_map_created(keep, name, fd);
	return take_fd(fd);
}

void keep_map_created(struct keep *keep, const char *name, int fd)
{
	struct keep_map *map;

	if (!keep)
		return;
	map = vec_push(&keep->maps);
	map->name = base_strdup(name);
	map->fd = fd;
}

uint32_t keep_value_size(const struct keep *keep, const char *map)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info);

	if (!keep_is_adopted(keep))
		return 0;
	vec_each(kept, &keep->text.maps)
		vec_each(fd, &keep->fds)
			if (!strcmp(kept->name, map) && fd->kind == KEEP_MAP && fd->id == kept->id)
				return bpf_map_get_info_by_fd(fd->fd, &info, &len) ? 0 : info.value_size;
	return 0;
}

/* --- maps of an object --- */

static int adopt(struct keep *keep, struct bpf_map *map, struct err *err)
{
	__close int fd = keep_map(keep, bpf_map__name(map), bpf_map__type(map), bpf_map__key_size(map),
				  bpf_map__value_size(map), bpf_map__max_entries(map));
	int ret = fd < 0 ? fd : bpf_map__reuse_fd(map, fd);

	if (!ret) {
		/* libbpf has a descriptor of its own */
		keep->maps.v[keep->maps.n - 1].fd = bpf_map__fd(map);
		return 0;
	}
	return ret == -ESTALE ? keep_stale(err, bpf_map__name(map))
			      : err_set(err, ret, "cannot adopt the map '%s': %s", bpf_map__name(map), strerror(-ret));
}

int keep_maps_before(struct keep *keep, struct bpf_object *object, struct err *err)
{
	struct bpf_map *map;
	int ret = 0;

	if (!keep_is_adopted(keep))
		return 0;
	bpf_object__for_each_map(map, object) if (!ret && bpf_map__autocreate(map))
		ret = adopt(keep, map, err);
	return ret;
}

/* A section of data: libbpf left its first contents in memory of ours, at the address that stays. */
static int share(struct bpf_map *map)
{
	size_t size = 0;
	void *at = bpf_map__initial_value(map, &size);

	if (!at || mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0) == MAP_FAILED)
		return -ESTALE;
	return 0;
}

/* Read-only data holds the configuration, filters, and the tables of targets. */
static int compare(struct bpf_map *map)
{
	size_t size = 0;
	const void *now = bpf_map__initial_value(map, &size);
	/* the kernel writes whole words */
	__free char *kept = base_alloc(size + sizeof(uint64_t));
	uint32_t first = 0;

	return now && !bpf_map_lookup_elem(bpf_map__fd(map), &first, kept) && !memcmp(now, kept, size) ? 0 : -ESTALE;
}

int keep_maps_after(struct keep *keep, struct bpf_object *object, struct err *err)
{
	struct bpf_map *map;

	if (!keep)
		return 0;
	bpf_object__for_each_map(map, object)
	{
		int ret = 0;

		if (!bpf_map__autocreate(map))
			continue;
		if (!keep->adopts)
			keep_map_created(keep, bpf_map__name(map), bpf_map__fd(map));
		else if (bpf_map__map_flags(map) & BPF_F_RDONLY_PROG)
			ret = compare(map);
		else if (bpf_map__is_internal(map))
			ret = share(map);
		if (ret)
			return keep_stale(err, bpf_map__name(map));
	}
	return 0;
}
