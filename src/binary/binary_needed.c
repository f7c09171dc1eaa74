// SPDX-License-Identifier: BSD-2-Clause
/* The libraries that a file needs, as its dynamic section lists them. Does not search them. */
#include "binary_file.h"

static int dynamic_find(struct binary_image *image, GElf_Shdr *shdr, Elf_Data **data)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == SHT_DYNAMIC)
			return binary_image_data(image, scn, data);
	return -ENOENT;
}

int binary_needed(struct binary *binary, const char *prefix, const char **name, const char **runpath)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	GElf_Dyn dyn;

	*name = *runpath = NULL;
	if (dynamic_find(&binary->file, &shdr, &data))
		return -ENOENT;
	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text;

		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RUNPATH && dyn.d_tag != DT_RPATH)
			continue;
		text = binary_image_string(&binary->file, shdr.sh_link, dyn.d_un.d_val);
		if (!text)
			continue;
		if (dyn.d_tag != DT_NEEDED)
			*runpath = text;
		else if (!*name && !strncmp(text, prefix, strlen(prefix)))
			*name = text;
	}
	return *name ? 0 : -ENOENT;
}
