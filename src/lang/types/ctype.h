/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Types of C: those that the program declares, and those of the kernel's BTF. A struct is first known by its name and
 * size only; its members are read when somebody looks into it, so a program pays for the types that it names.
 */
#ifndef SONDE_LANG_TYPES_CTYPE_H
#define SONDE_LANG_TYPES_CTYPE_H

#include "kernel/types.h"
#include "type.h"

/* A program's types. Declarations of the program hide those of the kernel. */
struct ctypes;

/*
 * The kernel's types are opened when they are asked for first; those of loaded modules if the kernel proper has no
 * such type.
 */
struct ctypes *ctypes_new(struct pool *pool);
void ctypes_free(struct ctypes *types);

enum ctype_tag {
	CTYPE_PLAIN,
	CTYPE_STRUCT,
	CTYPE_UNION,
	CTYPE_ENUM
};

/*
 * What a program declares: a struct, union or enum (complete, see type.h), or a typedef. -EEXIST: there is one
 * already.
 */
int ctypes_declare(struct ctypes *types, enum ctype_tag tag, const char *name, const struct type *type);
/* A constant: a value of an enum that the program declares. */
int ctypes_declare_value(struct ctypes *types, const char *name, int64_t value, const struct type *type);

/*
 * Finds "struct NAME", "NAME" (a typedef, or C's own types in any of their spellings: "unsigned long", "u32", "size_t",
 * "uint8", "int64"), "enum NAME". NULL: there is none; err is filled in only if the kernel's BTF cannot be read.
 */
const struct type *ctypes_find(struct ctypes *types, enum ctype_tag tag, const char *name, struct err *err);
/*
 * A struct, union or enum that is known by its name, as where C writes "struct page *": it is looked for when somebody
 * looks into it. size: in bytes, 0: unknown.
 */
const struct type *ctypes_named(struct ctypes *types, enum ctype_tag tag, const char *name, uint32_t size);
/* Whether the program includes one of C's headers, so that it may use their constants. */
void ctypes_use_headers(struct ctypes *types, bool used);
/*
 * A constant of an enum, of the program or of the kernel, or a #define of C's headers. *type is NULL for a number that
 * is as good as one the program writes.
 */
bool ctypes_find_value(struct ctypes *types, const char *name, int64_t *value, const struct type **type);
/* The name of a value of an enum; NULL: it has none. */
const char *ctypes_value_name(struct ctypes *types, const struct type *type, int64_t value);
/* Offers names to nearest.h: of structs and typedefs that begin like name. */
struct nearest;
void ctypes_offer(struct ctypes *types, struct nearest *nearest);

/* Whether a struct is the kernel's: neither the program nor a header that it includes declares one of that name. */
bool ctypes_is_kernel(const struct ctypes *types, const struct type *type);
/* Makes sure that a struct's fields and its size are there. Returns false for a type that is only declared. */
bool ctypes_complete(struct ctypes *types, const struct type *type);
/* The field of a struct, searched in unnamed members too. Pointers among the fields have the given space. */
bool ctypes_field(struct ctypes *types, const struct type *type, const char *name, enum type_space space,
		  struct type_field *field);

/* --- what BTF has --- */

/* The kernel's types, which are opened if nobody has asked for them yet. */
struct kernel_types *ctypes_kernel(struct ctypes *types);
/*
 * Finds a type in the kernel's BTF, else in that of a loaded module. 0: there is none. A forward declaration is
 * returned only if no definition is anywhere.
 */
uint32_t ctypes_find_btf(struct ctypes *types, const char *name, uint32_t kinds, int *module, struct err *err);
/* The type of a type id of the module with that number. */
const struct type *ctypes_make(struct ctypes *types, int module, uint32_t id, enum type_space space);
/* "unsigned long int", "uint8", "u32"; NULL: not one of these. */
const struct type *ctypes_integer(const char *name);
/* These and "bool", "void", "pid_t": types that need no BTF. */
const struct type *ctypes_builtin(const char *name);

#endif
