// SPDX-License-Identifier: BSD-2-Clause
/*
 * Is an ELF file Go's? By what Go's linker leaves in every program and library, stripped or not. Knows nothing of why
 * anybody asks. The formats: Go's src/debug/buildinfo/buildinfo.go and src/cmd/link/internal/ld/elf.go.
 */
#include "elf_file.h"

/* The build id's note: owner "Go", type ELF_NOTE_GOBUILDID_TAG. */
#define GO_NOTE_OWNER "Go"
#define GO_NOTE_TYPE  4

/* What the build's information begins with, at a multiple of its alignment, early in a segment of data. */
#define INFO_MAGIC  "\xff Go buildinf:"
#define INFO_ALIGN  16
#define INFO_SEARCH (64 * 1024)
#define INFO_FLAGS  15	/* the place of a byte */
#define INFO_INLINE 0x2 /* the version stands there itself: Go 1.18 and later */

static bool has_section(struct elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn;

	return !elf_image_section(&elf->file, name, &scn, shdr);
}

/* In a piece of the file: GO_NONE where it is not there. */
static enum elf_go info_in(const struct elf *elf, uint64_t offset, uint64_t size)
{
	size_t room = size < INFO_SEARCH ? size : INFO_SEARCH;
	__free char *piece = base_alloc(room + 1);
	ssize_t n = pread(elf->file.fd, piece, room, (off_t)offset);

	for (ssize_t at = 0; at + INFO_ALIGN <= n; at += INFO_ALIGN)
		if (!memcmp(piece + at, INFO_MAGIC, strlen(INFO_MAGIC)))
			return piece[at + INFO_FLAGS] & INFO_INLINE ? ELF_GO_REGISTERS : ELF_GO;
	return ELF_GO_NONE;
}

/* Of a file without section headers. */
static enum elf_go info_in_segments(const struct elf *elf)
{
	vec_each(segment, elf) {
		enum elf_go found = segment->exec ? ELF_GO_NONE : info_in(elf, segment->offset, segment->size);

		if (found)
			return found;
	}
	return ELF_GO_NONE;
}

static int found_note(void *ctx, const char *desc, size_t len)
{
	return 1;
}

/* The same for the note, which a segment of notes holds. */
static bool note_in_segments(struct elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf->file.elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		Elf_Data *data;

		if (!gelf_getphdr(elf->file.elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		if (!elf_image_chunk(&elf->file, phdr.p_offset, phdr.p_filesz,
				     phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR, &data) &&
		    elf_each_note_in(data, GO_NOTE_OWNER, GO_NOTE_TYPE, found_note, NULL) == 1)
			return true;
	}
	return false;
}

enum elf_go elf_go(struct elf *elf)
{
	/* a library or an executable that is loaded anywhere has the table where it is relocated */
	static const char *const sections[] = { ".note.go.buildid", ".gopclntab", ".data.rel.ro.gopclntab" };
	enum elf_go found = ELF_GO_NONE;
	GElf_Shdr shdr;

	if (has_section(elf, ".go.buildinfo", &shdr)) {
		found = shdr.sh_type == SHT_NOBITS ? ELF_GO : info_in(elf, shdr.sh_offset, shdr.sh_size);
		return found ? found : ELF_GO;
	}
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (has_section(elf, sections[i], &shdr))
			return ELF_GO;
	found = info_in_segments(elf);
	return found || !note_in_segments(elf) ? found : ELF_GO;
}
