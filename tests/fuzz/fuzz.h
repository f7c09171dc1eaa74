/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the fuzzers: the entry for libFuzzer, and files in memory that replace foreign files. */
#ifndef SONDE_TESTS_FUZZ_FUZZ_H
#define SONDE_TESTS_FUZZ_FUZZ_H

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kernel/kernel.h"

/* libFuzzer calls this with an input. It returns 0; the sanitizers abort on a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory. */
struct fuzz_file {
	int fd;
	char path[32]; /* to open it */
};

static inline void fuzz_write(struct fuzz_file *file, const void *data, size_t size)
{
	if (!file->path[0]) {
		file->fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	}
	if (ftruncate(file->fd, 0) || pwrite(file->fd, data, size, 0) != (ssize_t)size)
		abort();
}

static char fuzz_dir[] = "/tmp/sonde-fuzz-XXXXXX";

static inline void fuzz_remove_root(void)
{
	char *command __free = base_printf("rm -rf %s", fuzz_dir);

	if (system(command))
		fprintf(stderr, "%s is left behind\n", fuzz_dir);
}

/* Makes the kernel's files those below a new directory, which is removed at exit. */
static inline void fuzz_make_root(void)
{
	if (!mkdtemp(fuzz_dir))
		abort();
	atexit(fuzz_remove_root);
	kernel_set_root(fuzz_dir);
}

static inline char *fuzz_full_path(const char *path)
{
	char *full = base_printf("%s%s", fuzz_dir, path);

	for (char *slash = full + strlen(fuzz_dir); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	return full;
}

/* Writes a file at path below the root. */
static inline void fuzz_link(struct fuzz_file *file, const char *path)
{
	char *full __free = fuzz_full_path(path);

	fuzz_write(file, "", 0);
	if (symlink(file->path, full))
		abort();
}

/* Reads a string from a parser to its last byte, so that the sanitizers find invalid memory. */
static inline void fuzz_look(const char *text)
{
	if (text)
		__asm__ volatile(""
				 :
				 : "r"(strlen(text)));
}

/* The piece of an input up to the next byte 0xff, which never occurs in text. */
struct fuzz_piece {
	const uint8_t *data;
	size_t size;
};

static inline struct fuzz_piece fuzz_next_piece(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size ? memchr(*data, 0xff, *size) : NULL;
	struct fuzz_piece piece = { *data, end ? (size_t)(end - *data) : *size };
	size_t used = piece.size + !!end;

	*data = used ? *data + used : *data;
	*size -= used;
	return piece;
}

/* A copy with a NUL, in memory of exactly that size. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = base_alloc(size + 1);

	if (size)
		memcpy(text, data, size);
	return text;
}

#endif
