// SPDX-License-Identifier: BSD-2-Clause
/* Which functions of the language's library need the kernel's types: read from the object's table of relocations. */
#include <elf.h>

#include <criterion/criterion.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf/event.h"
#include "bpf/filter.h"
#include "bpf/lang.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/lang.skel.h"
#include "script/script_link.h"

/* What lang_ustack() calls and no other function of the library does. */
static const char *const behind_ustack[] = { "unwind_by_uretprobe", "unwind_by_rare_rule", "interp_begin", "interp_note",
					     "interp_blob", "unwind_ask", "unwind_maple_step", "unwind_rb_step" };

/* .BTF.ext as Documentation/bpf/btf.rst describes it. */
struct ext {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_size, functions_at, functions_size, lines_at, lines_size, relocations_at, relocations_size;
};

static const struct ext *find_ext(const char *elf)
{
	const Elf64_Ehdr *header = (const void *)elf;
	const Elf64_Shdr *sections = (const void *)(elf + header->e_shoff);

	for (int i = 0; i < header->e_shnum; i++)
		if (!strcmp(elf + sections[header->e_shstrndx].sh_offset + sections[i].sh_name, ".BTF.ext"))
			return (const void *)(elf + sections[i].sh_offset);
	cr_assert(false, "no .BTF.ext");
	return NULL;
}

/* Words: the size of a record; for each section its name, the number of records, and these. */
typedef void (*record_fn)(uint32_t section, const uint32_t *record, void *ctx);

static void each_record(const struct ext *ext, uint32_t at, uint32_t size, record_fn fn, void *ctx)
{
	const uint32_t *word = (const void *)((const char *)ext + ext->header_size + at), *end = word + size / 4;
	uint32_t words = *word++ / 4;

	while (word < end) {
		uint32_t section = *word++, n = *word++;

		for (; n; n--, word += words)
			fn(section, word, ctx);
	}
}

struct search {
	const struct btf *btf;
	const struct ext *ext;
	uint32_t section, insn, type; /* the last function of the section that begins at or before insn */
	size_t relocations;
};

static void note_function(uint32_t section, const uint32_t *record, void *ctx)
{
	struct search *search = ctx;

	if (section == search->section && record[0] <= search->insn)
		search->type = record[1];
}

static bool is_known(const char *name)
{
	static const char *const library[] = {
#define NAME(NAME, N) "lang_" #NAME,
		LANG_FUNCTIONS(NAME)
#undef NAME
	};

	for (size_t i = 0; i < ARRAY_SIZE(behind_ustack); i++)
		if (!strcmp(name, behind_ustack[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(library); i++)
		if (!strcmp(name, library[i]))
			return script_link_is_typed(i);
	return false;
}

static void check_relocation(uint32_t section, const uint32_t *record, void *ctx)
{
	struct search *search = ctx;
	const char *name;

	search->section = section;
	search->insn = record[0];
	search->relocations++;
	each_record(search->ext, search->ext->functions_at, search->ext->functions_size, note_function, search);
	name = btf__name_by_offset(search->btf, btf__type_by_id(search->btf, search->type)->name_off);
	cr_expect(is_known(name), "%s relocates against the kernel's types", name);
}

Test(script_link, functions_that_need_types)
{
	size_t size;
	const void *elf = lang_bpf__elf_bytes(&size);
	struct bpf_object *object = bpf_object__open_mem(elf, size, NULL);
	struct search search = { .btf = bpf_object__btf(object), .ext = find_ext(elf) };

	each_record(search.ext, search.ext->relocations_at, search.ext->relocations_size, check_relocation, &search);
	cr_expect_gt(search.relocations, 0);
	bpf_object__close(object);
}

/* The object is as it was, for the next one that opens it. */
Test(script_link, untyped_object_needs_no_btf)
{
	size_t size;
	const void *elf = lang_bpf__elf_bytes(&size);
	struct object object = {};
	struct err err = {};

	cr_expect_eq(object_open_untyped(&object, lang_bpf__elf_bytes, &err), 0, "%s", err.text);
	cr_expect_eq(object.core.btf.path[0], 0);
	cr_expect_not(core_btf_is_needed(object.core.own, size));
	cr_expect(core_btf_is_needed(elf, size));
	object_release(&object);
	cr_expect_null(object.core.own);
}
