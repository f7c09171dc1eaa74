/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the BTF of kernels and of BPF objects, and compares it with the part that core_btf_make() copies. */
#ifndef SONDE_TESTS_UNIT_CORE_BTF_FIXTURE_H
#define SONDE_TESTS_UNIT_CORE_BTF_FIXTURE_H

#include <elf.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kernel_fixture.h"
#include "kernel/core_btf.h"

#define FIELDS 8

static inline int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* --- the object: structs have only names of members, because their types do not matter --- */

static inline struct btf *object_new(void)
{
	struct btf *btf = btf__new_empty();

	cr_assert_eq(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	return btf;
}

static inline void object_struct(struct btf *btf, const char *name, const char *const members[FIELDS])
{
	cr_assert_gt(btf__add_struct(btf, name, 4 * FIELDS), 0);
	for (int i = 0; i < FIELDS && members[i]; i++)
		cr_assert_eq(btf__add_field(btf, members[i], 1, 32 * i, 0), 0);
}

#define OBJECT_STRUCT(btf, name, ...) object_struct(btf, name, (const char *const[FIELDS]){ __VA_ARGS__ })

/* The smallest ELF file that libbpf accepts as a BPF object: BTF, symbols and strings. */
struct object_file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	Elf64_Sym symbols[1];
	char strings[32];
	uint8_t btf[16384];
};

#define SECTION(what, kind, at, bytes, ...) \
	{ \
		.sh_name = what, .sh_type = kind, .sh_offset = offsetof(struct object_file, at), .sh_size = bytes, \
		__VA_ARGS__ \
	}

static inline struct object_file object_file(const struct btf *btf)
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

/* --- the part of the kernel's BTF for an object, read as libbpf reads it --- */

static inline struct btf *cut_down_file(struct btf *object)
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

static inline struct btf *cut_down(struct btf *kernel, struct btf *object)
{
	uint32_t size;
	const void *data = btf__raw_data(kernel, &size);

	fixture_bytes(BTF, data, size);
	return cut_down_file(object);
}

/* The nth type with that name and kind; 0: none. */
static inline uint32_t type_named(const struct btf *btf, int kind, const char *name, int nth)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_kind(t) == kind && !strcmp(btf__name_by_offset(btf, t->name_off), name) && !nth--)
			return id;
	}
	return 0;
}

struct span {
	bool found;
	uint32_t bits, width; /* offset in the outermost struct, of a bit-field its width */
	int kind, encoding;
	int64_t size;
	const char *element; /* the type's name or that of an array's elements, "" none */
};

static inline void describe_type(const struct btf *btf, uint32_t id, struct span *place)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, id));

	place->kind = btf_kind(t);
	place->encoding = btf_is_int(t) ? btf_int_encoding(t) : btf_kflag(t);
	place->size = btf__resolve_size(btf, id);
	if (btf_is_array(t))
		t = btf__type_by_id(btf, btf__resolve_type(btf, btf_array(t)->type));
	place->element = btf_is_ptr(t) ? "" : btf__name_by_offset(btf, t->name_off);
}

/* Finds a member, also inside unnamed members. */
static inline struct span place_of(const struct btf *btf, uint32_t id, const char *member)
{
	const struct btf_type *t = btf__type_by_id(btf, btf__resolve_type(btf, id));
	struct span place = {};

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

static inline void expect_same_place(struct span full, struct span cut, const char *what)
{
	cr_assert(full.found && cut.found, "%s: %d %d", what, full.found, cut.found);
	cr_expect_eq(cut.bits, full.bits, "%s is at bit %u, not %u", what, full.bits, cut.bits);
	cr_expect_eq(cut.width, full.width, "%s: %u bits, not %u", what, full.width, cut.width);
	cr_expect_eq(cut.kind, full.kind, "%s: kind %d, not %d", what, full.kind, cut.kind);
	cr_expect_eq(cut.encoding, full.encoding, "%s: encoding %d, not %d", what, full.encoding, cut.encoding);
	cr_expect_eq(cut.size, full.size, "%s: %lld bytes, not %lld", what, (long long)full.size, (long long)cut.size);
	cr_expect_str_eq(cut.element, full.element, "%s", what);
}

/* Expects that the first struct of a name has these members in the part, as in the whole, and no others. */
static inline void expect_struct(const struct btf *kernel, const struct btf *cut, const char *name,
				 const char *const members[FIELDS])
{
	uint32_t from = type_named(kernel, BTF_KIND_STRUCT, name, 0), to = type_named(cut, BTF_KIND_STRUCT, name, 0);

	cr_assert(from && to, "%s: %u %u", name, from, to);
	cr_expect_eq(btf__resolve_size(cut, to), btf__resolve_size(kernel, from));
	for (int i = 0; i < FIELDS && members[i]; i++)
		expect_same_place(place_of(kernel, from, members[i]), place_of(cut, to, members[i]), members[i]);
}

#define EXPECT_STRUCT(kernel, cut, name, ...) \
	expect_struct(kernel, cut, name, (const char *const[FIELDS]){ __VA_ARGS__ })

/* Ids of the types with which every kernel of the tests begins. */
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

static inline struct btf *kernel_btf_new(void)
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

#endif
