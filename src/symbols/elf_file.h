/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind symbols/elf.h share: the opened ELF file. For them only. */
#ifndef SONDE_ELF_FILE_H
#define SONDE_ELF_FILE_H

#include <gelf.h>

#include "elf.h"

/* One ELF image that libelf reads: mapped from a file (fd) or in memory of ours. */
struct elf_image {
	Elf *elf; /* NULL: closed */
	int fd;
	void *memory;
};

struct elf_segment {
	uint64_t vaddr, offset, size; /* size: what the file holds of it */
	bool exec;
};

struct elf_string {
	struct elf_string *next;
	char text[];
};

struct elf {
	char *path;
	char *root;
	struct elf_image file;
	struct elf_image debug; /* debug file or .gnu_debugdata, kept for its names */
	struct elf_segment *v;	/* PT_LOAD, in the file's order */
	size_t n, cap;
	struct elf_symbol *symbols;
	size_t n_symbols;
	struct elf_string *strings; /* names that had to be copied */
	char *source;
	struct elf_mark *marks;
	size_t n_marks;
	bool has_marks;
};

/* Maps path and checks its file header; closed again on error. */
int elf_image_open(struct elf_image *image, const char *path, struct err *err);
void elf_image_close(struct elf_image *image);

const struct elf_segment *elf_segment_of(const struct elf *elf, uint64_t vaddr, bool exec);
/* The path as it is below the root. */
const char *elf_path_in_root(const struct elf *elf);

/* First section of a name; 0, -ENOENT. */
int elf_section_named(Elf *elf, const char *name, Elf_Scn **scn, GElf_Shdr *shdr);

/*
 * Notes of one owner and type, in the section of a name or (NULL) in all. fn's non-zero return
 * ends it and is returned, but for -EBADMSG, which is returned after the last section.
 */
typedef int (*elf_note_fn)(void *ctx, const char *desc, size_t len);
int elf_each_note(Elf *elf, const char *section, const char *owner, uint32_t type, elf_note_fn fn,
		  void *ctx);
/* The same of notes that are in memory. */
int elf_each_note_in(Elf_Data *data, const char *owner, uint32_t type, elf_note_fn fn, void *ctx);

/* The address of one symbol, from the file's own tables only: spares the sorting and the search
 * for debug files. 0, -ENOENT. */
int elf_find_symbol(struct elf *elf, const char *name, uint64_t *vaddr);

/*
 * Opens the symbols that were stripped from elf into elf->debug: 0 and *source (caller frees)
 * or -ENODATA and *looked (caller frees), the places where nothing was found, in words.
 */
int elf_debug_find(struct elf *elf, char **source, char **looked);

#endif
