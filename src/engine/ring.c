// SPDX-License-Identifier: BSD-2-Clause
/* The life of a set of rings: sizes, memory, patch sites, totals. ring_read.c reads them. */
#include <sys/mman.h>
#include <sys/random.h>

#include <bpf/libbpf.h>

#include "attach/image.h"
#include "attach/quirks.h"
#include "base/cpus.h"
#include "object.h"
#include "ring_part.h"

#define RING_LEAST (64 * 1024ULL)
/* An element of an array, with what it has more than words, is at most 4 MB on old kernels. */
#define BLOCK_MOST  (2 * 1024 * 1024ULL)
#define BLOCK_LEAST (8 * 1024ULL)
/* Arrays of more bytes were never tried. */
#define SET_MOST (2ULL << 30)
/* Without BPF_FETCH: the part of a ring that each ring for programs in interrupts has. */
#define LANE_PART 16
/* Places begin at a number that nobody can guess: nobody can make up words that look like a header. */
#define START_BITS (RING_PLACE_BITS - 1)

/* The verifier bounds offsets in a value by 512 MB. */
size_t ring_direct_most = 256 * 1024 * 1024;

static uint64_t power_of_two(uint64_t most)
{
	uint64_t size = 1;

	while (size <= most / 2)
		size *= 2;
	return size;
}

static uint32_t power_of_two_from(uint32_t least)
{
	return least > 1 ? 2 * power_of_two(least - 1) : 1;
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	return value < least ? least : value > most ? most
						    : value;
}

static size_t memory_of(const struct ring_sizes *sizes)
{
	return (size_t)sizes->cpus * sizes->cpu_blocks * sizes->block_bytes;
}

/* Of one block for each ring, or of smaller ones. */
static void choose_blocks(struct ring_sizes *sizes, uint64_t each, uint64_t block)
{
	const uint64_t pages = (block / sizeof(uint64_t)) >> RING_PAGE_SHIFT;

	sizes->block_words = block / sizeof(uint64_t);
	sizes->block_bits = __builtin_ctz(sizes->block_words);
	sizes->ring_blocks = each / block;
	sizes->cpu_blocks = sizes->ring_blocks + sizes->lanes - 1;
	sizes->table = sizeof(struct ring_state) + block + RING_SLACK;
	sizes->block_bytes = sizes->table + pages * sizeof(uint64_t);
}

/* One value for all rings, if the kernel has values that large. A mask bounds the number of the processor. */
static bool choose_direct(struct ring_sizes *sizes, uint64_t bytes)
{
	sizes->how = RING_DIRECT;
	sizes->lanes = 1;
	sizes->cpus = sizes->states = power_of_two_from(cpus_ids());
	bytes = power_of_two(between(RING_LEAST, bytes / sizes->cpus, SET_MOST));
	if (bytes > ring_direct_most || !quirk_swaps())
		return false;
	choose_blocks(sizes, bytes, bytes);
	/* a trial takes memory and time: a kernel without the limit of 4 MB has one of 2 GB */
	return memory_of(sizes) <= ring_direct_most &&
	       quirk_value_size(between(0, memory_of(sizes), 4 * BLOCK_MOST));
}

static void choose(struct ring_sizes *sizes, uint64_t bytes)
{
	uint64_t each, block;

	if (choose_direct(sizes, bytes))
		return;
	sizes->how = quirk_swaps() ? RING_BLOCKS : RING_PLAIN;
	sizes->lanes = sizes->how == RING_PLAIN ? RING_LANES : 1;
	sizes->cpus = cpus_ids();
	sizes->states = power_of_two_from(sizes->cpus * sizes->lanes);
	each = power_of_two(between(RING_LEAST, bytes / sizes->cpus, SET_MOST));
	block = between(BLOCK_LEAST, sizes->how == RING_PLAIN ? each / LANE_PART : each, BLOCK_MOST);
	choose_blocks(sizes, each, block);
}

/* In bytes; 0: not known. */
static uint64_t available_memory(void)
{
	__fclose FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kb = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu", &kb) == 1)
			break;
	/* cppcheck-suppress resourceLeak ; __fclose closes it */
	return kb * 1024;
}

static int check_memory(const struct ring_sizes *sizes, struct err *err)
{
	uint64_t available = available_memory(), needed = memory_of(sizes);

	if (needed > SET_MOST + SET_MOST / 4)
		return err_set(err, -E2BIG, "a buffer may have at most %llu MB", SET_MOST >> 20);
	if (available && needed > available / 2)
		return err_set(err, -ENOMEM,
			       "a buffer of %llu MB is more than half of the available memory (%llu MB): ask for less",
			       (unsigned long long)needed >> 20, (unsigned long long)available >> 20);
	return 0;
}

static int size_maps(struct object *object, const struct ring_sizes *sizes, enum ring_mode mode, struct err *err)
{
	const bool is_direct = sizes->how == RING_DIRECT;
	struct ring_setup setup = {};
	int ret = object_size_map(object, "ring_blocks", is_direct ? 1 : sizes->cpus * sizes->cpu_blocks, err);

	if (mode == RING_STREAM)
		setup.wake_at = (uint64_t)sizes->ring_blocks * sizes->block_words / 2;
	else if (!ret)
		ret = object_size_map(object, "ring_bell", 0, err);
	if (!ret)
		ret = object_size_value(object, "ring_blocks", is_direct ? memory_of(sizes) : sizes->block_bytes, err);
	if (!ret && !is_direct)
		ret = object_size_value(object, ".data.ring", sizes->states * sizeof(struct ring_state), err);
	if (!ret)
		ret = object_fill(object, ".rodata.ring", &setup, sizeof(setup), err);
	return ret;
}

int ring_new(struct ring_set **set, struct object *object, uint64_t bytes, enum ring_mode mode, struct err *err)
{
	struct ring_sizes sizes = {};
	int ret;

	*set = NULL;
	choose(&sizes, bytes);
	ret = check_memory(&sizes, err);
	if (!ret)
		ret = size_maps(object, &sizes, mode, err);
	if (ret)
		return ret;
	*set = base_alloc(sizeof(**set));
	**set = (struct ring_set){ .object = object, .mode = mode, .sizes = sizes };
	return 0;
}

static void init_ring(struct ring_set *set, struct ring_one *ring, size_t i, uint64_t random)
{
	const struct ring_sizes *sizes = &set->sizes;
	size_t block;

	ring->cpu = i / sizes->lanes;
	ring->lane = i % sizes->lanes;
	block = (size_t)ring->cpu * sizes->cpu_blocks + (ring->lane ? sizes->ring_blocks + ring->lane - 1 : 0);
	ring->blocks = set->blocks + block * sizes->block_bytes;
	if (sizes->how == RING_DIRECT) {
		ring->state = (struct ring_state *)ring->blocks;
	} else {
		ring->state = object_memory(set->object, ".data.ring", sizes->states * sizeof(struct ring_state));
		ring->state += i;
	}
	ring->words = (uint64_t)sizes->block_words * (ring->lane ? 1 : sizes->ring_blocks);
	ring->at.place = ((random >> (64 - START_BITS)) & ~(ring->words - 1)) + ring->words;
	ring->state->head = ring->at.place;
	ring->state->tail = ring->at.place;
}

static int map_blocks(struct ring_set *set)
{
	size_t page = getpagesize();
	void *at;

	set->mapped = (memory_of(&set->sizes) + page - 1) / page * page;
	at = mmap(NULL, set->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, object_map_fd(set->object, "ring_blocks"), 0);
	if (at == MAP_FAILED)
		return -errno;
	set->blocks = at;
	return 0;
}

static int ignore(void *ctx, void *data, size_t size)
{
	return 0;
}

int ring_open(struct ring_set *set, struct err *err)
{
	uint64_t random = 0;
	int ret = map_blocks(set);

	if (ret)
		return err_set(err, ret, "cannot map the rings: %s", strerror(-ret));
	set->n = (size_t)cpus_ids() * set->sizes.lanes;
	set->rings = base_alloc(set->n * sizeof(*set->rings));
	for (size_t i = 0; i < set->n; i++) {
		if (getrandom(&random, sizeof(random), 0) < 0)
			return err_set(err, -errno, "cannot get random numbers: %s", strerror(errno));
		init_ring(set, &set->rings[i], i, random);
	}
	if (set->mode == RING_FLIGHT)
		return 0;
	set->bell = ring_buffer__new(object_map_fd(set->object, "ring_bell"), ignore, NULL, NULL);
	return set->bell ? 0 : err_set(err, -errno, "cannot open the ring buffer: %s", strerror(errno));
}

int ring_patch(const struct ring_set *set, struct image *image, struct err *err)
{
	const struct ring_sizes *sizes = &set->sizes;
	const uint32_t lap = sizes->block_bits + __builtin_ctz(sizes->ring_blocks);
	const struct {
		uint64_t patch, value;
	} sites[] = {
		{ PATCH_RING_HOW, sizes->how },
		{ PATCH_RING_LAST, sizes->states - 1 },
		{ PATCH_RING_BYTES, sizes->block_bytes },
		{ PATCH_RING_BLOCKS, sizes->cpu_blocks },
		{ PATCH_RING_BLOCK_BITS, sizes->block_bits },
		{ PATCH_RING_BLOCK_LAST, sizes->ring_blocks - 1 },
		{ PATCH_RING_OFFSET, sizes->block_words - 1 },
		{ PATCH_RING_PAGES, (sizes->block_words >> RING_PAGE_SHIFT) - 1 },
		{ PATCH_RING_TABLE, sizes->table },
		{ PATCH_RING_LAP, lap },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(sites); i++)
		ret = image_patch(image, sites[i].patch, sites[i].value, err);
	if (sizes->how == RING_DIRECT)
		image_use_value(image, object_map_fd(set->object, "ring_blocks"));
	return ret;
}

int ring_patch_unused(struct image *image, struct err *err)
{
	static const uint64_t sites[] = {
		PATCH_RING_HOW,
		PATCH_RING_LAST,
		PATCH_RING_BYTES,
		PATCH_RING_BLOCKS,
		PATCH_RING_BLOCK_BITS,
		PATCH_RING_BLOCK_LAST,
		PATCH_RING_OFFSET,
		PATCH_RING_PAGES,
		PATCH_RING_TABLE,
		PATCH_RING_LAP,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(sites); i++)
		ret = image_patch(image, sites[i], 0, err);
	return ret;
}

int ring_fd(const struct ring_set *set)
{
	return set->bell ? ring_buffer__epoll_fd(set->bell) : -1;
}

uint64_t ring_missed(const struct ring_set *set)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < set->n; i++)
		missed += __atomic_load_n(&set->rings[i].state->missed, __ATOMIC_RELAXED);
	return missed;
}

void ring_free(struct ring_set *set)
{
	if (!set)
		return;
	ring_buffer__free(set->bell);
	if (set->blocks)
		munmap(set->blocks, set->mapped);
	free(set->rings);
	free(set->copy);
	free(set);
}
