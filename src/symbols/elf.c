// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opens a program or library, says what is wrong with it, and turns its addresses into file offsets by
 * its program headers. Knows no symbols: elf_symbols.c, elf_debug.c and elf_marks.c do.
 */
#include "elf_file.h"

/* The kernel runs nothing with more program headers than fit in 64 KiB; it bounds our work, too. */
#define MAX_SEGMENTS (65536 / sizeof(Elf64_Phdr))

/* Header and tables within the file; overflow cannot happen in the sums by order of the checks. */
static int check_tables(struct elf *elf, const GElf_Ehdr *ehdr, uint64_t size, struct err *err)
{
	uint64_t sections = (uint64_t)ehdr->e_shnum * ehdr->e_shentsize;
	uint64_t segments = (uint64_t)ehdr->e_phnum * ehdr->e_phentsize;

	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return err_set(err, -ENOEXEC, "%s: is %s, neither a program nor a shared library",
			       elf->path,
			       ehdr->e_type == ET_REL	 ? "an object file that is not linked"
			       : ehdr->e_type == ET_CORE ? "a core dump"
							 : "an ELF file of unknown type");
	if (ehdr->e_phoff > size || segments > size - ehdr->e_phoff || ehdr->e_shoff > size ||
	    sections > size - ehdr->e_shoff)
		return err_set(err, -EBADMSG,
			       "%s: is truncated: its headers lie beyond its end (%llu bytes)",
			       elf->path, (unsigned long long)size);
	return 0;
}

static int read_segments(struct elf *elf, uint64_t size, struct err *err)
{
	bool code = false;
	size_t count, i;

	if (elf_getphdrnum(elf->file.elf, &count) || count > MAX_SEGMENTS)
		return err_set(err, -EBADMSG, "%s: has damaged program headers", elf->path);
	for (i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf->file.elf, (int)i, &phdr))
			return err_set(err, -EBADMSG, "%s: has damaged program headers", elf->path);
		if (phdr.p_type != PT_LOAD || !phdr.p_filesz)
			continue;
		if (phdr.p_offset > size || phdr.p_filesz > size - phdr.p_offset)
			return err_set(err, -EBADMSG,
				       "%s: is truncated: a segment lies beyond its end",
				       elf->path);
		if (phdr.p_vaddr + phdr.p_filesz < phdr.p_vaddr)
			return err_set(err, -EBADMSG, "%s: has damaged program headers", elf->path);
		*vec_push(elf) = (struct elf_segment){ phdr.p_vaddr, phdr.p_offset, phdr.p_filesz,
						       phdr.p_flags & PF_X };
		code |= phdr.p_flags & PF_X;
	}
	return code ? 0
		    : err_set(err, -ENODATA, "%s: holds no code; is it a debug file?", elf->path);
}

/* Reads them once, all: from then on it does not matter what becomes of the file's. */
static int read_section_headers(struct elf *elf, struct err *err)
{
	Elf_Scn *first = elf_nextscn(elf->file.elf, NULL);
	GElf_Shdr shdr;

	if (first && !gelf_getshdr(first, &shdr))
		return err_set(err, -EBADMSG, "%s: has damaged section headers: %s", elf->path, elf_errmsg(-1));
	return 0;
}

/* Where path begins below root; NULL where it is not below it. */
static const char *path_below(const char *root, const char *path)
{
	size_t n = root ? strlen(root) : 0;

	while (n && root[n - 1] == '/')
		n--;
	return root && !strncmp(path, root, n) && path[n] == '/' ? path + n : NULL;
}

int elf_open(const char *root, const char *path, struct elf **elfp, struct err *err)
{
	struct elf *elf __cleanup(elf_closep) = base_alloc(sizeof(*elf));
	const char *below = path_below(root, path);
	GElf_Ehdr ehdr;
	int ret;

	elf->path = base_strdup(path);
	elf->root = root ? base_strdup(root) : NULL;
	elf->file.fd = elf->debug.fd = -1;
	ret = elf_image_open(&elf->file, below ? root : NULL, below ? below : path, err);
	if (ret)
		return ret;
	if (!gelf_getehdr(elf->file.elf, &ehdr))
		return err_set(err, -EBADMSG, "%s: is damaged: %s", path, elf_errmsg(-1));
	ret = check_tables(elf, &ehdr, elf->file.size, err);
	if (!ret)
		ret = read_section_headers(elf, err);
	if (!ret)
		ret = read_segments(elf, elf->file.size, err);
	if (!ret)
		*elfp = take_ptr(elf);
	return ret;
}

void elf_close(struct elf *elf)
{
	struct elf_string *next;

	if (!elf)
		return;
	for (struct elf_string *s = elf->strings; s; s = next) {
		next = s->next;
		free(s);
	}
	elf_image_close(&elf->file);
	elf_image_close(&elf->debug);
	free(elf->code.v);
	free(elf->symbols);
	free(elf->marks);
	free(elf->source);
	free(elf->refused);
	free(elf->root);
	free(elf->path);
	free(elf->v);
	free(elf);
}

int elf_fd(const struct elf *elf)
{
	return elf->file.fd;
}

const char *elf_path_in_root(const struct elf *elf)
{
	const char *below = path_below(elf->root, elf->path);

	return below ? below : elf->path;
}

const char *elf_refused(const struct elf *elf)
{
	return elf->refused;
}

const char *elf_source(const struct elf *elf)
{
	return elf->source;
}

const struct elf_segment *elf_segment_of(const struct elf *elf, uint64_t vaddr, bool exec)
{
	vec_each(s, elf) {
		if ((s->exec || !exec) && vaddr >= s->vaddr && vaddr - s->vaddr < s->size)
			return s;
	}
	return NULL;
}

int elf_offset_of(struct elf *elf, uint64_t vaddr, bool exec, uint64_t *offset)
{
	const struct elf_segment *s = elf_segment_of(elf, vaddr, exec);

	if (!s)
		return -ENOENT;
	*offset = vaddr - s->vaddr + s->offset;
	return 0;
}

int elf_vaddr_of(struct elf *elf, uint64_t offset, uint64_t *vaddr)
{
	vec_each(segment, elf) {
		if (!segment->exec || offset - segment->offset >= segment->size)
			continue;
		*vaddr = segment->vaddr + (offset - segment->offset);
		return 0;
	}
	return -ENOENT;
}
