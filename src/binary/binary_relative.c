// SPDX-License-Identifier: BSD-2-Clause
/* Reads words that dynamic linking fills in with addresses of the file itself (relative relocations). */
#include "binary_part.h"

#if defined(__x86_64__)
#define RELATIVE R_X86_64_RELATIVE
#else
#define RELATIVE R_AARCH64_RELATIVE
#endif

/* Pieces in which relocations are read. */
#define PIECE 512

static bool find_section(struct binary_image *image, uint32_t type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return true;
	return false;
}

/* The number of the first relocation at or behind an address: linkers sort those that are relative. */
static uint64_t first_at(const struct binary_image *image, const GElf_Shdr *shdr, uint64_t vaddr)
{
	uint64_t at = 0, n = shdr->sh_size / sizeof(Elf64_Rela);
	Elf64_Rela rela;

	while (n) {
		uint64_t half = n / 2;

		if (binary_image_read(image, shdr->sh_offset + (at + half) * sizeof(rela), &rela, sizeof(rela)))
			return at;
		if (ELF64_R_TYPE(rela.r_info) != RELATIVE || rela.r_offset >= vaddr) {
			n = half;
		} else {
			at += half + 1;
			n -= half + 1;
		}
	}
	return at;
}

static void relocate(const struct binary_image *image, const GElf_Shdr *shdr, uint64_t vaddr, uint8_t *to, size_t n)
{
	uint64_t at = first_at(image, shdr, vaddr), end = shdr->sh_size / sizeof(Elf64_Rela);
	Elf64_Rela piece[PIECE];

	while (at < end) {
		size_t count = end - at < PIECE ? (size_t)(end - at) : PIECE;

		if (binary_image_read(image, shdr->sh_offset + at * sizeof(*piece), piece, count * sizeof(*piece)))
			return;
		for (size_t i = 0; i < count; i++) {
			const uint64_t place = piece[i].r_offset - vaddr;

			if (ELF64_R_TYPE(piece[i].r_info) != RELATIVE || place > n - 8)
				return;
			memcpy(to + place, &piece[i].r_addend, 8);
		}
		at += count;
	}
}

int binary_read_linked(struct binary *binary, uint64_t vaddr, void *to, size_t n)
{
	uint64_t offset;
	GElf_Shdr shdr;
	int ret = binary_offset_of(binary, vaddr, false, &offset);

	if (!ret)
		ret = binary_image_read(&binary->file, offset, to, n);
	if (!ret && n >= 8 && find_section(&binary->file, SHT_RELA, &shdr))
		relocate(&binary->file, &shdr, vaddr, to, n);
	return ret;
}

int binary_init_array(struct binary *binary, uint64_t *vaddr, uint64_t *n)
{
	GElf_Shdr shdr;

	if (!find_section(&binary->file, SHT_INIT_ARRAY, &shdr))
		return -ENOENT;
	*vaddr = shdr.sh_addr;
	*n = shdr.sh_size / 8;
	return 0;
}
