// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/arm64.h, by instructions of Debian's interpreters, and thread_keys.h. */
#include "binary_fixture.h"
#include "bpf/interp.h"
#include "interp/arm64.h"
#include "interp/thread_keys.h"

TestSuite(interp_arm64, .init = fixture_init);

static bool refers(const uint32_t *words, size_t n, uint64_t vaddr, uint64_t address, uint64_t offset)
{
	return arm64_refers((const uint8_t *)words, n, vaddr, address, offset);
}

/* PyGILState_GetThisThreadState() of 3.11: adrp, add, ldr x1, cbz, ldr w0 */
static const uint32_t python_311[] = { 0xb0002e20, 0x91002000, 0xf9412c01, 0xb4000061, 0xb9426400, 0x17feba0e };
/* and of 3.14: bti, adrp, ldr w0, cbz, adrp, add, b */
static const uint32_t python_314[] = { 0xd503245f, 0xf0003920, 0xb946a000, 0x34000080, 0xf0003920, 0x911a8000, 0x14023e06 };
/* zend_is_executing() of PHP 8.4: bti, adrp, ldr x0, ldr x0 at 488 */
static const uint32_t php_84[] = { 0xd503245f, 0xb00013e0, 0xf943c000, 0xf940f400, 0xf100001f };

Test(interp_arm64, addresses)
{
	cr_expect(refers(python_311, sizeof(python_311), 0x471314, 0xa36008 + 612, 612), "loaded from an address");
	cr_expect(refers(python_311, sizeof(python_311), 0x471314, 0xa36008, 1), "an address");
	cr_expect(!refers(python_311, sizeof(python_311), 0x471314, 0xa36008 + 596, 596));
	cr_expect(!refers(python_311, 4 * sizeof(uint32_t), 0x471314, 0xa36008 + 612, 612), "as far as there is code");
	cr_expect(refers(python_314, sizeof(python_314), 0x425658, 0xb4bd80 + 0x920, 0x920));
	cr_expect(!refers(python_314, sizeof(python_314), 0x425658, 0xb4bd80 + 0x924, 0x924));
}

Test(interp_arm64, members)
{
	cr_expect(refers(php_84, sizeof(php_84), 0x36290c, 0x5f9650 + 488, 488), "of what the loader says");
	cr_expect(!refers(php_84, sizeof(php_84), 0x36290c, 0x5f9650 + 512, 512));
	cr_expect(!refers(php_84, sizeof(php_84), 0x36290c, 0x5f9650 + 1920, 1920), "what is known is no member");
	cr_expect(!refers(php_84, 3, 0x36290c, 0, 0), "less than an instruction");
}

Test(interp_arm64, what_is_written_is_not_known)
{
	/* adrp x0; mov x0, x1; ldr x0, [x0, #8]. adrp x0; str x0, [x0, #8]; ldr x1, [x0, #16] */
	static const uint32_t moved[] = { 0xb0002e20, 0xaa0103e0, 0xf9400400 }, stored[] = { 0xb0002e20, 0xf9000400, 0xf9400801 };
	const uint64_t page = 0xa36000;

	cr_expect(!refers(moved, sizeof(moved), 0x471314, page + 8, 1));
	cr_expect(refers(moved, sizeof(moved), 0x471314, 1, 8));
	cr_expect(refers(stored, sizeof(stored), 0x471314, page + 8, 1));
	cr_expect(refers(stored, sizeof(stored), 0x471314, page + 16, 1), "a store leaves the register");
	/* adrp x0; ldr x1, [x0], #16; ldr x2, [x0, #8] */
	cr_expect(!refers((const uint32_t[]){ 0xb0002e20, 0xf8410401, 0xf9400402 }, 12, 0x471314, page + 8, 1));
}

Test(interp_arm64, pairs_and_calls)
{
	/* adrp x0; ldp x1, x0, [x2]; ldr x1, [x0, #8] */
	static const uint32_t pair[] = { 0xb0002e20, 0xa9400041, 0xf9400401 };
	/* adrp x0; adrp x19; blr x5; ldr x1, [x0, #8]; ldr x1, [x19, #16] */
	static const uint32_t called[] = { 0xb0002e20, 0xb0002e33, 0xd63f00a0, 0xf9400401, 0xf9400a61 };
	const uint64_t page = 0xa36000;

	cr_expect(!refers(pair, sizeof(pair), 0x471314, page + 8, 1));
	cr_expect(!refers(called, sizeof(called), 0x471314, page + 8, 1));
	cr_expect(refers(called, sizeof(called), 0x471314, page + 16, 1), "kept by whoever is called");
}

/* What libjvm of OpenJDK 17 does with its table: adrp, add, mov x3, str x3 at 896, str xzr at 272, then ldr w1 at 4. */
Test(interp_arm64, numbers)
{
	static const uint32_t words[] = { 0x90007ce0, 0x91060000, 0xd2806f03, 0xf901c003, 0xf900881f, 0xb9400401 };
	struct arm64_reader reader = { .code = (const uint8_t *)words, .n = sizeof(words), .vaddr = 0x2ccf28 };
	struct arm64_place place;

	for (int i = 0; i < 4; i++)
		cr_assert(arm64_next(&reader, &place));
	cr_expect(place.kind == ARM64_ACCESS && place.stores && place.size == 8);
	cr_expect(place.at == 0x1268180 + 896 && place.reg == 3 && reader.numbers >> 3 & 1 && reader.values[3] == 0x378);
	cr_assert(arm64_next(&reader, &place));
	cr_expect(place.stores && place.reg == 31 && !((reader.known | reader.numbers) >> 31 & 1));
	cr_assert(arm64_next(&reader, &place));
	cr_expect(!place.stores && place.size == 4 && place.at == 0x1268184);
}

/* cbz x1; mov w0, #0; ret; ldr x0, [x0, #8]: the number is that of another branch. */
Test(interp_arm64, numbers_are_no_bases)
{
	static const uint32_t words[] = { 0xb4000061, 0x52800000, 0xd65f03c0, 0xf9400400 };

	cr_expect(refers(words, sizeof(words), 0x471314, 1, 8));
	/* adrp x0; mov w0, #0; ldr x0, [x0, #8]: nor is the address known any more */
	cr_expect(!refers((const uint32_t[]){ 0xb0002e20, 0x52800000, 0xf9400400 }, 12, 0x471314, 0xa36008, 1));
}

Test(interp_arm64, calls)
{
	/* bl -8; blr x5 */
	static const uint32_t words[] = { 0x97fffffe, 0xd63f00a0 };
	struct arm64_reader reader = { .code = (const uint8_t *)words, .n = sizeof(words), .vaddr = 0x1000 };
	struct arm64_place place;

	cr_assert(arm64_next(&reader, &place));
	cr_expect_eq(place.kind, ARM64_CALL);
	cr_expect_eq(place.at, 0xff8);
	cr_assert(arm64_next(&reader, &place));
	cr_expect_eq(place.kind, ARM64_INDIRECT);
	cr_expect_eq(place.base, 5);
	cr_expect(!arm64_next(&reader, &place));
}

/* --- thread_keys.h --- */

/* The keys of a library that says these numbers. */
static int keys_of(const char *size, const char *specific)
{
	struct err err = {};
	struct binary *binary __cleanup(binary_closep) = NULL;
	char *command __free = base_printf("printf 'const unsigned int _thread_db_sizeof_pthread = %s, "
					   "_thread_db_pthread_specific[3] = { 2048, 1, %s }; int f(void) { return 1; }' > keys.c && "
					   "$CC -shared -nostdlib -fPIC -o keys.so keys.c",
					   size, specific);

	fixture_run(command);
	if (binary_open(NULL, fixture_path("keys.so"), &binary, &err))
		cr_assert_fail("%s", err.text);
	return thread_keys_read(binary);
}

Test(interp_arm64, keys)
{
	const int end = THREAD_KEYS_USUAL ? 0 : 1856;

	cr_expect_eq(keys_of("1856", "784"), 784 - 512 - end, "glibc 2.36 of arm64");
	cr_expect_eq(keys_of("2368", "1296"), 1296 - 512 - (end ? 2368 : 0));
	cr_expect_eq(keys_of("2368", "4000000000U"), 0, "beyond the thread");
	cr_expect_eq(keys_of("2368", "511"), 0, "no room for the first block");
	cr_expect_eq(keys_of("4000000000U", "1296"), 0, "a thread is not so large");
}

Test(interp_arm64, keys_of_this_machine)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	char path[PATH_MAX] = "";

	fixture_run("ldd /bin/sh | awk '$1 == \"libc.so.6\" { printf \"%s\", $3 }' > where");
	{
		size_t n;
		char *where __free = fixture_read(fixture_path("where"), &n);

		if (!n)
			cr_skip_test("the C library is not glibc");
		cr_assert_lt(n, sizeof(path));
		memcpy(path, where, n);
	}
	cr_assert(!binary_open(NULL, path, &binary, NULL));
	/* a glibc before 2.34 does not say it */
	if (!thread_keys_read(binary))
		cr_skip_test("the C library does not say it");
	if (THREAD_KEYS_USUAL)
		cr_expect_eq(thread_keys_read(binary), THREAD_KEYS_USUAL);
	else
		cr_expect_lt(thread_keys_read(binary), 0);
}
