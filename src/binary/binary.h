/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User symbols of one ELF file, by libelf: .symtab, .dynsym, the separate debug file found by
 * build-id or .gnu_debuglink, and .gnu_debugdata (xz, by liblzma).
 * Gives file offsets, which is what uprobes take. Knows nothing of patterns or of which
 * process uses the file. The file is foreign: whatever it holds is checked, nothing is trusted.
 */
#ifndef SONDE_BINARY_H
#define SONDE_BINARY_H

#include "base/base.h"

struct binary;

struct binary_symbol {
	const char *name; /* without @VERSION; owned by the struct binary */
	uint64_t offset;  /* of its first byte in the file */
	uint64_t vaddr;	  /* as linked */
	uint64_t size;	  /* 0 where the table does not say; never beyond the segment */
	bool ifunc;	  /* STT_GNU_IFUNC: vaddr is the resolver's, not the function's */
	uint8_t binding;  /* STB_GLOBAL, STB_WEAK, STB_LOCAL ... of <elf.h> */
};

/*
 * Opens path. root NULL: as the user typed it. Else, "/proc/PID/root" or "/": path begins with it and stays
 * below it, or is a link of ours in /proc/PID; debug files are looked for below root.
 * Errors in words: missing (-ENOENT), not ELF (-ENOEXEC), truncated (-EBADMSG), too large (-EFBIG),
 * another class or architecture than this machine's (-ENOEXEC; says which), no permission.
 * A script's, a directory's or a device's path is said to be that. Nothing is mapped: a file that is truncated
 * while it is read is an error, no signal.
 */
int binary_open(const char *root, const char *path, struct binary **binary, struct err *err);
void binary_close(struct binary *binary);
/* The descriptor by which the file is read; the elf's. */
int binary_fd(const struct binary *binary);
static inline void binary_closep(struct binary **binary)
{
	binary_close(*binary);
}

/* The same checks of the file header alone, without reading on: 0 or binary_open()'s error. */
int binary_check(const char *root, const char *path, struct err *err);

/*
 * Functions (STT_FUNC, STT_GNU_IFUNC with a section and an address in an executable
 * segment), sorted by offset, then by preference of name; aliases are kept, next to each other,
 * the preferred name first (global before weak before local, then fewest leading underscores,
 * then shortest, then alphabetical). Read at the first call, kept until binary_close().
 * -ENODATA when the file is stripped and nothing else was found: err says where was looked.
 * -EBADMSG where the file's own tables are broken, -EFBIG where they are too large; a debug file of that kind counts as
 * absent, and binary_refused() tells.
 */
int binary_functions(struct binary *binary, const struct binary_symbol **symbols, size_t *n, struct err *err);

/*
 * Where binary_functions() found most: ".symtab", ".dynsym", ".gnu_debugdata" or a debug file's
 * path; .dynsym is read along with each. NULL before binary_functions().
 */
const char *binary_source(const struct binary *binary);
/*
 * What the functions above have found and not read, for it is a device, too large, damaged or of another build: a
 * line to show to the user. NULL: nothing. Owned by the struct binary.
 */
const char *binary_refused(const struct binary *binary);
/*
 * Does the debug information, where there is any, know the name? Of something that is no symbol that means: a function
 * of which no copy of its own is left, for the compiler has inlined every call.
 */
bool binary_is_named(struct binary *binary, const char *name);

/*
 * The first library that the file is linked to (DT_NEEDED) whose name begins so, and the directories that it names
 * for its libraries (DT_RUNPATH or DT_RPATH as it stands, NULL without one); both owned by the struct binary. -ENOENT: none.
 */
int binary_needed(struct binary *binary, const char *prefix, const char **name, const char **runpath);

/* What Go has to do with the file; a C library within a program of Go's, or the other way round, is a file of its own. */
enum binary_go {
	BINARY_GO_NONE,
	BINARY_GO,	     /* Go has linked it, code of C's too where that is in it */
	BINARY_GO_REGISTERS, /* the same, by Go 1.18 or later, which keeps the goroutine in a register */
};
enum binary_go binary_go(struct binary *binary);

/* File offset of an address in an executable (exec) or any loaded segment; -ENOENT outside. */
int binary_offset_of(struct binary *binary, uint64_t vaddr, bool exec, uint64_t *offset);

/* The other way, for what is in an executable segment. */
int binary_vaddr_of(struct binary *binary, uint64_t offset, uint64_t *vaddr);

/* A piece of the file; data is owned by the struct binary. */
struct binary_bytes {
	const void *data;
	size_t size;
	uint64_t vaddr; /* of its first byte, as linked */
	bool exact;	/* false: something else may follow, and it says itself where it ends */
};

/*
 * The call frame information, .eh_frame. Only its section says where it ends, and a file need not have that. 0; -ENODATA: the
 * file has none; -EBADMSG, -EFBIG: it cannot be read.
 */
int binary_eh_frame(struct binary *binary, struct binary_bytes *bytes);

/* USDT probes: notes of type 3 and owner "stapsdt" in .note.stapsdt, addresses corrected by
 * .stapsdt.base (prelink). The format: SystemTap's wiki, UserSpaceProbeImplementation. */
struct binary_usdt {
	const char *provider, *name, *args; /* owned by the struct binary */
	uint64_t offset;		    /* file offset of the place */
	uint64_t semaphore;		    /* file offset of the semaphore, 0 none */
};

/* Sorted by provider, name, offset. 0 and *n = 0 where there are none; -EBADMSG: a broken note. */
int binary_usdt_probes(struct binary *binary, const struct binary_usdt **probes, size_t *n, struct err *err);

/* One IFUNC symbol and what it is on this machine. */
struct binary_ifunc {
	const struct binary_symbol *symbol; /* in: of this elf */
	uint64_t offset;		    /* out: in the file, of the function that calls reach */
	const char *failed;		    /* out: NULL, or why there is no offset (a constant) */
};

/*
 * What IFUNC symbols are, sorted as binary_functions() does: what the running process pid (0: none) is bound to; for a library
 * of our own system's what a program of ours, which does nothing, is bound to (asker.h); what other processes that have
 * mapped the file are bound to (bound.h). Nothing else is executed.
 */
void binary_resolve_ifuncs(struct binary *binary, pid_t pid, struct binary_ifunc *ifuncs, size_t n);

#endif
