// SPDX-License-Identifier: BSD-2-Clause
/*
 * The outer array of maps, and its inner arrays of one block each. An element of an array of maps is replaced at
 * once, but the system call then waits for a grace period of RCU, 8 to 25 ms, for the sake of programs that use the
 * map that was there before. There is none, and a table has several blocks. So each insertion runs in its own thread,
 * and nobody waits for the end of it: the outer array itself shows when the element is there.
 */
#include <bpf/bpf.h>
#include <sys/mman.h>

#include "base/threads.h"
#include "blocks.h"

/*
 * A thread needs some microseconds until its block is in the outer array, longer if the machine is busy. After that many
 * looks, wait for its end.
 */
#define LOOKS	200
#define LOOK_US 20

static int create_inner(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_block", sizeof(uint32_t), UNWIND_BLOCK_SIZE, 1, &options);

	return fd < 0 ? -errno : fd;
}

int blocks_init(struct blocks *blocks)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	int inner __close = create_inner();

	*blocks = (struct blocks){ .outer = -1 };
	if (inner < 0)
		return inner;
	options.inner_map_fd = inner;
	blocks->outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "unwind_blocks", sizeof(uint32_t), sizeof(uint32_t),
				       UNWIND_BLOCKS_MAX, &options);
	return blocks->outer < 0 ? -errno : 0;
}

static void *insert(void *ctx)
{
	const struct blocks_insert *insert = ctx;

	bpf_map_update_elem(insert->outer, &insert->number, &insert->inner, BPF_ANY);
	return NULL;
}

static void finish_inserts(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->n_inserts; i++) {
		pthread_join(blocks->inserts[i].thread, NULL);
		close(blocks->inserts[i].inner);
	}
	blocks->n_inserts = 0;
}

void blocks_release(struct blocks *blocks)
{
	finish_inserts(blocks);
	vec_each(spare, &blocks->spare)
		munmap(spare->memory, UNWIND_BLOCK_SIZE);
	free(blocks->spare.v);
	blocks->spare = (struct blocks_list){};
	if (blocks->outer >= 0)
		close(blocks->outer);
	blocks->outer = -1;
}

/* Takes the descriptor. */
static void start_insert(struct blocks *blocks, uint32_t number, int inner)
{
	struct blocks_insert *new;

	if (blocks->n_inserts == BLOCKS_INSERTS)
		finish_inserts(blocks);
	new = &blocks->inserts[blocks->n_inserts];
	*new = (struct blocks_insert){ .outer = blocks->outer, .inner = inner, .number = number };
	if (!threads_start(&new->thread, insert, new)) {
		blocks->n_inserts++;
		return;
	}
	insert(new);
	close(inner);
}

/* Creates an empty block and maps it. The caller unmaps *memory. -ENOSPC: there are UNWIND_BLOCKS_MAX already. */
static int blocks_add(struct blocks *blocks, uint32_t *number, char **memory)
{
	int inner;

	if (blocks->spare.n) {
		const struct blocks_one *spare = &blocks->spare.v[--blocks->spare.n];

		*number = spare->number;
		*memory = memset(spare->memory, 0, UNWIND_BLOCK_SIZE);
		return 0;
	}
	if (blocks->n == UNWIND_BLOCKS_MAX)
		return -ENOSPC;
	inner = create_inner();
	if (inner < 0)
		return inner;
	*memory = mmap(NULL, UNWIND_BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, inner, 0);
	if (*memory == MAP_FAILED) {
		int ret = -errno;

		close(inner);
		return ret;
	}
	*number = blocks->n++;
	start_insert(blocks, *number, inner);
	return 0;
}

static bool is_shown(const struct blocks *blocks, uint32_t number)
{
	uint32_t id;

	return !bpf_map_lookup_elem(blocks->outer, &number, &id);
}

/* Joins the threads that have ended, as far as they were started last. */
static void reap(struct blocks *blocks)
{
	for (; blocks->n_inserts; blocks->n_inserts--) {
		struct blocks_insert *last = &blocks->inserts[blocks->n_inserts - 1];

		if (pthread_tryjoin_np(last->thread, NULL))
			return;
		close(last->inner);
	}
}

static bool wait_until_shown(struct blocks *blocks, uint32_t number)
{
	for (int i = 0; i < LOOKS && blocks->n_inserts; i++) {
		if (is_shown(blocks, number))
			return true;
		usleep(LOOK_US);
	}
	finish_inserts(blocks);
	return is_shown(blocks, number);
}

int blocks_show(struct blocks *blocks)
{
	for (; blocks->shown < blocks->n; blocks->shown++)
		if (!wait_until_shown(blocks, blocks->shown))
			return -ENOMEM;
	reap(blocks);
	return 0;
}

static int begin_block(struct blocks *blocks, struct blocks_part *part)
{
	struct blocks_at *at = &part->at;
	struct blocks_one block;
	int ret = blocks_add(blocks, &block.number, &block.memory);

	if (ret)
		return ret;
	if (at->block.memory)
		at->taken += UNWIND_BLOCK_SIZE - at->used;
	if (part->begun)
		*vec_push(&part->since) = block;
	else if (!part->keep)
		blocks_part_release(part);
	*at = (struct blocks_at){ .block = block, .taken = at->taken };
	return 0;
}

int blocks_take(struct blocks *blocks, struct blocks_part *part, size_t size, struct blocks_piece *piece)
{
	struct blocks_at *at = &part->at;
	int ret = 0;

	if (!at->block.memory || size > UNWIND_BLOCK_SIZE - at->used)
		ret = begin_block(blocks, part);
	if (ret)
		return ret;
	*piece = (struct blocks_piece){ at->block.memory + at->used, at->block.number, at->used };
	at->used += size;
	at->taken += size;
	return 0;
}

void blocks_begin(struct blocks_part *part)
{
	part->begun = true;
	part->before = part->at;
}

/* Pieces are zeroed: so is what is left of the block in which the part was. */
static void undo(struct blocks *blocks, struct blocks_part *part)
{
	const struct blocks_at *before = &part->before;

	vec_each(block, &part->since)
		*vec_push(&blocks->spare) = *block;
	if (before->block.memory)
		memset(before->block.memory + before->used, 0, UNWIND_BLOCK_SIZE - before->used);
	part->at = *before;
}

/* Unmaps all but the block that is being filled. */
static void settle(struct blocks_part *part)
{
	if (part->keep || !part->since.n)
		return;
	if (part->before.block.memory)
		munmap(part->before.block.memory, UNWIND_BLOCK_SIZE);
	for (size_t i = 0; i + 1 < part->since.n; i++)
		munmap(part->since.v[i].memory, UNWIND_BLOCK_SIZE);
}

void blocks_end(struct blocks *blocks, struct blocks_part *part, bool keep)
{
	if (keep)
		settle(part);
	else
		undo(blocks, part);
	part->begun = false;
	free(part->since.v);
	part->since = (struct blocks_list){};
}

void blocks_part_release(struct blocks_part *part)
{
	if (part->at.block.memory)
		munmap(part->at.block.memory, UNWIND_BLOCK_SIZE);
	part->at.block.memory = NULL;
}
