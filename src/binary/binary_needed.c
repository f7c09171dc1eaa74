// SPDX-License-Identifier: BSD-2-Clause
/* The libraries that a file needs, as its dynamic section lists them. Does not search them. */
#include "binary_part.h"

static int dynamic_find(struct binary_image *image, GElf_Shdr *shdr, Elf_Data **data)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == SHT_DYNAMIC)
			return binary_image_data(image, scn, data);
	return -ENOENT;
}

int binary_each_needed(struct binary *binary, binary_needed_fn fn, void *ctx)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	GElf_Dyn dyn;
	int ret = 0;

	if (dynamic_find(&binary->file, &shdr, &data))
		return 0;
	for (int i = 0; !ret && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *text;

		if (dyn.d_tag != DT_NEEDED && dyn.d_tag != DT_RUNPATH && dyn.d_tag != DT_RPATH)
			continue;
		text = binary_image_string(&binary->file, shdr.sh_link, dyn.d_un.d_val);
		if (text)
			ret = fn(ctx, text, dyn.d_tag != DT_NEEDED);
	}
	return ret;
}

int binary_interpreter(struct binary *binary, char path[PATH_MAX])
{
	size_t count;

	if (elf_getphdrnum(binary->file.elf, &count))
		return -ENOENT;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(binary->file.elf, (int)i, &phdr) || phdr.p_type != PT_INTERP)
			continue;
		if (!phdr.p_filesz || phdr.p_filesz > PATH_MAX ||
		    binary_image_read(&binary->file, phdr.p_offset, path, phdr.p_filesz) || path[phdr.p_filesz - 1])
			return -ENOENT;
		return 0;
	}
	return -ENOENT;
}
