// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the BTF of the kernel or of a module and walks from type to type. Knows the sizes of types, not their
 * meaning. Before Linux 6.16 the file cannot be mapped: then the strings are kept in memory, but types are read
 * through a small window, because page faults for 3 MB of new memory would cost more than reading.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include "btf_image.h"
#include "kernel_files.h"

#define DIR "/sys/kernel/btf/"

/* In bytes: what one read(2) from sysfs returns. */
#define WINDOW 4096
/* The index holds the offset of every so many types: it stays small, and few types are skipped to reach one. */
#define STRIDE 64

/* What follows a struct btf_type, in bytes: once, and for each element (member, value, parameter). */
static const struct {
	uint8_t always, element;
} trailers[] = {
	[BTF_KIND_INT] = { .always = sizeof(uint32_t) },
	[BTF_KIND_ARRAY] = { .always = sizeof(struct btf_array) },
	[BTF_KIND_STRUCT] = { .element = sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { .element = sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { .element = sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { .element = sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { .always = sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { .element = sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { .always = sizeof(struct btf_decl_tag) },
	[BTF_KIND_ENUM64] = { .element = sizeof(struct btf_enum64) },
};

void btf_image_release(struct btf_image *image)
{
	if (image->map) {
		munmap(image->map, image->size);
	} else {
		free(image->strings);
		free(image->window);
	}
	free(image->index.v);
	base_closep(&image->fd);
}

static int read_at(const struct btf_image *image, void *to, size_t n, size_t at)
{
	if (image->map) {
		memcpy(to, (const uint8_t *)image->map + at, n);
		return 0;
	}
	for (size_t have = 0; have < n;) {
		ssize_t got = pread(image->fd, (uint8_t *)to + have, n - have, at + have);

		if (got <= 0)
			return -EIO;
		have += got;
	}
	return 0;
}

/*
 * Maps the file if the kernel permits. Below a root that a test has set, the file is always read, as on older
 * kernels.
 */
static int open_file(struct btf_image *image)
{
	struct stat st;
	void *map;

	image->fd = kernel_open(image->path, O_RDONLY);
	if (image->fd < 0 || fstat(image->fd, &st))
		return -errno;
	image->size = st.st_size;
	if (!kernel_is_real())
		return 0;
	map = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, image->fd, 0);
	if (map != MAP_FAILED)
		image->map = map;
	return 0;
}

static void take_types(struct btf_image *image, size_t at, size_t n)
{
	image->types_at = at;
	image->types_len = n;
	if (image->map) {
		image->window = (uint8_t *)image->map + at;
		image->have = n;
	}
}

static int take_strings(struct btf_image *image, size_t at, size_t n)
{
	image->strings_len = n;
	if (!n)
		return 0;
	image->strings = image->map ? (char *)image->map + at : malloc(n);
	if (!image->strings)
		return -ENOMEM;
	if (!image->map && read_at(image, image->strings, n, at))
		return -EIO;
	return image->strings[n - 1] ? -EINVAL : 0;
}

/* Checks that types and strings are inside the file, and that the last string ends with NUL. A module may have none. */
static int read_header(struct btf_image *image)
{
	struct btf_header h;

	if (image->size < sizeof(h) || read_at(image, &h, sizeof(h), 0) || h.magic != BTF_MAGIC ||
	    (uint64_t)h.hdr_len + h.type_off + h.type_len > image->size ||
	    (uint64_t)h.hdr_len + h.str_off + h.str_len > image->size || (!h.str_len && !image->base))
		return -EINVAL;
	take_types(image, (size_t)h.hdr_len + h.type_off, h.type_len);
	return take_strings(image, (size_t)h.hdr_len + h.str_off, h.str_len);
}

int btf_image_open(struct btf_image *image, const char *module, const struct btf_image *base, struct err *err)
{
	int ret;

	image->fd = -1;
	image->base = base;
	snprintf(image->path, sizeof(image->path), DIR "%s", module ? module : "vmlinux");
	ret = open_file(image);
	if (ret)
		return err_set(err, ret, "the kernel offers no BTF%s%s: cannot open %s: %s",
			       module ? " of the module " : "", module ? module : "", image->path, strerror(-ret));
	ret = read_header(image);
	if (ret == -EINVAL)
		return err_set(err, ret, "%s: not BTF, or of a version that sonde does not know", image->path);
	return ret ? err_set(err, ret, "cannot read %s: %s", image->path, strerror(-ret)) : 0;
}

const char *btf_image_string(const struct btf_image *image, uint32_t offset)
{
	if (image->base) {
		if (offset < image->base->strings_len)
			return btf_image_string(image->base, offset);
		offset -= image->base->strings_len;
	}
	return offset < image->strings_len ? image->strings + offset : "";
}

uint32_t btf_image_find_string(const struct btf_image *image, const char *text)
{
	__free char *wanted = base_printf("%c%s", 0, text);
	size_t n = strlen(text) + 2;
	const char *found = image->strings_len ? memmem(image->strings, image->strings_len, wanted, n) : NULL;
	uint32_t first = image->base ? image->base->strings_len : 0;

	/* a module has no empty string of its own: its first string follows nothing */
	if (!found && first && image->strings_len >= n - 1 && !memcmp(image->strings, text, n - 1))
		return first;
	return found ? first + (uint32_t)(found - image->strings) + 1 : 0;
}

static int move_window(struct btf_image *image, size_t at, size_t n)
{
	size_t left = image->types_len - at;
	int ret;

	if (n < WINDOW)
		n = left < WINDOW ? left : WINDOW;
	if (n > image->cap) {
		image->window = base_realloc(image->window, n, 1);
		image->cap = n;
	}
	ret = read_at(image, image->window, n, image->types_at + at);
	image->from = at;
	image->have = ret ? 0 : n;
	return ret;
}

/* n bytes of the types from offset at, which must exist; NULL: read error. Valid until the next call. */
static const void *types_from(struct btf_image *image, size_t at, size_t n)
{
	if ((at < image->from || at + n > image->from + image->have) && move_window(image, at, n))
		return NULL;
	return image->window + (at - image->from);
}

/* The size in bytes of a type and its elements; 0 for an unknown kind. */
static size_t size_of(const struct btf_type *t)
{
	unsigned int kind = BTF_INFO_KIND(t->info);

	if (kind == BTF_KIND_UNKN || kind >= ARRAY_SIZE(trailers))
		return 0;
	return sizeof(*t) + trailers[kind].always + trailers[kind].element * BTF_INFO_VLEN(t->info);
}

struct pass {
	uint32_t kinds;
	btf_image_fn fn;
	void *ctx;
	size_t at;	/* offset of the next type */
	uint32_t id;	/* its id */
	uint32_t first; /* the id of the first type */
};

/* Passes the types that begin in the window: all 100,000 of them if the file is mapped. */
static int pass_window(struct btf_image *image, struct pass *pass, struct err *err)
{
	const uint8_t *p = image->window + (pass->at - image->from);
	const uint8_t *last = image->window + image->have - sizeof(struct btf_type);
	size_t left = image->types_len - pass->at;
	uint32_t id = pass->id;

	for (; p <= last; id++) {
		const struct btf_type *t = (const void *)p;
		unsigned int kind = BTF_INFO_KIND(t->info);
		size_t size = size_of(t);
		int ret;

		if (!size)
			return err_set(err, -ENOTSUP, "%s has a type of a kind that is not known here (%u)",
				       image->path, kind);
		if (size > left) {
			left = 0;
			break;
		}
		if ((id - pass->first) % STRIDE == 0)
			*vec_push(&image->index) = image->types_len - left;
		ret = pass->kinds >> kind & 1 ? pass->fn(t, id, pass->ctx) : 0;
		if (ret)
			return ret;
		p += size;
		left -= size;
	}
	pass->at = image->types_len - left;
	pass->id = id;
	return 0;
}

int btf_image_each(struct btf_image *image, uint32_t kinds, btf_image_fn fn, void *ctx, struct err *err)
{
	uint32_t first = btf_image_first(image);
	struct pass pass = { .kinds = kinds, .fn = fn, .ctx = ctx, .id = first, .first = first };
	int ret = 0;

	image->index.n = 0;
	while (!ret && pass.at + sizeof(struct btf_type) <= image->types_len) {
		if (!types_from(image, pass.at, sizeof(struct btf_type)))
			return err_set(err, -EIO, "cannot read %s", image->path);
		ret = pass_window(image, &pass, err);
	}
	image->n_types = pass.id - first;
	return ret;
}

int btf_image_type(struct btf_image *image, uint32_t id, struct btf_type **type)
{
	uint32_t n = id - btf_image_first(image);
	const struct btf_type *t;
	size_t at, size;

	*type = NULL;
	if (n >= image->n_types)
		return 0;
	at = image->index.v[n / STRIDE];
	for (uint32_t left = n % STRIDE; left; left--) {
		t = types_from(image, at, sizeof(*t));
		if (!t)
			return -EIO;
		at += size_of(t);
	}
	t = types_from(image, at, sizeof(*t));
	size = t ? size_of(t) : 0;
	t = t ? types_from(image, at, size) : NULL;
	if (!t)
		return -EIO;
	*type = base_alloc(size);
	memcpy(*type, t, size);
	return 0;
}
