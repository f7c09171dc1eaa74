/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of an engine's BPF object. Each engine makes these calls one after the other:
 *
 *	object_open(&object, NAME_bpf__elf_bytes, err)
 *	object_size_map(), object_size_value(), object_fill() ...	maps are sized, data is filled
 *	object_prepare(&object, err)					maps exist, programs are relocated
 *	object_memory(), object_map_fd(), object_program()		shared with the kernel; programs for attaching
 *	object_release(&object)						also after an error, and of one that was never opened
 *
 * Maps, data sections and programs go by their names. A data section is a map whose name is the section's, ".data.losses".
 * Functions that return int return 0, or -errno with err set.
 */
#ifndef SONDE_OBJECT_H
#define SONDE_OBJECT_H

#include "kernel/core_object.h"

struct bpf_program;
struct image;
struct target_set;

/* Initialise with {}. */
struct object {
	struct core_object core;
};

/* Gives an ELF file's bytes, which stay, and how many these are: a skeleton's NAME_bpf__elf_bytes(). */
typedef const void *(*object_bytes_fn)(size_t *size);

int object_open(struct object *object, object_bytes_fn bytes, struct err *err);

/* Until it is prepared. */

/* Is there a map, or a data section, of this name? */
bool object_has(const struct object *object, const char *map);
/* How many entries a map has at most; a ring buffer's bytes. 0: the programs do not use it, and it is not created. */
int object_size_map(struct object *object, const char *map, uint32_t entries, struct err *err);
/* The bytes of a map's value, which are all of a data section. What is filled in later than this is as large as this. */
int object_size_value(struct object *object, const char *map, size_t size, struct err *err);
/* The bytes of a map's key. */
int object_size_key(struct object *object, const char *map, size_t size, struct err *err);
/* The map is another object's, of which this is the descriptor: it stays the caller's. */
int object_reuse_map(struct object *object, const char *map, int fd, struct err *err);
/* The begin of a data section, read-only or not. -ENOENT where the object has none of this name that is as large. */
int object_fill(struct object *object, const char *section, const void *data, size_t size, struct err *err);

/* The data by which programs learn which target of the set was hit (bpf/slot.bpf.h). */
int object_fill_slots(struct object *object, const struct target_set *set, struct err *err);
/* The program is not loaded. -ENOENT where there is none of this name. */
int object_skip_program(struct object *object, const char *name, struct err *err);

/* Creates the maps and relocates the programs. Loads none: attach loads copies of them. */
int object_prepare(struct object *object, struct err *err);
/* The same for an object whose programs are loaded as they are. */
int object_load(struct object *object, struct err *err);

/*
 * When it is prepared. The object is of the same build as the engine, and its maps were sized: a name that it does not have is a fault
 * of ours, and ends the process.
 */

/* A data section, which is the kernel's own memory: at least that many bytes. */
void *object_memory(const struct object *object, const char *section, size_t size);
/* A word of a data section that programs write to. */
uint64_t object_word(const struct object *object, const char *section, size_t index);
/* The bytes of a map's value. */
size_t object_value_size(const struct object *object, const char *map);
int object_map_fd(const struct object *object, const char *map);

/* -ENOENT where there is none of this name. */
int object_program(const struct object *object, const char *name, const struct bpf_program **program, struct err *err);
/* The program as an image, which the caller releases. */
int object_image(const struct object *object, const char *program, struct image *image, struct err *err);

void object_release(struct object *object);

#endif
