// SPDX-License-Identifier: BSD-2-Clause
/* Names that only the debug information holds: functions of which the compiler inlined every call. */
#include "binary_part.h"
#include "foreign.h"

#define SECTION ".debug_str"

/*
 * *data: the contents of SECTION, unpacked. *size: in bytes, unpacked, also after -EFBIG. -ENOENT: no section;
 * -EBADMSG.
 */
static int load(struct binary_image *image, Elf_Data **data, uint64_t *size)
{
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	Elf_Scn *scn;
	int ret = binary_image_section(image, SECTION, &scn, &shdr);

	*size = ret ? 0 : shdr.sh_size;
	if (!ret)
		ret = binary_image_data(image, scn, data);
	if (ret || !(shdr.sh_flags & SHF_COMPRESSED))
		return ret;
	if (!gelf_getchdr(scn, &chdr))
		return -EBADMSG;
	*size = chdr.ch_size;
	if (chdr.ch_size > image->left)
		return -EFBIG;
	image->left -= chdr.ch_size;
	if (elf_compress(scn, 0, 0) < 0)
		return -EBADMSG;
	*data = elf_getdata(scn, NULL);
	return *data && (*data)->d_buf ? 0 : -EBADMSG;
}

static bool has_name(const Elf_Data *data, const char *name)
{
	size_t len = strlen(name) + 1;

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

static bool is_named(struct binary *binary, struct binary_image *image, const char *name)
{
	Elf_Data *data;
	uint64_t size;
	int ret = load(image, &data, &size);

	if (ret == -EFBIG)
		binary_refuse(binary, base_printf("%s: " SECTION " is not read: it has %s, more than %s", binary->path,
						  foreign_show_size(size).text, foreign_show_size(ELF_MAX_READ).text));
	else if (ret == -EBADMSG)
		binary_refuse(binary, base_printf("%s: " SECTION " is damaged", binary->path));
	return !ret && has_name(data, name);
}

bool binary_is_named(struct binary *binary, const char *name)
{
	return is_named(binary, &binary->file, name) || is_named(binary, &binary->debug, name);
}
