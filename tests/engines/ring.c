// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rings that are written and read at the same time: every record must be passed on whole and once, or be reported as
 * lost.
 *
 *	ring single			what one program run after the other can show
 *	ring stream THREADS CALLS KB MS	threads make system calls, and interrupts come between; a ring has so many KB,
 *					and the reader rests for so many ms between two looks, 0: until it is woken
 *	ring flight THREADS CALLS KB MS	the same without a reader; snapshots meanwhile
 *	ring record KB			records every system call of the machine, until it is killed: what that costs
 *
 * With BLOCKS in the environment rings are looked up, as where values of arrays are limited to 4 MB.
 * Prints "ok", numbers, or what is wrong, and exits with 1.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "attach/quirks.h"
#include "base/cpus.h"
#include "base/report.h"
#include "bpf/slot.h"
#include "engine/object.h"
#include "engine/ring_part.h"
#include "tests/engines/fail.h"
#include "tests/engines/ring.h"
#include "tests/engines/ring.skel.h"
#include "tests/engines/ring_seen.h"

#define CALL SYS_getpgid
/* Between interrupts. The kernel may allow fewer. */
#define PERIOD_NS 20000
#define RING_KB	  64

static struct object object;
static struct ring_set *set;
static struct image images[4];
static int calls = -1, interrupts = -1, batch = -1, late = -1;

/* --- the rings --- */

static int load(struct image *image, const char *program, int type)
{
	struct err err = {};
	int fd;

	if (object_image(&object, program, image, &err) || ring_patch(set, image, &err))
		fail("%s: %s", program, err.text);
	fd = attach_load(image, type, 0, 0, &err);
	if (fd < 0)
		fail("%s: %s", program, err.text);
	return fd;
}

static void open_rings(uint64_t kb, enum ring_mode mode, pid_t pid)
{
	struct ring_test test = { .pid = pid, .syscall = CALL };
	struct err err = {};
	int ret = object_open(&object, ring_bpf__elf_bytes, &err);

	if (!ret)
		ret = object_fill(&object, ".rodata.test", &test, sizeof(test), &err);
	if (!ret)
		ret = ring_new(&set, &object, kb * 1024 * cpus_ids(), mode, &err);
	if (!ret)
		ret = object_prepare(&object, NULL, &err);
	if (!ret)
		ret = ring_open(set, &err);
	if (ret)
		fail("%s", err.text);
	if (pid) {
		calls = load(&images[0], "entered", BPF_PROG_TYPE_RAW_TRACEPOINT);
		interrupts = load(&images[1], "interrupted", BPF_PROG_TYPE_PERF_EVENT);
		return;
	}
	batch = load(&images[2], "batch", BPF_PROG_TYPE_RAW_TRACEPOINT);
	late = load(&images[3], "late", BPF_PROG_TYPE_RAW_TRACEPOINT);
}

static void close_rings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		image_release(&images[i]);
	close(batch);
	close(late);
	ring_free(set);
	object_release(&object);
	object = (struct object){};
	seen_forget();
}

static uint64_t begun(enum ring_test_kind kind)
{
	return object_word(&object, ".data.begun", kind);
}

/* What was passed on, lost and missed is what there was. */
static void expect_sum(void)
{
	uint64_t all = 0, missed = ring_missed(set);

	for (int i = 0; i < RING_TEST_KINDS; i++)
		all += begun(i);
	if (seen.records + seen.lost + missed != all)
		fail("%llu begun; passed %llu, lost %llu, missed %llu", (unsigned long long)all,
		     (unsigned long long)seen.records, (unsigned long long)seen.lost, (unsigned long long)missed);
}

/* --- one after the other --- */

static void run(int program, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t args[] = { a, b, c };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args),
		    .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = 0);
	int ret = bpf_prog_test_run_opts(program, &opts);

	if (ret)
		fail("a test run: %s", strerror(-ret));
}

/* n records with the numbers from `from` on. */
static void write_records(uint64_t from, uint64_t n, bool are_long)
{
	while (n) {
		uint64_t now = n < RING_TEST_BATCH ? n : RING_TEST_BATCH;

		run(batch, now, from, are_long);
		from += now;
		n -= now;
	}
}

static void expect(const char *what, uint64_t is, uint64_t least, uint64_t most)
{
	if (is < least || is > most)
		fail("%s: %llu, not %llu to %llu", what, (unsigned long long)is, (unsigned long long)least,
		     (unsigned long long)most);
}

/* So that the bits of a place are full after some words, and that there were many records before. */
static void start_at_end(uint64_t words)
{
	struct ring_one *ring = &set->rings[0];
	uint64_t number = (5ULL << 24) - 3;

	ring->at.place = ((1ULL << RING_PLACE_BITS) - words) & ~(ring->words - 1);
	ring->at.number = ring->state->number = ring->state->complete = number;
	ring->state->head = ring->at.place | number << RING_PLACE_BITS;
	ring->state->tail = ring->at.place;
}

/* Nothing is lost as long as the reader keeps up, also where blocks, rings and the bits of places end. */
static void test_keeping_up(uint64_t kb, uint64_t to_end)
{
	const uint64_t records = kb > 1024 ? 60000 : 20000; /* of 6.5 words on average */

	open_rings(kb, RING_STREAM, 0);
	if (to_end)
		start_at_end(to_end);
	for (uint64_t from = 0; from < records; from += 400) {
		write_records(from, 400, from % 5 == 0 && from % 1200 == 0 && kb > 1024);
		if (ring_read(set, seen_run, NULL))
			fail("ring_read()");
		expect("kept up", seen.records, from + 400, from + 400);
	}
	if (ring_read_last(set, seen_run, NULL) || seen.lost)
		fail("%llu lost", (unsigned long long)seen.lost);
	if (!to_end)
		expect_sum();
	close_rings();
}

/* A reader that comes too late finds the newest records. */
static void test_overrun(uint64_t to_end)
{
	open_rings(RING_KB, RING_STREAM, 0);
	if (to_end)
		start_at_end(to_end);
	write_records(0, 100, false);
	ring_read(set, seen_run, NULL);
	expect("at first", seen.records, 100, 100);
	write_records(100, 20000, false);
	ring_read(set, seen_run, NULL);
	expect("the last one", seen.last, 20099, 20099);
	/* on average 6.5 words, and a quarter of the ring is given up */
	expect("the rest", seen.records - 100, 64 * 128 / 9 / 2, 64 * 128 / 6);
	write_records(20100, 50, false);
	ring_read_last(set, seen_run, NULL);
	expect("then", seen.last, 20149, 20149);
	expect("in all", seen.records + seen.lost, 20150, 20150);
	if (!to_end)
		expect_sum();
	close_rings();
}

/* A program that turns a page was interrupted since it has its place, by programs that have turned later ones. */
static void test_number_of_a_later_page(void)
{
	open_rings(RING_KB, RING_STREAM, 0);
	write_records(0, 300, false);
	set->rings[0].state->number += 500;
	write_records(300, 20000, false);
	ring_read_last(set, seen_run, NULL);
	expect("the last one", seen.last, 20299, 20299);
	expect_sum();
	close_rings();
}

/* The reader is woken once, when half of the ring is unread. */
static void test_bell(void)
{
	struct pollfd bell;
	uint64_t from = 0;

	open_rings(RING_KB, RING_STREAM, 0);
	bell = (struct pollfd){ .fd = ring_fd(set), .events = POLLIN };
	for (int i = 0; i < 3; i++, from += 1200) {
		write_records(from, 300, false);
		if (poll(&bell, 1, 0))
			fail("woken too early");
		write_records(from + 300, 900, false);
		if (!poll(&bell, 1, 1000))
			fail("not woken");
		if (set->rings[0].state->rung != 1)
			fail("woken more than once");
		ring_read(set, seen_run, NULL);
		if (poll(&bell, 1, 0))
			fail("still woken");
	}
	ring_read_last(set, seen_run, NULL);
	expect_sum();
	close_rings();
}

/* A program that was held up has damaged newer records. They are lost, and what comes later is not. */
static void test_late(void)
{
	open_rings(RING_KB, RING_STREAM, 0);
	write_records(0, 10, false);
	run(late, 1000, 0, 0);
	write_records(2000, 10, false);
	ring_read(set, seen_run, NULL);
	write_records(3000, 10, false);
	ring_read_last(set, seen_run, NULL);
	expect("the last one", seen.last, 3009, 3009);
	expect_sum();
	close_rings();
}

/* Writes more than a ring of records at the moment when the reader begins to copy: it faults on where it copies to. */
#define COPY_BYTES (1 << 20)

static void write_meanwhile(int signal)
{
	mprotect(set->copy, COPY_BYTES, PROT_READ | PROT_WRITE);
	write_records(1000, 5000, false);
}

static void test_overwritten(enum ring_mode mode)
{
	open_rings(RING_KB, mode, 0);
	write_records(0, 400, false);
	set->copy = mmap(NULL, COPY_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, write_meanwhile);
	mode == RING_STREAM ? ring_read(set, seen_run, NULL) : ring_snapshot(set, seen_run, NULL);
	signal(SIGSEGV, SIG_DFL);
	expect("overwritten", seen.kinds[RING_TEST_BATCHED], 0, 0);
	if (mode == RING_FLIGHT)
		expect("lost", seen.lost, 400, 400);
	seen_forget();
	ring_snapshot(set, seen_run, NULL);
	expect("the last one", seen.last, 5999, 5999);
	munmap(set->copy, COPY_BYTES);
	set->copy = NULL;
	close_rings();
}

static void test_snapshots(uint64_t to_end)
{
	open_rings(RING_KB, RING_FLIGHT, 0);
	if (to_end)
		start_at_end(to_end);
	ring_snapshot(set, seen_run, NULL);
	expect("nothing", seen.records, 0, 0);
	write_records(0, 100, false);
	ring_snapshot(set, seen_run, NULL);
	expect("all", seen.records, 100, 100);
	seen_forget();
	write_records(100, 50000, false);
	ring_snapshot(set, seen_run, NULL);
	expect("the last one", seen.last, 50099, 50099);
	expect("the rest", seen.records, 64 * 128 / 9 * 3 / 4, 64 * 128 / 6);
	expect("from the first", seen.last - seen.first + 1, seen.records, seen.records);
	expect("lost", seen.lost, 0, 0);
	seen_forget();
	run(late, 60000, 0, 0);
	write_records(70000, 20, false);
	ring_snapshot(set, seen_run, NULL);
	/* elsewhere it was held up in a ring of its own, and has damaged nothing */
	if (quirk_swaps()) {
		expect("the last one", seen.last, 70019, 70019);
		expect("behind the damage", seen.records, 20, 20);
	}
	close_rings();
}

static void test_limits(void)
{
	struct ring_set *none;
	struct err err = {};

	if (object_open(&object, ring_bpf__elf_bytes, &err))
		fail("%s", err.text);
	if (ring_new(&none, &object, 1ULL << 50, RING_STREAM, &err) != -E2BIG &&
	    ring_new(&none, &object, 1ULL << 50, RING_STREAM, &err) != -ENOMEM)
		fail("a ring larger than memory: %s", err.text);
	object_release(&object);
	object = (struct object){};
}

static void test_single(void)
{
	/* the least; several blocks; places of which 40 bits are full soon */
	test_keeping_up(RING_KB, 0);
	test_keeping_up(4096, 0);
	test_keeping_up(RING_KB, 100000);
	for (uint64_t to_end = 0; to_end < 100000; to_end += 49345)
		test_overrun(to_end);
	test_number_of_a_later_page();
	test_bell();
	test_late();
	test_overwritten(RING_STREAM);
	test_overwritten(RING_FLIGHT);
	test_snapshots(0);
	test_snapshots(100000);
	test_limits();
	puts("ok");
}

/* --- at the same time --- */

static uint64_t n_calls;
static atomic_int working;

/* Interrupts of this thread, as often as the kernel allows. */
static int interrupt_thread(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, interrupts) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		fail("perf event: %s", strerror(errno));
	return fd;
}

static void *make_calls(void *thread)
{
	__close int fd = interrupt_thread();

	for (uint64_t i = 0; i < n_calls; i++)
		syscall(CALL, (uint64_t)(uintptr_t)thread << SEEN_CALL_BITS | i);
	working--;
	return NULL;
}

/* Looks at the rings as long as threads work, and once more when nothing records any more. */
static void look_at(enum ring_mode mode, int rest)
{
	struct pollfd bell = { .fd = mode == RING_STREAM ? ring_fd(set) : -1, .events = POLLIN };

	while (working) {
		poll(rest ? NULL : &bell, rest ? 0 : 1, rest ? rest : 40);
		if (mode == RING_FLIGHT)
			memset(&seen, 0, offsetof(struct seen, once));
		for (size_t i = 0; mode == RING_FLIGHT && i < SEEN_THREADS; i++)
			if (seen.once[i])
				memset(seen.once[i], 0, n_calls / 8 + 1);
		mode == RING_STREAM ? ring_read(set, seen_run, NULL) : ring_snapshot(set, seen_run, NULL);
	}
}

static void test_threads(enum ring_mode mode, size_t threads, uint64_t kb, int rest)
{
	pthread_t ids[SEEN_THREADS];
	uint64_t missed;
	int link;

	open_rings(kb, mode, getpid());
	for (size_t i = 0; i < threads; i++)
		seen.once[i] = base_alloc(n_calls / 8 + 1);
	link = bpf_raw_tracepoint_open("sys_enter", calls);
	if (link < 0)
		fail("cannot attach: %s", strerror(errno));
	working = threads;
	for (size_t i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, make_calls, (void *)i))
			fail("no thread");
	look_at(mode, rest);
	for (size_t i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	missed = attach_program_missed(calls);
	close(link);
	/* a kernel that can be preempted skips calls while it runs the program for another one, also those of others */
	expect("calls", begun(RING_TEST_CALL), 0, threads * n_calls);
	expect("calls and skips", begun(RING_TEST_CALL) + missed, threads * n_calls, UINT64_MAX);
	if (mode == RING_STREAM) {
		ring_read_last(set, seen_run, NULL);
		expect_sum();
	}
	printf("ok, %llu calls, %llu interrupts, passed %llu, lost %llu, missed %llu, skipped %llu\n",
	       (unsigned long long)begun(RING_TEST_CALL), (unsigned long long)begun(RING_TEST_INTERRUPT),
	       (unsigned long long)seen.records, (unsigned long long)seen.lost, (unsigned long long)ring_missed(set),
	       (unsigned long long)missed);
	close(calls);
	close(interrupts);
	close_rings();
}

static void record_all(uint64_t kb)
{
	open_rings(kb, RING_FLIGHT, getpid());
	calls = load(&images[2], "every", BPF_PROG_TYPE_RAW_TRACEPOINT);
	if (bpf_raw_tracepoint_open("sys_enter", calls) < 0)
		fail("cannot attach: %s", strerror(errno));
	puts("Attached");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	report_set_verbose(getenv("VERBOSE"));
	if (getenv("BLOCKS"))
		ring_direct_most = 0;
	if (argc == 2 && !strcmp(argv[1], "single")) {
		test_single();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "record")) {
		record_all(strtoull(argv[2], NULL, 10));
		return 0;
	}
	if (argc != 6 || atoi(argv[2]) > SEEN_THREADS)
		fail("usage: see the file");
	n_calls = strtoull(argv[3], NULL, 10);
	test_threads(strcmp(argv[1], "flight") ? RING_STREAM : RING_FLIGHT, atoi(argv[2]), strtoull(argv[4], NULL, 10),
		     atoi(argv[5]));
	return 0;
}
