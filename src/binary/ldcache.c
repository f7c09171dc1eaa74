// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parses the new format of glibc's cache: a header, entries, a directory of extensions and a pool of strings; all
 * offsets count from the header. The cache of a container is foreign: every offset is checked. Format: glibc's
 * sysdeps/generic/dl-cache.h.
 */
#include <limits.h>

#include "foreign.h"
#include "ldcache.h"

#define OLD_MAGIC	"ld.so-1.7.0"
#define NEW_MAGIC	"glibc-ld.so.cache1.1"
#define EXTENSION_MAGIC 0xeaa42174u
#define EXTENSION_HWCAP 1
#define HWCAP_EXTENSION (1ULL << 62)
/* In bytes. A system with hundreds of libraries needs 100 KB. */
#define MAX_SIZE (16U << 20)

/* The flags of an entry for this machine: a library for glibc (3), and the ABI (the second byte). */
#if defined(__x86_64__)
#define NATIVE_FLAGS 0x0303
#elif defined(__aarch64__)
#define NATIVE_FLAGS 0x0a03
#else
#error "sonde knows x86-64 and arm64"
#endif

struct old_header {
	char magic[12]; /* with padding */
	uint32_t n;	/* number of entries, three words each */
};

struct header {
	char magic[20];
	uint32_t n, strings_len;
	uint8_t flags, pad[3];
	uint32_t extensions, unused[3];
};

struct entry {
	int32_t flags;
	uint32_t name, path, os;
	uint64_t hwcap; /* with HWCAP_EXTENSION: the low half is an index into the names of levels */
};

struct extension {
	uint32_t tag, flags, offset, size;
};

struct cache {
	const char *data; /* begins with the new header */
	size_t size;
	struct header header;
	struct extension levels; /* an array of uint32_t: offsets of the names of levels */
};

/* Copies size bytes from an offset. False: the file does not hold them. Data in a file may be unaligned. */
static bool copy_at(const struct cache *c, uint64_t at, void *to, size_t size)
{
	if (at > c->size || size > c->size - at)
		return false;
	memcpy(to, c->data + at, size);
	return true;
}

static const char *string_at(const struct cache *c, uint32_t at)
{
	size_t rest = at < c->size ? c->size - at : 0;

	if (!rest || !memchr(c->data + at, 0, rest < PATH_MAX ? rest : PATH_MAX))
		return NULL;
	return c->data + at;
}

static int open_cache(struct cache *c, const char *data, size_t size)
{
	struct old_header old;
	uint64_t skip = 0;

	*c = (struct cache){ .data = data, .size = size };
	if (copy_at(c, 0, &old, sizeof(old)) && !memcmp(old.magic, OLD_MAGIC, strlen(OLD_MAGIC)))
		skip = (sizeof(old) + 12ULL * old.n + 7) & ~7ULL;
	if (skip > size)
		return -EBADMSG;
	c->data += skip;
	c->size -= skip;
	if (!copy_at(c, 0, &c->header, sizeof(c->header)) ||
	    memcmp(c->header.magic, NEW_MAGIC, sizeof(c->header.magic)) ||
	    c->header.n > (c->size - sizeof(c->header)) / sizeof(struct entry))
		return -EBADMSG;
	return 0;
}

/* Finds the names of levels. Caches from before glibc 2.33 have none, nor entries that refer to them. */
static void find_levels(struct cache *c)
{
	uint32_t head[2]; /* magic, count */
	uint64_t at = c->header.extensions;

	if (!at || !copy_at(c, at, head, sizeof(head)) || head[0] != EXTENSION_MAGIC)
		return;
	at += sizeof(head);
	for (uint32_t i = 0; i < head[1]; i++, at += sizeof(c->levels)) {
		if (!copy_at(c, at, &c->levels, sizeof(c->levels)))
			break;
		if (c->levels.tag == EXTENSION_HWCAP)
			return;
	}
	c->levels = (struct extension){ 0 };
}

/* The level of this processor (x86-64 psABI: x86-64-v2 ...), computed as the loader does. */
static int machine_level(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt") ||
	    !__builtin_cpu_supports("ssse3"))
		return 1;
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
	    !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("fma"))
		return 2;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
	    !__builtin_cpu_supports("avx512vl"))
		return 3;
	return 4;
#else
	return 0; /* glibc defines no levels for arm64 */
#endif
}

/* The level that an entry requires; -1 if it is not for this machine, or of an obsolete kind. */
static int entry_level(const struct cache *c, const struct entry *e)
{
	uint32_t index = (uint32_t)e->hwcap, at;
	const char *name;
	int level;

	if (e->flags != NATIVE_FLAGS)
		return -1;
	if (!e->hwcap)
		return 0;
	if (!(e->hwcap & HWCAP_EXTENSION) || index >= c->levels.size / sizeof(at) ||
	    !copy_at(c, c->levels.offset + (uint64_t)index * sizeof(at), &at, sizeof(at)))
		return -1;
	name = string_at(c, at);
	if (!name || strncmp(name, "x86-64-v", 8) || name[8] < '2' || name[8] > '4' || name[9])
		return -1;
	level = name[8] - '0';
	return level <= machine_level() ? level : -1;
}

static int each_entry(struct cache *c, ldcache_fn fn, void *ctx)
{
	uint64_t at = sizeof(c->header);
	int ret = 0;

	for (uint32_t i = 0; !ret && i < c->header.n; i++, at += sizeof(struct entry)) {
		const char *name, *path;
		struct entry e;
		int level;

		if (!copy_at(c, at, &e, sizeof(e)))
			return -EBADMSG;
		level = entry_level(c, &e);
		if (level < 0)
			continue;
		name = string_at(c, e.name);
		path = string_at(c, e.path);
		if (!name || !path)
			return -EBADMSG;
		ret = fn(name, path, level, ctx);
	}
	return ret;
}

int ldcache_each(const char *root, const char *path, ldcache_fn fn, void *ctx)
{
	uint64_t size;
	int fd __close = foreign_open(root, path, MAX_SIZE, &size, NULL);
	struct cache cache;
	char *data __free = NULL;
	ssize_t n;
	int ret;

	if (fd < 0)
		return fd;
	/* read, not mapped: a container may truncate it meanwhile */
	data = malloc((size_t)size + 1);
	if (!data)
		return -ENOMEM;
	n = pread(fd, data, (size_t)size, 0);
	if (n < 0)
		return -errno;
	ret = open_cache(&cache, data, (size_t)n);
	if (ret)
		return ret;
	find_levels(&cache);
	return each_entry(&cache, fn, ctx);
}
