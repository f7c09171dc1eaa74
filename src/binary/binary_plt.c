// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names the stubs of the PLT, which have no symbols: a stub jumps to an address that it reads from a slot of the GOT, and a
 * relocation says which function's address the loader writes there. Reads the relocations in pieces.
 */
#include "binary_part.h"

#define PIECE 256
/* Bounds the work for files with huge tables of relocations, or many of them. Real ones need a hundredth. */
#define MAX_RELOCATIONS (1 << 26)

/* The next section after *scn whose name begins with ".plt". Returns its name, NULL: there is no more. */
static const char *next_section(struct binary *binary, Elf_Scn **scn, GElf_Shdr *shdr)
{
	size_t strings;

	if (elf_getshdrstrndx(binary->file.elf, &strings))
		return NULL;
	while ((*scn = elf_nextscn(binary->file.elf, *scn))) {
		const char *name;

		if (!gelf_getshdr(*scn, shdr) || shdr->sh_type != SHT_PROGBITS || !(shdr->sh_flags & SHF_EXECINSTR))
			continue;
		name = binary_image_string(&binary->file, strings, shdr->sh_name);
		if (name && !strncmp(name, ".plt", 4))
			return name;
	}
	return NULL;
}

/* The section of stubs that holds vaddr. */
static bool find_section(struct binary *binary, uint64_t vaddr, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while (next_section(binary, &scn, shdr))
		if (vaddr - shdr->sh_addr < shdr->sh_size)
			return true;
	return false;
}

bool binary_is_stub(struct binary *binary, uint64_t offset)
{
	struct binary_stubs *stubs = &binary->stubs;

	if (!stubs->known)
		stubs->n = binary_plts(binary, stubs->v, ARRAY_SIZE(stubs->v));
	stubs->known = true;
	for (size_t i = 0; i < stubs->n; i++)
		if (offset - stubs->v[i].start < stubs->v[i].end - stubs->v[i].start)
			return true;
	return false;
}

size_t binary_plts(struct binary *binary, struct binary_plt *plts, size_t max)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t n = 0;

	while (n < max && (name = next_section(binary, &scn, &shdr)))
		if (shdr.sh_size <= UINT64_MAX - shdr.sh_offset)
			plts[n++] = (struct binary_plt){ shdr.sh_offset, shdr.sh_offset + shdr.sh_size, !strcmp(name, ".plt") };
	return n;
}

/* Reads code at an address in the section. */
static bool read_code(struct binary *binary, const GElf_Shdr *shdr, uint64_t vaddr, void *to, size_t n)
{
	uint64_t at = vaddr - shdr->sh_addr;

	return at < shdr->sh_size && n <= shdr->sh_size - at && !binary_image_read(&binary->file, shdr->sh_offset + at, to, n);
}

#if defined(__x86_64__)
/* A stub has 16 bytes, or 8 if the section says so: [endbr64] [bnd] jmp *disp32(%rip) ... */
static bool find_slot(struct binary *binary, const GElf_Shdr *shdr, uint64_t vaddr, uint64_t *slot)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa }, jump[] = { 0xff, 0x25 };
	uint64_t size = shdr->sh_entsize == 8 ? 8 : 16, stub = vaddr - (vaddr - shdr->sh_addr) % size;
	uint8_t code[16] = "";
	size_t at = 0;
	int32_t disp;

	if (!read_code(binary, shdr, stub, code, size))
		return false;
	at = memcmp(code, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	at += code[at] == 0xf2;
	if (at + sizeof(jump) + sizeof(disp) > size || memcmp(code + at, jump, sizeof(jump)))
		return false;
	memcpy(&disp, code + at + sizeof(jump), sizeof(disp));
	*slot = stub + at + sizeof(jump) + sizeof(disp) + (uint64_t)(int64_t)disp;
	return true;
}
#else
/* Arm Architecture Reference Manual, C6.2 */
#define BTI_C  0xd503245f
#define BR_X17 0xd61f0220

/* adrp x16, page; ldr x17, [x16, offset] */
static bool is_load(const uint32_t code[2], uint64_t vaddr, uint64_t *slot)
{
	int64_t pages;

	if ((code[0] & 0x9f00001f) != 0x90000010 || (code[1] & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (int64_t)((uint64_t)(code[0] >> 5 & 0x7ffff) << 45) >> 43 | (code[0] >> 29 & 3);
	*slot = (vaddr & ~4095ULL) + ((uint64_t)pages << 12) + (code[1] >> 10 & 0xfff) * 8;
	return true;
}

/* A stub has 16 or 24 bytes, and no section says which: [bti c]; adrp; ldr; add; [autia1716]; br x17; [nop] */
static bool find_slot(struct binary *binary, const GElf_Shdr *shdr, uint64_t vaddr, uint64_t *slot)
{
	uint64_t at = vaddr & ~3ULL;
	uint32_t code[2] = {};

	if (read_code(binary, shdr, at, code, sizeof(code)) && code[0] == BTI_C)
		at += 4;
	for (int i = 0; i < 5; i++, at -= 4) {
		/* the last instruction of the section has none behind it */
		if (!read_code(binary, shdr, at, code, sizeof(code)) && !read_code(binary, shdr, at, code, sizeof(code[0])))
			return false;
		if (is_load(code, at, slot))
			return true;
		if (i && code[0] == BR_X17)
			return false;
	}
	return false;
}
#endif

/* The name of the symbol, of the symbol table in section `link`. */
static const char *symbol_name(struct binary *binary, size_t link, uint64_t index)
{
	Elf_Scn *scn = elf_getscn(binary->file.elf, link);
	GElf_Shdr symbols, strings;
	char name[1024];
	Elf64_Sym sym;
	size_t n;

	if (!scn || !gelf_getshdr(scn, &symbols) || symbols.sh_type != SHT_DYNSYM || index >= symbols.sh_size / sizeof(sym) ||
	    binary_image_read(&binary->file, symbols.sh_offset + index * sizeof(sym), &sym, sizeof(sym)))
		return NULL;
	scn = elf_getscn(binary->file.elf, symbols.sh_link);
	if (!scn || !gelf_getshdr(scn, &strings) || sym.st_name >= strings.sh_size)
		return NULL;
	n = strings.sh_size - sym.st_name < sizeof(name) ? strings.sh_size - sym.st_name : sizeof(name);
	if (binary_image_read(&binary->file, strings.sh_offset + sym.st_name, name, n) || !*name || !memchr(name, 0, n))
		return NULL;
	return binary_keep_name(binary, name, strlen(name));
}

static const char *slot_name(struct binary *binary, const GElf_Shdr *relocations, uint64_t slot)
{
	size_t total = relocations->sh_size / sizeof(Elf64_Rela);
	Elf64_Rela piece[PIECE];

	for (size_t at = 0; at < total; at += PIECE) {
		size_t n = total - at < PIECE ? total - at : PIECE;

		binary->n_relocations += n;
		if (binary->n_relocations > MAX_RELOCATIONS ||
		    binary_image_read(&binary->file, relocations->sh_offset + at * sizeof(*piece), piece, n * sizeof(*piece)))
			return NULL;
		for (size_t i = 0; i < n; i++)
			if (piece[i].r_offset == slot)
				return symbol_name(binary, relocations->sh_link, GELF_R_SYM(piece[i].r_info));
	}
	return NULL;
}

bool binary_stub_slot(struct binary *binary, uint64_t vaddr, uint64_t *slot)
{
	GElf_Shdr shdr;

	return find_section(binary, vaddr, &shdr) && find_slot(binary, &shdr, vaddr, slot);
}

bool binary_stub_at(struct binary *binary, uint64_t offset, const char **name)
{
	uint64_t vaddr, slot;
	GElf_Shdr shdr;

	*name = NULL;
	if (binary_vaddr_of(binary, offset, &vaddr) || !find_section(binary, vaddr, &shdr))
		return false;
	if (!find_slot(binary, &shdr, vaddr, &slot))
		return true;
	/* backwards: .rela.plt, where most are, is the last and the smaller one */
	for (size_t i = binary->file.n_sections; i-- > 1 && !*name;) {
		Elf_Scn *scn = elf_getscn(binary->file.elf, i);

		if (scn && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA && shdr.sh_flags & SHF_ALLOC)
			*name = slot_name(binary, &shdr, slot);
	}
	return true;
}
