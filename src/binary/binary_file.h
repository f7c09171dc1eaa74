/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files behind binary/binary.h share: the opened ELF file. For them only. */
#ifndef SONDE_BINARY_FILE_H
#define SONDE_BINARY_FILE_H

#include <gelf.h>

#include "binary.h"

/* A browser with all its debug information has 5 GB: what is much larger is none, but a sparse file. */
#define ELF_MAX_FILE (16ULL << 30)
/* Of one image's sections, all together: the largest known tables of symbols and names have half of it. */
#define ELF_MAX_READ (1ULL << 30)
/* What is longer is no name, and no path. */
#define ELF_MAX_NAME 65536

/* One ELF image that libelf reads: of a file (fd), or in memory of ours. */
struct binary_image {
	Elf *elf; /* NULL: closed */
	int fd;
	void *memory;
	uint64_t size;	/* when it was opened */
	uint64_t left;	/* bytes of sections that may still be read */
	bool *was_read; /* for each section */
	size_t n_sections;
};

struct binary_segment {
	uint64_t vaddr, offset, size; /* size: what the file holds of it */
	bool exec;
};

/* Sections that hold code. */
struct binary_sections {
	struct binary_section {
		uint64_t vaddr, size;
	} * v;
	size_t n, cap;
	bool known, any; /* they have been read; the file has sections */
};

/* Where functions begin, by the table in .eh_frame_hdr. */
struct binary_starts {
	bool known;	   /* the table has been looked for */
	uint64_t vaddr;	   /* of .eh_frame_hdr, as linked */
	const char *table; /* the image's */
	size_t n;	   /* entries; 0: no table */
};

/* A piece of the file that was read last. */
struct binary_window {
	uint64_t offset;
	size_t n;
	uint8_t bytes[16384];
};

struct binary_string {
	struct binary_string *next;
	char text[];
};

struct binary {
	char *path;
	char *root;
	struct binary_image file;
	struct binary_image debug; /* debug file or .gnu_debugdata, kept for its names */
	struct binary_segment *v;  /* PT_LOAD, in the file's order */
	size_t n, cap;
	struct binary_sections code; /* binary_code.c's, as is the window */
	struct binary_window window;
	struct binary_starts starts; /* binary_eh_frame.c's */
	struct binary_symbol *symbols;
	size_t n_symbols;
	struct binary_string *strings; /* names that had to be copied */
	char *source;
	size_t n_returns; /* that binary_find_returns() has found, of all functions */
	char *refused;	  /* what was found and not read, in words */
	struct binary_usdt *usdt;
	size_t n_usdt;
	bool has_usdt;
};

/*
 * Opens path (below root, as foreign_open() takes both) and checks its file header; closed again on error. Of memory:
 * takes it, also on error; name is what errors call it.
 */
int binary_image_open(struct binary_image *image, const char *root, const char *path, struct err *err);
int binary_image_open_memory(struct binary_image *image, void *memory, size_t size, const char *name, struct err *err);
void binary_image_close(struct binary_image *image);
/* Copies n bytes at an offset of the file: 0, -EBADMSG where they are not there. */
int binary_image_read(const struct binary_image *image, uint64_t at, void *to, size_t n);
/*
 * What sections hold is read by these alone, for they keep to ELF_MAX_READ. Data is the image's. 0; -EFBIG: too large;
 * -EBADMSG: nothing, or not in the file.
 */
int binary_image_data(struct binary_image *image, Elf_Scn *scn, Elf_Data **data);
/* The same of a piece of the file that no section need hold. */
int binary_image_chunk(struct binary_image *image, uint64_t at, uint64_t size, Elf_Type type, Elf_Data **data);
/* A string of a section of strings, the image's; NULL where there is none. */
const char *binary_image_string(struct binary_image *image, size_t section, uint64_t at);
/* First section of a name; 0, -ENOENT. */
int binary_image_section(struct binary_image *image, const char *name, Elf_Scn **scn, GElf_Shdr *shdr);

/* The function's bytes, of which there are as many as the symbol says; the caller's to free. NULL, with a reason. */
uint8_t *binary_read_function(const struct binary *binary, const struct binary_symbol *function, struct err *err);

/* Why no probe may be on an instruction that is skipped then. */
int binary_refuse_skipped(struct err *err);

const struct binary_segment *binary_segment_of(const struct binary *binary, uint64_t vaddr, bool exec);
/* The path as it is below the root. */
const char *binary_path_in_root(const struct binary *binary);

/*
 * Notes of one owner and type, in the section of a name or (NULL) in all. fn's non-zero return
 * ends it and is returned, but for -EBADMSG, which is returned after the last section.
 */
typedef int (*binary_note_fn)(void *ctx, const char *desc, size_t len);
int binary_each_note(struct binary_image *image, const char *section, const char *owner, uint32_t type, binary_note_fn fn,
		     void *ctx);
/* The same of notes that are in memory. */
int binary_each_note_in(Elf_Data *data, const char *owner, uint32_t type, binary_note_fn fn, void *ctx);

/* The names of symbol versions, of the file's own and of others' that it needs, by number. */
struct binary_versions {
	Elf_Data *numbers; /* of each dynamic symbol; NULL: the file has no versions */
	const char **v;
	size_t n, cap;
};

/* A damaged table has fewer. The names are the image's. */
void binary_versions_read(struct binary_versions *versions, struct binary_image *image);
void binary_versions_release(struct binary_versions *versions);
/* Of a dynamic symbol by its index, "" without one. */
const char *binary_version_of(const struct binary_versions *versions, size_t symbol);

/* A word that the loader fills in with a function's address, by a relocation of the file. */
struct binary_slot {
	uint64_t vaddr;	     /* of the word, as linked */
	uint64_t resolver;   /* of an IRELATIVE relocation, as linked; name is NULL then */
	const char *name;    /* of the symbol that it is bound to, in whatever file */
	const char *version; /* "" without one */
};

/* fn's non-zero return ends it and is returned. */
typedef int (*binary_slot_fn)(void *ctx, const struct binary_slot *slot);
int binary_each_slot(struct binary *binary, binary_slot_fn fn, void *ctx);

/* Symbols that the file exports as IFUNCs: slot->vaddr is not set. */
int binary_each_ifunc(struct binary *binary, binary_slot_fn fn, void *ctx);

/* Has the unwind table a function that begins at this address, as linked? False without such a table. */
bool binary_unwinds_from(struct binary *binary, uint64_t vaddr);

/* The address, as linked, of one symbol of any kind in the file's own .symtab. 0, -ENOENT. */
int binary_find_symbol(struct binary *binary, const char *name, uint64_t *vaddr);

/*
 * Opens the symbols that were stripped from elf into binary->debug: 0 and *source (caller frees)
 * or -ENODATA and *looked (caller frees), the places where nothing was found, in words.
 */
int binary_debug_find(struct binary *binary, char **source, char **looked);

/* Notes for binary_refused() what was found and not read, and why; the first is kept. Takes text. */
void binary_refuse(struct binary *binary, char *text);

#endif
