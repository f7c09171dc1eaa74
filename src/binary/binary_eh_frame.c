// SPDX-License-Identifier: BSD-2-Clause
/* Where a file's .eh_frame is: as the loader finds it, by a program header; else by its section. Does not read what is in it. */
#include "binary_file.h"

/* What the header that a program header names begins with (LSB 5.0 core, 10.6.2), in the only forms that linkers write. */
struct header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
};

#define HEADER_VERSION 1
#define PCREL_SDATA4   0x1b

static bool find_header(struct binary *binary, GElf_Phdr *phdr)
{
	size_t count;

	if (elf_getphdrnum(binary->file.elf, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(binary->file.elf, (int)i, phdr) && phdr->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* From there to the end of its segment: the headers of sections, which know its end, need not be there or be true. */
static int by_header(struct binary *binary, uint64_t *vaddr, uint64_t *offset, uint64_t *size)
{
	const struct binary_segment *segment;
	struct header header;
	GElf_Phdr phdr;

	if (!find_header(binary, &phdr) || binary_image_read(&binary->file, phdr.p_offset, &header, sizeof(header)) ||
	    header.version != HEADER_VERSION || header.frame_encoding != PCREL_SDATA4)
		return -ENOENT;
	*vaddr = phdr.p_vaddr + offsetof(struct header, frame) + header.frame;
	segment = binary_segment_of(binary, *vaddr, false);
	if (!segment)
		return -ENOENT;
	*offset = *vaddr - segment->vaddr + segment->offset;
	*size = segment->size - (*vaddr - segment->vaddr);
	return 0;
}

static int by_section(struct binary *binary, GElf_Shdr *shdr)
{
	Elf_Scn *scn;

	return binary_image_section(&binary->file, ".eh_frame", &scn, shdr) || shdr->sh_type == SHT_NOBITS ? -ENOENT : 0;
}

int binary_eh_frame(struct binary *binary, struct binary_bytes *bytes)
{
	uint64_t vaddr = 0, offset = 0, size = 0;
	Elf_Data *data;
	GElf_Shdr shdr;
	bool section = !by_section(binary, &shdr), header = !by_header(binary, &vaddr, &offset, &size);
	int ret;

	if (!section && !header)
		return -ENODATA;
	bytes->exact = section && (!header || shdr.sh_addr == vaddr);
	if (bytes->exact) {
		vaddr = shdr.sh_addr;
		offset = shdr.sh_offset;
		size = shdr.sh_size;
	}
	ret = binary_image_chunk(&binary->file, offset, size, ELF_T_BYTE, &data);
	if (ret)
		return ret;
	bytes->data = data->d_buf;
	bytes->size = data->d_size;
	bytes->vaddr = vaddr;
	return 0;
}
