// SPDX-License-Identifier: BSD-2-Clause
/* binary/ldcache.h: caches that the test writes, valid and damaged ones. */
#include "binary_fixture.h"
#include "binary/ldcache.h"

TestSuite(ldcache, .init = fixture_init);

#if defined(__x86_64__)
#define NATIVE	0x0303
#define FOREIGN 0x0a03
#else
#define NATIVE	0x0a03
#define FOREIGN 0x0303
#endif
#define LEVEL(index) ((1ULL << 62) | (index))

/* The layout described in glibc's sysdeps/generic/dl-cache.h. */
struct cache {
	char magic[20];
	uint32_t n, strings_len, flags, extensions, unused[3];
	struct {
		int32_t flags;
		uint32_t name, path, os;
		uint64_t hwcap;
	} entries[6];
	uint32_t ext_magic, ext_count;
	struct {
		uint32_t tag, flags, offset, size;
	} ext[2];
	uint32_t levels[2];
	char strings[256];
};

static uint32_t add_string(struct cache *c, const char *s)
{
	uint32_t at = (uint32_t)offsetof(struct cache, strings) + c->strings_len;

	memcpy((char *)c + at, s, strlen(s) + 1);
	c->strings_len += (uint32_t)strlen(s) + 1;
	return at;
}

static void add_entry(struct cache *c, int32_t flags, const char *name, const char *path,
		      uint64_t hwcap)
{
	c->entries[c->n].flags = flags;
	c->entries[c->n].name = add_string(c, name);
	c->entries[c->n].path = add_string(c, path);
	c->entries[c->n++].hwcap = hwcap;
}

static struct cache make_cache(void)
{
	struct cache c = { .magic = "glibc-ld.so.cache1.", .ext_magic = 0xeaa42174 };

	c.magic[19] = '1';
	add_entry(&c, NATIVE, "libz.so.1", "/lib/libz.so.1", 0);
	add_entry(&c, FOREIGN, "libz.so.1", "/foreign/libz.so.1", 0);
	add_entry(&c, 0x0003, "libz.so.1", "/lib32/libz.so.1", 0);
	add_entry(&c, NATIVE, "libz.so.1", "/impossible/libz.so.1", LEVEL(0));
	add_entry(&c, NATIVE, "libz.so.1", "/old/libz.so.1", 1ULL << 5);
	add_entry(&c, NATIVE, "libc.so.6", "/lib/libc.so.6", 0);
	c.extensions = offsetof(struct cache, ext_magic);
	c.ext_count = 2;
	c.ext[1].tag = 1;
	c.ext[1].offset = offsetof(struct cache, levels);
	c.ext[1].size = sizeof(c.levels);
	c.levels[0] = add_string(&c, "x86-64-v9");
	c.levels[1] = add_string(&c, "x86-64-v2");
	return c;
}

static char seen[1024];

static int note(const char *name, const char *path, int level, void *ctx)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof(seen) - n, "%s=%s:%d ", name, path, level);
	return *(int *)ctx;
}

static int each(int ret)
{
	seen[0] = 0;
	return ldcache_each(NULL, fixture_path("cache"), note, &ret);
}

Test(ldcache, gives_entries_for_this_machine)
{
	static const char want[] = "libz.so.1=/lib/libz.so.1:0 libc.so.6=/lib/libc.so.6:0 ";
	struct cache c = make_cache();

	fixture_write("cache", &c, sizeof(c));
	cr_expect(each(0) == 0);
	cr_expect(!strcmp(seen, want), "%s", seen);
	cr_expect(each(7) == 7, "fn ends it");
	cr_expect(!strcmp(seen, "libz.so.1=/lib/libz.so.1:0 "), "%s", seen);
}

Test(ldcache, knows_the_processors_level)
{
#if defined(__x86_64__)
	bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#else
	bool v2 = false;
#endif
	struct cache c = make_cache();

	c.entries[3].hwcap = LEVEL(1);
	fixture_write("cache", &c, sizeof(c));
	cr_expect(each(0) == 0);
	cr_expect(!!strstr(seen, "libz.so.1=/impossible/libz.so.1:2 ") == v2, "%s", seen);
	c.entries[3].hwcap = LEVEL(2);
	fixture_write("cache", &c, sizeof(c));
	cr_expect(each(0) == 0 && !strstr(seen, "impossible"), "no such level: %s", seen);
}

/* glibc before 2.32 wrote both formats into one file. */
Test(ldcache, is_found_behind_the_old_format)
{
	struct {
		char magic[12];
		uint32_t n, entries[3 * 3];
		char align[4];
		struct cache c;
	} __attribute__((packed)) both = { "ld.so-1.7.0", .n = 3, .c = make_cache() };

	cr_assert(offsetof(typeof(both), c) % 8 == 0);
	fixture_write("cache", &both, sizeof(both));
	cr_expect(each(0) == 0);
	cr_expect(strstr(seen, "libc.so.6=/lib/libc.so.6"), "%s", seen);
	both.n = 0x15555555;
	fixture_write("cache", &both, sizeof(both));
	cr_expect(each(0) == -EBADMSG);
}

Test(ldcache, refuses_what_it_cannot_trust)
{
	struct cache c = make_cache(), bad;

	cr_expect(each(0) == -ENOENT);
	fixture_text("cache", "");
	cr_expect(each(0) == -EBADMSG);
	fixture_write("cache", &c, 30);
	cr_expect(each(0) == -EBADMSG);

	bad = c;
	bad.n = 0xffffffff;
	fixture_write("cache", &bad, sizeof(bad));
	cr_expect(each(0) == -EBADMSG && !*seen, "before anything is believed");

	bad = c;
	bad.entries[5].path = sizeof(bad);
	fixture_write("cache", &bad, sizeof(bad));
	cr_expect(each(0) == -EBADMSG);

	bad = c;
	memset(bad.strings, 'x', sizeof(bad.strings));
	fixture_write("cache", &bad, sizeof(bad));
	cr_expect(each(0) == -EBADMSG, "a string without end");
}

Test(ldcache, survives_damage)
{
	struct cache whole = make_cache();
	unsigned int seed = 1;

	whole.entries[3].hwcap = LEVEL(1);
	for (int i = 0; i < 3000; i++) {
		struct cache c = whole;
		size_t n = i % 3 ? sizeof(c) : (size_t)rand_r(&seed) % sizeof(c);

		for (int flips = rand_r(&seed) % 8; flips >= 0; flips--)
			((char *)&c)[rand_r(&seed) % offsetof(struct cache, strings)] ^=
				1 << rand_r(&seed) % 8;
		fixture_write("cache", &c, n);
		each(0);
	}
}
