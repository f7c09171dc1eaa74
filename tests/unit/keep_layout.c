// SPDX-License-Identifier: BSD-2-Clause
/*
 * KEEP_LAYOUT grows with what programs and user space share in maps: the maps' definitions, and the types of their
 * keys, values and sections of data, in each object that `sonde export` keeps. LAYOUT and the hashes belong together.
 */
#include <libgen.h>

#include <criterion/criterion.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "attach/keep.h"
#include "base/hash.h"
#include "base/str.h"

#define LAYOUT 2

static const struct golden {
	const char *object;
	uint64_t hash;
} golden[] = {
	{ "bpf/count", 0xc0cf999d74d1cf67 },
	{ "bpf/lang", 0xeed99fdc3dd90006 },
	{ "bpf/latency", 0xa6b75696b0318731 },
	{ "bpf/syscalls", 0x2a114725f38c4053 },
	{ "tools/biolatency", 0xe2b2e1078e158711 },
	{ "tools/cpudist", 0x8f8d0363e676ea8e },
	{ "tools/hardirqs", 0xda62b775debecc8f },
	{ "tools/runqlat", 0xa70749788d8ddf53 },
	{ "tools/softirqs", 0xd2c9ebc57956bc70 },
};

/* --- the layout as text --- */

static void add_type(struct str *to, const struct btf *btf, int id);

static const char *name_at(const struct btf *btf, uint32_t offset)
{
	return str_or_empty(btf__name_by_offset(btf, offset));
}

static void add_members(struct str *to, const struct btf *btf, const struct btf_type *type)
{
	const struct btf_member *member = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++) {
		str_addf(to, "%s@%u+%u:", name_at(btf, member[i].name_off), btf_member_bit_offset(type, i),
			 btf_member_bitfield_size(type, i));
		add_type(to, btf, member[i].type);
	}
}

static void add_variables(struct str *to, const struct btf *btf, const struct btf_type *section)
{
	const struct btf_var_secinfo *variable = btf_var_secinfos(section);

	for (int i = 0; i < btf_vlen(section); i++) {
		const struct btf_type *type = btf__type_by_id(btf, variable[i].type);

		str_addf(to, "\n    %s@%u:", name_at(btf, type->name_off), variable[i].offset);
		add_type(to, btf, type->type);
	}
}

static void add_enumerators(struct str *to, const struct btf *btf, const struct btf_type *type)
{
	for (int i = 0; i < btf_vlen(type); i++)
		str_addf(to, "%s=%d,", name_at(btf, btf_enum(type)[i].name_off), btf_enum(type)[i].val);
}

/* What a pointer points to is in no map. */
static void add_type(struct str *to, const struct btf *btf, int id)
{
	const struct btf_type *type = btf__type_by_id(btf, id = btf__resolve_type(btf, id));

	str_addf(to, "%lld", (long long)btf__resolve_size(btf, id));
	if (btf_is_int(type)) {
		str_addc(to, btf_int_encoding(type) & BTF_INT_SIGNED ? 's' : 'u');
	} else if (btf_is_array(type)) {
		str_addf(to, "[%u]", btf_array(type)->nelems);
		add_type(to, btf, btf_array(type)->type);
	} else if (btf_is_composite(type)) {
		str_addc(to, '{');
		add_members(to, btf, type);
		str_addc(to, '}');
	} else if (btf_is_enum(type)) {
		add_enumerators(to, btf, type);
	} else if (btf_is_datasec(type)) {
		add_variables(to, btf, type);
	} else {
		str_addf(to, "kind%u", btf_kind(type));
	}
	str_addc(to, ' ');
}

static void add_map(struct str *to, const struct btf *btf, const struct bpf_map *map)
{
	const int types[] = { bpf_map__btf_key_type_id(map), bpf_map__btf_value_type_id(map) };

	str_addf(to, "  %s type %d, %u -> %u bytes, %u entries, flags %x ", bpf_map__name(map), bpf_map__type(map),
		 bpf_map__key_size(map), bpf_map__value_size(map), bpf_map__max_entries(map), bpf_map__map_flags(map));
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i])
			add_type(to, btf, types[i]);
	str_addc(to, '\n');
}

static void add_layout(struct str *to, const char *file)
{
	struct bpf_object *object = bpf_object__open(file);
	const struct bpf_map *map;

	cr_assert(object, "%s: %s", file, strerror(errno));
	bpf_object__for_each_map(map, object)
	{
		add_map(to, bpf_object__btf(object), map);
	}
	bpf_object__close(object);
}

/* --- comparison --- */

/* Makefile makes build/OBJECT.bpf.o; this program is build/unit/unit. */
Test(keep_layout, changes_with_its_version)
{
	char self[4096] = "";
	const char *build;

	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	build = dirname(dirname(self));
	cr_expect_eq(KEEP_LAYOUT, LAYOUT, "KEEP_LAYOUT is %d: set LAYOUT in this test to it, and the new hashes",
		     KEEP_LAYOUT);
	for (size_t i = 0; i < ARRAY_SIZE(golden); i++) {
		__free char *file = base_printf("%s/%s.bpf.o", build, golden[i].object);
		__str struct str text = {};
		uint64_t hash;

		add_layout(&text, file);
		hash = hash_stable(HASH_STABLE_NONE, text.data, text.len);
		cr_expect_eq(hash, golden[i].hash,
			     "%s: its maps have another layout, 0x%016llx. An exporter of the version before must not\n"
			     "adopt such maps, nor this one its: increase KEEP_LAYOUT in src/attach/keep.h, if no\n"
			     "commit has done so since the last release, then LAYOUT in this test, and set the new\n"
			     "hash. The layout is\n%s",
			     golden[i].object, (unsigned long long)hash, text.data);
	}
}
