// SPDX-License-Identifier: BSD-2-Clause
/* Names that debug information has and the symbol table has not: what a compiler has put into its callers. */
#include "elf_file.h"

static bool section_names(Elf *elf, const char *section, const char *name)
{
	size_t len = strlen(name) + 1;
	GElf_Shdr shdr;
	Elf_Data *data;
	Elf_Scn *scn;

	if (!elf || elf_section_named(elf, section, &scn, &shdr))
		return false;
	if (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return false;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	for (const char *at = data->d_buf, *end = at + data->d_size; (size_t)(end - at) >= len;) {
		const char *next = memchr(at, 0, end - at);

		if (!next)
			return false;
		if (!memcmp(at, name, len))
			return true;
		at = next + 1;
	}
	return false;
}

bool elf_is_named(const struct elf *elf, const char *name)
{
	return section_names(elf->file.elf, ".debug_str", name) || section_names(elf->debug.elf, ".debug_str", name);
}
