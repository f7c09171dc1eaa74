// SPDX-License-Identifier: BSD-2-Clause
/* Reads the relocations of an ELF file that write the address of a function, and the IFUNCs that the file exports. */
#include "binary_part.h"

/* Bounds the work that a foreign file causes. Chromium has a tenth of this. */
#define MAX_SLOTS (1 << 22)

#if defined(__x86_64__)
#define IRELATIVE R_X86_64_IRELATIVE
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT  R_X86_64_GLOB_DAT
#define ABSOLUTE  R_X86_64_64
#else
#define IRELATIVE R_AARCH64_IRELATIVE
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT  R_AARCH64_GLOB_DAT
#define ABSOLUTE  R_AARCH64_ABS64
#endif

/* One relocation section. */
struct relocations {
	struct binary_image *image;
	Elf_Data *data, *symbols;
	size_t strings; /* index of the section with the names of the symbols */
	struct binary_versions versions;
};

/* NULL: the relocation has no named symbol, or the table is damaged. */
static const char *symbol_name(const struct relocations *r, uint64_t index)
{
	GElf_Sym sym;

	if (!r->symbols || index > INT32_MAX || !gelf_getsym(r->symbols, (int)index, &sym) || !sym.st_name)
		return NULL;
	return binary_image_string(r->image, r->strings, sym.st_name);
}

static bool read_slot(const struct relocations *r, int i, struct binary_slot *slot)
{
	GElf_Rela rela;

	if (!gelf_getrela(r->data, i, &rela))
		return false;
	*slot = (struct binary_slot){ .vaddr = rela.r_offset };
	switch (GELF_R_TYPE(rela.r_info)) {
	case IRELATIVE:
		slot->resolver = (uint64_t)rela.r_addend;
		return true;
	case ABSOLUTE:
		if (rela.r_addend)
			return false;
		/* fall through */
	case JUMP_SLOT:
	case GLOB_DAT:
		slot->name = symbol_name(r, GELF_R_SYM(rela.r_info));
		slot->version = binary_version_of(&r->versions, GELF_R_SYM(rela.r_info));
		return slot->name;
	default:
		return false;
	}
}

static void find_symbols(struct relocations *r, const GElf_Shdr *shdr)
{
	Elf_Scn *scn = shdr->sh_link ? elf_getscn(r->image->elf, shdr->sh_link) : NULL;
	GElf_Shdr symbols;

	r->symbols = NULL;
	if (!scn || !gelf_getshdr(scn, &symbols) || symbols.sh_type != SHT_DYNSYM)
		return;
	binary_image_data(r->image, scn, &r->symbols);
	r->strings = symbols.sh_link;
}

static void relocations_release(struct relocations *r)
{
	binary_versions_release(&r->versions);
}

int binary_each_slot(struct binary *binary, binary_slot_fn fn, void *ctx)
{
	struct relocations r __cleanup(relocations_release) = { .image = &binary->file };
	Elf_Scn *scn = NULL;
	int left = MAX_SLOTS;
	GElf_Shdr shdr;

	binary_versions_read(&r.versions, r.image);
	while ((scn = elf_nextscn(r.image->elf, scn)) && gelf_getshdr(scn, &shdr)) {
		if (shdr.sh_type != SHT_RELA || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		find_symbols(&r, &shdr);
		r.data = NULL;
		binary_image_data(r.image, scn, &r.data);
		for (int i = 0; r.data && (size_t)i < r.data->d_size / sizeof(Elf64_Rela) && left; i++, left--) {
			struct binary_slot slot;
			int ret = read_slot(&r, i, &slot) ? fn(ctx, &slot) : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

int binary_each_ifunc(struct binary *binary, binary_slot_fn fn, void *ctx)
{
	struct binary_versions versions __cleanup(binary_versions_release) = {};
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret = 0;

	binary_versions_read(&versions, &binary->file);
	while (!ret && (scn = elf_nextscn(binary->file.elf, scn)) && gelf_getshdr(scn, &shdr)) {
		Elf_Data *data = NULL;
		GElf_Sym sym;

		if (shdr.sh_type == SHT_DYNSYM)
			binary_image_data(&binary->file, scn, &data);
		for (int i = 1; !ret && data && gelf_getsym(data, i, &sym); i++) {
			struct binary_slot slot = { .resolver = sym.st_value, .version = binary_version_of(&versions, (size_t)i) };

			if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || sym.st_shndx == SHN_UNDEF)
				continue;
			slot.name = binary_image_string(&binary->file, shdr.sh_link, sym.st_name);
			if (slot.name)
				ret = fn(ctx, &slot);
		}
	}
	return ret;
}
