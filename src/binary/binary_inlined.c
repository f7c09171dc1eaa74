// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the debug information says of functions that the compiler inlined: whether it knows a name that is no symbol,
 * and how many copies of a function lie inside other functions. Reads of large files only the names.
 */
#include "base/search.h"
#include "binary_dwarf.h"
#include "binary_part.h"
#include "foreign.h"

#define NAMES ".debug_str"
/* Of all sections together: python3 has half of it. If a name is used everywhere, all are read, in some 100 ms. */
#define DWARF_MAX (32ULL << 20)
/* A name of three letters is the end of many others. */
#define NEEDLES_MAX 16

/* *size: of a section, unpacked. -ENOENT: it does not exist. */
static int size_of(struct binary_image *image, const char *name, Elf_Scn **scn, GElf_Shdr *shdr, uint64_t *size)
{
	GElf_Chdr chdr;
	int ret = binary_image_section(image, name, scn, shdr);

	*size = ret ? 0 : shdr->sh_size;
	if (!ret && shdr->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(*scn, &chdr))
			return -EBADMSG;
		*size = chdr.ch_size;
	}
	return ret;
}

/* *data: the contents of a section, unpacked. *size: in bytes, unpacked, also after -EFBIG. -ENOENT, -EBADMSG. */
static int load(struct binary_image *image, const char *name, Elf_Data **data, uint64_t *size)
{
	GElf_Shdr shdr;
	Elf_Scn *scn;
	int ret = size_of(image, name, &scn, &shdr, size);

	if (!ret)
		ret = binary_image_data(image, scn, data);
	if (ret || !(shdr.sh_flags & SHF_COMPRESSED))
		return ret;
	if (*size > image->left)
		return -EFBIG;
	image->left -= *size;
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
	int ret = load(image, NAMES, &data, &size);

	if (ret == -EFBIG)
		binary_refuse(binary, base_printf("%s: " NAMES " is not read: it has %s, more than %s", binary->path,
						  foreign_show_size(size).text, foreign_show_size(ELF_MAX_READ).text));
	else if (ret == -EBADMSG)
		binary_refuse(binary, base_printf("%s: " NAMES " is damaged", binary->path));
	return !ret && has_name(data, name);
}

bool binary_is_named(struct binary *binary, const char *name)
{
	return is_named(binary, &binary->file, name) || is_named(binary, &binary->debug, name);
}

static struct dwarf_section section_of(struct binary_image *image, const char *name)
{
	Elf_Data *data;
	uint64_t size;

	if (load(image, name, &data, &size))
		return (struct dwarf_section){};
	return (struct dwarf_section){ data->d_buf, data->d_size };
}

/* False: the image has no debug information, or too much. */
static bool dwarf_of(struct binary_image *image, struct dwarf *dwarf)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev", NAMES, ".debug_str_offsets" };
	struct dwarf_section *sections[] = { &dwarf->info, &dwarf->abbrev, &dwarf->str, &dwarf->str_offsets };
	uint64_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		uint64_t size;
		Elf_Scn *scn;

		if (size_of(image, names[i], &scn, &shdr, &size) == -EBADMSG || (all += size) > DWARF_MAX)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		*sections[i] = section_of(image, names[i]);
	return dwarf->info.n;
}

/* Offsets of 32 bits. A unit that holds none of them as bytes has nothing to say of what is there. */
struct needles {
	uint32_t v[NEEDLES_MAX];
	size_t n;
	bool all; /* there are more: no unit may be skipped */
};

static void add_needle(struct needles *needles, uint64_t offset)
{
	if (needles->n == NEEDLES_MAX)
		needles->all = true;
	else
		needles->v[needles->n++] = (uint32_t)offset;
}

/* The linker lets a name be the end of a longer one. */
static void add_names(struct needles *needles, struct dwarf_section str, const char *name)
{
	size_t len = strlen(name) + 1;
	const uint8_t *at = str.at;

	for (size_t i = 0; i < str.n && !needles->all && (at = memmem(str.at + i, str.n - i, name, len)); i++) {
		i = at - str.at;
		add_needle(needles, i);
	}
}

static bool has_needle(const struct needles *needles, const struct dwarf *dwarf, const struct dwarf_unit *unit)
{
	const uint8_t *at = dwarf->info.at + unit->first;
	bool found = needles->all;

	for (size_t i = 0; i < needles->n && !found; i++)
		found = memmem(at, unit->end - unit->first, &needles->v[i], sizeof(*needles->v));
	return found;
}

/* Of entries, sorted: a walk goes forward. */
struct offsets {
	vec(uint64_t);
};

struct search {
	struct dwarf dwarf;
	const char *name;
	struct offsets named; /* entries of functions that have the name */
	size_t copies;
};

static bool is_name(const struct search *search, struct dwarf_section text)
{
	size_t len = strlen(search->name) + 1;

	return text.n >= len && !memcmp(text.at, search->name, len);
}

static bool holds(const struct offsets *offsets, uint64_t offset)
{
	size_t at = search_first(i, offsets->n, offsets->v[i] >= offset);

	return at < offsets->n && offsets->v[at] == offset;
}

/* A method's name is where its class declares it, hence in an entry of its own. */
static void find_named(void *ctx, const struct dwarf_entry *entry)
{
	struct search *search = ctx;

	if (entry->tag == DWARF_TAG_SUBPROGRAM &&
	    (is_name(search, entry->name) || is_name(search, entry->linkage) ||
	     holds(&search->named, entry->declaration)))
		*vec_push(&search->named) = entry->offset;
}

static void count_copy(void *ctx, const struct dwarf_entry *entry)
{
	struct search *search = ctx;

	search->copies += entry->tag == DWARF_TAG_INLINED_SUBROUTINE && entry->has_code &&
			  holds(&search->named, entry->origin);
}

/*
 * Link-time optimisation inlines functions of one unit into others, which refer to the entry by its offset. A unit
 * with the entry itself refers to it relative to the unit.
 */
static void count_copies(struct search *search)
{
	struct needles needles = {};
	struct dwarf_unit unit;

	vec_each(offset, &search->named)
		add_needle(&needles, *offset);
	for (uint64_t at = 0; search->named.n && dwarf_unit_at(&search->dwarf, at, &unit); at = unit.end) {
		size_t next = search_first(i, search->named.n, search->named.v[i] >= unit.begin);
		bool inside = next < search->named.n && search->named.v[next] < unit.end;

		if (inside || has_needle(&needles, &search->dwarf, &unit))
			dwarf_each_entry(&search->dwarf, &unit, count_copy, search);
	}
}

static size_t copies_in(struct binary_image *image, const char *name)
{
	struct search search = { .name = name };
	struct needles needles = {};
	struct dwarf_unit unit;

	if (!dwarf_of(image, &search.dwarf))
		return 0;
	add_names(&needles, search.dwarf.str, name);
	/* names of three letters are in the entries themselves; units of clang refer to names by their number */
	needles.all |= strlen(name) < 4 || search.dwarf.str_offsets.n;
	for (uint64_t at = 0; dwarf_unit_at(&search.dwarf, at, &unit); at = unit.end)
		if (has_needle(&needles, &search.dwarf, &unit))
			dwarf_each_entry(&search.dwarf, &unit, find_named, &search);
	count_copies(&search);
	free(search.named.v);
	return search.copies;
}

size_t binary_count_inlined(struct binary *binary, const char *name)
{
	size_t n = copies_in(&binary->file, name);

	return n ? n : copies_in(&binary->debug, name);
}
