// SPDX-License-Identifier: BSD-2-Clause
/* Types: their names and layout, C's integers, and types of BTF that the test makes for a kernel and a module. */
#include <bpf/btf.h>

#include "kernel/types.h"
#include "kernel_fixture.h"
#include "lang/types/ctype.h"

#define MANY 200

static struct pool pool;
static struct ctypes *types;
static struct btf *kernel_btf;

static void write_btf(const char *path, const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	fixture_bytes(path, data, size);
}

static int add_struct(struct btf *btf, const char *name, uint32_t size)
{
	int id = btf__add_struct(btf, name, size);

	cr_assert_gt(id, 0);
	return id;
}

static void add_field(struct btf *btf, const char *name, int type, uint32_t bit, uint32_t bits)
{
	cr_assert_eq(btf__add_field(btf, name, type, bit, bits), 0);
}

/*
 *	struct node { struct node *next; union { int a; unsigned long b; }; unsigned x : 3, y : 5; char text[16];
 *		      struct later *later; short list[2][3]; int *numbers; enum color color; };
 */
static void make_kernel(void)
{
	struct btf *btf = kernel_btf = btf__new_empty();
	int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), number = btf__add_int(btf, "unsigned int", 4, 0);
	int wide = btf__add_int(btf, "unsigned long", 8, 0), small = btf__add_int(btf, "short", 2, BTF_INT_SIGNED);
	int letter = btf__add_int(btf, "char", 1, 0), text, pair, list, in, color, node, pointer, later;

	text = btf__add_array(btf, integer, letter, 16);
	list = btf__add_array(btf, integer, small, 3);
	list = btf__add_array(btf, integer, list, 2);
	pair = btf__add_union(btf, NULL, 8);
	add_field(btf, "a", integer, 0, 0);
	add_field(btf, "b", wide, 0, 0);
	later = btf__add_ptr(btf, btf__add_fwd(btf, "later", BTF_FWD_STRUCT));
	in = btf__add_ptr(btf, integer);
	color = btf__add_enum(btf, "color", 4);
	btf__add_enum_value(btf, "RED", 1);
	btf__add_enum_value(btf, "GREEN", 2);
	pointer = btf__type_cnt(btf) + 1;
	node = add_struct(btf, "node", 72);
	add_field(btf, "next", pointer, 0, 0);
	add_field(btf, NULL, pair, 64, 0);
	add_field(btf, "x", number, 128, 3);
	add_field(btf, "y", number, 131, 5);
	add_field(btf, "text", text, 160, 0);
	add_field(btf, "later", later, 320, 0);
	add_field(btf, "list", list, 384, 0);
	add_field(btf, "numbers", in, 480, 0);
	add_field(btf, "color", color, 544, 0);
	cr_assert_eq(btf__add_ptr(btf, node), pointer);
	btf__add_typedef(btf, "node_t", node);
	btf__add_enum64(btf, "wide", 8, false);
	btf__add_enum64_value(btf, "HUGE", 1ULL << 40);
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		add_struct(btf, name, i);
	}
	write_btf(BTF, btf);
}

/* The module defines what the kernel only declares, and has a struct with a pointer to one of the kernel's. */
static void make_module(void)
{
	struct btf *btf = btf__new_empty_split(kernel_btf);

	add_struct(btf, "later", 8);
	add_field(btf, "node", btf__find_by_name_kind(btf, "node", BTF_KIND_STRUCT) + 1, 0, 0);
	add_struct(btf, "first", 8);
	add_struct(btf, "second", 16);
	add_field(btf, "only", btf__find_by_name_kind(btf, "int", BTF_KIND_INT), 64, 0);
	write_btf("/sys/kernel/btf/mod", btf);
	fixture_file(MODULES, "mod 16384 0 - Live 0x0000000000000000\n");
	btf__free(btf);
}

static void init(void)
{
	fixture_init();
	make_kernel();
	types = ctypes_new(&pool);
}

static void fini(void)
{
	ctypes_free(types);
	pool_release(&pool);
	btf__free(kernel_btf);
	fixture_fini();
}

TestSuite(lang_types, .init = init, .fini = fini);

static const char *shown(const struct type *type)
{
	static struct str text;

	str_reset(&text);
	type_show(type, &text);
	return text.data;
}

static void remove_btf(void)
{
	__free char *path = base_printf("%s" BTF, fixture_dir);

	cr_assert_eq(unlink(path), 0);
}

static void expect_named(enum ctype_tag tag, const char *name, const char *want)
{
	const struct type *type = ctypes_find(types, tag, name, NULL);

	cr_assert(type, "%s", name);
	cr_expect_str_eq(shown(type), want, "%s: %s", name, shown(type));
}

Test(lang_types, integers_of_c_need_no_btf)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "int", "int32" },
		{ "unsigned", "uint32" },
		{ "long unsigned int", "uint64" },
		{ "unsigned long long", "uint64" },
		{ "short int", "int16" },
		{ "signed char", "int8" },
		{ "char", "int8" },
		{ "uint8", "uint8" },
		{ "int64", "int64" },
		{ "u32", "uint32" },
		{ "__u64", "uint64" },
		{ "uint16_t", "uint16" },
		{ "size_t", "uint64" },
		{ "pid_t", "int32" },
		{ "bool", "bool" },
		{ "void", "void" },
	};

	remove_btf();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_named(CTYPE_PLAIN, cases[i].name, cases[i].want);
}

Test(lang_types, words_that_are_no_integer)
{
	static const char *const wrong[] = { "unsigned signed", "long short", "char int", "long long long", "int int",
					     "", "unsignedint", "longs" };

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		cr_expect_null(ctypes_find(types, CTYPE_PLAIN, wrong[i], NULL), "%s", wrong[i]);
}

Test(lang_types, kernel_without_btf)
{
	struct err err = {};

	remove_btf();
	cr_expect_null(ctypes_find(types, CTYPE_STRUCT, "node", &err));
	cr_expect(strstr(err.text, "no BTF"), "%s", err.text);
}

static struct type_field field_of(const struct type *type, const char *name, enum type_space space)
{
	struct type_field field = {};

	cr_assert(ctypes_field(types, type, name, space, &field), "%s", name);
	return field;
}

Test(lang_types, members)
{
	static const struct {
		const char *name, *type;
		uint32_t at, bit_at, bit_count;
	} want[] = {
		{ "next", "struct node *", 0 },
		{ "a", "int32", 8 },
		{ "b", "uint64", 8 },
		{ "x", "uint32", 16, 0, 3 },
		{ "y", "uint32", 16, 3, 5 },
		{ "text", "string[16]", 20 },
		{ "later", "struct later *", 40 },
		{ "list", "int16[2][3]", 48 },
		{ "numbers", "int32 *", 60 },
		{ "color", "enum color", 68 },
	};
	const struct type *node = ctypes_find(types, CTYPE_STRUCT, "node", NULL);
	struct type_field field;

	cr_assert(node);
	cr_expect_eq(node->size, 72);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		field = field_of(node, want[i].name, SPACE_KERNEL);
		cr_expect_str_eq(shown(field.type), want[i].type, "%s: %s", want[i].name, shown(field.type));
		cr_expect_eq(field.at, want[i].at, "%s: %u", want[i].name, field.at);
		cr_expect_eq(field.bit_at, want[i].bit_at, "%s: %u", want[i].name, field.bit_at);
		cr_expect_eq(field.bit_count, want[i].bit_count, "%s: %u", want[i].name, field.bit_count);
	}
	cr_expect_not(ctypes_field(types, node, "nothing", SPACE_KERNEL, &field));
	cr_expect(type_same(node, ctypes_find(types, CTYPE_PLAIN, "node_t", NULL)));
	cr_expect_null(ctypes_find(types, CTYPE_UNION, "node", NULL));
}

/* What is behind a pointer is in its space; only pointers to structs are trusted. */
Test(lang_types, spaces)
{
	const struct type *node = ctypes_find(types, CTYPE_STRUCT, "node", NULL);

	cr_expect_eq(field_of(node, "next", SPACE_USER).type->space, SPACE_USER);
	cr_expect_eq(field_of(node, "next", SPACE_TRUSTED).type->space, SPACE_TRUSTED);
	cr_expect_eq(field_of(node, "numbers", SPACE_TRUSTED).type->space, SPACE_KERNEL);
	cr_expect_eq(field_of(node, "next", SPACE_KERNEL).type->space, SPACE_KERNEL);
}

Test(lang_types, enums)
{
	const struct type *color = ctypes_find(types, CTYPE_ENUM, "color", NULL), *type;
	int64_t value;

	cr_assert(ctypes_find_value(types, "GREEN", &value, &type));
	cr_expect_eq(value, 2);
	cr_expect(type_same(type, color));
	cr_expect_str_eq(ctypes_value_name(types, color, 1), "RED");
	cr_expect_null(ctypes_value_name(types, color, 3));
	cr_assert(ctypes_find_value(types, "HUGE", &value, &type));
	cr_expect_eq(value, 1LL << 40);
	cr_expect_eq(type->size, 8);
	cr_expect_not(ctypes_find_value(types, "BLUE", &value, &type));
	cr_expect_str_eq(ctypes_value_name(types, ctypes_named(types, CTYPE_ENUM, "color", 4), 2), "GREEN");
}

Test(lang_types, declarations_come_before_the_kernels)
{
	const struct type_field fields[] = { { .name = "own", .type = type_integer(4, true) } };
	struct type own = *type_tuple(&pool, fields, 1, true);
	struct type_field field;

	own.kind = TYPE_STRUCT;
	own.name = "node";
	cr_assert_eq(ctypes_declare(types, CTYPE_STRUCT, "node", &own), 0);
	cr_expect_eq(ctypes_declare(types, CTYPE_STRUCT, "node", &own), -EEXIST);
	cr_expect(ctypes_field(types, ctypes_find(types, CTYPE_STRUCT, "node", NULL), "own", SPACE_NONE, &field));
	cr_assert_eq(ctypes_declare_value(types, "GREEN", 9, type_integer(4, true)), 0);
	cr_expect_eq(ctypes_declare_value(types, "GREEN", 9, type_integer(4, true)), -EEXIST);
}

/* Only by its name at first, as a tracepoint's format file writes it. */
Test(lang_types, named_struct_is_found_when_it_is_looked_into)
{
	const struct type *node = ctypes_named(types, CTYPE_STRUCT, "node", 0);
	struct type_field field;

	cr_expect_eq(node, ctypes_named(types, CTYPE_STRUCT, "node", 0));
	cr_expect(type_same(node, ctypes_find(types, CTYPE_STRUCT, "node", NULL)));
	cr_assert(ctypes_field(types, node, "b", SPACE_KERNEL, &field));
	cr_expect_eq(node->size, 72);
	cr_expect_not(ctypes_complete(types, ctypes_named(types, CTYPE_STRUCT, "nowhere", 0)));
}

Test(lang_types, names_of_a_module)
{
	const struct type *second;

	make_module();
	second = ctypes_find(types, CTYPE_STRUCT, "second", NULL);
	cr_assert(second);
	cr_expect_str_eq(shown(second), "struct second");
	cr_expect_str_eq(shown(field_of(second, "only", SPACE_KERNEL).type), "int32");
	cr_assert(ctypes_find(types, CTYPE_STRUCT, "first", NULL));
}

Test(lang_types, declared_struct_is_defined_in_a_module)
{
	const struct type *node = ctypes_find(types, CTYPE_STRUCT, "node", NULL);
	const struct type *later = field_of(node, "later", SPACE_KERNEL).type->of;

	cr_expect_not(ctypes_complete(types, later));
	make_module();
	ctypes_free(types);
	types = ctypes_new(&pool);
	node = ctypes_find(types, CTYPE_STRUCT, "node", NULL);
	later = field_of(node, "later", SPACE_KERNEL).type->of;
	cr_assert(ctypes_complete(types, later));
	cr_expect_eq(later->size, 8);
	cr_expect_str_eq(shown(field_of(later, "node", SPACE_KERNEL).type), "struct node *");
}

/* The names of a file are searched among its strings at first, then by a hash. */
Test(lang_types, many_searches)
{
	struct kernel_types *kernel = kernel_types_new();
	int module;

	make_module();
	module = kernel_types_module(kernel, "mod", NULL);
	cr_assert_eq(module, 1);
	for (int i = 0; i < 20; i++) {
		uint32_t structs = 1U << BTF_KIND_STRUCT, both = structs | 1U << BTF_KIND_FWD;

		cr_expect(kernel_types_find(kernel, 0, "node", structs, NULL));
		cr_expect_eq(kernel_types_find(kernel, 0, "later", structs, NULL), 0);
		cr_expect(kernel_types_find(kernel, 0, "later", both, NULL));
		cr_expect(kernel_types_find(kernel, module, "later", structs, NULL));
		cr_expect_eq(kernel_types_find(kernel, module, "node", structs, NULL), 0);
		cr_expect_eq(kernel_types_find(kernel, 0, "de", structs, NULL), 0);
	}
	for (int i = 0; i < MANY; i++) {
		const struct btf_type *type;
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		type = kernel_types_get(kernel, 0, kernel_types_find(kernel, 0, name, 1U << BTF_KIND_STRUCT, NULL));
		cr_expect(type && type->size == (uint32_t)i, "%s", name);
	}
	cr_expect_lt(kernel_types_module(kernel, "nosuch", NULL), 0);
	cr_expect_null(kernel_types_get(kernel, 0, 1 << 20));
	kernel_types_free(kernel);
}

Test(lang_types, tuple_is_laid_out_as_c_does)
{
	const struct type_field fields[] = {
		{ .type = type_integer(1, false) },
		{ .type = type_integer(8, true) },
		{ .type = type_string(&pool, 5) },
		{ .type = type_integer(2, true) },
	};
	const struct type *tuple = type_tuple(&pool, fields, 4, false);

	cr_expect_eq(tuple->fields[1].at, 8);
	cr_expect_eq(tuple->fields[2].at, 16);
	cr_expect_eq(tuple->fields[3].at, 22);
	cr_expect_eq(tuple->size, 24);
	cr_expect_str_eq(shown(tuple), "(uint8,int64,string[5],int16)");
	cr_expect_eq(type_tuple(&pool, NULL, 0, false)->size, 0);
}
