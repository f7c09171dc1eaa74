// SPDX-License-Identifier: BSD-2-Clause
/* Declarations of C: the same text is compiled by the C compiler and read by the parser, and both must agree. */
#include "lang_fixture.h"

/* Declares it for this file, and keeps its text. */
#define BOTH(name, ...) \
	__VA_ARGS__; \
	static const char name##_text[] = #__VA_ARGS__ ";"

BOTH(
	mixed, struct mixed {
		char a;
		unsigned long long b;
		short c, *d, e[3];
		struct mixed *next;
		int (*fn)(int, char);
		const char text[16];
		unsigned char last;
	});
BOTH(
	bits, struct bits {
		unsigned int a : 3, b : 7;
		unsigned long long c : 40;
		unsigned char d : 4;
		unsigned int : 0;
		unsigned short e : 9;
		int f;
		unsigned int g : 1, h : 20, i : 20;
	});
BOTH(
	nested, struct nested {
		char a;
		union {
			struct {
				int b;
				short c;
			};
			unsigned long long d;
		};
		struct inner {
			int x[2][3];
		} in[2];
		enum which {
			WHICH_A,
			WHICH_B = 5,
			WHICH_C
		} which;
	});
BOTH(
	packed, struct __attribute__((packed)) packed {
		char a;
		int b;
		unsigned int c : 5, d : 30;
		short e;
	});
BOTH(
	packed_behind, struct packed_behind {
		char a;
		long b;
	} __attribute__((__packed__)));
BOTH(
	choice, union choice {
		char a;
		int b[3];
		unsigned short c : 3;
	});

static struct type_field field_of(const struct lang_fixture *fixture, enum ctype_tag tag, const char *name,
				  const char *field)
{
	const struct type *type = ctypes_find(fixture->types, tag, name, NULL);
	struct type_field found = {};

	cr_assert(type && type_field_find(type, field, &found), "%s.%s", name, field);
	return found;
}

static void expect_size(const struct lang_fixture *fixture, enum ctype_tag tag, const char *name, size_t size,
			size_t align)
{
	const struct type *type = ctypes_find(fixture->types, tag, name, NULL);

	cr_assert(type, "%s", name);
	cr_assert_eq(type->size, size, "%s: %u", name, type->size);
	cr_assert_eq(type->align, align, "%s: %u", name, type->align);
}

static void declare(struct lang_fixture *fixture, const char *text)
{
	struct str program __str = {};

	str_addf(&program, "%s begin { }", text);
	fixture_parse_text(fixture, program.data, program.len);
	cr_assert(fixture->program, "%s", fixture->text.data);
}

#define EXPECT_SIZE(tag, type) \
	expect_size(&fixture, #tag[0] == 's' ? CTYPE_STRUCT : CTYPE_UNION, #type, sizeof(tag type), _Alignof(tag type))

#define EXPECT_FIELD(tag, of, field) \
	do { \
		struct type_field found = field_of(&fixture, #tag[0] == 's' ? CTYPE_STRUCT : CTYPE_UNION, #of, \
						   #field); \
		cr_assert_eq(found.at, offsetof(tag of, field), #field ": %u", found.at); \
		cr_assert_eq(found.type->size, sizeof(((tag of *)0)->field), #field ": %u", found.type->size); \
	} while (0)

/* Sets all bits of the field and looks where they are. */
#define EXPECT_BITS(tag, of, field) \
	do { \
		union { \
			tag of value; \
			uint8_t bytes[sizeof(tag of)]; \
		} all = {}; \
		struct type_field found = field_of(&fixture, #tag[0] == 's' ? CTYPE_STRUCT : CTYPE_UNION, #of, \
						   #field); \
		all.value.field--; \
		expect_bits(all.bytes, sizeof(all), &found, #field); \
	} while (0)

static void expect_bits(const uint8_t *bytes, size_t n, const struct type_field *found, const char *name)
{
	size_t first = 0, count = 0;

	for (size_t bit = 0; bit < n * 8; bit++) {
		if (!(bytes[bit / 8] >> bit % 8 & 1))
			continue;
		first = count ? first : bit;
		count++;
	}
	cr_assert_eq(found->at * 8 + found->bit_at, first, "%s: %u + %u, not %zu", name, found->at, found->bit_at,
		     first);
	cr_assert_eq(found->bit_count, count, "%s", name);
	cr_assert(found->bit_at + found->bit_count <= found->type->size * 8, "%s", name);
}

Test(lang_cdecl, members)
{
	struct lang_fixture fixture;
	struct type_field found;

	declare(&fixture, mixed_text);
	EXPECT_SIZE(struct, mixed);
	EXPECT_FIELD(struct, mixed, a);
	EXPECT_FIELD(struct, mixed, b);
	EXPECT_FIELD(struct, mixed, c);
	EXPECT_FIELD(struct, mixed, d);
	EXPECT_FIELD(struct, mixed, e);
	EXPECT_FIELD(struct, mixed, next);
	EXPECT_FIELD(struct, mixed, fn);
	EXPECT_FIELD(struct, mixed, text);
	EXPECT_FIELD(struct, mixed, last);
	/* A pointer to the struct itself leads to its members. */
	found = field_of(&fixture, CTYPE_STRUCT, "mixed", "next");
	cr_assert_eq(found.type->of, ctypes_find(fixture.types, CTYPE_STRUCT, "mixed", NULL));
	/* Arrays of char are texts, pointers to char are none. */
	cr_assert_eq(field_of(&fixture, CTYPE_STRUCT, "mixed", "text").type->kind, TYPE_STRING);
	fixture_release_text(&fixture);
}

Test(lang_cdecl, bit_fields)
{
	struct lang_fixture fixture;

	declare(&fixture, bits_text);
	EXPECT_SIZE(struct, bits);
	EXPECT_BITS(struct, bits, a);
	EXPECT_BITS(struct, bits, b);
	EXPECT_BITS(struct, bits, c);
	EXPECT_BITS(struct, bits, d);
	EXPECT_BITS(struct, bits, e);
	EXPECT_FIELD(struct, bits, f);
	EXPECT_BITS(struct, bits, g);
	/* It does not fit into the unit that the one before ends in. */
	EXPECT_BITS(struct, bits, h);
	EXPECT_BITS(struct, bits, i);
	fixture_release_text(&fixture);
}

Test(lang_cdecl, unnamed_and_nested)
{
	struct lang_fixture fixture;
	const struct type *type;
	int64_t value;

	declare(&fixture, nested_text);
	EXPECT_SIZE(struct, nested);
	EXPECT_FIELD(struct, nested, b);
	EXPECT_FIELD(struct, nested, c);
	EXPECT_FIELD(struct, nested, d);
	EXPECT_FIELD(struct, nested, in);
	EXPECT_FIELD(struct, nested, which);
	EXPECT_SIZE(struct, inner);
	cr_assert(ctypes_find_value(fixture.types, "WHICH_C", &value, &type));
	cr_assert_eq(value, WHICH_C);
	cr_assert_eq(type, ctypes_find(fixture.types, CTYPE_ENUM, "which", NULL));
	fixture_release_text(&fixture);
}

Test(lang_cdecl, packed)
{
	struct lang_fixture fixture;

	declare(&fixture, packed_text);
	EXPECT_SIZE(struct, packed);
	EXPECT_FIELD(struct, packed, b);
	EXPECT_BITS(struct, packed, c);
	EXPECT_BITS(struct, packed, d);
	EXPECT_FIELD(struct, packed, e);
	fixture_release_text(&fixture);
	declare(&fixture, packed_behind_text);
	EXPECT_SIZE(struct, packed_behind);
	EXPECT_FIELD(struct, packed_behind, b);
	fixture_release_text(&fixture);
}

Test(lang_cdecl, unions)
{
	struct lang_fixture fixture;

	declare(&fixture, choice_text);
	EXPECT_SIZE(union, choice);
	EXPECT_FIELD(union, choice, b);
	EXPECT_BITS(union, choice, c);
	fixture_release_text(&fixture);
}

static void expect_shown(const struct lang_fixture *fixture, enum ctype_tag tag, const char *name, const char *wanted)
{
	const struct type *type = ctypes_find(fixture->types, tag, name, NULL);
	struct str shown __str = {};

	cr_assert(type, "%s", name);
	type_show(type, &shown);
	cr_assert_str_eq(shown.data, wanted);
}

Test(lang_cdecl, typedefs)
{
	struct lang_fixture fixture;

	declare(&fixture, "typedef unsigned int word, *words, quad[4]; typedef struct s { word w; } s_type;"
			  "typedef char letter; struct t { letter l[8]; s_type s; words *p; struct later *q; };"
			  "struct later { int x[sizeof(word) * 2 + (1 << 2)]; };");
	expect_shown(&fixture, CTYPE_PLAIN, "word", "uint32");
	expect_shown(&fixture, CTYPE_PLAIN, "words", "uint32 *");
	expect_shown(&fixture, CTYPE_PLAIN, "quad", "uint32[4]");
	expect_shown(&fixture, CTYPE_PLAIN, "s_type", "struct s");
	cr_assert_eq(field_of(&fixture, CTYPE_STRUCT, "t", "l").type->kind, TYPE_STRING);
	/* What was only named first is what was declared later. */
	cr_assert_eq(field_of(&fixture, CTYPE_STRUCT, "t", "q").type->of->size, 48);
	fixture_release_text(&fixture);
}

/* In a program the ';' behind a struct may be missing, and a typedef's name begins a cast. */
Test(lang_cdecl, beside_probes)
{
	expect_tree("struct a { int x; } kprobe:f { } union b { int y; }; kprobe:g { }",
		    "(probe \"kprobe:f\" { })\n(probe \"kprobe:g\" { })\n");
	expect_tree("typedef int number; begin { (number)-1; (nunber)-1; }",
		    "(probe \"begin\" { (do (cast <number> (- 1))) (do (- nunber 1)) })\n");
}
