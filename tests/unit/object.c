// SPDX-License-Identifier: BSD-2-Clause
/* An engine's BPF object until it is prepared: what is sized and filled by name, and names that it does not have. */
#include <criterion/criterion.h>

#include <bpf/libbpf.h>

#include "bpf/filter.h"
#include "bpf/memory.h"
#include "bpf/slot.h"
#include "bpf/count.skel.h"
#include "bpf/follow.skel.h"
#include "bpf/memory.skel.h"
#include "engine/object.h"

static void open_count(struct object *object)
{
	struct err err = {};

	cr_assert_eq(object_open(object, count_bpf__elf_bytes, &err), 0, "%s", err.text);
}

static struct bpf_map *map_of(const struct object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object->core.bpf, name);

	cr_assert(map, "%s", name);
	return map;
}

/* The kernel's BTF is read for an object that names kernel types, and for no other. */
Test(object, btf_where_there_are_relocations)
{
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);
	struct object object = {};

	cr_expect(core_btf_is_needed(elf, size));
	/* its .bss is larger than its file */
	elf = memory_bpf__elf_bytes(&size);
	cr_expect(core_btf_is_needed(elf, size));
	elf = count_bpf__elf_bytes(&size);
	cr_expect_not(core_btf_is_needed(elf, size));
	open_count(&object);
	cr_expect_eq(object.core.btf.path[0], 0);
	object_release(&object);
}

Test(object, maps_are_sized)
{
	__cleanup(object_release) struct object object = {};
	struct err err = {};

	open_count(&object);
	cr_expect_eq(object_size_map(&object, "members", 77, &err), 0, "%s", err.text);
	cr_expect_eq(object_size_map(&object, "cgroups", 0, &err), 0, "%s", err.text);
	cr_expect_eq(object_size_value(&object, ".bss", 4096, &err), 0, "%s", err.text);
	cr_expect_eq(bpf_map__max_entries(map_of(&object, "members")), 77);
	cr_expect(bpf_map__autocreate(map_of(&object, "members")));
	cr_expect_not(bpf_map__autocreate(map_of(&object, "cgroups")));
	cr_expect_eq(object_value_size(&object, ".bss"), 4096);
	cr_expect_eq(object_size_map(&object, "absent", 1, &err), -ENOENT);
	cr_expect(strstr(err.text, "'absent'"), "%s", err.text);
	cr_expect_eq(object_size_value(&object, "absent", 8, &err), -ENOENT);
	cr_expect_eq(object_size_key(&object, "absent", 8, &err), -ENOENT);
	cr_expect_eq(object_reuse_map(&object, "absent", 0, &err), -ENOENT);
}

Test(object, sections_are_filled)
{
	__cleanup(object_release) struct object object = {};
	const struct filter filter = { .any = 1, .tgid = 4711 };
	char larger[sizeof(filter) + 4096] = {};
	struct err err = {};

	open_count(&object);
	cr_expect_eq(object_fill(&object, ".rodata.filter", &filter, sizeof(filter), &err), 0, "%s", err.text);
	cr_expect_arr_eq(object_memory(&object, ".rodata.filter", sizeof(filter)), &filter, sizeof(filter));
	cr_expect_eq(object_fill(&object, ".rodata.filter", larger, sizeof(larger), &err), -ENOENT);
	cr_expect(strstr(err.text, ".rodata.filter"), "%s", err.text);
	cr_expect_eq(object_fill(&object, ".rodata.absent", &filter, sizeof(filter), &err), -ENOENT);
	cr_expect(strstr(err.text, ".rodata.absent"), "%s", err.text);
}

Test(object, programs_by_name)
{
	const struct bpf_program *program;
	__cleanup(object_release) struct object object = {};
	struct err err = {};

	open_count(&object);
	cr_expect_eq(object_program(&object, "count", &program, &err), 0);
	cr_expect(program);
	cr_expect_eq(object_program(&object, "absent", &program, &err), -ENOENT);
	cr_expect(strstr(err.text, "'absent'"), "%s", err.text);
}

Test(object, programs_that_are_skipped)
{
	__cleanup(object_release) struct object object = {};
	struct err err = {};

	open_count(&object);
	cr_expect(bpf_program__autoload(bpf_object__find_program_by_name(object.core.bpf, "count")));
	cr_expect_eq(object_skip_program(&object, "count", &err), 0);
	cr_expect_not(bpf_program__autoload(bpf_object__find_program_by_name(object.core.bpf, "count")));
	cr_expect_eq(object_skip_program(&object, "absent", &err), -ENOENT);
	cr_expect(strstr(err.text, "'absent'"), "%s", err.text);
}

static const void *no_elf(size_t *size)
{
	static const char bytes[1024] = "this is no ELF file";

	*size = sizeof(bytes);
	return bytes;
}

Test(object, what_is_no_object)
{
	__cleanup(object_release) struct object object = {};
	struct err err = {};

	libbpf_set_print(NULL);
	cr_expect_lt(object_open(&object, no_elf, &err), 0);
	cr_expect(strstr(err.text, "cannot open the BPF object"), "%s", err.text);
}
