// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opens a program or library, checks its headers, and converts between addresses and file offsets by the program
 * headers. Reads no symbols: binary_symbols.c, binary_debug.c and binary_usdt.c do.
 */
#include "binary_part.h"

/* The kernel refuses to execute a file with more than 64 KiB of program headers. The limit bounds our work, too. */
#define MAX_SEGMENTS (65536 / sizeof(Elf64_Phdr))

/*
 * Bounds the length of the names of all functions together: names may overlap in a table, and sorting reads each many
 * times.
 */
#define NAMES_MAX (1ULL << 30)

/* Checks the type, and that both header tables are inside the file. The order of the checks prevents overflow. */
static int check_tables(struct binary *binary, const GElf_Ehdr *ehdr, uint64_t size, struct err *err)
{
	uint64_t sections = (uint64_t)ehdr->e_shnum * ehdr->e_shentsize;
	uint64_t segments = (uint64_t)ehdr->e_phnum * ehdr->e_phentsize;

	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return err_set(err, -ENOEXEC, "%s: is %s, neither a program nor a shared library",
			       binary->path,
			       ehdr->e_type == ET_REL	 ? "an object file that is not linked"
			       : ehdr->e_type == ET_CORE ? "a core dump"
							 : "an ELF file of unknown type");
	if (ehdr->e_phoff > size || segments > size - ehdr->e_phoff || ehdr->e_shoff > size ||
	    sections > size - ehdr->e_shoff)
		return err_set(err, -EBADMSG,
			       "%s: is truncated: its headers lie beyond its end (%llu bytes)",
			       binary->path, (unsigned long long)size);
	return 0;
}

static int read_segments(struct binary *binary, uint64_t size, struct err *err)
{
	bool code = false;
	size_t count, i;

	if (elf_getphdrnum(binary->file.elf, &count) || count > MAX_SEGMENTS)
		return err_set(err, -EBADMSG, "%s: has damaged program headers", binary->path);
	for (i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(binary->file.elf, (int)i, &phdr))
			return err_set(err, -EBADMSG, "%s: has damaged program headers", binary->path);
		if (phdr.p_type != PT_LOAD || !phdr.p_filesz)
			continue;
		if (phdr.p_offset > size || phdr.p_filesz > size - phdr.p_offset)
			return err_set(err, -EBADMSG,
				       "%s: is truncated: a segment lies beyond its end",
				       binary->path);
		if (phdr.p_vaddr + phdr.p_filesz < phdr.p_vaddr)
			return err_set(err, -EBADMSG, "%s: has damaged program headers", binary->path);
		*vec_push(binary) = (struct binary_segment){ phdr.p_vaddr, phdr.p_offset, phdr.p_filesz,
							     phdr.p_flags & PF_X };
		code |= phdr.p_flags & PF_X;
	}
	return code ? 0
		    : err_set(err, -ENODATA, "%s: holds no code; is it a debug file?", binary->path);
}

/* Makes libelf read all section headers now: later changes to the file cannot damage them. */
static int read_section_headers(struct binary *binary, struct err *err)
{
	Elf_Scn *first = elf_nextscn(binary->file.elf, NULL);
	GElf_Shdr shdr;

	if (first && !gelf_getshdr(first, &shdr))
		return err_set(err, -EBADMSG, "%s: has damaged section headers: %s", binary->path, elf_errmsg(-1));
	return 0;
}

/* The part of path that follows root, from its '/' on; NULL if path is not below root. */
static const char *path_below(const char *root, const char *path)
{
	size_t n = root ? strlen(root) : 0;

	while (n && root[n - 1] == '/')
		n--;
	return root && !strncmp(path, root, n) && path[n] == '/' ? path + n : NULL;
}

/* from_root and from: see foreign.h. */
static int open_from(struct binary **opened, const char *root, const char *path, const char *from_root, const char *from,
		     struct err *err)
{
	struct binary *binary __cleanup(binary_closep) = base_alloc(sizeof(*binary));
	GElf_Ehdr ehdr;
	int ret;

	binary->path = base_strdup(path);
	binary->root = root ? base_strdup(root) : NULL;
	binary->file.fd = binary->debug.fd = -1;
	binary->bounds = (struct binary_bounds){ .names = NAMES_MAX, .code = UINT64_MAX };
	ret = binary_image_open(&binary->file, from_root, from, err);
	if (ret)
		return ret;
	if (!gelf_getehdr(binary->file.elf, &ehdr))
		return err_set(err, -EBADMSG, "%s: is damaged: %s", path, elf_errmsg(-1));
	ret = check_tables(binary, &ehdr, binary->file.size, err);
	if (!ret)
		ret = read_section_headers(binary, err);
	if (!ret)
		ret = read_segments(binary, binary->file.size, err);
	if (!ret)
		*opened = take_ptr(binary);
	return ret;
}

int binary_open(const char *root, const char *path, struct binary **binary, struct err *err)
{
	const char *below = path_below(root, path);

	return open_from(binary, root, path, below ? root : NULL, below ? below : path, err);
}

int binary_open_fd(const char *root, const char *path, int fd, struct binary **binary, struct err *err)
{
	char link[32];
	int ret;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ret = open_from(binary, root, path, NULL, link, err);
	if (ret && err && !strncmp(err->text, link, strlen(link))) {
		char *reason __free = base_strdup(err->text + strlen(link));

		err_set(err, ret, "%s%s", path, reason);
	}
	return ret;
}

void binary_keep_small(struct binary *binary, uint64_t bytes)
{
	binary->bounds = (struct binary_bounds){ .alone = true, .names = bytes, .code = bytes };
	if (binary->file.left > bytes)
		binary->file.left = bytes;
}

void binary_close(struct binary *binary)
{
	struct binary_string *next;

	if (!binary)
		return;
	for (struct binary_string *s = binary->strings; s; s = next) {
		next = s->next;
		free(s);
	}
	binary_image_close(&binary->file);
	binary_exits_release(binary);
	binary_image_close(&binary->debug);
	free(binary->code.v);
	free(binary->confirmed.v);
	free(binary->symbols);
	free(binary->usdt);
	free(binary->source);
	free(binary->refused);
	free(binary->root);
	free(binary->path);
	free(binary->v);
	free(binary);
}

int binary_read(const struct binary *binary, uint64_t offset, void *to, size_t n)
{
	return binary_image_read(&binary->file, offset, to, n);
}

int binary_fd(const struct binary *binary)
{
	return binary->file.fd;
}

const char *binary_path_in_root(const struct binary *binary)
{
	const char *below = path_below(binary->root, binary->path);

	return below ? below : binary->path;
}

const char *binary_refused(const struct binary *binary)
{
	return binary->refused;
}

const char *binary_source(const struct binary *binary)
{
	return binary->source;
}

const struct binary_segment *binary_segment_of(const struct binary *binary, uint64_t vaddr, bool exec)
{
	vec_each(s, binary) {
		if ((s->exec || !exec) && vaddr >= s->vaddr && vaddr - s->vaddr < s->size)
			return s;
	}
	return NULL;
}

int binary_offset_of(struct binary *binary, uint64_t vaddr, bool exec, uint64_t *offset)
{
	const struct binary_segment *s = binary_segment_of(binary, vaddr, exec);

	if (!s)
		return -ENOENT;
	*offset = vaddr - s->vaddr + s->offset;
	return 0;
}

int binary_vaddr_of(struct binary *binary, uint64_t offset, uint64_t *vaddr)
{
	vec_each(segment, binary) {
		if (!segment->exec || offset - segment->offset >= segment->size)
			continue;
		*vaddr = segment->vaddr + (offset - segment->offset);
		return 0;
	}
	return -ENOENT;
}

bool binary_is_fixed(const struct binary *binary)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(binary->file.elf, &ehdr) && ehdr.e_type == ET_EXEC;
}
