// SPDX-License-Identifier: BSD-2-Clause
/* What of a kernel's BTF is kept for an object: kernels made by hand, and the one that runs here. */
#include <elf.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf/filter.h"
#include "bpf/follow.skel.h"
#include "kernel_fixture.h"
#include "kernel/core_btf.h"

TestSuite(core_btf, .init = fixture_init, .fini = fixture_fini);

#define FIELDS 8

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* --- the object's side: structs by their members' names, for their types do not matter --- */

static struct btf *object_new(void)
{
	struct btf *btf = btf__new_empty();

	cr_assert_eq(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	return btf;
}

static void object_struct(struct btf *btf, const char *name, const char *const members[FIELDS])
{
	cr_assert_gt(btf__add_struct(btf, name, 4 * FIELDS), 0);
	for (int i = 0; i < FIELDS && members[i]; i++)
		cr_assert_eq(btf__add_field(btf, members[i], 1, 32 * i, 0), 0);
}

#define OBJECT_STRUCT(btf, name, ...) object_struct(btf, name, (const char *const[FIELDS]){ __VA_ARGS__ })

/* The least that libbpf takes for a BPF object: a BTF and tables of symbols and strings. */
struct object_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	Elf64_Sym symbols[1];
	char strings[32];
	uint8_t btf[16384];
};

#define SECTION(what, kind, at, bytes, ...) \
	{ \
		.sh_name = what, .sh_type = kind, .sh_offset = offsetof(struct object_file, at), .sh_size = bytes, __VA_ARGS__ \
	}

static struct object_file object_file(const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);
	struct object_file file = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_REL,
			.e_machine = EM_BPF,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shoff = offsetof(struct object_file, sections),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 4,
			.e_shstrndx = 2,
		},
		.sections = {
			{},
			SECTION(1, SHT_SYMTAB, symbols, sizeof(Elf64_Sym), .sh_link = 2, .sh_info = 1, .sh_entsize = sizeof(Elf64_Sym)),
			SECTION(9, SHT_STRTAB, strings, sizeof(file.strings)),
			SECTION(17, SHT_PROGBITS, btf, size),
		},
		.strings = "\0.symtab\0.strtab\0.BTF",
	};

	cr_assert_leq(size, sizeof(file.btf));
	memcpy(file.btf, data, size);
	return file;
}

/* --- what is made of a kernel for an object, read as libbpf reads it --- */

static struct btf *cut_down_file(struct btf *object)
{
	struct object_file file = object_file(object);
	struct core_btf made = {};
	struct err err = {};
	struct btf *btf;

	cr_assert_eq(core_btf_make(&made, &file, sizeof(file), &err), 0, "%s", err.text);
	btf = btf__parse(made.path, NULL);
	cr_assert(btf, "%s", strerror(errno));
	core_btf_release(&made);
	cr_expect_eq(fcntl(made.fd, F_GETFD), -1);
	btf__free(object);
	return btf;
}

static struct btf *cut_down(struct btf *kernel, struct btf *object)
{
	uint32_t size;
	const void *data = btf__raw_data(kernel, &size);

	fixture_bytes(BTF, data, size);
	return cut_down_file(object);
}

/* The nth type of a name and kind; 0 none. */
static uint32_t type_named(const struct btf *btf, int kind, const char *name, int nth)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_kind(t) == kind && !strcmp(btf__name_by_offset(btf, t->name_off), name) && !nth--)
			return id;
	}
	return 0;
}

struct place {
	bool found;
	uint32_t bits, width; /* offset in the outermost struct, of a bit-field its width */
	int kind, encoding;
	int64_t size;
	const char *element; /* the type's name or that of an array's elements, "" none */
};

static void describe_type(const struct btf *btf, uint32_t id, struct place *place)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, id));

	place->kind = btf_kind(t);
	place->encoding = btf_is_int(t) ? btf_int_encoding(t) : btf_kflag(t);
	place->size = btf__resolve_size(btf, id);
	if (btf_is_array(t))
		t = btf__type_by_id(btf, btf__resolve_type(btf, btf_array(t)->type));
	place->element = btf_is_ptr(t) ? "" : btf__name_by_offset(btf, t->name_off);
}

/* A member, also one of unnamed members' members. */
static struct place place_of(const struct btf *btf, uint32_t id, const char *member)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, id));
	struct place place = {};

	for (int i = 0; btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = btf__name_by_offset(btf, m->name_off);

		if (!*name) {
			place = place_of(btf, m->type, member);
		} else if (!strcmp(name, member)) {
			place.found = true;
			place.width = btf_member_bitfield_size(t, i);
			describe_type(btf, m->type, &place);
		}
		if (place.found) {
			place.bits += btf_member_bit_offset(t, i);
			break;
		}
	}
	return place;
}

static void expect_same_place(struct place full, struct place cut, const char *what)
{
	cr_assert(full.found && cut.found, "%s: %d %d", what, full.found, cut.found);
	cr_expect_eq(cut.bits, full.bits, "%s is at bit %u, not %u", what, full.bits, cut.bits);
	cr_expect_eq(cut.width, full.width, "%s: %u bits, not %u", what, full.width, cut.width);
	cr_expect_eq(cut.kind, full.kind, "%s: kind %d, not %d", what, full.kind, cut.kind);
	cr_expect_eq(cut.encoding, full.encoding, "%s: encoding %d, not %d", what, full.encoding, cut.encoding);
	cr_expect_eq(cut.size, full.size, "%s: %lld bytes, not %lld", what, (long long)full.size, (long long)cut.size);
	cr_expect_str_eq(cut.element, full.element, "%s", what);
}

/* The first struct of a name is the same in both, as far as these members go, and has no others. */
static void expect_struct(const struct btf *kernel, const struct btf *cut, const char *name, const char *const members[FIELDS])
{
	uint32_t from = type_named(kernel, BTF_KIND_STRUCT, name, 0), to = type_named(cut, BTF_KIND_STRUCT, name, 0);

	cr_assert(from && to, "%s: %u %u", name, from, to);
	cr_expect_eq(btf__resolve_size(cut, to), btf__resolve_size(kernel, from));
	for (int i = 0; i < FIELDS && members[i]; i++)
		expect_same_place(place_of(kernel, from, members[i]), place_of(cut, to, members[i]), members[i]);
}

#define EXPECT_STRUCT(kernel, cut, name, ...) expect_struct(kernel, cut, name, (const char *const[FIELDS]){ __VA_ARGS__ })

/* Ids of what every kernel here begins with. */
enum {
	INT = 1,
	CHAR,
	ULONG,
	BOOL,
	DOUBLE,
	POINTER,    /* to struct far */
	FAR,	    /* which nobody asks for */
	NAME_ARRAY, /* char [16] */
	CHAIN,	    /* a const volatile typedef of a typedef of unsigned long */
	NEXT = CHAIN + 4,
};

static struct btf *kernel_new(void)
{
	struct btf *btf = btf__new_empty();

	cr_assert_eq(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), INT);
	cr_assert_eq(btf__add_int(btf, "char", 1, BTF_INT_CHAR), CHAR);
	cr_assert_eq(btf__add_int(btf, "unsigned long", 8, 0), ULONG);
	cr_assert_eq(btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL), BOOL);
	cr_assert_eq(btf__add_float(btf, "double", 8), DOUBLE);
	cr_assert_eq(btf__add_ptr(btf, FAR), POINTER);
	cr_assert_eq(btf__add_struct(btf, "far", 4), FAR);
	btf__add_field(btf, "a", INT, 0, 0);
	cr_assert_eq(btf__add_array(btf, INT, CHAR, 16), NAME_ARRAY);
	/* forward references, as the kernel has them */
	cr_assert_eq(btf__add_const(btf, CHAIN + 1), CHAIN);
	btf__add_volatile(btf, CHAIN + 2);
	btf__add_typedef(btf, "size_t", CHAIN + 3);
	cr_assert_eq(btf__add_typedef(btf, "__kernel_ulong_t", ULONG), NEXT - 1);
	return btf;
}

Test(core_btf, members)
{
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;

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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;

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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;

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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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

/* More types than lie between two marks, each found by its id. */
Test(core_btf, many_types)
{
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
Test(core_btf, a_large_type)
{
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
Test(core_btf, broken_types)
{
	struct btf *kernel = kernel_new(), *object = object_new(), *cut;
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
Test(core_btf, types_without_end)
{
	struct btf *kernel = kernel_new();

	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, "a", NEXT, 0, 0);
	expect_endless(kernel);

	kernel = kernel_new();
	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, NULL, NEXT + 1, 0, 0);
	btf__add_array(kernel, INT, NEXT + 2, 3);
	btf__add_const(kernel, NEXT);
	expect_endless(kernel);

	kernel = kernel_new();
	btf__add_typedef(kernel, "task", NEXT); /* NEXT */
	expect_endless(kernel);

	kernel = kernel_new();
	btf__add_struct(kernel, "task", 16); /* NEXT */
	btf__add_field(kernel, "a", NEXT + 1, 0, 0);
	for (int i = 1; i < 20000; i++)
		btf__add_const(kernel, NEXT + i + 1);
	expect_endless(kernel);
}

Test(core_btf, what_cannot_be)
{
	struct btf *kernel = kernel_new(), *object = object_new();
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

/* --- the kernel that runs here --- */

static struct btf *real_kernel(void)
{
	struct btf *btf;

	kernel_set_root(NULL);
	libbpf_set_print(quiet);
	btf = btf__parse(BTF, NULL);
	if (!btf)
		cr_skip_test("this kernel has no BTF");
	return btf;
}

/* All structs, and all their members, are as in the whole. */
Test(core_btf, this_kernel)
{
	struct btf *kernel = real_kernel(), *cut;
	struct core_btf made = {};
	struct err err = {};
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);

	cr_assert_eq(core_btf_make(&made, elf, size, &err), 0, "%s", err.text);
	cut = btf__parse(made.path, NULL);
	cr_assert(cut);
	EXPECT_STRUCT(kernel, cut, "task_struct", "pid", "tgid", "thread_pid", "children", "sibling");
	EXPECT_STRUCT(kernel, cut, "pid", "level", "numbers");
	EXPECT_STRUCT(kernel, cut, "upid", "nr");
	EXPECT_STRUCT(kernel, cut, "list_head", "next", "prev");
	cr_expect_not(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task_struct", 0), "prio").found);
	core_btf_release(&made);
	btf__free(cut);
	btf__free(kernel);
}

static struct follow_bpf *relocated(const char *path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = path);
	struct follow_bpf *bpf = follow_bpf__open_opts(&opts);
	int ret = bpf ? bpf_object__prepare(bpf->obj) : -errno;

	if (ret == -EPERM)
		cr_skip_test("libbpf relocates only where programs may be loaded");
	cr_assert_eq(ret, 0, "%s", strerror(-ret));
	return bpf;
}

/* Equal but for the numbers of maps, which are files of their own object. */
static bool same_instruction(struct bpf_insn a, struct bpf_insn b)
{
	if (a.code == (BPF_LD | BPF_DW | BPF_IMM) && a.src_reg)
		a.imm = b.imm;
	return !memcmp(&a, &b, sizeof(a));
}

/* The last word is the instructions: libbpf makes the same of them from the whole and from the part. */
Test(core_btf, the_same_instructions)
{
	struct follow_bpf *full, *cut;
	struct core_btf made = {};
	struct bpf_program *a, *b;
	struct err err = {};
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);

	btf__free(real_kernel());
	cr_assert_eq(core_btf_make(&made, elf, size, &err), 0, "%s", err.text);
	full = relocated(NULL);
	cut = relocated(made.path);
	bpf_object__for_each_program(a, full->obj)
	{
		b = bpf_object__find_program_by_name(cut->obj, bpf_program__name(a));
		cr_assert_eq(bpf_program__insn_cnt(a), bpf_program__insn_cnt(b));
		for (size_t i = 0; i < bpf_program__insn_cnt(a); i++)
			cr_expect(same_instruction(bpf_program__insns(a)[i], bpf_program__insns(b)[i]),
				  "%s: instruction %zu", bpf_program__name(a), i);
	}
	follow_bpf__destroy(full);
	follow_bpf__destroy(cut);
	core_btf_release(&made);
}
