// SPDX-License-Identifier: BSD-2-Clause
/* Walks the notes of an ELF image. Knows the meaning of none. */
#include "binary_part.h"

int binary_each_note_in(Elf_Data *data, const char *owner, uint32_t type, binary_note_fn fn, void *ctx)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;
	int ret;

	while (at < data->d_size) {
		next = gelf_getnote(data, at, &note, &name, &desc);
		if (!next)
			return -EBADMSG;
		/* n_namesz of Go's note includes the padding */
		if (note.n_type == type && note.n_namesz > strlen(owner) &&
		    !memcmp((char *)data->d_buf + name, owner, strlen(owner) + 1)) {
			ret = fn(ctx, (char *)data->d_buf + desc, note.n_descsz);
			if (ret)
				return ret;
		}
		at = next;
	}
	return 0;
}

/* Walks the notes of a section, if it holds any. */
static int each_note_of(struct binary_image *image, Elf_Scn *scn, const GElf_Shdr *shdr, const char *owner,
			uint32_t type, binary_note_fn fn, void *ctx)
{
	Elf_Data *data;

	if (shdr->sh_type != SHT_NOTE || !shdr->sh_size)
		return 0;
	return binary_image_data(image, scn, &data) ? -EBADMSG : binary_each_note_in(data, owner, type, fn, ctx);
}

int binary_each_note(struct binary_image *image, const char *section, const char *owner, uint32_t type, binary_note_fn fn,
		     void *ctx)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret, damaged = 0;

	if (section)
		return binary_image_section(image, section, &scn, &shdr)
			       ? 0
			       : each_note_of(image, scn, &shdr, owner, type, fn, ctx);
	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		ret = each_note_of(image, scn, &shdr, owner, type, fn, ctx);
		if (ret == -EBADMSG)
			damaged = ret;
		else if (ret)
			return ret;
	}
	return damaged;
}
