// SPDX-License-Identifier: BSD-2-Clause
/* Kernels whose BTF is large, damaged or missing, and what is no BPF object. */
#include "core_btf_fixture.h"

TestSuite(core_btf_odd, .init = fixture_init, .fini = fixture_fini);

/* More types than lie between two entries of the index, each found by its id. */
Test(core_btf_odd, many_types)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	char name[16], member[16];
	uint32_t id;

	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		snprintf(member, sizeof(member), "m%d", i);
		btf__add_struct(kernel, name, 4 * i + 4);
		btf__add_field(kernel, member, INT, 32 * i, 0);
		OBJECT_STRUCT(object, name, member);
		btf__add_fwd(kernel, name, BTF_FWD_STRUCT);
	}
	cut = cut_down(kernel, object);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		snprintf(member, sizeof(member), "m%d", i);
		id = type_named(cut, BTF_KIND_STRUCT, name, 0);
		cr_expect_eq(btf__resolve_size(cut, id), 4 * i + 4);
		cr_expect_eq(place_of(cut, id, member).bits, 32 * i);
	}
	btf__free(cut);
	btf__free(kernel);
}

/* One type that is larger than what is read of them at once, and another behind it. */
Test(core_btf_odd, a_large_type)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	char member[16];

	btf__add_struct(kernel, "large", 4 * 2000);
	for (int i = 0; i < 2000; i++) {
		snprintf(member, sizeof(member), "m%d", i);
		btf__add_field(kernel, member, i % 2 ? INT : CHAR, 32 * i, 0);
	}
	btf__add_struct(kernel, "behind", 4);
	btf__add_field(kernel, "a", INT, 0, 0);
	OBJECT_STRUCT(object, "large", "m0", "m1", "m1998", "m1999");
	OBJECT_STRUCT(object, "behind", "a");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "large", "m0", "m1", "m1998", "m1999");
	EXPECT_STRUCT(kernel, cut, "behind", "a");
	btf__free(cut);
	btf__free(kernel);
}

/* Members of types that there are not, and a struct that the end of the types cuts off: as if they were not there. */
Test(core_btf_odd, broken_types)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	uint8_t image[1024];
	const void *data;
	uint32_t size;

	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, "a", INT, 0, 0);
	btf__add_field(kernel, "b", 1000, 32, 0);
	btf__add_field(kernel, "c", NEXT + 1, 64, 0);
	btf__add_struct(kernel, "torn", 8);
	btf__add_field(kernel, "a", INT, 0, 0);
	btf__add_field(kernel, "b", INT, 32, 0);
	OBJECT_STRUCT(object, "task", "a", "b", "c");
	OBJECT_STRUCT(object, "torn", "a", "b");
	data = btf__raw_data(kernel, &size);
	cr_assert_leq(size, sizeof(image));
	memcpy(image, data, size);
	((struct btf_header *)image)->type_len -= sizeof(struct btf_member);
	fixture_bytes(BTF, image, size);
	cut = cut_down_file(object);
	cr_expect(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0), "a").found);
	cr_expect_eq(btf_vlen(btf__type_by_id(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0))), 1);
	cr_expect_not(type_named(cut, BTF_KIND_STRUCT, "torn", 0));
	btf__free(cut);
	btf__free(kernel);
}

static void expect_endless(struct btf *kernel)
{
	struct btf *object = object_new();
	struct object_file file;
	struct core_btf made = {};
	struct err err = {};
	uint32_t size;
	const void *data = btf__raw_data(kernel, &size);

	fixture_bytes(BTF, data, size);
	OBJECT_STRUCT(object, "task", "a");
	file = object_file(object);
	cr_expect_eq(core_btf_make(&made, &file, sizeof(file), &err), -ELOOP);
	cr_expect(strstr(err.text, "one of its types holds itself"), "%s", err.text);
	btf__free(object);
	btf__free(kernel);
}

/* No compiler makes such types; a kernel whose memory has been damaged may show them. */
Test(core_btf_odd, types_without_end)
{
	struct btf *kernel = kernel_btf_new();

	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, "a", NEXT, 0, 0);
	expect_endless(kernel);

	kernel = kernel_btf_new();
	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, NULL, NEXT + 1, 0, 0);
	btf__add_array(kernel, INT, NEXT + 2, 3);
	btf__add_const(kernel, NEXT);
	expect_endless(kernel);

	kernel = kernel_btf_new();
	btf__add_typedef(kernel, "task", NEXT); /* NEXT */
	expect_endless(kernel);

	kernel = kernel_btf_new();
	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, "a", NEXT + 1, 0, 0);
	for (int i = 1; i < 20000; i++)
		btf__add_const(kernel, NEXT + i + 1);
	expect_endless(kernel);
}

Test(core_btf_odd, what_cannot_be)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new();
	struct object_file file;
	struct core_btf made = {};
	struct err err = {};
	uint32_t size;
	const void *data = btf__raw_data(kernel, &size);

	libbpf_set_print(quiet);
	OBJECT_STRUCT(object, "far", "a");
	file = object_file(object);
	cr_expect_eq(core_btf_make(&made, &file, sizeof(file), &err), -ENOENT);
	cr_expect(strstr(err.text, "the kernel offers no BTF"), "%s", err.text);
	fixture_bytes(BTF, data, size);
	cr_expect_lt(core_btf_make(&made, "no ELF", 6, &err), 0);
	cr_expect(strstr(err.text, "cannot open the BPF object"), "%s", err.text);
	cr_expect_str_empty(made.path);
	core_btf_release(&made);
	btf__free(object);
	btf__free(kernel);
}
