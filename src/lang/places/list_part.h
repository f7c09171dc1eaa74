/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files list*.c. */
#ifndef SONDE_LANG_PLACES_LIST_PART_H
#define SONDE_LANG_PLACES_LIST_PART_H

#include "lang/types/ctype.h"
#include "probes.h"

struct btf;
struct btf_dump;

struct list_entry {
	const char *text;
	const char *details; /* what follows it, without the last newline; NULL: nothing */
};

struct list {
	enum lang_detail detail;
	pid_t pid; /* 0: none */
	struct pool pool;
	struct ctypes *types;
	struct kernel *kernel;
	vec(struct list_entry);
	/* For the text of types: libbpf's reading of a file, which is opened when it is needed. */
	struct btf *base;
	struct list_dump {
		const char *module; /* NULL: the kernel's own */
		struct btf *btf;
		struct btf_dump *dump;
	} dumps[2];	 /* the kernel's, and the module's that was used last */
	struct str text; /* what the dump writes */
};

/*
 * A line for each argument, "    struct file * file", as bpftrace writes it; each with its newline. Those of a kprobe
 * have the names that programs use, "arg0".
 */
void list_show_arguments(struct list *list, enum lang_probe_kind kind, const struct target *target, struct str *to);
void list_show_format(const struct target *target, struct str *to);
/* "    int32 arg0". */
void list_show_usdt(const struct target *target, struct str *to);
/* The same of an iterator, without the last newline; NULL: not wanted. */
const char *list_show_iterator(struct list *list, const char *object);
/* "struct path*": names of types and, if wanted, their declarations. */
int list_types(struct list *list, const char *pattern, struct err *err);
void list_types_release(struct list *list);
/*
 * list_offsets.c: adds the definition of a struct or union as libbpf writes it, with a comment behind each field that
 * says where it is, and one behind the last line that says how large all is.
 */
void list_add_offsets(const struct btf *btf, uint32_t id, const char *definition, struct str *to);

#endif
