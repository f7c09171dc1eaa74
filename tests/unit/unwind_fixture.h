/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the maps of an unwinding session as BPF programs do, and starts processes for it to see. */
#ifndef SONDE_TESTS_UNIT_UNWIND_FIXTURE_H
#define SONDE_TESTS_UNIT_UNWIND_FIXTURE_H

#include <bpf/bpf.h>
#include <signal.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "binary_fixture.h"
#include "unwind/unwind_part.h"

extern char **environ;

static struct unwind *unwind;

static inline void session_open(pid_t pid)
{
	const struct unwind_options options = { .pid = pid, .tables = true };
	struct err err = {};

	if (geteuid())
		cr_skip_test("only root may create maps");
	cr_assert_eq(unwind_new(&unwind, &options, &err), 0, "%s", err.text);
}

static inline void session_start(pid_t pid)
{
	struct err err = {};

	session_open(pid);
	cr_assert_eq(unwind_start(unwind, NULL, NULL, &err), 0, "%s", err.text);
	cr_assert_geq(unwind_fd(unwind), 0);
}

static inline void map_something(void)
{
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

/*
 * Takes all records. Other processes of this machine can have filled a ring since the last time: the kernel says so with
 * the next record of that processor, so there is one; then /proc is read.
 */
static inline void session_take(void)
{
	cpu_set_t all, one;

	cr_assert_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	unwind_take(unwind);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		map_something();
	}
	sched_setaffinity(0, sizeof(all), &all);
	do
		unwind_take(unwind);
	while (unwind->rescan);
}

/* Copies `size` bytes from a place in a block. */
static inline void session_read(uint32_t block, uint32_t at, void *to, size_t size)
{
	static uint8_t bytes[UNWIND_BLOCK_SIZE];
	uint32_t id, zero = 0;
	int fd __close = -1;

	cr_assert_eq(bpf_map_lookup_elem(unwind_maps(unwind)->blocks, &block, &id), 0, "block %u", block);
	fd = bpf_map_get_fd_by_id(id);
	cr_assert_eq(bpf_map_lookup_elem(fd, &zero, bytes), 0);
	memcpy(to, bytes + at, size);
}

/* Returns false if the process has no mappings. */
static inline bool session_space(pid_t pid, struct unwind_space *space)
{
	uint32_t key = pid;

	return !bpf_map_lookup_elem(unwind_maps(unwind)->spaces, &key, space);
}

static inline struct unwind_mapping session_mapping(const struct unwind_space *space, size_t i)
{
	struct unwind_mapping mapping;

	session_read(space->block, (space->first + i) * sizeof(mapping), &mapping, sizeof(mapping));
	return mapping;
}

/* The mapping that contains an address; all zero: none does. */
static inline struct unwind_mapping session_find(pid_t pid, uint64_t address)
{
	struct unwind_space space;

	for (size_t i = 0; session_space(pid, &space) && i < space.n; i++) {
		struct unwind_mapping mapping = session_mapping(&space, i);

		if (address >= mapping.start && address < mapping.end)
			return mapping;
	}
	return (struct unwind_mapping){};
}

/* The rule for a file offset in a mapping. */
static inline struct unwind_rule session_rule(const struct unwind_mapping *mapping, uint64_t offset)
{
	uint64_t page = (offset >> UNWIND_PAGE_SHIFT) - mapping->page;
	struct unwind_rule rule = { .cfa = UNWIND_CFA_NONE };
	struct unwind_page entry;
	struct unwind_row row;
	uint32_t number = 0;

	if (page >= mapping->n_pages)
		return rule;
	session_read(mapping->block, (mapping->first + page) * sizeof(entry), &entry, sizeof(entry));
	for (uint32_t i = 0; i < entry.n; i++) {
		session_read(entry.block, (entry.first + i) * sizeof(row), &row, sizeof(row));
		if (row.place > (offset & ((1 << UNWIND_PAGE_SHIFT) - 1)))
			break;
		number = row.rule;
	}
	cr_assert_eq(bpf_map_lookup_elem(unwind_maps(unwind)->rules, &number, &rule), 0);
	return rule;
}

/* A process that answers: what is written to it, it writes back. */
struct echo {
	pid_t pid;
	int to, from;
};

/* Waits until the process has answered: then it has mapped its libraries. */
static inline void echo_ask(const struct echo *echo)
{
	char answer;

	cr_assert(write(echo->to, "x", 1) == 1 && read(echo->from, &answer, 1) == 1);
}

static inline struct echo echo_start(const char *program)
{
	char *argv[] = { (char *)program, NULL };
	posix_spawn_file_actions_t actions;
	int to[2], from[2];
	struct echo echo;

	cr_assert(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], 0);
	posix_spawn_file_actions_adddup2(&actions, from[1], 1);
	cr_assert_eq(posix_spawn(&echo.pid, program, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(to[0]);
	close(from[1]);
	echo.to = to[1];
	echo.from = from[0];
	echo_ask(&echo);
	return echo;
}

static inline void echo_end(const struct echo *echo)
{
	close(echo->to);
	close(echo->from);
	waitpid(echo->pid, NULL, 0);
}

#endif
