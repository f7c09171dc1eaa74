/* SPDX-License-Identifier: BSD-2-Clause */
/* The internals of struct binary. Only for the binary*.c, bound.c and asker*.c files of this directory. */
#ifndef SONDE_BINARY_BINARY_PART_H
#define SONDE_BINARY_BINARY_PART_H

#include <gelf.h>

#include "binary.h"

/* A browser with all its debug information has 5 GB. A much larger file is a sparse one, made to hurt. */
#define ELF_MAX_FILE (16ULL << 30)
/* How much of all sections of one image is read. The largest known symbol and string tables have half of it. */
#define ELF_MAX_READ (1ULL << 30)
/* Longer strings do not count as names. */
#define ELF_MAX_NAME 65536

/* An ELF image that libelf reads: a file (fd) or a block of memory. */
struct binary_image {
	Elf *elf; /* NULL: closed */
	int fd;
	void *memory;
	uint64_t size;	/* when it was opened */
	uint64_t left;	/* bytes that may still be read from sections, of ELF_MAX_READ */
	bool *was_read; /* of each section: counted already */
	size_t n_sections;
};

struct binary_segment {
	uint64_t vaddr, offset, size; /* size: in the file, not in memory */
	bool exec;
};

/* The sections that hold code. */
struct binary_sections {
	struct binary_section {
		uint64_t vaddr, size;
	} * v;
	size_t n, cap;
	bool known; /* the section headers were read */
	bool any;   /* the file has section headers that can be used */
};

/* The table of .eh_frame_hdr, which lists where functions begin. */
struct binary_starts {
	bool known;	   /* the table was searched */
	uint64_t vaddr;	   /* of .eh_frame_hdr, as linked */
	const char *table; /* owned by the image; entries may be unaligned */
	size_t n;	   /* entries; 0: no table */
};

/* Where instructions begin, by what the file itself says; used by binary_confirm.c alone. */
struct binary_confirmed {
	bool known;	/* v is filled in */
	vec(uint64_t);	/* offsets of the functions that the file itself lists, sorted */
	uint64_t begin; /* of the last walk */
	uint64_t at;	/* where that walk ended: an instruction begins there */
};

/* Go's table of functions; used by binary_go_names.c alone. */
struct binary_go_table {
	bool known;		   /* it was searched */
	uint64_t text;		   /* address as linked, that functions are relative to */
	uint64_t names, functions; /* places in the file */
	uint64_t n;		   /* 0: no table */
};

/* The piece of the file that was read last. */
struct binary_window {
	uint64_t offset;
	size_t n;
	uint8_t bytes[16384];
};

struct binary_string {
	struct binary_string *next;
	char text[];
};

struct binary_exits;

struct binary {
	char *path;
	char *root;
	struct binary_image file;
	struct binary_image debug;   /* debug file or .gnu_debugdata; symbols point to its names */
	vec(struct binary_segment);  /* PT_LOAD, in the order of the file */
	struct binary_sections code; /* used by binary_code.c alone, like the window */
	struct binary_window window;
	struct binary_go_table go;
	struct binary_confirmed confirmed;
	struct binary_starts starts; /* used by binary_eh_frame.c alone */
	struct binary_symbol *symbols;
	size_t n_symbols;
	struct binary_stubs {
		struct binary_plt v[8];
		size_t n;
		bool known;
	} stubs;		       /* used by binary_plt.c alone */
	uint64_t n_relocations;	       /* that binary_stub_at() has read so far */
	bool has_ifuncs;	       /* binary_find_places() has seen one */
	struct binary_string *strings; /* names without "@VERSION", copied */
	char *source;
	struct binary_bounds {
		bool alone;	/* no other file is searched for its symbols */
		uint64_t names; /* bytes of names of functions that may be read */
		uint64_t code;	/* bytes that may be decoded to find exits */
		int failed;	/* if alone: why the functions are not known, -errno; it is not tried again */
	} bounds;
	struct binary_exits_table {
		struct binary_exits **v; /* by address, an open hash */
		size_t n, slots;
		size_t kept; /* exits in all of them */
	} exits;	     /* used by binary_exits.c alone */
	char *refused;	     /* see binary_refused() */
	struct binary_usdt *usdt;
	size_t n_usdt;
	bool has_usdt;
};

/*
 * Opens path below root (see foreign.h) and checks the file header. The caller closes the image; after an error
 * there is nothing to close. Errors as of binary_open().
 * binary_image_open_memory() takes an image in memory, which it frees also on error; name stands for the path in
 * err.
 */
int binary_image_open(struct binary_image *image, const char *root, const char *path, struct err *err);
int binary_image_open_memory(struct binary_image *image, void *memory, size_t size, const char *name, struct err *err);
void binary_image_close(struct binary_image *image);
/* Copies n bytes from offset at of the file. -EBADMSG: the file does not hold them. */
int binary_image_read(const struct binary_image *image, uint64_t at, void *to, size_t n);
/*
 * *data: the contents of a section, owned by the image. Only this function and the next read contents, for they keep to
 * ELF_MAX_READ. -EFBIG: that would be exceeded. -EBADMSG: empty, or not inside the file.
 */
int binary_image_data(struct binary_image *image, Elf_Scn *scn, Elf_Data **data);
/* The same for size bytes from offset at of the file, inside a section or not. */
int binary_image_chunk(struct binary_image *image, uint64_t at, uint64_t size, Elf_Type type, Elf_Data **data);
/* The string at an offset of a string section, owned by the image. NULL: there is none, or it does not end. */
const char *binary_image_string(struct binary_image *image, size_t section, uint64_t at);
/* *scn, *shdr: the first section of that name. -ENOENT: none. */
int binary_image_section(struct binary_image *image, const char *name, Elf_Scn **scn, GElf_Shdr *shdr);

/* The code of a function: function->size bytes, which the caller frees. NULL on error, with err set. */
uint8_t *binary_read_function(const struct binary *binary, const struct binary_symbol *function, struct err *err);

struct instruction;
/* 0, or -EOPNOTSUPP with err set for an instruction that the kernel would not run as it is if it had a probe. */
int binary_check_instruction(const struct instruction *instruction, struct err *err);

/* A symbol table and its string table. */
struct binary_table {
	struct binary_image *image;
	uint64_t at; /* of the first symbol in the image */
	size_t n;    /* symbols */
	uint64_t strings_at;
	size_t strings_len; /* if loaded: with the last NUL and nothing after it, so every string inside has an end */
	Elf_Data *data;	    /* NULL: not loaded */
	const char *strings;
};

/*
 * Finds the tables to read: .symtab, in the file or where binary_debug.c finds it, and always .dynsym, because
 * .gnu_debugdata omits the symbols of .dynsym, and strip may remove some from .symtab. A table that does not exist stays
 * {}. load: reads both. Sets what binary_source() returns. *looked: as of binary_debug_find(). -ENODATA: there is
 * neither. -EBADMSG, -EFBIG: a table of the file itself cannot be read.
 */
int binary_tables_find(struct binary *binary, bool load, struct binary_table *full, struct binary_table *dynamic,
		       char **looked);
/* Frees the list of functions and closes the debug file: the tables are searched again. */
void binary_forget(struct binary *binary);
/*
 * Fills in *function, but for its name. False: the symbol is no function, or not in an executable segment. *last: NULL,
 * or where the symbol before was: nearly all are in one segment.
 */
bool binary_function_of(const struct binary *binary, const GElf_Sym *sym, const struct binary_segment **last,
			struct binary_symbol *function);
/* A copy of len bytes of a name, which binary owns. */
const char *binary_keep_name(struct binary *binary, const char *name, size_t len);

/* The segment that holds an address, only an executable one if exec; NULL: none. */
const struct binary_segment *binary_segment_of(const struct binary *binary, uint64_t vaddr, bool exec);
/* The path of the file as seen from the root. */
const char *binary_path_in_root(const struct binary *binary);

/*
 * Calls fn for each note of one owner and type, in the section of that name or in all (section NULL). A non-zero
 * return of fn ends the walk and is returned. -EBADMSG: notes are damaged; in a walk of all sections the others are
 * read first. Format: the System V ABI, "Note Section". desc is valid as long as the image.
 */
typedef int (*binary_note_fn)(void *ctx, const char *desc, size_t len);
int binary_each_note(struct binary_image *image, const char *section, const char *owner, uint32_t type, binary_note_fn fn,
		     void *ctx);
/* The same for notes that were read already. */
int binary_each_note_in(Elf_Data *data, const char *owner, uint32_t type, binary_note_fn fn, void *ctx);

/* The names of symbol versions by number: those that the file defines, and those that it needs of other files. */
struct binary_versions {
	Elf_Data *numbers; /* of each dynamic symbol; NULL: the file has no versions */
	vec(const char *);
};

/* The caller releases versions. A damaged table gives fewer names. The image owns the names. */
void binary_versions_read(struct binary_versions *versions, struct binary_image *image);
void binary_versions_release(struct binary_versions *versions);
/* The version of the dynamic symbol with that index; "" if it has none. */
const char *binary_version_of(const struct binary_versions *versions, size_t symbol);

/* A word of the GOT, or elsewhere, into which the loader writes the address of a function as a relocation says. */
struct binary_slot {
	uint64_t vaddr;	     /* of the word, as linked */
	uint64_t resolver;   /* of an IRELATIVE relocation: its address as linked; name is NULL then */
	const char *name;    /* else: the symbol whose address is written, from whatever file */
	const char *version; /* of that symbol; "" without one */
};

/* Calls fn for each slot of the file, up to a bound. A non-zero return of fn ends the walk and is returned. */
typedef int (*binary_slot_fn)(void *ctx, const struct binary_slot *slot);
int binary_each_slot(struct binary *binary, binary_slot_fn fn, void *ctx);

/* Calls fn for each IFUNC that the file exports: name, version and resolver are set, vaddr is 0. */
int binary_each_ifunc(struct binary *binary, binary_slot_fn fn, void *ctx);

/*
 * *start: the last address (as linked), up to vaddr, at which a function begins by .eh_frame_hdr. -ENOENT: none, or the
 * file has no such table.
 */
int binary_unwind_start(struct binary *binary, uint64_t vaddr, uint64_t *start);
/* Whether a function begins at this address by .eh_frame_hdr. */
bool binary_unwinds_from(struct binary *binary, uint64_t vaddr);

/* *start: where the code section that holds the address begins. -ENOENT: none does, or sections are not known. */
int binary_section_start(struct binary *binary, uint64_t vaddr, uint64_t *start);
/*
 * Decodes the instruction at an offset of the file, through binary->window: cheap if the last one was near. -EILSEQ:
 * none is there.
 */
struct instruction;
int binary_decode_at(struct binary *binary, uint64_t offset, struct instruction *instruction);
/*
 * Whether the file itself says that an instruction begins at an offset, after binary_functions(). If not, sets err,
 * which names the debug file, and returns -EILSEQ.
 */
int binary_confirm(struct binary *binary, uint64_t offset, struct err *err);

/* *vaddr: the address, as linked, of a symbol of any kind in the .symtab of the file itself. -ENOENT: none. */
int binary_find_symbol(struct binary *binary, const char *name, uint64_t *vaddr);

/*
 * Searches the symbols that were stripped from the file and opens them as binary->debug. 0: *source is where they
 * were found. -ENODATA: nothing. *looked lists the places that were searched in vain, for the user. Both are NULL
 * before the call; the caller frees both.
 */
int binary_debug_find(struct binary *binary, char **source, char **looked);

/* Whether a place in the file is in a stub of the PLT, as binary_stub_at(); for many places. */
bool binary_is_stub(struct binary *binary, uint64_t offset);
/* *slot: the address, as linked, of the word that says where the stub at an address leads. False: it is no stub. */
bool binary_stub_slot(struct binary *binary, uint64_t vaddr, uint64_t *slot);

void binary_exits_release(struct binary *binary);

/* Sets what binary_refused() returns, if that is not set yet. Takes text and frees it. */
void binary_refuse(struct binary *binary, char *text);

#endif
