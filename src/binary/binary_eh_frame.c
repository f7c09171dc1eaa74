// SPDX-License-Identifier: BSD-2-Clause
/*
 * Locates the .eh_frame of a file by the program header that the loader uses, else by its section; does not parse
 * it. Looks up the begins of functions in the table of .eh_frame_hdr.
 */
#include "base/search.h"
#include "binary_code.h"
#include "binary_part.h"

/* The begin of .eh_frame_hdr (LSB 5.0 core, 10.6.2). */
struct header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame; /* where .eh_frame is, relative to this member */
};

/* After the header there may be the number of entries (4 bytes) and the sorted entries, relative to the header. */
struct entry {
	int32_t start, frame;
};

/* The only encodings that linkers write. */
#define HEADER_VERSION 1
#define PCREL_SDATA4   0x1b
#define UDATA4	       0x03
#define DATAREL_SDATA4 0x3b

static int find_header(struct binary *binary, GElf_Phdr *phdr, struct header *header)
{
	size_t count;

	if (elf_getphdrnum(binary->file.elf, &count))
		return -ENOENT;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(binary->file.elf, (int)i, phdr) || phdr->p_type != PT_GNU_EH_FRAME)
			continue;
		return binary_image_read(&binary->file, phdr->p_offset, header, sizeof(*header)) ||
				       header->version != HEADER_VERSION || header->frame_encoding != PCREL_SDATA4
			       ? -ENOENT
			       : 0;
	}
	return -ENOENT;
}

/* *size reaches to the end of the segment: only a section header gives the end, and it may be absent or wrong. */
static int by_header(struct binary *binary, uint64_t *vaddr, uint64_t *offset, uint64_t *size)
{
	const struct binary_segment *segment;
	struct header header;
	GElf_Phdr phdr;

	if (find_header(binary, &phdr, &header))
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

int binary_eh_frame(struct binary *binary, struct binary_part *part)
{
	GElf_Shdr shdr;
	bool section = !by_section(binary, &shdr), header = !by_header(binary, &part->vaddr, &part->offset, &part->size);

	if (!section && !header)
		return -ENODATA;
	part->exact = section && (!header || shdr.sh_addr == part->vaddr);
	if (part->exact) {
		part->vaddr = shdr.sh_addr;
		part->offset = shdr.sh_offset;
		part->size = shdr.sh_size;
	}
	return part->offset <= binary->file.size && part->size <= binary->file.size - part->offset ? 0 : -EBADMSG;
}

uint64_t binary_entry(struct binary *binary)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(binary->file.elf, &ehdr) ? ehdr.e_entry : 0;
}

static void find_starts(struct binary *binary, struct binary_starts *starts)
{
	struct header header;
	GElf_Phdr phdr;
	Elf_Data *data;
	uint32_t count;
	size_t before = sizeof(header) + sizeof(count);

	starts->known = true;
	if (find_header(binary, &phdr, &header) || header.count_encoding != UDATA4 || header.table_encoding != DATAREL_SDATA4 ||
	    phdr.p_filesz < before || binary_image_chunk(&binary->file, phdr.p_offset, phdr.p_filesz, ELF_T_BYTE, &data))
		return;
	memcpy(&count, (char *)data->d_buf + sizeof(header), sizeof(count));
	if (count > (data->d_size - before) / sizeof(struct entry))
		return;
	starts->vaddr = phdr.p_vaddr;
	starts->table = (char *)data->d_buf + before;
	starts->n = count;
}

static uint64_t start_of(const struct binary_starts *starts, size_t i)
{
	struct entry entry;

	memcpy(&entry, starts->table + i * sizeof(entry), sizeof(entry));
	return starts->vaddr + (uint64_t)(int64_t)entry.start;
}

/* The table; its n is 0 if there is none. */
static const struct binary_starts *starts_get(struct binary *binary)
{
	if (!binary->starts.known)
		find_starts(binary, &binary->starts);
	return &binary->starts;
}

int binary_unwind_start(struct binary *binary, uint64_t vaddr, uint64_t *start)
{
	const struct binary_starts *starts = starts_get(binary);
	size_t behind = search_first(i, starts->n, start_of(starts, i) > vaddr);

	if (!behind)
		return -ENOENT;
	*start = start_of(starts, behind - 1);
	return 0;
}

bool binary_unwinds_from(struct binary *binary, uint64_t vaddr)
{
	uint64_t start;

	return !binary_unwind_start(binary, vaddr, &start) && start == vaddr;
}

/*
 * The record of a function (LSB 5.0 core, 10.6.1.2) up to its instructions, as linkers write nearly all: 32 bits of length,
 * addresses of 32 bits relative to themselves.
 */
struct record {
	uint32_t length;
	uint32_t cie; /* the distance from here back to the common record */
	int32_t begin;
	uint32_t size;
	uint8_t rest[32]; /* the length of the augmentation data, the data, instructions */
};

/* The common record up to the text that says what its augmentation data are. */
struct common {
	uint32_t length, id;
	uint8_t version;
	uint8_t rest[39];
};

/* Reads numbers of up to 7 bits, each in a byte: others mean that the frame is not known. */
struct bytes {
	const uint8_t *at, *end;
};

static uint8_t take(struct bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : 0xff;
}

/* How far the stack pointer is below the frame, in bytes, where nothing has been done yet. */
#if defined(__x86_64__)
#define OUTSIDE 8
#else
#define OUTSIDE 0
#endif

/* Goes through instructions that define the frame, up to the first that belongs to a later place (DWARF 5, 6.4.2). */
static void define_frame(struct bytes bytes, uint64_t *depth)
{
	for (;;) {
		uint8_t op = take(&bytes);

		if (op == 0x0c || op >> 6 == 2) /* DW_CFA_def_cfa; DW_CFA_offset */
			take(&bytes);
		else if (op == 0x0d) /* DW_CFA_def_cfa_register: a frame pointer */
			*depth = OUTSIDE + 1;
		else if (op && op != 0x0e) /* DW_CFA_def_cfa_offset */
			return;
		if (op == 0x0c || op == 0x0e)
			*depth = take(&bytes);
	}
}

/* The instructions of a common record: behind its text, three numbers, and the augmentation data. */
static struct bytes instructions_of(const struct common *common)
{
	struct bytes bytes = { common->rest, common->rest + sizeof(common->rest) };
	bool augmented = *bytes.at == 'z';
	uint8_t skip = 3;

	while (take(&bytes) && bytes.at < bytes.end)
		;
	while (skip--)
		take(&bytes);
	skip = augmented ? take(&bytes) : 0;
	while (skip-- && bytes.at < bytes.end)
		take(&bytes);
	return bytes;
}

/* Whether code begins with a frame on the stack. Assemblers write what many records begin with into the common one. */
static bool begins_in_frame(const struct record *record, const struct common *common)
{
	struct bytes own = { record->rest, record->rest + sizeof(record->rest) };
	uint64_t depth = OUTSIDE;

	for (uint8_t skip = take(&own); skip && own.at < own.end; skip--)
		take(&own);
	define_frame(instructions_of(common), &depth);
	define_frame(own, &depth);
	return depth != OUTSIDE;
}

bool binary_unwind_extent(struct binary *binary, uint64_t vaddr, struct binary_extent *extent)
{
	const struct binary_starts *starts = starts_get(binary);
	size_t behind = search_first(i, starts->n, start_of(starts, i) > vaddr);
	const struct binary_segment *segment;
	struct common common;
	struct record record;
	struct entry entry;
	uint64_t at, offset;

	if (!behind)
		return false;
	memcpy(&entry, starts->table + (behind - 1) * sizeof(entry), sizeof(entry));
	at = starts->vaddr + (uint64_t)(int64_t)entry.frame;
	segment = binary_segment_of(binary, at, false);
	extent->vaddr = start_of(starts, behind - 1);
	if (!segment)
		return false;
	offset = at - segment->vaddr + segment->offset;
	if (binary_image_read(&binary->file, offset, &record, sizeof(record)))
		return false;
	/* other encodings do not give the begin that the table has */
	if (at + offsetof(struct record, begin) + (uint64_t)(int64_t)record.begin != extent->vaddr)
		return false;
	extent->size = record.size;
	offset += offsetof(struct record, cie) - record.cie;
	extent->in_frame = !binary_image_read(&binary->file, offset, &common, sizeof(common)) && begins_in_frame(&record, &common);
	return vaddr - extent->vaddr < extent->size;
}
