// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the symbols that were stripped from a file: its debug file, by build-id or by
 * .gnu_debuglink, else the small table that Fedora packs into .gnu_debugdata. Says where it
 * looked. Does not read symbols, and asks no server.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <lzma.h>
#include <zlib.h>

#include "elf_file.h"

#define DEBUG_DIR "/usr/lib/debug"
#define MAX_ID	  64
/* .gnu_debugdata unpacks to some 100 KB; more than this is not a symbol table */
#define MAX_UNPACKED  (256ULL << 20)
#define MAX_XZ_MEMORY (128ULL << 20)

struct build_id {
	unsigned char bytes[MAX_ID];
	size_t n;
};

static int take_build_id(void *ctx, const char *desc, size_t len)
{
	struct build_id *id = ctx;

	if (len < 2 || len > sizeof(id->bytes))
		return 0;
	memcpy(id->bytes, desc, len);
	id->n = len;
	return 1;
}

static struct build_id build_id_of(Elf *elf)
{
	struct build_id id = { .n = 0 };

	elf_each_note(elf, NULL, "GNU", NT_GNU_BUILD_ID, take_build_id, &id);
	return id;
}

static void add_looked(char **looked, const char *place)
{
	char *old __free = *looked;

	*looked = base_printf("%s%s%s", old ? old : "", old ? ", " : "", place);
}

static bool has_symtab(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			return true;
	}
	return false;
}

/* In pieces: a debug file may be larger than memory. */
static bool crc_is(int fd, uint32_t crc)
{
	uint64_t at = 0;
	uLong sum = crc32(0, NULL, 0);
	unsigned char buf[65536];
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), (off_t)at)) > 0) {
		sum = crc32(sum, buf, (uInt)n);
		at += (uint64_t)n;
	}
	return !n && sum == crc;
}

/*
 * Opens path as elf's debug file if it belongs to it: the build-ids are equal or, where one has
 * none, the CRC that .gnu_debuglink gives. The ids come first as they spare reading the file.
 */
static bool open_debug(struct elf *elf, const char *path, const struct build_id *id,
		       const uint32_t *crc)
{
	struct elf_image image;
	struct build_id other;
	bool same;

	if (elf_image_open(&image, path, NULL))
		return false;
	other = build_id_of(image.elf);
	if (id->n && other.n)
		same = id->n == other.n && !memcmp(id->bytes, other.bytes, id->n);
	else
		same = crc && crc_is(image.fd, *crc);
	if (same && has_symtab(image.elf)) {
		elf->debug = image;
		return true;
	}
	elf_image_close(&image);
	return false;
}

static bool try_debug(struct elf *elf, char *path, const struct build_id *id, const uint32_t *crc,
		      char **source, char **looked)
{
	bool found = open_debug(elf, path, id, crc);

	if (found)
		*source = path;
	else
		add_looked(looked, path);
	if (!found)
		free(path);
	return found;
}

static bool find_by_build_id(struct elf *elf, const struct build_id *id, char **source,
			     char **looked)
{
	char hex[2 * MAX_ID + 1] = "";

	if (!id->n)
		return false;
	for (size_t i = 0; i < id->n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
	return try_debug(elf,
			 base_printf("%s" DEBUG_DIR "/.build-id/%.2s/%s.debug",
				     elf->root ? elf->root : "", hex, hex + 2),
			 id, NULL, source, looked);
}

/* .gnu_debuglink: a file name, padded to four bytes, then the CRC. No way out of the directory. */
static bool read_debuglink(Elf *elf, const char **name, uint32_t *crc)
{
	Elf_Scn *scn;
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t len;

	if (elf_section_named(elf, ".gnu_debuglink", &scn, &shdr))
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return false;
	*name = data->d_buf;
	len = strnlen(*name, data->d_size);
	if (!len || (len | 3) + 1 + sizeof(*crc) > data->d_size || strchr(*name, '/'))
		return false;
	memcpy(crc, *name + (len | 3) + 1, sizeof(*crc));
	return true;
}

static bool find_by_debuglink(struct elf *elf, const struct build_id *id, char **source,
			      char **looked)
{
	char *inside __free = base_strdup(elf_path_in_root(elf));
	char *real __free = elf->root ? NULL : realpath(elf->path, NULL);
	char *dir = dirname(real ? real : inside);
	const char *root = elf->root ? elf->root : "";
	const char *name;
	uint32_t crc;

	if (!read_debuglink(elf->file.elf, &name, &crc))
		return false;
	return try_debug(elf, base_printf("%s%s/%s", root, dir, name), id, &crc, source, looked) ||
	       try_debug(elf, base_printf("%s%s/.debug/%s", root, dir, name), id, &crc, source,
			 looked) ||
	       try_debug(elf, base_printf("%s" DEBUG_DIR "%s/%s", root, dir, name), id, &crc,
			 source, looked);
}

/* What the one xz stream in the section says of its size: 0 where it is not to be believed. */
static size_t unpacked_size(const uint8_t *in, size_t n)
{
	uint64_t memory = MAX_XZ_MEMORY, size;
	lzma_stream_flags footer;
	lzma_index *index = NULL;
	size_t at = 0;

	if (n < 2 * LZMA_STREAM_HEADER_SIZE ||
	    lzma_stream_footer_decode(&footer, in + n - LZMA_STREAM_HEADER_SIZE) != LZMA_OK ||
	    footer.backward_size > n - 2 * LZMA_STREAM_HEADER_SIZE)
		return 0;
	in += n - LZMA_STREAM_HEADER_SIZE - footer.backward_size;
	if (lzma_index_buffer_decode(&index, &memory, NULL, in, &at, footer.backward_size) !=
	    LZMA_OK)
		return 0;
	size = lzma_index_uncompressed_size(index);
	lzma_index_end(index, NULL);
	return size > MAX_UNPACKED ? 0 : (size_t)size;
}

static void *unpack(const uint8_t *in, size_t n, size_t *size)
{
	uint64_t memory = MAX_XZ_MEMORY;
	size_t in_at = 0, out_at = 0;
	uint8_t *out __free = NULL;

	*size = unpacked_size(in, n);
	out = *size ? malloc(*size) : NULL;
	if (!out ||
	    lzma_stream_buffer_decode(&memory, 0, NULL, in, &in_at, n, out, &out_at, *size) !=
		    LZMA_OK ||
	    out_at != *size)
		return NULL;
	return take_ptr(out);
}

static bool find_debugdata(struct elf *elf, char **source, char **looked)
{
	struct elf_image image = { .fd = -1 };
	Elf_Scn *scn;
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t size = 0;

	if (elf_section_named(elf->file.elf, ".gnu_debugdata", &scn, &shdr))
		return false;
	data = elf_rawdata(scn, NULL);
	if (data && data->d_buf)
		image.memory = unpack(data->d_buf, data->d_size, &size);
	if (image.memory)
		image.elf = elf_memory(image.memory, size);
	if (image.elf && gelf_getclass(image.elf) == ELFCLASS64 && has_symtab(image.elf)) {
		elf->debug = image;
		*source = base_strdup(".gnu_debugdata");
		return true;
	}
	elf_image_close(&image);
	add_looked(looked, ".gnu_debugdata");
	return false;
}

int elf_debug_find(struct elf *elf, char **source, char **looked)
{
	struct build_id id = build_id_of(elf->file.elf);

	if (find_by_build_id(elf, &id, source, looked) ||
	    find_by_debuglink(elf, &id, source, looked) || find_debugdata(elf, source, looked))
		return 0;
	return -ENODATA;
}
