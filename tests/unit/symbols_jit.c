// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names of code that a program made as it ran, in files that it writes for perf. */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include "symbols/perf_map.h"
#include "symbols_fixture.h"

static char map_path[64];

static void remove_map(void)
{
	unlink(map_path);
}

static void write_map(const char *text, int flags)
{
	int fd __close = -1;

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	atexit(remove_map);
	fd = open(map_path, O_CREAT | O_WRONLY | O_EXCL * !(flags & O_APPEND) | flags, 0600);
	cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", map_path);
}

static const char *jit_name(uint64_t addr)
{
	const struct frame *frame = symbols_user(symbols, getpid(), addr);

	cr_expect_eq(symbols_name(symbols), 0);
	return frame->name;
}

Test(symbols_jit, map)
{
	const struct frame *early, *late;

	write_map("1000 10 old\n1010 10 LazyCompile:~add /app/x.js:3:7\nnonsense\n\n1020 zz bad\n0x1000 0x8 new one\n"
		  "fffffffffffffff0 ff end of memory\n2000 10 cut",
		  0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	early = symbols_user(symbols, getpid(), 0x1004);
	late = symbols_user(symbols, getpid(), 0x2004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(early->name, "new one");
	cr_expect_eq(early->kind, FRAME_JIT);
	cr_expect_eq(early->start, 0x1000);
	/* its line is not complete, and then it is */
	cr_expect_str_eq(late->name, "[unknown]");
	write_map(" short\n", O_APPEND);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(late->name, "cut short");
	/* found although the map has not grown since */
	cr_expect_str_eq(jit_name(0x1008), "old");
	cr_expect_str_eq(jit_name(0x101f), "LazyCompile:~add /app/x.js:3:7");
	cr_expect_str_eq(jit_name(0x1020), "[unknown]");
	cr_expect_str_eq(jit_name(0xff0), "[unknown]");
	/* the file is open: it may be gone, with its process */
	unlink(map_path);
	write_map("1030 10 another file\n", 0);
	cr_expect_str_eq(jit_name(0x1009), "old");
	cr_expect_str_eq(jit_name(0x1034), "[unknown]");
	cr_expect_eq(symbols->notes.n, 0);
	symbols_free(symbols);
}

/* The process writes the map later than it was seen first. */
Test(symbols_jit, map_that_comes_late)
{
	const struct frame *early, *late;

	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	early = symbols_user(symbols, getpid(), 0x1004);
	cr_expect_eq(symbols->jits.v[0].map, -1);
	write_map("1000 10 one\n2000 10 two\n", 0);
	late = symbols_user(symbols, getpid(), 0x2004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(early->name, "one");
	cr_expect_str_eq(late->name, "two");
	symbols_free(symbols);
}

/* The process has ended when its map is looked for. */
Test(symbols_jit, map_of_a_process_that_has_ended)
{
	const struct frame *frame;
	pid_t pid = fork();
	int status;

	if (!pid)
		for (;;)
			pause();
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	frame = symbols_user(symbols, pid, 0x1004);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", pid);
	atexit(remove_map);
	FILE *map __fclose = fopen(map_path, "wx");

	cr_assert(map && fputs("1000 10 one\n", map) >= 0 && !fflush(map));
	cr_assert(!kill(pid, SIGKILL) && waitpid(pid, &status, 0) == pid);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "one");
	symbols_free(symbols);
}

/* A line that is longer than what is read at once, up to the numbers of the next one. */
/* Frames of a process that is gone are not looked for again; those of one that lives are, but not at once. */
Test(symbols_jit, process_without_a_map)
{
	const struct frame *frame;
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	frame = symbols_user(symbols, pid, 0x1004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "[unknown]");
	cr_expect_eq(symbols->waiting.n, 0);
	frame = symbols_user(symbols, getpid(), 0x1004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "[unknown]");
	cr_expect_eq(symbols->waiting.n, 1);
	symbols_free(symbols);
}

Test(symbols_jit, map_with_long_lines)
{
	char *name __free = base_alloc(200001), *text __free = NULL;

	memset(name, 'x', 200000);
	text = base_printf("1000 10 before\n2000 10 %s\n3000 10 %s 4000 10 not a line\n5000 10 behind\n", name, name);
	write_map(text, 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "before");
	cr_expect_eq(strlen(jit_name(0x2000)), PERF_MAP_NAME_MAX - 1);
	cr_expect_str_eq(jit_name(0x4000), "[unknown]");
	cr_expect_str_eq(jit_name(0x5000), "behind");
	symbols_free(symbols);
}

Test(symbols_jit, map_that_is_no_file)
{
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	atexit(remove_map);
	cr_assert_eq(mkfifo(map_path, 0600), 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "[unknown]");
	cr_assert_eq(symbols->notes.n, 1);
	cr_expect(strstr(symbols->notes.v[0], "is a FIFO"), "%s", symbols->notes.v[0]);
	cr_expect(strstr(symbols->notes.v[0], " /tmp/perf-"), "%s", symbols->notes.v[0]);
	symbols_free(symbols);
}

/* root reads anybody's map, but only the process's own or root's counts. */
Test(symbols_jit, map_of_another_user)
{
	if (geteuid())
		cr_skip_test("only root can give a file away");
	write_map("1000 10 planted\n", 0);
	cr_assert_eq(chown(map_path, 65534, 65534), 0);
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	cr_expect_str_eq(jit_name(0x1000), "[unknown]");
	cr_assert_eq(symbols->notes.n, 1);
	cr_expect(strstr(symbols->notes.v[0], "belongs to user 65534"), "%s", symbols->notes.v[0]);
	symbols_free(symbols);
}

/* A process of user 65534, which may have mounts of its own. */
static pid_t start_of_another_user(bool own_mounts)
{
	int ready[2];
	char byte;
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if ((own_mounts && unshare(CLONE_NEWNS)) || setuid(65534) || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", pid);
	atexit(remove_map);
	return pid;
}

/* What a map says that root has, for a process that is not root's. Ends the process. refused: the note; "": none. */
static void expect_map_of_root(pid_t pid, const char *name, const char *refused)
{
	const struct frame *frame;

	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	frame = symbols_user(symbols, pid, 0x1004);
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, name);
	cr_expect_eq(symbols->notes.n, !!*refused);
	cr_expect(!symbols->notes.n || strstr(symbols->notes.v[0], refused), "%s", symbols->notes.v[0]);
	symbols_free(symbols);
	unlink(map_path);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void write_secret(const char *path)
{
	FILE *file __fclose = fopen(path, "w");

	cr_assert(file && fputs("1000 10 secret\n", file) >= 0);
}

/*
 * Root may have written a map for a process of another user. But such a user must not choose which of root's files is
 * read: by a link, or by mounts of the process's own.
 */
Test(symbols_jit, map_of_root)
{
	char secret[] = "/tmp/sonde-test-secret-XXXXXX";
	int fd __close = -1;
	pid_t pid;

	if (geteuid())
		cr_skip_test("only root can become another user");
	pid = start_of_another_user(false);
	write_secret(map_path);
	expect_map_of_root(pid, "secret", "");
	fd = mkstemp(secret);
	write_secret(secret);
	pid = start_of_another_user(false);
	cr_assert_eq(symlink(secret, map_path), 0);
	expect_map_of_root(pid, "[unknown]", "it belongs to root, and is a link");
	pid = start_of_another_user(false);
	cr_assert_eq(link(secret, map_path), 0);
	expect_map_of_root(pid, "[unknown]", "it belongs to root, and is a link");
	unlink(secret);
	pid = start_of_another_user(true);
	write_secret(map_path);
	expect_map_of_root(pid, "[unknown]", "has mounts of its own");
}
