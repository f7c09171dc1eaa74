// SPDX-License-Identifier: BSD-2-Clause
/* What of a kernel's BTF is kept for an object: kernels made by hand. */
#include "core_btf_fixture.h"

TestSuite(core_btf, .init = fixture_init, .fini = fixture_fini);

Test(core_btf, members)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;

	btf__add_struct(kernel, "task", 64);
	btf__add_field(kernel, "other", ULONG, 0, 0);
	btf__add_field(kernel, "a", INT, 64, 0);
	btf__add_field(kernel, "flag", BOOL, 96, 0);
	btf__add_field(kernel, "real", DOUBLE, 128, 0);
	btf__add_field(kernel, "parent", POINTER, 192, 0);
	btf__add_field(kernel, "name", NAME_ARRAY, 256, 0);
	btf__add_field(kernel, "size", CHAIN, 384, 0);
	OBJECT_STRUCT(object, "task", "size", "name", "a", "flag", "real", "parent", "gone");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "task", "a", "flag", "real", "parent", "name", "size");
	cr_expect_eq(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0), "size").bits, 384);
	cr_expect_not(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0), "other").found);
	cr_expect_not(type_named(cut, BTF_KIND_STRUCT, "far", 0));
	btf__free(cut);
	btf__free(kernel);
}

/* Their members are the outer struct's, however deep, and in another place of our own struct. */
Test(core_btf, unnamed_members)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	uint32_t task;

	btf__add_struct(kernel, NULL, 16); /* NEXT */
	btf__add_field(kernel, "other", ULONG, 0, 0);
	btf__add_field(kernel, "deep", INT, 64, 0);
	btf__add_union(kernel, NULL, 16); /* NEXT + 1 */
	btf__add_field(kernel, NULL, NEXT, 0, 0);
	btf__add_field(kernel, "beside", CHAR, 0, 0);
	btf__add_struct(kernel, NULL, 8); /* NEXT + 2: nothing of it is wanted */
	btf__add_field(kernel, "other", ULONG, 0, 0);
	btf__add_const(kernel, NEXT + 1);
	btf__add_struct(kernel, "task", 48);
	btf__add_field(kernel, NULL, NEXT + 2, 0, 0);
	btf__add_field(kernel, NULL, INT, 64, 0); /* padding */
	btf__add_field(kernel, NULL, NEXT + 3, 128, 0);
	btf__add_field(kernel, "last", INT, 256, 0);
	OBJECT_STRUCT(object, "task", "beside", "last", "deep");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "task", "deep", "beside", "last");
	task = type_named(cut, BTF_KIND_STRUCT, "task", 0);
	cr_expect_eq(place_of(cut, task, "deep").bits, 192);
	cr_expect_eq(btf_vlen(btf__type_by_id(cut, task)), 2);
	btf__free(cut);
	btf__free(kernel);
}

Test(core_btf, bit_fields)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;

	btf__add_struct(kernel, NULL, 8); /* NEXT */
	btf__add_field(kernel, "inner", ULONG, 11, 33);
	btf__add_struct(kernel, "task", 24);
	btf__add_field(kernel, "other", INT, 0, 5);
	btf__add_field(kernel, "one", INT, 5, 1);
	btf__add_field(kernel, NULL, INT, 6, 3); /* padding */
	btf__add_field(kernel, "seven", INT, 9, 7);
	btf__add_field(kernel, "whole", INT, 32, 0);
	btf__add_field(kernel, NULL, NEXT, 64, 0);
	OBJECT_STRUCT(object, "task", "one", "seven", "whole", "inner");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "task", "one", "seven", "whole", "inner");
	cr_expect_eq(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0), "seven").width, 7);
	cr_expect_eq(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task", 0), "inner").bits, 75);
	btf__free(cut);
	btf__free(kernel);
}

/* An array of structs that the object reads, and a struct of which it wants to know no more than the size. */
Test(core_btf, structs_by_value)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	uint32_t far, task;

	btf__add_struct(kernel, "entry", 24); /* NEXT */
	btf__add_field(kernel, "other", ULONG, 0, 0);
	btf__add_field(kernel, "number", INT, 128, 0);
	btf__add_array(kernel, INT, NEXT, 3);
	btf__add_struct(kernel, "task", 128);
	btf__add_field(kernel, "entries", NEXT + 1, 64, 0);
	btf__add_field(kernel, "distant", FAR, 640, 0);
	OBJECT_STRUCT(object, "entry", "number");
	OBJECT_STRUCT(object, "task", "distant", "entries");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "task", "entries", "distant");
	EXPECT_STRUCT(kernel, cut, "entry", "number");
	far = type_named(cut, BTF_KIND_STRUCT, "far", 0);
	cr_expect_eq(btf__resolve_size(cut, far), 4);
	cr_expect_not(place_of(cut, far, "a").found);
	/* the array's elements are the struct that was found by its name, no second one */
	task = type_named(cut, BTF_KIND_STRUCT, "task", 0);
	cr_expect_eq(btf_array(btf__type_by_id(cut, btf_members(btf__type_by_id(cut, task))[0].type))->type,
		     type_named(cut, BTF_KIND_STRUCT, "entry", 0));
	cr_expect_not(type_named(cut, BTF_KIND_STRUCT, "entry", 1));
	btf__free(cut);
	btf__free(kernel);
}

/* libbpf itself sees whether they agree: all that it would look at are there. */
Test(core_btf, duplicates)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	uint32_t ids[2];

	btf__add_struct(kernel, "task", 8);
	btf__add_field(kernel, "a", INT, 32, 0);
	btf__add_union(kernel, "task", 4);
	btf__add_field(kernel, "a", INT, 0, 0);
	btf__add_fwd(kernel, "task", BTF_FWD_STRUCT);
	btf__add_struct(kernel, "task", 16);
	btf__add_field(kernel, "a", INT, 96, 0);
	OBJECT_STRUCT(object, "task", "a");
	cut = cut_down(kernel, object);
	for (int i = 0; i < 2; i++) {
		ids[i] = type_named(cut, BTF_KIND_STRUCT, "task", i);
		cr_expect_eq(btf__resolve_size(cut, ids[i]), 8 * (i + 1));
		cr_expect_eq(place_of(cut, ids[i], "a").bits, 32 + 64 * i);
	}
	cr_expect(type_named(cut, BTF_KIND_UNION, "task", 0));
	cr_expect_not(type_named(cut, BTF_KIND_STRUCT, "task", 2));
	btf__free(cut);
	btf__free(kernel);
}

/* "task___old" is task, on both sides; what only looks so is another. */
Test(core_btf, flavors)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	static const char *const wanted[] = { "task", "task___new", "odd___", "b___c", "___t", "x____y" };
	static const char *const unwanted[] = { "task_", "task___", "tas", "odd", "b", "x_" };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		btf__add_struct(kernel, wanted[i], 4);
	for (size_t i = 0; i < ARRAY_SIZE(unwanted); i++)
		btf__add_struct(kernel, unwanted[i], 4);
	btf__add_struct(kernel, "b___c___d", 4);
	OBJECT_STRUCT(object, "task___old", "a");
	OBJECT_STRUCT(object, "task___older", "a");
	OBJECT_STRUCT(object, "odd___", "a");
	OBJECT_STRUCT(object, "b___c___x", "a");
	OBJECT_STRUCT(object, "___t", "a");
	OBJECT_STRUCT(object, "x____y", "a");
	cut = cut_down(kernel, object);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		cr_expect(type_named(cut, BTF_KIND_STRUCT, wanted[i], 0), "%s", wanted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(unwanted); i++)
		cr_expect_not(type_named(cut, BTF_KIND_STRUCT, unwanted[i], 0), "%s", unwanted[i]);
	cr_expect(type_named(cut, BTF_KIND_STRUCT, "b___c___d", 0));
	btf__free(cut);
	btf__free(kernel);
}

/* "Does it exist" is a question like another, and its answer may be no for all. */
Test(core_btf, missing_structs)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;

	OBJECT_STRUCT(object, "gone", "a");
	cut = cut_down(kernel, object);
	cr_expect_eq(btf__type_cnt(cut), 1);
	btf__free(cut);
	object = object_new();
	OBJECT_STRUCT(object, "gone", "a");
	OBJECT_STRUCT(object, "far", "a");
	cut = cut_down(kernel, object);
	EXPECT_STRUCT(kernel, cut, "far", "a");
	cr_expect_not(type_named(cut, BTF_KIND_STRUCT, "gone", 0));
	btf__free(cut);
	btf__free(kernel);
}

static void object_enum(struct btf *btf, const char *name, const char *value)
{
	cr_assert_gt(btf__add_enum(btf, name, 4), 0);
	cr_assert_eq(btf__add_enum_value(btf, value, 0), 0);
}

Test(core_btf, enums)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	const struct btf_type *t;

	btf__add_enum(kernel, "state", 4);
	btf__add_enum_value(kernel, "OTHER", 1);
	btf__add_enum_value(kernel, "HIGH", 0xfffffff0);
	btf__add_enum(kernel, "sign", 4);
	btf__add_enum_value(kernel, "LESS", -1);
	btf__add_enum_value(kernel, "MORE", 1);
	btf__add_enum64(kernel, "wide", 8, false);
	btf__add_enum64_value(kernel, "OTHER", 1);
	btf__add_enum64_value(kernel, "HUGE", 1ULL << 63 | 5);
	object_enum(object, "state", "HIGH");
	object_enum(object, "sign", "MORE");
	object_enum(object, "wide___x", "HUGE");
	cut = cut_down(kernel, object);

	t = btf__type_by_id(cut, type_named(cut, BTF_KIND_ENUM, "state", 0));
	cr_assert_eq(btf_vlen(t), 1);
	cr_expect_eq((uint32_t)btf_enum(t)->val, 0xfffffff0);
	cr_expect_not(btf_kflag(t));
	t = btf__type_by_id(cut, type_named(cut, BTF_KIND_ENUM, "sign", 0));
	cr_expect(btf_kflag(t));
	cr_expect_eq(btf_enum(t)[1].val, 1);
	t = btf__type_by_id(cut, type_named(cut, BTF_KIND_ENUM64, "wide", 0));
	cr_assert_eq(btf_vlen(t), 1);
	cr_expect_eq(btf_enum64_value(btf_enum64(t)), 1ULL << 63 | 5);
	cr_expect_eq(t->size, 8);
	cr_expect_not(btf_kflag(t));
	btf__free(cut);
	btf__free(kernel);
}

/* A struct that has no name of its own is relocated by its typedef's. */
Test(core_btf, typedefs)
{
	struct btf *kernel = kernel_btf_new(), *object = object_new(), *cut;
	uint32_t counter;

	btf__add_struct(kernel, NULL, 8); /* NEXT */
	btf__add_field(kernel, "a", INT, 32, 0);
	btf__add_typedef(kernel, "counter_t", NEXT);
	cr_assert_gt(btf__add_typedef(object, "counter_t", 1), 0);
	OBJECT_STRUCT(object, "task", "a");
	cut = cut_down(kernel, object);
	counter = type_named(cut, BTF_KIND_TYPEDEF, "counter_t", 0);
	cr_expect_eq(btf__resolve_size(cut, counter), 8);
	cr_expect_eq(place_of(cut, counter, "a").bits, 32);
	cr_expect_not(type_named(cut, BTF_KIND_TYPEDEF, "size_t", 0));
	btf__free(cut);
	btf__free(kernel);
}
