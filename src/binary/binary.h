/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One ELF file, a program or library, read by libelf: its functions (.symtab, .dynsym, the separate debug file
 * found by build-id or .gnu_debuglink, .gnu_debugdata unpacked by liblzma), USDT probes, IFUNCs, .eh_frame, and
 * whether Go linked it. Gives file offsets, as uprobes need them. Knows neither patterns nor processes. The file is
 * foreign: all that it holds is checked.
 *
 * A struct binary owns everything that its functions return, until binary_close(). It is not thread-safe.
 */
#ifndef SONDE_BINARY_BINARY_H
#define SONDE_BINARY_BINARY_H

#include <limits.h>

#include "base/base.h"

struct binary;

struct binary_symbol {
	const char *name; /* without @VERSION */
	uint64_t offset;  /* of its first byte in the file */
	uint64_t vaddr;	  /* as linked */
	uint64_t size;	  /* in bytes; 0 if the table does not give it; never beyond the segment */
	bool debug;	  /* only a debug file says so; binary_code.h checks it against the file itself */
	bool ifunc;	  /* STT_GNU_IFUNC: vaddr is the address of the resolver, not of the function */
	uint8_t binding;  /* STB_GLOBAL, STB_WEAK, STB_LOCAL ... of <elf.h> */
};

/*
 * Opens path. root NULL: path is as the user typed it. Else root is "/proc/PID/root" or "/", and path either begins
 * with root and is resolved without leaving it, or is a link in /proc/PID that sonde chose; debug files are
 * searched below root. On success the caller closes *binary with binary_close().
 * Errors, explained in err (may be NULL, here and below): -ENOENT: missing. -ENOEXEC: not ELF (a script, a
 * directory, a device ...), or for another class or architecture. -EBADMSG: truncated or damaged. -EFBIG: too
 * large. -ENODATA: holds no code, as a debug file does. Else the errors of open(2).
 * The file is read, not mapped: if it is truncated meanwhile, later calls fail; no SIGBUS ends us.
 */
int binary_open(const char *root, const char *path, struct binary **binary, struct err *err);
/*
 * The same for a file that is open as fd, which stays the caller's: the file at path may be gone or another one. path is
 * where to look for debug files, and what messages name; below root, if that is not NULL.
 */
int binary_open_fd(const char *root, const char *path, int fd, struct binary **binary, struct err *err);
/*
 * To be called before all others, for a file that is read while others wait: at most so many bytes of its sections are
 * read, and as many of its code decoded, and neither a debug file nor .gnu_debugdata is searched. What lies beyond is not
 * known then.
 */
void binary_keep_small(struct binary *binary, uint64_t bytes);
/* Frees it and all that it owns. NULL is allowed. */
void binary_close(struct binary *binary);
/* The descriptor from which the file is read; owned by the struct binary. */
int binary_fd(const struct binary *binary);
static inline void binary_closep(struct binary **binary)
{
	binary_close(*binary);
}

/* Checks the file header only: 0, or the error that binary_open() would return for it. */
int binary_check(const char *root, const char *path, struct err *err);

/*
 * *symbols: the *n functions of the file, that is STT_FUNC and STT_GNU_IFUNC symbols with a section and an address
 * in an executable segment. Sorted by offset. Aliases (several names of one offset) are all kept, the preferred
 * name first: global before weak before local, then fewest leading underscores, then shortest, then alphabetical.
 * The first call reads them. -ENODATA: the file is stripped and no debug file was found; err lists where was
 * searched. -EBADMSG, -EFBIG: a symbol table of the file itself is damaged or too large. -ENOMEM. A damaged or too
 * large debug file is skipped; binary_refused() reports it.
 */
int binary_functions(struct binary *binary, const struct binary_symbol **symbols, size_t *n, struct err *err);

/* A place in the file. */
struct binary_place {
	uint64_t offset;
	/*
	 * out: the function that the place is in: of several the one that begins last, by its preferred name. name NULL:
	 * none. size 0: the table does not say where the function ends, but no other begins between it and the place.
	 */
	struct binary_symbol function;
};

/*
 * Finds the functions of n places, which are sorted by offset. Keeps only the names that it has found, where
 * binary_functions() needs up to 100 bytes for each function of the file. What binary_functions() has returned is invalid
 * afterwards. should_stop, if not NULL, ends it with -EINTR. Other errors as of binary_functions(). After an error no
 * place has a function.
 */
int binary_find_places(struct binary *binary, struct binary_place *places, size_t n, bool (*should_stop)(void *ctx),
		       void *ctx);
/*
 * Whether the file has IFUNCs and no symbols but those of .dynsym, so that their implementations have no names. After
 * binary_find_places().
 */
bool binary_hides_implementations(const struct binary *binary);
/*
 * Whether a place in the file is in a stub of the PLT, by which the file calls functions of others. *name: the function
 * that this stub calls; NULL: not known, as for the common part that calls the loader. Valid as long as binary.
 */
bool binary_stub_at(struct binary *binary, uint64_t offset, const char **name);
/* A section of such stubs, as file offsets. */
struct binary_plt {
	uint64_t start, end;
	bool lazy; /* it begins with the part that calls the loader */
};
/* Finds at most max of them, in the order of the section headers. Returns how many. */
size_t binary_plts(struct binary *binary, struct binary_plt *plts, size_t max);

/* Compares two names of one place by that rule: below 0 if a is preferred. */
int binary_compare_names(const struct binary_symbol *a, const struct binary_symbol *b);

/*
 * The table that binary_functions() read besides .dynsym: ".symtab", ".gnu_debugdata" or the path of a debug file;
 * ".dynsym" if there was no other. NULL before binary_functions().
 */
const char *binary_source(const struct binary *binary);
/*
 * A line for the user about a debug file or section that was found but not read: it is a device, too large, damaged
 * or of another build. NULL: there was none. Only the first one is kept.
 */
const char *binary_refused(const struct binary *binary);
/*
 * Whether the debug information, if any, holds the name. If the name is no symbol, then the compiler has inlined
 * every call of the function and left no copy of it.
 */
bool binary_is_named(struct binary *binary, const char *name);
/*
 * How many copies of the function with this symbol the compiler has put inside other functions, where no probe on the
 * function sees them. 0: none, or the debug information does not show it or is too large to be read.
 */
size_t binary_count_inlined(struct binary *binary, const char *name);

/*
 * Calls fn for each library that the file is linked to (DT_NEEDED), in the order of the file, and for the directories
 * where it wants them searched (runpath: DT_RUNPATH or DT_RPATH, not expanded), which may come last. The texts live as
 * long as the binary. A non-zero return of fn ends the walk and is returned.
 */
typedef int (*binary_needed_fn)(void *ctx, const char *text, bool runpath);
int binary_each_needed(struct binary *binary, binary_needed_fn fn, void *ctx);
/* The path of the loader that a program wants (PT_INTERP). -ENOENT: it wants none. */
int binary_interpreter(struct binary *binary, char path[PATH_MAX]);

/* A symbol of any kind that the file exports. */
struct binary_exported {
	uint64_t vaddr, size; /* as linked; bytes */
};
/* Finds one by its name, without its version; reads a few bytes only. -ENOENT: the file exports none, or is damaged. */
int binary_find_exported(struct binary *binary, const char *name, struct binary_exported *found);

/* The build-id of the file itself in hexadecimal, which the caller frees; NULL: it has none. */
char *binary_build_id(struct binary *binary);

/* Whether Go's linker made the file. A C library that a Go program loads, or the reverse, is judged by itself. */
enum binary_go {
	BINARY_GO_NONE,
	BINARY_GO,	     /* linked by Go; may hold C code as well (cgo) */
	BINARY_GO_REGISTERS, /* linked by Go 1.18 or later, which keeps the goroutine in a register */
};
enum binary_go binary_go(struct binary *binary);

/*
 * Whether an address as linked is in a function of Go, by the table that Go's runtime uses, which stripped files have, too.
 * *function: its name, address and size.
 */
bool binary_go_function_at(struct binary *binary, uint64_t vaddr, struct binary_symbol *function);

/*
 * *offset: the place in the file of an address as linked. exec: only executable segments count, else all loaded ones.
 * -ENOENT: the address is in none, or the file does not hold it (.bss).
 */
int binary_offset_of(struct binary *binary, uint64_t vaddr, bool exec, uint64_t *offset);

/* *vaddr: the address, as linked, of a place in the file. -ENOENT: it is in no executable segment. */
int binary_vaddr_of(struct binary *binary, uint64_t offset, uint64_t *vaddr);

/*
 * A symbol of any kind, also a variable: its address, as linked, and its size (0: not known). In the file's own tables,
 * and after binary_functions() in those of its debug file. -ENOENT: there is none. -ENOTSUP: it has no one address, as a
 * variable of each thread.
 */
int binary_find_object(struct binary *binary, const char *name, uint64_t *vaddr, uint64_t *size);
/* Whether it runs at the addresses as linked, and nowhere else (ET_EXEC). */
bool binary_is_fixed(const struct binary *binary);

/* A part of the file, inside it when it was opened. */
struct binary_part {
	uint64_t offset, size;
	uint64_t vaddr; /* of the first byte, as linked */
	bool exact;	/* false: other data may follow; a terminator inside marks the end */
};

/*
 * The call frame information (.eh_frame, as the LSB describes it). Its size is exact only if the section headers
 * are there. -ENODATA: the file has none. -EBADMSG: it lies outside the file.
 */
int binary_eh_frame(struct binary *binary, struct binary_part *part);
/* The address, as linked, at which the file's execution begins; 0: nowhere. */
uint64_t binary_entry(struct binary *binary);
/* Copies n bytes from an offset of the file. -EBADMSG: the file does not hold them. */
int binary_read(const struct binary *binary, uint64_t offset, void *to, size_t n);
/*
 * Copies n bytes from an address as linked, with the addresses of the file itself that dynamic linking puts there. -ENOENT,
 * -EBADMSG: the file does not hold them.
 */
int binary_read_linked(struct binary *binary, uint64_t vaddr, void *to, size_t n);
/* The addresses, as linked, of functions that the loader calls: n words at *vaddr. -ENOENT: there is none. */
int binary_init_array(struct binary *binary, uint64_t *vaddr, uint64_t *n);

/*
 * One place of a USDT probe: a note of type 3 and owner "stapsdt" in .note.stapsdt, its addresses corrected by
 * .stapsdt.base in case that prelink moved the file. The format: SystemTap's wiki, UserSpaceProbeImplementation.
 */
struct binary_usdt {
	const char *provider, *name;
	const char *args;   /* how to read the arguments, as the note has it; not parsed */
	uint64_t offset;    /* of the place in the file */
	uint64_t semaphore; /* its offset in the file; 0: none */
};

/* The *n places, sorted by provider, name, offset. 0 with *n = 0 if there are none. -EBADMSG: a note is damaged. */
int binary_usdt_probes(struct binary *binary, const struct binary_usdt **probes, size_t *n, struct err *err);

/*
 * An IFUNC symbol. The loader calls its resolver to choose an implementation for this machine, and binds callers to the
 * choice.
 */
struct binary_ifunc {
	const struct binary_symbol *symbol; /* in: of this struct binary */
	uint64_t offset;		    /* out: place in the file of the implementation that calls reach */
	const char *failed;		    /* out: NULL, or why the implementation is unknown (a constant string) */
};

/*
 * Finds the implementations of n IFUNCs, which the caller sorts as binary_functions() does. Sources, until all are
 * known: what process pid (0: none) is bound to; for a library of this system, what a generated program is bound to
 * (asker.h); what other processes that have mapped the file are bound to (bound.h). No other foreign code is
 * executed.
 */
void binary_resolve_ifuncs(struct binary *binary, pid_t pid, struct binary_ifunc *ifuncs, size_t n);

#endif
