// SPDX-License-Identifier: BSD-2-Clause
/*
 * Detects whether Go linked an ELF file, by what Go's linker puts into every program and library, stripped or not.
 * Formats: Go's src/debug/buildinfo/buildinfo.go and src/cmd/link/internal/ld/elf.go.
 */
#include "binary_part.h"

/* The note with Go's build id: owner "Go", type ELF_NOTE_GOBUILDID_TAG. */
#define GO_NOTE_OWNER "Go"
#define GO_NOTE_TYPE  4

/* The build information: aligned, near the begin of a data segment. */
#define INFO_BEGIN  0xff
#define INFO_MAGIC  " Go buildinf:" /* behind it; together here, this program could have both at such a place */
#define INFO_ALIGN  16
#define INFO_SEARCH (64 * 1024)
#define INFO_FLAGS  15	/* offset of the byte with the flags */
#define INFO_INLINE 0x2 /* the version string follows inline: Go 1.18 and later */

static bool has_section(struct binary *binary, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn;

	return !binary_image_section(&binary->file, name, &scn, shdr);
}

/* Searches the build information in a piece of the file. */
static enum binary_go info_in(const struct binary *binary, uint64_t offset, uint64_t size)
{
	size_t room = size < INFO_SEARCH ? size : INFO_SEARCH;
	__free char *piece = base_alloc(room + 1);
	ssize_t n = pread(binary->file.fd, piece, room, (off_t)offset);

	for (ssize_t at = 0; at + INFO_ALIGN <= n; at += INFO_ALIGN)
		if ((unsigned char)piece[at] == INFO_BEGIN && !memcmp(piece + at + 1, INFO_MAGIC, strlen(INFO_MAGIC)))
			return piece[at + INFO_FLAGS] & INFO_INLINE ? BINARY_GO_REGISTERS : BINARY_GO;
	return BINARY_GO_NONE;
}

/* For a file without section headers. */
static enum binary_go info_in_segments(const struct binary *binary)
{
	vec_each(segment, binary) {
		enum binary_go found = segment->exec ? BINARY_GO_NONE : info_in(binary, segment->offset, segment->size);

		if (found)
			return found;
	}
	return BINARY_GO_NONE;
}

static int found_note(void *ctx, const char *desc, size_t len)
{
	return 1;
}

/* The same for the note: PT_NOTE segments hold it. */
static bool note_in_segments(struct binary *binary)
{
	size_t count;

	if (elf_getphdrnum(binary->file.elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(binary->file.elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		if (!binary_image_chunk(&binary->file, phdr.p_offset, phdr.p_filesz,
					phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR, &data) &&
		    binary_each_note_in(data, GO_NOTE_OWNER, GO_NOTE_TYPE, found_note, NULL) == 1)
			return true;
	}
	return false;
}

enum binary_go binary_go(struct binary *binary)
{
	/* in position-independent files .gopclntab is among the relocated data */
	static const char *const sections[] = { ".note.go.buildid", ".gopclntab", ".data.rel.ro.gopclntab" };
	enum binary_go found = BINARY_GO_NONE;
	GElf_Shdr shdr;

	if (has_section(binary, ".go.buildinfo", &shdr)) {
		found = shdr.sh_type == SHT_NOBITS ? BINARY_GO : info_in(binary, shdr.sh_offset, shdr.sh_size);
		return found ? found : BINARY_GO;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (has_section(binary, sections[i], &shdr))
			return BINARY_GO;
	found = info_in_segments(binary);
	return found || !note_in_segments(binary) ? found : BINARY_GO;
}
