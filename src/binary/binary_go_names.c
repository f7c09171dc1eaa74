// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names functions of Go in files that are stripped of symbols: Go's runtime needs their names itself, in a table that
 * stays. Its form since Go 1.18 (Go's src/debug/gosym/pclntab.go and src/runtime/symtab.go). Reads of it only what a
 * lookup needs.
 */
#include "base/search.h"
#include "binary_part.h"

/* Of Go 1.18 and of 1.20. */
#define MAGIC_18      0xfffffff0
#define MAGIC_20      0xfffffff1
#define MAX_FUNCTIONS (1 << 24)
#define MAX_GO_NAME   1024

struct header {
	uint32_t magic;
	uint8_t zero[2], quantum, pointer;
	uint64_t n_functions, n_files, text, names, units, files, pcs, functions;
};

/*
 * The beginning of the section .go.module, which holds runtime.moduledata. Since Go 1.26 header.text is 0, and only
 * this says where the text is. Position-independent files have addresses as linked too: linkers write them in place.
 */
struct module {
	uint64_t header, tables[5][3], functions, n_functions, capacity, find, first, last, text;
};

/* A function, and where to find more about it; after the last one there is only `start`, the end. */
struct entry {
	uint32_t start, more; /* from text; from functions */
};

struct more {
	uint32_t start, name; /* name: from names */
};

/* The address, as linked, of the first function. 0: the file does not say. */
static uint64_t read_text(struct binary *binary, const struct header *header)
{
	struct module module;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (header->text)
		return header->text;
	/* its list of functions has one more entry, the end; if the form ever changes, this check fails */
	if (binary_image_section(&binary->file, ".go.module", &scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
	    binary_image_read(&binary->file, shdr.sh_offset, &module, sizeof(module)) ||
	    module.n_functions != header->n_functions + 1)
		return 0;
	return module.text;
}

static void find_table(struct binary *binary, struct binary_go_table *table)
{
	static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	struct header header;
	uint64_t text;
	GElf_Shdr shdr;
	Elf_Scn *scn;

	table->known = true;
	if (binary_image_section(&binary->file, sections[0], &scn, &shdr) &&
	    binary_image_section(&binary->file, sections[1], &scn, &shdr))
		return;
	if (shdr.sh_type != SHT_PROGBITS || binary_image_read(&binary->file, shdr.sh_offset, &header, sizeof(header)) ||
	    (header.magic != MAGIC_18 && header.magic != MAGIC_20) || header.pointer != sizeof(uint64_t) ||
	    header.n_functions > MAX_FUNCTIONS || header.names > shdr.sh_size || header.functions > shdr.sh_size)
		return;
	text = read_text(binary, &header);
	if (!binary_segment_of(binary, text, true))
		return;
	table->text = text;
	table->names = shdr.sh_offset + header.names;
	table->functions = shdr.sh_offset + header.functions;
	table->n = header.n_functions;
}

static struct entry entry_at(const struct binary *binary, uint64_t i)
{
	struct entry entry = {};

	if (binary_image_read(&binary->file, binary->go.functions + i * sizeof(entry), &entry, sizeof(entry)))
		entry.start = UINT32_MAX;
	return entry;
}

static const char *read_name(struct binary *binary, const struct entry *entry)
{
	char name[MAX_GO_NAME];
	struct more more;
	size_t n = sizeof(name);

	if (binary_image_read(&binary->file, binary->go.functions + entry->more, &more, sizeof(more)) ||
	    more.start != entry->start)
		return NULL;
	/* the end of the file may be near */
	while (n && binary_image_read(&binary->file, binary->go.names + more.name, name, n))
		n /= 2;
	return n && *name && memchr(name, 0, n) ? binary_keep_name(binary, name, strlen(name)) : NULL;
}

bool binary_go_function_at(struct binary *binary, uint64_t vaddr, struct binary_symbol *function)
{
	const struct binary_go_table *table = &binary->go;
	struct entry entry, next;
	size_t at;

	if (!table->known)
		find_table(binary, &binary->go);
	if (vaddr < table->text || vaddr - table->text >= UINT32_MAX)
		return false;
	at = search_first(i, table->n, entry_at(binary, i).start > vaddr - table->text);
	if (!at)
		return false;
	entry = entry_at(binary, at - 1);
	next = entry_at(binary, at);
	if (vaddr - table->text >= next.start || next.start == UINT32_MAX)
		return false;
	*function = (struct binary_symbol){ .name = read_name(binary, &entry), .vaddr = table->text + entry.start, .size = next.start - entry.start };
	return function->name;
}
