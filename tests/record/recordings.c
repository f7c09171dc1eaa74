// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes a recording whose sums are known, for tests of `sonde report`: recordings FILE TURNS CALL_US [MOVED_US].
 * A turn takes 1 ms on each of two processors: "worker" (1000 and 1001) runs 400 us, is preempted for 100 us, runs for
 * the call read (CALL_US), sleeps in nanosleep, and is woken by the other 10 us before the next turn. MOVED_US after it was
 * preempted, for "other" then, it is moved to this processor.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "record/writer.h"

#define US 1000ULL

enum {
	SWITCH = 1,
	WAKING,
	ENTER,
	LEAVE,
	EXEC,
	MIGRATE
};

#define KIND(ID, NAME, ...) \
	{ \
		ID, NAME, (const struct layout_field[]){ __VA_ARGS__ }, \
			sizeof((struct layout_field[]){ __VA_ARGS__ }) / sizeof(struct layout_field) \
	}

static const struct layout_kind kinds[] = {
	KIND(SWITCH, "switch", { "prev", LAYOUT_TASK, 1, 0, 32 }, { "next", LAYOUT_TASK, 1, 32, 32 },
	     { "prev_state", LAYOUT_STATE, 2, 0, 16 }, { "syscall", LAYOUT_SYSCALL, 3, 0, 32 }),
	KIND(WAKING, "waking", { "task", LAYOUT_TASK, 1, 0, 32 }, { "waker", LAYOUT_TASK, 1, 32, 32 }),
	KIND(ENTER, "sys_enter", { "task", LAYOUT_TASK, 1, 0, 32 }, { "syscall", LAYOUT_SYSCALL, 1, 32, 32 },
	     { "args", LAYOUT_WORDS, 2, 0, 0 }),
	KIND(LEAVE, "sys_exit", { "task", LAYOUT_TASK, 1, 0, 32 }, { "syscall", LAYOUT_SYSCALL, 1, 32, 32 },
	     { "ret", LAYOUT_RETURN, 2, 0, 64 }),
	KIND(EXEC, "exec", { "task", LAYOUT_TASK, 1, 0, 32 }, { "filename", LAYOUT_CHARS, 2, 0, 0 }),
	KIND(MIGRATE, "migrate", { "task", LAYOUT_TASK, 1, 0, 32 }),
};

static uint64_t words[2][64], numbers[2];
static size_t used[2];

static void add(int cpu, int kind, uint64_t time, uint32_t low, uint32_t high, const uint64_t *more, size_t n)
{
	uint64_t *to = words[cpu] + used[cpu];

	*to++ = kind | (3 + n) << 8;
	*to++ = time;
	*to++ = low | (uint64_t)high << 32;
	while (n--)
		*to++ = *more++;
	used[cpu] = to - words[cpu];
	numbers[cpu]++;
}

static void flush(struct writer *w, int cpu)
{
	static uint64_t first[2];

	writer_chunk(w, cpu, 0, first[cpu], 0, words[cpu], used[cpu] * 8);
	first[cpu] = numbers[cpu];
	used[cpu] = 0;
}

/* moved: 0: it is not. */
static void turn(int cpu, uint64_t at, uint64_t call, uint64_t moved)
{
	const uint64_t preempted = 0x100, sleeps[] = { 1, 35 }, runs = 0, fd = 3, size = 512;
	int worker = 1000 + cpu;

	add(cpu, SWITCH, at, 0, worker, &runs, 1);
	add(cpu, SWITCH, at + 400 * US, worker, 7, &preempted, 1);
	if (moved)
		add(cpu, MIGRATE, at + (400 + moved) * US, worker, 0, NULL, 0);
	add(cpu, SWITCH, at + 500 * US, 7, worker, &preempted, 1);
	add(cpu, ENTER, at + 500 * US, worker, 0, &fd, 1);
	add(cpu, LEAVE, at + (500 + call) * US, worker, 0, &size, 1);
	add(cpu, SWITCH, at + (500 + call) * US, worker, 0, sleeps, 2);
	add(!cpu, WAKING, at + 990 * US, worker, 1000 + !cpu, NULL, 0);
}

int main(int argc, char **argv)
{
	const struct layout_ring ring = { .kind_bits = 8, .words_at = 8, .words_bits = 8, .number_at = 56, .number_bits = 8 };
	struct layout_host host = { "6.12.0", "x86_64", "node", "", "0", "recordings", 2, -1 };
	struct writer *w;
	struct err err;
	uint64_t start, turns, call, moved;

	if (argc < 4 || argc > 5)
		return 2;
	w = writer_open(argv[1], true, &err);
	if (!w) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	turns = atol(argv[2]);
	call = atol(argv[3]);
	moved = argc > 4 ? atol(argv[4]) : 0;
	writer_host(w, &host);
	writer_clocks(w);
	writer_ring(w, &ring);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		writer_kind(w, &kinds[i]);
	writer_text(w, LAYOUT_SPACE_SYSCALLS, 0, "read");
	writer_text(w, LAYOUT_SPACE_SYSCALLS, 35, "nanosleep");
	for (int cpu = 0; cpu < 2; cpu++)
		writer_task(w, &(struct layout_task){ 1000 + cpu, 1000, 1, 0, 1, 'S', "worker", "worker -n" });
	if (argc > 4)
		writer_task(w, &(struct layout_task){ 7, 7, 1, 0, 0, 'R', "other", "other" });
	start = clock_monotonic_ns();
	for (uint64_t i = 0; i < turns; i++) {
		for (int cpu = 0; cpu < 2; cpu++)
			turn(cpu, start + i * 1000 * US, call, moved);
		for (int cpu = 0; cpu < 2; cpu++)
			flush(w, cpu);
	}
	if (writer_close(w, &(struct layout_end){ .recorded = numbers[0] + numbers[1], .exit_status = -1 }, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return 0;
}
