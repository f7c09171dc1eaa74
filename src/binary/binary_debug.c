// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the symbols that were stripped from a file: its debug file, by build-id or .gnu_debuglink, else the small
 * table that Fedora packs into .gnu_debugdata. The file is foreign and chooses the names: so a debug file is
 * checked before use. Records the places that were searched and the first debug file that was rejected. Reads no
 * symbols; asks no debuginfod.
 */
#include <libgen.h>
#include <limits.h>
#include <lzma.h>
#include <zlib.h>

#include "binary_part.h"
#include "foreign.h"

#define DEBUG_DIR "/usr/lib/debug"
#define DEBUGDATA ".gnu_debugdata"
#define MAX_ID	  64
/* Limits for .gnu_debugdata, which unpacks to some 100 KB. */
#define MAX_UNPACKED  (256ULL << 20)
#define MAX_XZ_MEMORY (128ULL << 20)
/* A debug file without a build-id is read whole for its checksum. A file of this size takes half a second. */
#define MAX_CHECKED (1ULL << 30)

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

static struct build_id build_id_of(struct binary_image *image)
{
	struct build_id id = { .n = 0 };

	binary_each_note(image, NULL, "GNU", NT_GNU_BUILD_ID, take_build_id, &id);
	return id;
}

struct search {
	struct binary *binary;
	const char *root; /* all places are below it */
	struct build_id id;
	const uint32_t *crc; /* of .gnu_debuglink; NULL: not looking by that now */
	char **source, **looked;
};

static void add_looked(struct search *search, const char *place)
{
	char *old __free = *search->looked;

	*search->looked = base_printf("%s%s%s", old ? old : "", old ? ", " : "", place);
}

void binary_refuse(struct binary *binary, char *text)
{
	if (binary->refused)
		free(text);
	else
		binary->refused = text;
}

/* The file exists: without a report the user would wonder why it is not used. */
static void add_refused(struct search *search, const char *text)
{
	add_looked(search, text);
	binary_refuse(search->binary, base_strdup(text));
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

/* Reads in pieces, up to the size when the file was opened: it may grow. */
static bool crc_is(const struct binary_image *image, uint32_t crc)
{
	uLong sum = crc32(0, NULL, 0);
	unsigned char buf[65536];

	for (uint64_t at = 0; at < image->size;) {
		uint64_t rest = image->size - at;
		size_t n = rest < sizeof(buf) ? (size_t)rest : sizeof(buf);

		if (binary_image_read(image, at, buf, n))
			return false;
		sum = crc32(sum, buf, (uInt)n);
		at += n;
	}
	return sum == crc;
}

/*
 * Why the image is not the debug file of search->binary, or NULL if it is. Equal build-ids decide; if one of the
 * two has none, the CRC in .gnu_debuglink does. The ids come first because the CRC needs the whole file.
 */
static const char *mismatch(const struct search *search, struct binary_image *image)
{
	struct build_id other = build_id_of(image);

	if (search->id.n && other.n)
		return search->id.n == other.n && !memcmp(search->id.bytes, other.bytes, other.n)
			       ? NULL
			       : "is of another build: the build-id differs";
	if (!search->crc)
		return "has no build-id";
	if (image->size > MAX_CHECKED)
		return "has no build-id, and is too large for its checksum";
	return crc_is(image, *search->crc) ? NULL : "is of another build: the checksum differs";
}

/* Frees path, which is below the root. */
static bool try_debug(struct search *search, char *path)
{
	char *place __free = path, *shown __free = foreign_join(search->root, path);
	struct binary_image image = {};
	const char *why;
	struct err err;
	int ret = binary_image_open(&image, search->root, place, &err);

	if (ret == -ENOENT || ret == -ENOTDIR)
		add_looked(search, shown);
	else if (ret)
		add_refused(search, err.text);
	if (ret)
		return false;
	why = mismatch(search, &image);
	if (!why && has_symtab(image.elf)) {
		search->binary->debug = image;
		*search->source = take_ptr(shown);
		return true;
	}
	binary_image_close(&image);
	if (why) {
		err_set(&err, -ENODATA, "%s: %s", shown, why);
		add_refused(search, err.text);
	} else {
		add_looked(search, shown); /* no .symtab: perhaps a link back to the stripped file */
	}
	return false;
}

static char *show_build_id(const struct build_id *id)
{
	char hex[2 * MAX_ID + 1] = "";

	for (size_t i = 0; i < id->n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->bytes[i]);
	return id->n ? base_strdup(hex) : NULL;
}

char *binary_build_id(struct binary *binary)
{
	struct build_id id = build_id_of(&binary->file);

	return show_build_id(&id);
}

static bool find_by_build_id(struct search *search)
{
	char *hex __free = show_build_id(&search->id);

	return hex && try_debug(search, base_printf(DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2));
}

/* .gnu_debuglink: a file name, padded to four bytes, then the CRC. A name with '/' would leave the directory. */
static bool read_debuglink(struct binary_image *image, const char **name, uint32_t *crc)
{
	Elf_Scn *scn;
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t len;

	if (binary_image_section(image, ".gnu_debuglink", &scn, &shdr) || binary_image_data(image, scn, &data))
		return false;
	*name = data->d_buf;
	len = strnlen(*name, data->d_size);
	if (!len || len > NAME_MAX || (len | 3) + 1 + sizeof(*crc) > data->d_size || strchr(*name, '/'))
		return false;
	memcpy(crc, *name + (len | 3) + 1, sizeof(*crc));
	return true;
}

static bool find_by_debuglink(struct search *search)
{
	struct binary *binary = search->binary;
	char *inside __free = base_strdup(binary_path_in_root(binary));
	char *real __free = binary->root ? NULL : realpath(binary->path, NULL);
	char *dir = dirname(real ? real : inside);
	const char *name;
	uint32_t crc;
	bool found;

	if (!read_debuglink(&binary->file, &name, &crc))
		return false;
	search->crc = &crc;
	found = try_debug(search, base_printf("%s/%s", dir, name)) ||
		try_debug(search, base_printf("%s/.debug/%s", dir, name)) ||
		try_debug(search, base_printf(DEBUG_DIR "%s/%s", dir, name));
	search->crc = NULL;
	return found;
}

/* The unpacked size that the only xz stream in the section claims; 0 if the stream is damaged. */
static uint64_t unpacked_size(const uint8_t *in, size_t n)
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
	return size;
}

/* Unpacks n bytes of xz to exactly size bytes, which the caller frees. NULL on any error. */
static void *unpack_xz(const uint8_t *in, size_t n, size_t size)
{
	uint64_t memory = MAX_XZ_MEMORY;
	size_t in_at = 0, out_at = 0;
	uint8_t *out __free = size ? malloc(size) : NULL;

	if (!out ||
	    lzma_stream_buffer_decode(&memory, 0, NULL, in, &in_at, n, out, &out_at, size) != LZMA_OK ||
	    out_at != size)
		return NULL;
	return take_ptr(out);
}

static int open_debugdata(struct binary *binary, struct binary_image *image, const Elf_Data *data, struct err *err)
{
	uint64_t size = unpacked_size(data->d_buf, data->d_size);
	void *memory;

	if (size > MAX_UNPACKED)
		return err_set(err, -EFBIG, DEBUGDATA " is not unpacked: it would have %s, more than %s",
			       foreign_show_size(size).text, foreign_show_size(MAX_UNPACKED).text);
	memory = unpack_xz(data->d_buf, data->d_size, (size_t)size);
	if (!memory)
		return err_set(err, -EBADMSG, DEBUGDATA " is damaged");
	return binary_image_open_memory(image, memory, (size_t)size, DEBUGDATA, err);
}

static bool find_debugdata(struct search *search)
{
	struct binary *binary = search->binary;
	struct binary_image image = {};
	Elf_Data *data = NULL;
	GElf_Shdr shdr;
	struct err err;
	Elf_Scn *scn;
	int ret;

	if (binary_image_section(&binary->file, DEBUGDATA, &scn, &shdr))
		return false;
	ret = binary_image_data(&binary->file, scn, &data);
	if (ret)
		err_set(&err, ret, DEBUGDATA " is damaged");
	else
		ret = open_debugdata(binary, &image, data, &err);
	if (!ret && has_symtab(image.elf)) {
		binary->debug = image;
		*search->source = base_strdup(DEBUGDATA);
		return true;
	}
	if (ret)
		add_refused(search, err.text);
	else
		binary_image_close(&image);
	return false;
}

int binary_debug_find(struct binary *binary, char **source, char **looked)
{
	struct search search = {
		.binary = binary,
		.root = binary->root ? binary->root : "/",
		.id = build_id_of(&binary->file),
		.source = source,
		.looked = looked,
	};

	return find_by_build_id(&search) || find_by_debuglink(&search) || find_debugdata(&search) ? 0 : -ENODATA;
}
