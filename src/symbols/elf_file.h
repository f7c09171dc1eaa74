/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind symbols/elf.h share: the opened ELF file. For them only. */
#ifndef SONDE_ELF_FILE_H
#define SONDE_ELF_FILE_H

#include <gelf.h>

#include "elf.h"

/* A browser with all its debug information has 5 GB: what is much larger is none, but a sparse file. */
#define ELF_MAX_FILE (16ULL << 30)
/* Of one image's sections, all together: the largest known tables of symbols and names have half of it. */
#define ELF_MAX_READ (1ULL << 30)
/* What is longer is no name, and no path. */
#define ELF_MAX_NAME 65536

/* One ELF image that libelf reads: of a file (fd), or in memory of ours. */
struct elf_image {
	Elf *elf; /* NULL: closed */
	int fd;
	void *memory;
	uint64_t size;	/* when it was opened */
	uint64_t left;	/* bytes of sections that may still be read */
	bool *was_read; /* for each section */
	size_t n_sections;
};

struct elf_segment {
	uint64_t vaddr, offset, size; /* size: what the file holds of it */
	bool exec;
};

/* Sections that hold code. */
struct elf_sections {
	struct elf_section {
		uint64_t vaddr, size;
	} * v;
	size_t n, cap;
	bool known, any; /* they have been read; the file has sections */
};

/* A piece of the file that was read last. */
struct elf_window {
	uint64_t offset;
	size_t n;
	uint8_t bytes[16384];
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
	struct elf_sections code; /* elf_code.c's, as is the window */
	struct elf_window window;
	struct elf_symbol *symbols;
	size_t n_symbols;
	struct elf_string *strings; /* names that had to be copied */
	char *source;
	size_t n_returns; /* that elf_find_returns() has found, of all functions */
	char *refused;	  /* what was found and not read, in words */
	struct elf_mark *marks;
	size_t n_marks;
	bool has_marks;
};

/*
 * Opens path (below root, as foreign_open() takes both) and checks its file header; closed again on error. Of memory:
 * takes it, also on error; name is what errors call it.
 */
int elf_image_open(struct elf_image *image, const char *root, const char *path, struct err *err);
int elf_image_open_memory(struct elf_image *image, void *memory, size_t size, const char *name, struct err *err);
void elf_image_close(struct elf_image *image);
/* Copies n bytes at an offset of the file: 0, -EBADMSG where they are not there. */
int elf_image_read(const struct elf_image *image, uint64_t at, void *to, size_t n);
/*
 * What sections hold is read by these alone, for they keep to ELF_MAX_READ. Data is the image's. 0; -EFBIG: too large;
 * -EBADMSG: nothing, or not in the file.
 */
int elf_image_data(struct elf_image *image, Elf_Scn *scn, Elf_Data **data);
/* The same of a piece of the file that no section need hold. */
int elf_image_chunk(struct elf_image *image, uint64_t at, uint64_t size, Elf_Type type, Elf_Data **data);
/* A string of a section of strings, the image's; NULL where there is none. */
const char *elf_image_string(struct elf_image *image, size_t section, uint64_t at);
/* First section of a name; 0, -ENOENT. */
int elf_image_section(struct elf_image *image, const char *name, Elf_Scn **scn, GElf_Shdr *shdr);

/* The function's bytes, of which there are as many as the symbol says; the caller's to free. NULL, with a reason. */
uint8_t *elf_read_function(const struct elf *elf, const struct elf_symbol *function, struct err *err);

/* Why no probe may be on an instruction that is skipped then. */
int elf_refuse_skipped(struct err *err);

const struct elf_segment *elf_segment_of(const struct elf *elf, uint64_t vaddr, bool exec);
/* The path as it is below the root. */
const char *elf_path_in_root(const struct elf *elf);

/*
 * Notes of one owner and type, in the section of a name or (NULL) in all. fn's non-zero return
 * ends it and is returned, but for -EBADMSG, which is returned after the last section.
 */
typedef int (*elf_note_fn)(void *ctx, const char *desc, size_t len);
int elf_each_note(struct elf_image *image, const char *section, const char *owner, uint32_t type, elf_note_fn fn,
		  void *ctx);
/* The same of notes that are in memory. */
int elf_each_note_in(Elf_Data *data, const char *owner, uint32_t type, elf_note_fn fn, void *ctx);

/* The names of symbol versions, of the file's own and of others' that it needs, by number. */
struct elf_versions {
	Elf_Data *numbers; /* of each dynamic symbol; NULL: the file has no versions */
	const char **v;
	size_t n, cap;
};

/* A damaged table has fewer. The names are the image's. */
void elf_versions_read(struct elf_versions *versions, struct elf_image *image);
void elf_versions_release(struct elf_versions *versions);
/* Of a dynamic symbol by its index, "" without one. */
const char *elf_version_of(const struct elf_versions *versions, size_t symbol);

/* A word that the loader fills in with a function's address, by a relocation of the file. */
struct elf_slot {
	uint64_t vaddr;	     /* of the word, as linked */
	uint64_t resolver;   /* of an IRELATIVE relocation, as linked; name is NULL then */
	const char *name;    /* of the symbol that it is bound to, in whatever file */
	const char *version; /* "" without one */
};

/* fn's non-zero return ends it and is returned. */
typedef int (*elf_slot_fn)(void *ctx, const struct elf_slot *slot);
int elf_each_slot(struct elf *elf, elf_slot_fn fn, void *ctx);

/* Symbols that the file exports as IFUNCs: slot->vaddr is not set. */
int elf_each_ifunc(struct elf *elf, elf_slot_fn fn, void *ctx);

/* Has the unwind table a function that begins at this address, as linked? False without such a table. */
bool elf_unwinds_from(struct elf *elf, uint64_t vaddr);

/* The address, as linked, of one symbol of any kind in the file's own .symtab. 0, -ENOENT. */
int elf_find_symbol(struct elf *elf, const char *name, uint64_t *vaddr);

/*
 * Opens the symbols that were stripped from elf into elf->debug: 0 and *source (caller frees)
 * or -ENODATA and *looked (caller frees), the places where nothing was found, in words.
 */
int elf_debug_find(struct elf *elf, char **source, char **looked);

/* Notes for elf_refused() what was found and not read, and why; the first is kept. Takes text. */
void elf_refuse(struct elf *elf, char *text);

#endif
