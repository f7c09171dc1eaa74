// SPDX-License-Identifier: BSD-2-Clause
/* What a file asks its loader for, as the dynamic section has it. Does not look for it. */
#include "elf_file.h"

static int dynamic_find(Elf *elf, Elf_Scn **scn, GElf_Shdr *shdr)
{
	for (*scn = NULL; (*scn = elf_nextscn(elf, *scn));)
		if (gelf_getshdr(*scn, shdr) && shdr->sh_type == SHT_DYNAMIC)
			return 0;
	return -ENOENT;
}

int elf_needed(struct elf *elf, const char *prefix, const char **name, const char **runpath)
{
	Elf *file = elf->file.elf;
	Elf_Data *data;
	GElf_Shdr shdr;
	Elf_Scn *scn;
	GElf_Dyn dyn;

	*name = *runpath = NULL;
	if (dynamic_find(file, &scn, &shdr))
		return -ENOENT;
	data = elf_getdata(scn, NULL);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text;

		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RUNPATH && dyn.d_tag != DT_RPATH)
			continue;
		text = elf_strptr(file, shdr.sh_link, dyn.d_un.d_val);
		if (!text)
			continue;
		if (dyn.d_tag != DT_NEEDED)
			*runpath = text;
		else if (!*name && !strncmp(text, prefix, strlen(prefix)))
			*name = text;
	}
	return *name ? 0 : -ENOENT;
}
