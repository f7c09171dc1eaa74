/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User symbols of one ELF file, by libelf: .symtab, .dynsym, the separate debug file found by
 * build-id or .gnu_debuglink (CRC checked), and .gnu_debugdata (xz, by liblzma).
 * Gives file offsets, which is what uprobes take. Knows nothing of processes or patterns.
 */
#ifndef SONDE_ELF_H
#define SONDE_ELF_H

#include "base/base.h"

struct elf;

struct elf_symbol {
	const char *name; /* without @VERSION; owned by the struct elf */
	uint64_t offset;  /* of its first byte in the file */
	uint64_t vaddr;	  /* as linked */
	uint64_t size;	  /* 0 where the table does not say */
	bool ifunc;	  /* STT_GNU_IFUNC: vaddr is the resolver's, not the function's */
};

/*
 * Opens path. Errors in words: missing (-ENOENT), not ELF (-ENOEXEC), truncated
 * (-EBADMSG), another class or architecture than this machine's (-ENOEXEC; says which),
 * no permission. A script's or a directory's path is said to be that.
 */
int elf_open(const char *path, struct elf **elf, struct err *err);
void elf_close(struct elf *elf);

/*
 * Functions (STT_FUNC, STT_GNU_IFUNC with a section and an address in an executable
 * segment), sorted by offset, then by preference of name; aliases are kept, next to each other,
 * the preferred name first (global before weak before local, then fewest leading underscores, then shortest, then
 * alphabetical). -ENODATA when the file is stripped and nothing else was found: err says where was looked.
 */
int elf_functions(struct elf *elf, const struct elf_symbol **symbols, size_t *n, struct err *err);

/* Where the symbols came from: ".symtab", ".dynsym", ".gnu_debugdata" or a debug file's path. */
const char *elf_source(const struct elf *elf);

/* File offset of a virtual address in an executable (exec) or any loaded segment; -ENOENT outside. */
int elf_offset_of(struct elf *elf, uint64_t vaddr, bool exec, uint64_t *offset);

/* USDT marks: notes of type 3 and owner "stapsdt" in .note.stapsdt, addresses corrected by
 * .stapsdt.base (prelink). The format: SystemTap's wiki, UserSpaceProbeImplementation. */
struct elf_mark {
	const char *provider, *name, *args; /* owned by the struct elf */
	uint64_t offset;	/* file offset of the place */
	uint64_t semaphore;	/* file offset of the semaphore, 0 none */
};

/* Sorted by provider, name, offset. *n = 0 and 0 where there are none; -EBADMSG for a broken note. */
int elf_marks(struct elf *elf, const struct elf_mark **marks, size_t *n, struct err *err);

/*
 * What an IFUNC symbol is on this machine: runs the library's own resolver in a traced process of
 * its own (the loader maps and relocates path, the resolver is called, the process ends), never in
 * ours. root: directory in which the loader looks (chroot), NULL for /. path_in_root: the library's path below it.
 * *offset is the file offset of the function that calls reach. -ENOTSUP with the reason where that cannot be found.
 */
int elf_resolve_ifunc(struct elf *elf, const struct elf_symbol *symbol, const char *root,
		      const char *path_in_root, uint64_t *offset, struct err *err);

#endif
