/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of an engine's BPF object. Each engine makes these calls one after the other:
 *
 *	object_open(&object, NAME_bpf__elf_bytes, err)
 *	object_size_map(), object_size_value(), object_fill() ...	size maps, fill data
 *	object_prepare(&object, keep, err)				create maps, relocate programs
 *	object_memory(), object_map_fd(), object_program()		share memory, attach programs
 *	object_release(&object)						also after an error, or if never opened
 *
 * Maps, data sections and programs are named. A data section is a map with the name of the section: ".data.losses".
 * Functions that return int return 0, or -errno with err.
 */
#ifndef SONDE_ENGINE_OBJECT_H
#define SONDE_ENGINE_OBJECT_H

#include "kernel/core_object.h"

struct bpf_program;
struct image;
struct keep;
struct target_set;

/* Initialise with {}. */
struct object {
	struct core_object core;
};

/* Returns the bytes of an ELF file, which are static, and their number: NAME_bpf__elf_bytes() of a skeleton. */
typedef const void *(*object_bytes_fn)(size_t *size);

int object_open(struct object *object, object_bytes_fn bytes, struct err *err);
/* The same, if no function that relocates against the kernel's types will be loaded: reads none of the kernel's BTF. */
int object_open_untyped(struct object *object, object_bytes_fn bytes, struct err *err);

/* --- before it is prepared --- */

/* True if there is a map or a data section of this name. */
bool object_has(const struct object *object, const char *map);
/* Sets the most entries of a map, or the bytes of a ring buffer. 0: the programs do not use it; it is not created. */
int object_size_map(struct object *object, const char *map, uint32_t entries, struct err *err);
/* Sets the bytes of a map's value; for a data section these are all. Call it before object_fill(). */
int object_size_value(struct object *object, const char *map, size_t size, struct err *err);
/* Sets the bytes of a map's key. */
int object_size_key(struct object *object, const char *map, size_t size, struct err *err);
/* Uses the map of another object, by its descriptor, which stays the caller's. */
int object_reuse_map(struct object *object, const char *map, int fd, struct err *err);
/* Writes to the start of a data section. -ENOENT if the object has none of this name that is as large. */
int object_fill(struct object *object, const char *section, const void *data, size_t size, struct err *err);

/* Writes the data by which programs find out which target of the set was hit (bpf/slot.bpf.h). */
int object_fill_slots(struct object *object, const struct target_set *set, struct err *err);
/* Excludes a program from loading. -ENOENT if there is none of this name. */
int object_skip_program(struct object *object, const char *name, struct err *err);

/*
 * Creates the maps, or adopts those that were kept (attach/keep.h; NULL: none), and relocates the programs. Loads none:
 * attach loads copies of them. -ESTALE: what was kept does not fit.
 */
int object_prepare(struct object *object, struct keep *keep, struct err *err);
/* The same, and loads the programs as they are. */
int object_load(struct object *object, struct err *err);

/*
 * --- after it is prepared ---
 * The object is from the same build as the engine, so an unknown name is our own fault, and ends the process.
 */

/* Returns a data section, memory shared with the kernel, of at least size bytes. */
void *object_memory(const struct object *object, const char *section, size_t size);
/* Returns a word of a data section that programs write to. */
uint64_t object_word(const struct object *object, const char *section, size_t index);
/* Returns the bytes of a map's value. */
size_t object_value_size(const struct object *object, const char *map);
int object_map_fd(const struct object *object, const char *map);
/* Returns the bytes that the kernel uses for all maps of the object; and for the map of a descriptor, 0: not known. */
size_t object_bytes(const struct object *object);
size_t object_map_bytes(int fd);

/* Finds a program. -ENOENT if there is none of this name. */
int object_program(const struct object *object, const char *name, const struct bpf_program **program, struct err *err);
/* Makes an image of a program, which the caller releases. */
int object_image(const struct object *object, const char *program, struct image *image, struct err *err);

void object_release(struct object *object);

#endif
