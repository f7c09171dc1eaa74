// SPDX-License-Identifier: BSD-2-Clause
/*
 * Versions of dynamic symbols: .gnu.version has a number for each symbol, .gnu.version_d and .gnu.version_r have
 * the names (LSB, "Symbol Versioning").
 */
#include "binary_part.h"

/* Numbers have 15 bits. glibc has 50 versions. */
#define MAX_VERSIONS 32768

static void set_name(struct binary_versions *v, unsigned int number, const char *name)
{
	number &= MAX_VERSIONS - 1;
	while (v->n <= number)
		*vec_push(v) = NULL;
	v->v[number] = name;
}

/* at + distance without overflow; libelf refuses an offset outside the table. */
static int beyond(int at, uint32_t distance)
{
	return distance > (uint32_t)(INT32_MAX - at) ? INT32_MAX : at + (int)distance;
}

/* The versions that the file defines. The first name of a definition is the version, the others are its parents. */
static void read_definitions(struct binary_versions *v, struct binary_image *image, Elf_Data *data, const GElf_Shdr *shdr)
{
	GElf_Verdef def;
	GElf_Verdaux name;
	int at = 0;

	for (size_t left = MAX_VERSIONS; left && gelf_getverdef(data, at, &def); left--, at = beyond(at, def.vd_next)) {
		if (!(def.vd_flags & VER_FLG_BASE) && gelf_getverdaux(data, beyond(at, def.vd_aux), &name))
			set_name(v, def.vd_ndx, binary_image_string(image, shdr->sh_link, name.vda_name));
		if (!def.vd_next)
			return;
	}
}

/* The versions that the file needs of other files. */
static void read_needs(struct binary_versions *v, struct binary_image *image, Elf_Data *data, const GElf_Shdr *shdr)
{
	size_t left = MAX_VERSIONS;
	GElf_Verneed need;
	GElf_Vernaux name;

	for (int at = 0; left && gelf_getverneed(data, at, &need); left--, at = beyond(at, need.vn_next)) {
		int from = beyond(at, need.vn_aux);

		for (; left && gelf_getvernaux(data, from, &name); left--, from = beyond(from, name.vna_next)) {
			set_name(v, name.vna_other, binary_image_string(image, shdr->sh_link, name.vna_name));
			if (!name.vna_next)
				break;
		}
		if (!need.vn_next || !left)
			return;
	}
}

void binary_versions_read(struct binary_versions *v, struct binary_image *image)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	*v = (struct binary_versions){};
	while ((scn = elf_nextscn(image->elf, scn)) && gelf_getshdr(scn, &shdr)) {
		Elf_Data *data = NULL;

		if (shdr.sh_type == SHT_GNU_versym || shdr.sh_type == SHT_GNU_verdef || shdr.sh_type == SHT_GNU_verneed)
			binary_image_data(image, scn, &data);
		if (!data)
			continue;
		if (shdr.sh_type == SHT_GNU_versym)
			v->numbers = data;
		else if (shdr.sh_type == SHT_GNU_verdef)
			read_definitions(v, image, data, &shdr);
		else
			read_needs(v, image, data, &shdr);
	}
}

void binary_versions_release(struct binary_versions *v)
{
	free(v->v);
}

const char *binary_version_of(const struct binary_versions *v, size_t symbol)
{
	GElf_Versym number;

	if (!v->numbers || symbol > INT32_MAX || !gelf_getversym(v->numbers, (int)symbol, &number))
		return "";
	number &= MAX_VERSIONS - 1;
	return number < v->n && v->v[number] ? v->v[number] : "";
}
