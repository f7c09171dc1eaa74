// SPDX-License-Identifier: BSD-2-Clause
/*
 * One ELF image, a file or in memory: checks its header and reads its sections one by one, within limits. Files are
 * read and not mapped: truncating a mapped file would kill us (SIGBUS), and of a large file little is needed. Knows
 * the meaning of no section.
 */
#include "binary_part.h"
#include "foreign.h"

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#else
#error "sonde knows x86-64 and arm64"
#endif

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

/* For "#!/usr/bin/env python3" err names python3, not env. */
static int check_not_elf(const char *path, const char *head, size_t n, struct err *err)
{
	if (n >= 2 && !memcmp(head, "#!", 2)) {
		const char *start = head + 2 + strspn(head + 2, " \t");
		size_t len = strcspn(start, " \t\r\n");
		const char *next = start + len + strspn(start + len, " \t");

		if (len >= 4 && !memcmp(start + len - 4, "/env", 4) && strcspn(next, " \t\r\n") && *next != '-') {
			start = next;
			len = strcspn(start, " \t\r\n");
		}
		return err_set(err, -ENOEXEC, "%s: is a script of %.*s, not a program: name the program that it starts",
			       path, (int)len, start);
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

/* Files have some dozens of sections. Refuses absurd numbers, for libelf allocates a table for all at once. */
static int check_sections(const char *path, const struct binary_image *image, struct err *err)
{
	Elf64_Ehdr ehdr;
	Elf64_Shdr first;

	if (binary_image_read(image, 0, &ehdr, sizeof(ehdr)) || ehdr.e_shnum || !ehdr.e_shoff)
		return 0;
	/* e_shnum is 0: the first section header holds a number that is too large for it */
	if (binary_image_read(image, ehdr.e_shoff, &first, sizeof(first)) || first.sh_size > UINT16_MAX)
		return err_set(err, -EBADMSG, "%s: is truncated or has damaged section headers", path);
	return 0;
}

static int check_open(struct binary_image *image, const char *root, const char *path, struct err *err)
{
	char *shown __free = foreign_join(root, path);
	char head[256] = "";
	ssize_t n;
	int ret;

	*image = (struct binary_image){ .fd = -1, .left = ELF_MAX_READ };
	image->fd = foreign_open(root, path, ELF_MAX_FILE, &image->size, err);
	if (image->fd < 0)
		return image->fd;
	n = pread(image->fd, head, sizeof(head) - 1, 0); /* NUL-terminated: a script's line is scanned */
	ret = n < 0 ? err_set(err, -errno, "%s: %s", shown, strerror(errno))
		    : check_header(shown, head, (size_t)n, err);
	if (!ret)
		ret = check_sections(shown, image, err);
	if (ret)
		binary_image_close(image);
	return ret;
}

int binary_check(const char *root, const char *path, struct err *err)
{
	struct binary_image image;
	int ret = check_open(&image, root, path, err);

	if (!ret)
		binary_image_close(&image);
	return ret;
}

static int begin(struct binary_image *image)
{
	size_t sections;

	elf_version(EV_CURRENT); /* libelf demands it; repeating it is harmless */
	image->elf = image->memory ? elf_memory(image->memory, image->size)
				   : elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || elf_getshdrnum(image->elf, &sections))
		return -EBADMSG;
	image->n_sections = sections;
	image->was_read = base_alloc(sections);
	return 0;
}

int binary_image_open(struct binary_image *image, const char *root, const char *path, struct err *err)
{
	char *shown __free = foreign_join(root, path);
	int ret = check_open(image, root, path, err);

	if (ret)
		return ret;
	ret = begin(image);
	if (!ret)
		return 0;
	binary_image_close(image);
	return err_set(err, ret, "%s: is truncated or damaged: %s", shown, elf_errmsg(-1));
}

int binary_image_open_memory(struct binary_image *image, void *memory, size_t size, const char *name, struct err *err)
{
	int ret;

	*image = (struct binary_image){ .fd = -1, .memory = memory, .size = size, .left = ELF_MAX_READ };
	ret = check_header(name, memory, size, err);
	if (!ret)
		ret = check_sections(name, image, err);
	if (!ret && begin(image))
		ret = err_set(err, -EBADMSG, "%s: is damaged: %s", name, elf_errmsg(-1));
	if (ret)
		binary_image_close(image);
	return ret;
}

void binary_image_close(struct binary_image *image)
{
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image->memory);
	free(image->was_read);
	*image = (struct binary_image){ .fd = -1 };
}

int binary_image_read(const struct binary_image *image, uint64_t at, void *to, size_t n)
{
	if (at > image->size || n > image->size - at)
		return -EBADMSG;
	if (!image->memory)
		return pread(image->fd, to, n, (off_t)at) == (ssize_t)n ? 0 : -EBADMSG;
	memcpy(to, (char *)image->memory + at, n);
	return 0;
}

int binary_image_data(struct binary_image *image, Elf_Scn *scn, Elf_Data **data)
{
	size_t index = elf_ndxscn(scn);
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || index >= image->n_sections)
		return -EBADMSG;
	if (!image->was_read[index]) {
		if (shdr.sh_size > image->left)
			return -EFBIG;
		image->left -= shdr.sh_size;
		image->was_read[index] = true;
	}
	*data = elf_getdata(scn, NULL);
	return *data && (*data)->d_buf ? 0 : -EBADMSG;
}

int binary_image_chunk(struct binary_image *image, uint64_t at, uint64_t size, Elf_Type type, Elf_Data **data)
{
	if (size > image->left)
		return -EFBIG;
	image->left -= size;
	*data = elf_getdata_rawchunk(image->elf, (int64_t)at, size, type);
	return *data && (*data)->d_buf ? 0 : -EBADMSG;
}

const char *binary_image_string(struct binary_image *image, size_t section, uint64_t at)
{
	Elf_Scn *scn = elf_getscn(image->elf, section);
	Elf_Data *data;
	size_t room;

	if (!scn || binary_image_data(image, scn, &data) || at >= data->d_size)
		return NULL;
	room = data->d_size - at < ELF_MAX_NAME ? data->d_size - at : ELF_MAX_NAME;
	return memchr((char *)data->d_buf + at, 0, room) ? (char *)data->d_buf + at : NULL;
}

int binary_image_section(struct binary_image *image, const char *name, Elf_Scn **scn, GElf_Shdr *shdr)
{
	size_t strings;

	if (!image->elf || elf_getshdrstrndx(image->elf, &strings))
		return -ENOENT;
	for (*scn = NULL; (*scn = elf_nextscn(image->elf, *scn));) {
		const char *n =
			gelf_getshdr(*scn, shdr) ? binary_image_string(image, strings, shdr->sh_name) : NULL;

		if (n && !strcmp(n, name))
			return 0;
	}
	return -ENOENT;
}
