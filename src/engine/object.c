// SPDX-License-Identifier: BSD-2-Clause
/* Opens, sizes, fills, prepares and releases a BPF object. Knows no engine and no tool. */
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "attach/image.h"
#include "attach/keep.h"
#include "attach/quirks.h"
#include "object.h"

static int open_with(struct object *object, object_bytes_fn bytes,
		     int (*open)(struct core_object *, const void *, size_t, struct err *), struct err *err)
{
	size_t size;
	const void *elf = bytes(&size);

	if (!elf)
		return err_set(err, -errno, "cannot unpack the BPF object: %s", strerror(errno));
	return open(&object->core, elf, size, err);
}

int object_open(struct object *object, object_bytes_fn bytes, struct err *err)
{
	return open_with(object, bytes, core_object_open, err);
}

int object_open_untyped(struct object *object, object_bytes_fn bytes, struct err *err)
{
	return open_with(object, bytes, core_object_open_untyped, err);
}

static struct bpf_map *find(const struct object *object, const char *map)
{
	return bpf_object__find_map_by_name(object->core.bpf, map);
}

/* Turns the error of sizing a map into err. */
static int sized(int ret, const char *map, struct err *err)
{
	return ret ? err_set(err, ret, "cannot size the BPF map '%s': %s", map, strerror(-ret)) : 0;
}

bool object_has(const struct object *object, const char *map)
{
	return bpf_object__find_map_by_name(object->core.bpf, map);
}

int object_size_map(struct object *object, const char *name, uint32_t entries, struct err *err)
{
	struct bpf_map *map = find(object, name);
	int ret = map ? bpf_map__set_autocreate(map, entries) : -ENOENT;

	return sized(ret || !entries ? ret : bpf_map__set_max_entries(map, entries), name, err);
}

int object_size_value(struct object *object, const char *name, size_t size, struct err *err)
{
	struct bpf_map *map = find(object, name);

	return sized(map ? bpf_map__set_value_size(map, size) : -ENOENT, name, err);
}

int object_size_key(struct object *object, const char *name, size_t size, struct err *err)
{
	struct bpf_map *map = find(object, name);

	return sized(map ? bpf_map__set_key_size(map, size) : -ENOENT, name, err);
}

int object_reuse_map(struct object *object, const char *name, int fd, struct err *err)
{
	struct bpf_map *map = find(object, name);
	int ret = map ? bpf_map__reuse_fd(map, fd) : -ENOENT;

	return ret ? err_set(err, ret, "cannot share the BPF map '%s': %s", name, strerror(-ret)) : 0;
}

/* Returns NULL if there is no such section, or if it is smaller. */
static void *section_at(const struct object *object, const char *section, size_t size)
{
	struct bpf_map *map = find(object, section);
	size_t room = 0;
	void *at = map ? bpf_map__initial_value(map, &room) : NULL;

	return at && room >= size ? at : NULL;
}

int object_fill(struct object *object, const char *section, const void *data, size_t size, struct err *err)
{
	void *at = section_at(object, section, size);

	if (!at)
		return err_set(err, -ENOENT, "the BPF object has no %s of %zu bytes", section, size);
	memcpy(at, data, size);
	return 0;
}

int object_fill_slots(struct object *object, const struct target_set *set, struct err *err)
{
	return attach_fill_slots(object->core.bpf, set, err);
}

int object_prepare(struct object *object, struct keep *keep, struct err *err)
{
	int ret = keep_maps_before(keep, object->core.bpf, err);

	if (ret)
		return ret;
	ret = core_object_prepare(&object->core);
	if (!ret)
		return keep_maps_after(keep, object->core.bpf, err);
	return err_set(err, ret, "cannot create the BPF maps: %s", ret == -EPERM ? quirk_denial() : strerror(-ret));
}

int object_load(struct object *object, struct err *err)
{
	int ret = core_object_load(&object->core);
	const char *rejected = attach_rejected(ret);

	return ret ? err_set(err, ret, "%s", rejected ? rejected : strerror(-ret)) : 0;
}

void *object_memory(const struct object *object, const char *section, size_t size)
{
	void *at = section_at(object, section, size);

	if (!at)
		abort();
	return at;
}

uint64_t object_word(const struct object *object, const char *section, size_t index)
{
	const uint64_t *words = object_memory(object, section, (index + 1) * sizeof(*words));

	return __atomic_load_n(&words[index], __ATOMIC_RELAXED);
}

size_t object_value_size(const struct object *object, const char *map)
{
	return bpf_map__value_size(find(object, map));
}

int object_map_fd(const struct object *object, const char *map)
{
	return bpf_map__fd(find(object, map));
}

/* From the descriptor's "memlock:", which counts all processors. */
size_t object_map_bytes(int fd)
{
	__free char *path = base_printf("/proc/self/fdinfo/%d", fd);
	__fclose FILE *f = fopen(path, "re");
	unsigned long long bytes = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	/* cppcheck-suppress resourceLeak ; __fclose closes it */
	return bytes;
}

size_t object_bytes(const struct object *object)
{
	const struct bpf_map *map;
	size_t bytes = 0;

	bpf_object__for_each_map(map, object->core.bpf) if (bpf_map__fd(map) >= 0)
		bytes += object_map_bytes(bpf_map__fd(map));
	return bytes;
}

int object_program(const struct object *object, const char *name, const struct bpf_program **program, struct err *err)
{
	*program = bpf_object__find_program_by_name(object->core.bpf, name);
	return *program ? 0 : err_set(err, -ENOENT, "the BPF object has no program '%s'", name);
}

int object_skip_program(struct object *object, const char *name, struct err *err)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object->core.bpf, name);

	if (!program)
		return err_set(err, -ENOENT, "the BPF object has no program '%s'", name);
	bpf_program__set_autoload(program, false);
	return 0;
}

int object_image(const struct object *object, const char *name, struct image *image, struct err *err)
{
	const struct bpf_program *program;
	int ret = object_program(object, name, &program, err);

	if (!ret)
		image_from_program(image, object->core.bpf, program);
	return ret;
}

void object_release(struct object *object)
{
	core_object_release(&object->core);
}
