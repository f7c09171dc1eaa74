// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/known.c: files by the numbers that the kernel has of them. */
#include <criterion/criterion.h>

#include <sys/sysmacros.h>

#include <bpf/bpf.h>

#include "unwind/known.h"

static struct blocks blocks;
static struct shares shares;
static struct known known;

static void init(void)
{
	if (geteuid())
		cr_skip_test("only root may create maps");
	users_init(&shares, false);
	cr_assert_eq(blocks_init(&blocks), 0);
	cr_assert_eq(known_init(&known, &blocks, &shares, KNOWN_MAX), 0);
}

static void done(void)
{
	known_release(&known);
	blocks_release(&blocks);
	shares_release(&shares);
}

TestSuite(unwind_known, .init = init, .fini = done);

static const struct unwind_file_key key = { .inode = 7, .mtime = 5, .size = 9, .dev = 8 << 20 | 1 };

static struct module module_of(uid_t uid)
{
	return (struct module){ .opened = true, .shown.number = 3, .id = { .mtime = 5, .size = 9, .uid = uid } };
}

static void add(struct module *module, unsigned int inode)
{
	known_add(&known, module, &(struct file_id){ makedev(8, 1), inode });
}

static bool has(const struct unwind_file_key *wanted, struct unwind_file *file)
{
	return !bpf_map_lookup_elem(known.fd, wanted, file);
}

/* Each piece of the table reaches to the next one; the first begins with the file, and the last has no end. */
Test(unwind_known, pieces)
{
	struct module_pages pages[] = { { .page = 2, .n = 3, .block = 1 }, { .page = 5, .n = 1, .block = 2, .first = 4 } };
	struct module module = module_of(0);
	const struct unwind_mapping *to;
	struct unwind_file file;

	module.table.v = pages;
	module.table.n = ARRAY_SIZE(pages);
	add(&module, 7);
	cr_assert(!has(&key, &file), "it is seen before its table is");
	cr_assert_eq(known_publish(&known), 0);
	cr_assert(has(&key, &file));
	cr_assert_eq(file.n, 2);
	to = (const struct unwind_mapping *)known.part.at.block.memory + file.first;
	cr_assert(to[0].start == 0 && to[0].end == 5 << UNWIND_PAGE_SHIFT && to[0].page == 2 && to[0].n_pages == 3);
	cr_assert(to[1].start == to[0].end && to[1].end > UINT32_MAX && to[1].block == 2 && to[1].first == 4);
	cr_assert(to[0].module == 3 && to[1].module == 3);
}

/* A file has a name without a table, and more than one number where file systems lie above each other. */
Test(unwind_known, numbers)
{
	struct unwind_file_key other = key;
	struct module module = module_of(0);
	struct unwind_file file, second;

	add(&module, 7);
	add(&module, 7);
	cr_assert_eq(known.n, 1);
	add(&module, 8);
	cr_assert_eq(known_publish(&known), 0);
	other.inode = 8;
	cr_assert(has(&key, &file) && has(&other, &second));
	cr_assert(file.n == 1 && !memcmp(&file, &second, sizeof(file)));
	other.mtime++;
	cr_assert(!has(&other, &file), "a file that was written to");
}

Test(unwind_known, share_of_a_user)
{
	struct module module = {};

	for (unsigned int i = 0; i < KNOWN_MAX; i++) {
		module = module_of(1000);
		add(&module, i);
	}
	cr_assert_eq(known.n, KNOWN_MAX / 4);
	module = module_of(1001);
	add(&module, 1);
	cr_assert_eq(known.n, KNOWN_MAX / 4 + 1);
}
