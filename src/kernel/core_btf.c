// SPDX-License-Identifier: BSD-2-Clause
/*
 * Collects the names of types and members that a BPF object uses, finds the kernel's types of these names, and
 * copies the parts of them that relocations read into a new BTF.
 */
#include <elf.h>
#include <sys/mman.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "btf_image.h"
#include "core_btf.h"
#include "core_names.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* The kinds of types at which a relocation may begin. */
#define KINDS (1U << BTF_KIND_STRUCT | 1U << BTF_KIND_UNION | 1U << BTF_KIND_ENUM | \
	       1U << BTF_KIND_ENUM64 | 1U << BTF_KIND_TYPEDEF)

/* Bounds the recursion. Types of the kernel are nested a tenth as deep. */
#define MAX_DEPTH 256

struct copied {
	uint32_t from;
	int to; /* id of the copy; 0: none; UNDER_WAY: being copied, which finds a type that contains itself */
};

#define UNDER_WAY (-ELOOP)

struct maker {
	struct bpf_object *object;  /* owns the names */
	struct core_names types;    /* names of the types that the object uses */
	struct core_names elements; /* names of members and enumerators of all of them */
	struct btf_image image;
	vec(uint32_t) roots; /* ids of the kernel's types of these names */
	struct btf *btf;     /* the result */
	vec(struct copied);  /* the types that it holds already */
	unsigned int depth;  /* how deep the type that is being copied is nested */
};

static void maker_release(struct maker *maker)
{
	bpf_object__close(maker->object);
	core_names_release(&maker->types);
	core_names_release(&maker->elements);
	btf_image_release(&maker->image);
	free(maker->roots.v);
	btf__free(maker->btf);
	free(maker->v);
}

/* --- whether the object has relocations --- */

/*
 * The first section of that name, and *n, its bytes; NULL: there is none. .bss is not in the file, and may be larger
 * than it.
 */
static const void *find_section(const Elf64_Ehdr *header, size_t size, const char *name, size_t *n)
{
	const Elf64_Shdr *sections = (const void *)((const char *)header + header->e_shoff);
	const Elf64_Shdr *names = &sections[header->e_shstrndx];

	for (int i = 0; i < header->e_shnum; i++) {
		const Elf64_Shdr *section = &sections[i];

		if (section->sh_type == SHT_NOBITS)
			continue;
		*n = section->sh_size;
		if (section->sh_offset > size || *n > size - section->sh_offset)
			return NULL;
		if (!strcmp((const char *)header + names->sh_offset + section->sh_name, name))
			return (const char *)header + section->sh_offset;
	}
	return NULL;
}

/* The header of .BTF.ext (Documentation/bpf/btf.rst). No header of libbpf declares it. */
struct btf_ext {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_len;
	uint32_t func_info_off, func_info_len, line_info_off, line_info_len;
	uint32_t core_relo_off, core_relo_len; /* 0 bytes: no relocations */
};

/* NULL: the file is no object, or its types have no extension. */
static const struct btf_ext *find_ext(const void *elf, size_t size)
{
	size_t n = 0;
	const Elf64_Ehdr *header = elf;
	const struct btf_ext *ext;

	/* libbpf will refuse an object that is no ELF file */
	if (size < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_shoff > size ||
	    header->e_shnum * sizeof(Elf64_Shdr) > size - header->e_shoff || header->e_shstrndx >= header->e_shnum)
		return NULL;
	ext = find_section(header, size, ".BTF.ext", &n);
	return ext && n >= sizeof(*ext) && ext->header_len >= sizeof(*ext) ? ext : NULL;
}

bool core_btf_is_needed(const void *elf, size_t size)
{
	const struct btf_ext *ext = find_ext(elf, size);

	return ext && ext->core_relo_len;
}

void core_btf_drop_relocations(void *elf, size_t size)
{
	struct btf_ext *ext = (struct btf_ext *)find_ext(elf, size);

	if (ext)
		ext->core_relo_len = 0;
}

/* --- what the object names --- */

static void add_elements(struct core_names *names, const struct btf *btf, const struct btf_type *t)
{
	for (int i = 0; i < btf_vlen(t); i++) {
		uint32_t name = btf_is_composite(t) ? btf_members(t)[i].name_off
				: btf_is_enum(t)    ? btf_enum(t)[i].name_off
						    : btf_enum64(t)[i].name_off;

		core_names_add(names, btf__name_by_offset(btf, name));
	}
}

static int read_names(struct maker *maker, const void *elf, size_t size)
{
	const struct btf *btf;

	maker->object = bpf_object__open_mem(elf, size, NULL);
	if (!maker->object)
		return -errno;
	btf = bpf_object__btf(maker->object);
	for (uint32_t id = 1; btf && id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!(KINDS >> btf_kind(t) & 1))
			continue;
		core_names_add(&maker->types, btf__name_by_offset(btf, t->name_off));
		if (!btf_is_typedef(t))
			add_elements(&maker->elements, btf, t);
	}
	return 0;
}

/*
 * --- the copy. Each function returns the id of the copy, 0 for a type without values (void, functions), or -errno
 * ---
 */

static int copy_type(struct maker *maker, uint32_t id);

/*
 * Copies an unnamed struct or union if it has wanted members: these count as members of the outer type. Skips
 * padding.
 */
static int copy_member(struct maker *maker, const struct btf_member *member)
{
	const char *name = btf_image_string(&maker->image, member->name_off);
	const struct btf_type *copy;
	int to;

	if (*name && !core_names_have(&maker->elements, name))
		return 0;
	to = copy_type(maker, member->type);
	if (*name || to <= 0)
		return to;
	copy = btf__type_by_id(maker->btf, to);
	return btf_is_composite(copy) && btf_vlen(copy) ? to : 0;
}

static int copy_composite(struct maker *maker, const struct btf_type *t)
{
	const char *name = btf_image_string(&maker->image, t->name_off);
	const struct btf_member *members = btf_members(t);
	int to, ret = 0;

	/* copy the types of the members first: btf__add_field() adds to the last type only */
	for (int i = 0; i < btf_vlen(t) && ret >= 0; i++)
		ret = copy_member(maker, &members[i]);
	if (ret < 0)
		return ret;
	to = btf_is_struct(t) ? btf__add_struct(maker->btf, name, t->size)
			      : btf__add_union(maker->btf, name, t->size);
	for (int i = 0; i < btf_vlen(t) && to > 0; i++) {
		int type = copy_member(maker, &members[i]);

		if (type > 0)
			ret = btf__add_field(maker->btf, btf_image_string(&maker->image, members[i].name_off), type,
					     btf_member_bit_offset(t, i), btf_member_bitfield_size(t, i));
		if (ret < 0)
			return ret;
	}
	return to;
}

/* Copies negative values also if the object does not use them: from these libbpf knows that the enum is signed. */
static int copy_enum(struct maker *maker, const struct btf_type *t)
{
	const char *name = btf_image_string(&maker->image, t->name_off);
	const struct btf_enum *values = btf_enum(t);
	int to = btf__add_enum(maker->btf, name, t->size), ret = 0;

	for (int i = 0; i < btf_vlen(t) && to > 0 && !ret; i++) {
		const char *value = btf_image_string(&maker->image, values[i].name_off);
		int64_t number = btf_kflag(t) ? (int64_t)values[i].val : (int64_t)(uint32_t)values[i].val;

		if (number < 0 || core_names_have(&maker->elements, value))
			ret = btf__add_enum_value(maker->btf, value, number);
	}
	return ret ? ret : to;
}

static int copy_enum64(struct maker *maker, const struct btf_type *t)
{
	const char *name = btf_image_string(&maker->image, t->name_off);
	const struct btf_enum64 *values = btf_enum64(t);
	int to = btf__add_enum64(maker->btf, name, t->size, btf_kflag(t)), ret = 0;

	for (int i = 0; i < btf_vlen(t) && to > 0 && !ret; i++) {
		const char *value = btf_image_string(&maker->image, values[i].name_off);

		if (core_names_have(&maker->elements, value))
			ret = btf__add_enum64_value(maker->btf, value, btf_enum64_value(&values[i]));
	}
	return ret ? ret : to;
}

static int copy_array(struct maker *maker, const struct btf_type *t)
{
	const struct btf_array *array = btf_array(t);
	int index = copy_type(maker, array->index_type);
	int element = copy_type(maker, array->type);

	if (index < 0 || element <= 0)
		return index < 0 ? index : element;
	return btf__add_array(maker->btf, index, element, array->nelems);
}

/* Copies a type that was not copied before. */
static int copy_new(struct maker *maker, const struct btf_type *t)
{
	const char *name = btf_image_string(&maker->image, t->name_off);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		return btf__add_int(maker->btf, name, t->size, btf_int_encoding(t));
	case BTF_KIND_FLOAT:
		return btf__add_float(maker->btf, name, t->size);
	case BTF_KIND_PTR: /* relocations of fields ignore the type that it points to */
		return btf__add_ptr(maker->btf, 0);
	case BTF_KIND_ARRAY:
		return copy_array(maker, t);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(maker, t);
	case BTF_KIND_ENUM:
		return copy_enum(maker, t);
	case BTF_KIND_ENUM64:
		return copy_enum64(maker, t);
	case BTF_KIND_TYPEDEF: /* relocations skip these */
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return copy_type(maker, t->type);
	}
	return 0;
}

static int copy_type(struct maker *maker, uint32_t id)
{
	__free struct btf_type *t = NULL;
	size_t place = maker->n;
	int to;

	vec_each(it, maker)
		if (it->from == id)
			return it->to;
	if (maker->depth == MAX_DEPTH)
		return -ELOOP;
	to = btf_image_type(&maker->image, id, &t);
	*vec_push(maker) = (struct copied){ id, UNDER_WAY };
	maker->depth++;
	if (t)
		to = copy_new(maker, t);
	maker->depth--;
	if (to >= 0)
		maker->v[place].to = to;
	return to;
}

static int note_root(const struct btf_type *type, uint32_t id, void *ctx)
{
	struct maker *maker = ctx;

	if (core_names_have(&maker->types, btf_image_string(&maker->image, type->name_off)))
		*vec_push(&maker->roots) = id;
	return 0;
}

static int copy_root(struct maker *maker, uint32_t id)
{
	__free struct btf_type *t = NULL;
	int ret = btf_image_type(&maker->image, id, &t);
	int to = ret ? ret : copy_type(maker, id);

	if (to <= 0 || !btf_is_typedef(t))
		return to;
	return btf__add_typedef(maker->btf, btf_image_string(&maker->image, t->name_off), to);
}

static int copy_roots(struct maker *maker)
{
	int ret = 0;

	maker->btf = btf__new_empty();
	if (!maker->btf)
		return -errno;
	for (size_t i = 0; i < maker->roots.n && ret >= 0; i++)
		ret = copy_root(maker, maker->roots.v[i]);
	return ret < 0 ? ret : 0;
}

/* --- the file for libbpf --- */

/* A file in memory. Newer kernels may insist on MFD_NOEXEC_SEAL (sysctl vm.memfd_noexec); older ones refuse it. */
static int open_file(void)
{
	int fd = memfd_create("sonde-btf", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("sonde-btf", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int write_file(struct maker *maker, struct core_btf *btf)
{
	__close int fd = open_file();
	uint32_t size;
	const void *data = btf__raw_data(maker->btf, &size);
	ssize_t written;

	if (fd < 0)
		return fd;
	if (!data)
		return -ENOMEM;
	/* a short write: ulimit -f limits files in memory, too */
	written = write(fd, data, size);
	if (written != (ssize_t)size)
		return written < 0 ? -errno : -EFBIG;
	btf->fd = take_fd(fd);
	snprintf(btf->path, sizeof(btf->path), "/proc/self/fd/%d", btf->fd);
	return 0;
}

int core_btf_make(struct core_btf *btf, const void *elf, size_t size, struct err *err)
{
	__cleanup(maker_release) struct maker maker = {};
	int ret = btf_image_open(&maker.image, NULL, NULL, err);

	if (ret)
		return ret;
	ret = read_names(&maker, elf, size);
	if (ret)
		return err_set(err, ret, "cannot open the BPF object: %s", strerror(-ret));
	ret = btf_image_each(&maker.image, KINDS, note_root, &maker, err);
	if (ret)
		return ret;
	ret = copy_roots(&maker);
	if (ret == -ELOOP)
		return err_set(err, ret, "cannot cut down the kernel's BTF: one of its types holds itself");
	if (!ret)
		ret = write_file(&maker, btf);
	if (ret)
		return err_set(err, ret, "cannot cut down the kernel's BTF: %s", strerror(-ret));
	return 0;
}

void core_btf_release(struct core_btf *btf)
{
	if (btf->path[0])
		close(btf->fd);
	btf->path[0] = 0;
}
