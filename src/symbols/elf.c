// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opens an ELF file, says what is wrong with it, and turns its addresses into file offsets by
 * its program headers. Knows no symbols: elf_symbols.c, elf_debug.c and elf_marks.c do.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "elf_file.h"

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#else
#error "sonde knows x86-64 and arm64"
#endif

/* The kernel runs nothing with more program headers than fit in 64 KiB; it bounds our work, too. */
#define MAX_SEGMENTS (65536 / sizeof(Elf64_Phdr))

static const char *machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_AARCH64:
		return "arm64";
	case EM_386:
		return "i386";
	case EM_ARM:
		return "arm";
	case EM_RISCV:
		return "riscv";
	case EM_PPC64:
		return "ppc64";
	case EM_S390:
		return "s390";
	case EM_BPF:
		return "BPF";
	default:
		return NULL;
	}
}

static int check_not_elf(const char *path, const char *head, size_t n, struct err *err)
{
	if (n >= 2 && !memcmp(head, "#!", 2)) {
		const char *start = head + 2 + strspn(head + 2, " \t");

		return err_set(err, -ENOEXEC, "%s: is a script; trace its interpreter, %.*s", path,
			       (int)strcspn(start, " \t\r\n"), start);
	}
	return err_set(err, -ENOEXEC, "%s: is not an ELF file", path);
}

static int check_machine(const char *path, unsigned int machine, struct err *err)
{
	const char *name = machine_name(machine);

	if (machine == NATIVE_MACHINE)
		return 0;
	if (name)
		return err_set(err, -ENOEXEC, "%s: is for %s, this machine is %s", path, name,
			       machine_name(NATIVE_MACHINE));
	return err_set(err, -ENOEXEC, "%s: is for machine number %u, this machine is %s", path,
		       machine, machine_name(NATIVE_MACHINE));
}

static int check_header(const char *path, const char *head, size_t n, struct err *err)
{
	Elf64_Ehdr ehdr;

	if (n < EI_NIDENT || memcmp(head, ELFMAG, SELFMAG))
		return n >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG)
			       ? err_set(err, -EBADMSG, "%s: is truncated", path)
			       : check_not_elf(path, head, n, err);
	if (head[EI_CLASS] == ELFCLASS32)
		return err_set(err, -ENOEXEC, "%s: is a 32-bit ELF file; only 64-bit ones are read",
			       path);
	if (head[EI_DATA] == ELFDATA2MSB)
		return err_set(err, -ENOEXEC, "%s: is big-endian, this machine is not", path);
	if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB)
		return err_set(err, -ENOEXEC, "%s: is an ELF file of unknown class or byte order",
			       path);
	if (n < sizeof(ehdr))
		return err_set(err, -EBADMSG, "%s: is truncated", path);
	memcpy(&ehdr, head, sizeof(ehdr));
	return check_machine(path, ehdr.e_machine, err);
}

/* Opens path for reading, after its type and header were found good. */
static int check_open(const char *path, struct err *err)
{
	/* O_NONBLOCK: a FIFO's path must not hold us up */
	int fd __close = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[256] = "";
	struct stat st;
	ssize_t n;
	int ret;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st))
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, -ENOEXEC, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -ENOEXEC, "%s: is not a regular file", path);
	n = pread(fd, head, sizeof(head) - 1, 0); /* NUL-terminated: a script's line is scanned */
	if (n < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	ret = check_header(path, head, (size_t)n, err);
	return ret ? ret : take_fd(fd);
}

int elf_check(const char *path, struct err *err)
{
	int fd __close = check_open(path, err);

	return fd < 0 ? fd : 0;
}

int elf_image_open(struct elf_image *image, const char *path, struct err *err)
{
	elf_version(EV_CURRENT); /* sets a constant: no harm in doing it again */
	*image = (struct elf_image){ .fd = check_open(path, err) };
	if (image->fd < 0)
		return image->fd;
	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF)
		return 0;
	elf_image_close(image);
	return err_set(err, -EBADMSG, "%s: is truncated or damaged: %s", path, elf_errmsg(-1));
}

void elf_image_close(struct elf_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->elf && !image->memory && image->fd >= 0)
		close(image->fd);
	free(image->memory);
	*image = (struct elf_image){ .fd = -1 };
}

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

int elf_open(const char *path, struct elf **elfp, struct err *err)
{
	struct elf *elf __cleanup(elf_closep) = base_alloc(sizeof(*elf));
	GElf_Ehdr ehdr;
	struct stat st;
	int ret;

	elf->path = base_strdup(path);
	elf->debug.fd = -1;
	ret = elf_image_open(&elf->file, path, err);
	if (ret)
		return ret;
	if (!gelf_getehdr(elf->file.elf, &ehdr) || fstat(elf->file.fd, &st))
		return err_set(err, -EBADMSG, "%s: is damaged: %s", path, elf_errmsg(-1));
	ret = check_tables(elf, &ehdr, (uint64_t)st.st_size, err);
	if (!ret)
		ret = read_segments(elf, (uint64_t)st.st_size, err);
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
	free(elf->symbols);
	free(elf->marks);
	free(elf->source);
	free(elf->root);
	free(elf->path);
	free(elf->v);
	free(elf);
}

void elf_set_root(struct elf *elf, const char *root)
{
	free(elf->root);
	elf->root = root ? base_strdup(root) : NULL;
}

const char *elf_path_in_root(const struct elf *elf)
{
	size_t n = elf->root ? strlen(elf->root) : 0;

	while (n && elf->root[n - 1] == '/')
		n--;
	if (n && !strncmp(elf->path, elf->root, n) && elf->path[n] == '/')
		return elf->path + n;
	return elf->path;
}

const char *elf_source(const struct elf *elf)
{
	return elf->source;
}

const struct elf_segment *elf_segment_of(const struct elf *elf, uint64_t vaddr, bool exec)
{
	for (const struct elf_segment *s = elf->v; s < elf->v + elf->n; s++) {
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
