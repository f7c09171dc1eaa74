// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/spaces.c: mappings that replace parts of others, processes that share them, and memory that is used again. */
#include <criterion/criterion.h>

#include <bpf/bpf.h>

#include "unwind/spaces.h"

static struct blocks blocks;
static struct shares shares;
static struct spaces spaces;

static void init(void)
{
	if (geteuid())
		cr_skip_test("only root may create maps");
	users_init(&shares, false);
	cr_assert_eq(blocks_init(&blocks), 0);
	cr_assert_eq(spaces_init(&spaces, &blocks, &shares, 100), 0);
}

static void done(void)
{
	spaces_release(&spaces);
	blocks_release(&blocks);
	shares_release(&shares);
}

TestSuite(unwind_spaces, .init = init, .fini = done);

static uint64_t seen_vdso; /* as see() found it */

/* What programs see of a process: n mappings, copied to `to`. -1: nothing. */
static int see(pid_t pid, struct unwind_mapping to[UNWIND_BLOCK_MAPPINGS])
{
	static char bytes[UNWIND_BLOCK_SIZE];
	struct unwind_space space;
	uint32_t key = pid, zero = 0, id;
	int fd;

	if (bpf_map_lookup_elem(spaces.fd, &key, &space))
		return -1;
	seen_vdso = space.vdso;
	cr_assert_eq(bpf_map_lookup_elem(blocks.outer, &space.block, &id), 0);
	fd = bpf_map_get_fd_by_id(id);
	cr_assert_eq(bpf_map_lookup_elem(fd, &zero, bytes), 0);
	close(fd);
	memcpy(to, bytes + space.first * sizeof(*to), space.n * sizeof(*to));
	return space.n;
}

/* Each byte of this memory belongs to one file, or to none: what mappings must amount to. */
#define BYTES 200

struct model {
	struct {
		uint16_t module;
		uint64_t offset;
	} bytes[BYTES];
};

static void map_in_model(struct model *model, const struct unwind_mapping *mapping)
{
	for (uint64_t at = mapping->start; at < mapping->end; at++) {
		model->bytes[at].module = mapping->module;
		model->bytes[at].offset = mapping->offset + (at - mapping->start);
	}
}

/* Mappings are sorted, do not overlap, and say of each byte what the model says. 100: it was never mapped. */
static void expect_model(const struct model *model, const struct unwind_mapping *v, int n)
{
	uint64_t reached = 0;
	int i = 0;

	for (int k = 0; k < n; k++) {
		cr_assert(v[k].start >= reached && v[k].end > v[k].start, "mapping %d", k);
		reached = v[k].end;
	}
	for (uint64_t at = 0; at < BYTES; at++) {
		while (i < n && v[i].end <= at)
			i++;
		if (i == n || v[i].start > at) {
			cr_assert_eq(model->bytes[at].module, 100);
			continue;
		}
		cr_assert_eq(v[i].module, model->bytes[at].module, "byte %d", (int)at);
		cr_assert(!v[i].module || v[i].offset + (at - v[i].start) == model->bytes[at].offset, "byte %d", (int)at);
	}
}

Test(unwind_spaces, mappings_at_random)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct model model;
	struct space *space = spaces_add(&spaces, 7, 0);

	srand(1);
	for (size_t at = 0; at < BYTES; at++)
		model.bytes[at].module = 100;
	for (int i = 0; i < 2000; i++) {
		uint64_t start = rand() % (BYTES - 1), end = start + 1 + rand() % (BYTES - start - 1);
		struct unwind_mapping mapping = { .start = start, .end = end, .module = rand() % 4 };

		if (mapping.module)
			mapping.offset = rand() % 3 ? (uint64_t)rand() % 50 : start;
		spaces_map(&spaces, space, &mapping);
		map_in_model(&model, &mapping);
		if (i % 3)
			continue;
		cr_assert_eq(spaces_publish(&spaces), 0);
		expect_model(&model, seen, see(7, seen));
	}
}

static void map_one(struct space *space, uint64_t start)
{
	spaces_map(&spaces, space, &(struct unwind_mapping){ .start = start, .end = start + 1 });
}

static void map_file(struct space *space, uint64_t start)
{
	spaces_map(&spaces, space, &(struct unwind_mapping){ .start = start, .end = start + 1, .module = 1 });
}

/* A child sees its parent's mappings until it changes them; the parent keeps them when the child is gone. */
Test(unwind_spaces, fork)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct space *parent = spaces_add(&spaces, 1, 0), *child;

	map_one(parent, 10);
	cr_assert_eq(spaces_publish(&spaces), 0);
	spaces_fork(&spaces, parent, 2, 0);
	cr_expect(see(2, seen) == 1 && seen[0].start == 10);
	child = spaces_find(&spaces, 2);
	map_one(child, 20);
	/* a grandchild, before anyone has seen the change */
	spaces_fork(&spaces, child, 3, 0);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect_eq(see(1, seen), 1);
	cr_expect(see(2, seen) == 2 && see(3, seen) == 2 && seen[1].start == 20);
	spaces_remove(&spaces, 1);
	cr_expect_eq(see(1, seen), -1);
	spaces_remove(&spaces, 2);
	cr_expect_eq(see(3, seen), 2);
	spaces_remove(&spaces, 3);
	cr_expect_eq(spaces.n, 0);
}

/* Programs can see of which program the mappings are: a fork keeps the vDSO, exec has another one. */
Test(unwind_spaces, vdso)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct space *parent = spaces_add(&spaces, 1, 0), *child;

	parent->vdso = 0x1000;
	map_one(parent, 10);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect(see(1, seen) == 1 && seen_vdso == 0x1000);
	spaces_fork(&spaces, parent, 2, 0);
	cr_expect(see(2, seen) == 1 && seen_vdso == 0x1000);
	child = spaces_find(&spaces, 2);
	spaces_clear(&spaces, child);
	map_one(child, 30);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect(see(2, seen) == 1 && seen_vdso == 0);
}

/* A run that programs may still read is not written to. */
Test(unwind_spaces, old_runs_wait)
{
	struct space *space = spaces_add(&spaces, 1, 0);
	const struct unwind_mapping *before;

	map_one(space, 10);
	cr_assert_eq(spaces_publish(&spaces), 0);
	before = (const struct unwind_mapping *)spaces.part.at.block.memory;
	for (uint64_t i = 0; i < 50; i++) {
		spaces_clear(&spaces, space);
		map_one(space, 100 + i);
		cr_assert_eq(spaces_publish(&spaces), 0);
	}
	cr_expect_eq(before->start, 10);
}

/* No more than a block holds, and than the hash holds: it is counted. */
Test(unwind_spaces, limits)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct space *space = spaces_add(&spaces, 1, 0);

	for (uint64_t i = 0; i < UNWIND_BLOCK_MAPPINGS + 5; i++)
		map_file(space, 2 * i);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect_eq(see(1, seen), UNWIND_BLOCK_MAPPINGS);
	cr_expect_eq(seen[UNWIND_BLOCK_MAPPINGS - 1].start, 2 * (UNWIND_BLOCK_MAPPINGS - 1));
	cr_expect_eq(spaces.too_many, 5);
	for (pid_t pid = 2; pid <= 101; pid++)
		cr_expect_eq(!spaces_add(&spaces, pid, 0), pid == 101);
	cr_expect_eq(spaces.refused, 1);
}

/* A JIT compiler makes thousands of mappings, each below the one before: the program's libraries stay known. */
Test(unwind_spaces, memory_of_no_file_leaves_room)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct space *space = spaces_add(&spaces, 1, 0);
	int n;

	for (uint64_t i = 0; i < 10; i++)
		map_file(space, 100000 + 2 * i);
	for (uint64_t i = 0; i < 2 * UNWIND_BLOCK_MAPPINGS; i++)
		map_one(space, 90000 - 2 * i);
	map_file(space, 95000);
	cr_assert_eq(spaces_publish(&spaces), 0);
	n = see(1, seen);
	cr_assert_eq(n, UNWIND_BLOCK_MAPPINGS / 2 + 11);
	cr_expect_eq(seen[n - 11].start, 95000);
	cr_expect_eq(seen[n - 1].start, 100018);
	cr_expect_gt(spaces.too_many, 0);
}

/* One more publication of a process with 500 mappings. */
static void change(struct space *space, int i)
{
	spaces_map(&spaces, space, &(struct unwind_mapping){ .start = 0, .end = 1, .module = 2 + i % 2 });
	cr_assert_eq(spaces_publish(&spaces), 0);
}

static struct space *add_large(pid_t pid)
{
	struct space *space = spaces_add(&spaces, pid, 0);

	for (uint64_t i = 0; i < 500; i++)
		map_file(space, 2 * i);
	return space;
}

/* A process that changes all the time takes a bounded part of the blocks, and delays its own changes only. */
Test(unwind_spaces, a_process_that_changes_all_the_time)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	struct space *busy = add_large(1);

	for (int i = 0; i < 3000; i++)
		change(busy, i);
	cr_expect_lt(blocks.n, 512);
	cr_expect_eq(see(1, seen), 500);
	map_one(spaces_add(&spaces, 2, 0), 10);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect_eq(see(2, seen), 1);
	busy->second = 0;
	change(busy, 1);
	cr_expect(see(1, seen) == 500 && seen[0].module == 3);
}

/* Runs leave blocks for the tables of files. Changes without room are not lost: they wait. */
Test(unwind_spaces, changes_wait_for_room)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];

	spaces.n_blocks = UNWIND_BLOCKS_MAX / 2 - 3;
	for (pid_t pid = 1; pid <= 5; pid++)
		change(add_large(pid), 0);
	for (pid_t pid = 1; pid <= 5; pid++)
		cr_expect_eq(see(pid, seen), pid <= 3 ? 500 : -1);
	spaces_remove(&spaces, 4);
	spaces.n_blocks = 0;
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect_eq(see(5, seen), 500);
}

static const struct shares_user *find_user(uid_t uid)
{
	vec_each(user, &shares)
		if (user->uid == uid)
			return user;
	return NULL;
}

/* One user's processes, each of the largest size, leave room to others. What ends is returned. */
Test(unwind_spaces, processes_of_one_user)
{
	static struct unwind_mapping seen[UNWIND_BLOCK_MAPPINGS];
	uint64_t used;

	shares_take(&shares, 1000, USERS_RUNS, (uint64_t)UNWIND_BLOCKS_MAX / 4 * UNWIND_BLOCK_SIZE - 2 * UNWIND_BLOCK_SIZE);
	used = find_user(1000)->used[USERS_RUNS];
	for (pid_t pid = 1; pid <= 4; pid++) {
		struct space *space = spaces_add(&spaces, pid, 1000);

		for (uint64_t i = 0; i < UNWIND_BLOCK_MAPPINGS; i++)
			map_file(space, 2 * i);
	}
	map_one(spaces_add(&spaces, 5, 1001), 10);
	map_one(spaces_add(&spaces, 6, 0), 10);
	cr_assert_eq(spaces_publish(&spaces), 0);
	cr_expect(see(5, seen) == 1 && see(6, seen) == 1);
	cr_expect_eq((see(1, seen) > 0) + (see(2, seen) > 0) + (see(3, seen) > 0) + (see(4, seen) > 0), 2);
	cr_expect_eq(find_user(1000)->refused[USERS_NO_RUN].n, 2);
	cr_expect_eq(find_user(1000)->used[USERS_PROCESSES], 4);
	for (pid_t pid = 1; pid <= 4; pid++)
		spaces_remove(&spaces, pid);
	cr_expect_eq(find_user(1000)->used[USERS_RUNS], used);
	cr_expect_eq(find_user(1000)->used[USERS_PROCESSES], 0);
	shares_take(&shares, 1000, USERS_PROCESSES, 16384);
	cr_expect_null(spaces_add(&spaces, 7, 1000));
	cr_expect(spaces_add(&spaces, 7, 1001));
}

/* All but root together leave something to root, however many users there are. */
Test(unwind_spaces, many_users)
{
	for (uid_t uid = 1; uid < 3000; uid++)
		shares_take(&shares, uid, USERS_TABLES, 1 << 20);
	cr_expect_eq(shares_left(&shares, 5000, USERS_TABLES), 0);
	cr_expect_eq(shares_left(&shares, 0, USERS_TABLES), UINT64_MAX);
	cr_expect_eq(shares_left(&shares, 5000, USERS_RULES), UNWIND_RULES_MAX / 4);
	cr_expect_lt(shares.n, 300);
}
