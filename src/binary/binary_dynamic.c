// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds a symbol that a file exports, by the hash table that the loader uses (.gnu.hash): some reads of a few bytes,
 * where a walk over all symbols would read the whole table.
 */
#include "binary_part.h"

/* How many symbols of one bucket are looked at. Linkers make chains of two or three. */
#define MAX_CHAIN 256

/* The section .gnu.hash: this; words of a filter, which is not needed here; buckets; chains. */
struct gnu_hash {
	uint32_t n_buckets, first, n_filter, shift;
};

struct tables {
	const struct binary_image *image;
	struct gnu_hash hash;
	uint64_t buckets, chains, symbols; /* places in the file */
	size_t strings;			   /* the number of a section */
};

static int find_tables(struct binary *binary, struct tables *tables)
{
	struct binary_image *image = &binary->file;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr, symbols;

	while ((scn = elf_nextscn(image->elf, scn)) && gelf_getshdr(scn, &shdr))
		if (shdr.sh_type == SHT_GNU_HASH)
			break;
	if (!scn || shdr.sh_type != SHT_GNU_HASH)
		return -ENOENT;
	scn = elf_getscn(image->elf, shdr.sh_link);
	if (!scn || !gelf_getshdr(scn, &symbols) || symbols.sh_type != SHT_DYNSYM ||
	    binary_image_read(image, shdr.sh_offset, &tables->hash, sizeof(tables->hash)) || !tables->hash.n_buckets)
		return -ENOENT;
	tables->image = image;
	tables->buckets = shdr.sh_offset + sizeof(tables->hash) + 8ULL * tables->hash.n_filter;
	tables->chains = tables->buckets + 4ULL * tables->hash.n_buckets;
	tables->symbols = symbols.sh_offset;
	tables->strings = symbols.sh_link;
	return 0;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_name(struct binary *binary, const struct tables *tables, const Elf64_Sym *sym, const char *name)
{
	char text[128] = "";
	size_t n = strlen(name) + 1;
	Elf_Scn *scn = elf_getscn(binary->file.elf, tables->strings);
	GElf_Shdr shdr;

	return n <= sizeof(text) && scn && gelf_getshdr(scn, &shdr) && sym->st_name < shdr.sh_size &&
	       !binary_image_read(tables->image, shdr.sh_offset + sym->st_name, text, n) && !memcmp(text, name, n);
}

static bool read_at(const struct tables *tables, uint64_t table, uint64_t number, void *to, size_t n)
{
	return !binary_image_read(tables->image, table + n * number, to, n);
}

int binary_find_exported(struct binary *binary, const char *name, struct binary_exported *found)
{
	struct tables tables;
	uint32_t hash = hash_of(name), number, word = 0;
	int ret = find_tables(binary, &tables);

	if (ret)
		return ret;
	if (!read_at(&tables, tables.buckets, hash % tables.hash.n_buckets, &number, sizeof(number)) ||
	    number < tables.hash.first)
		return -ENOENT;
	for (int i = 0; i < MAX_CHAIN && !(word & 1); i++, number++) {
		Elf64_Sym sym;

		if (!read_at(&tables, tables.chains, number - tables.hash.first, &word, sizeof(word)))
			return -ENOENT;
		if ((word | 1) != (hash | 1) || !read_at(&tables, tables.symbols, number, &sym, sizeof(sym)) ||
		    sym.st_shndx == SHN_UNDEF || !is_name(binary, &tables, &sym, name))
			continue;
		*found = (struct binary_exported){ .vaddr = sym.st_value, .size = sym.st_size };
		return 0;
	}
	return -ENOENT;
}
