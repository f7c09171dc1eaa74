// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/unwind.h: what the files of one user, or of a file system that does not answer, may take from others. */
#include <sys/mount.h>

#include "base/clock.h"
#include "base/str.h"
#include "unwind_fixture.h"

TestSuite(unwind_users, .init = fixture_init);

/* Writes a library with so many rows, in functions of 100,000 each, and rules. */
static void make_large_library(const char *name, size_t rows, unsigned int rules)
{
	enum {
		FUNCTION = 100000
	};
	char *source __free = NULL, *link __free = base_printf("$CC -shared -nostdlib -o %s large.s", name);
	struct str ops __str = {};

	for (unsigned int i = 0; i < FUNCTION; i++) {
		unsigned int offset = 8 * (i % rules);

		/* one byte further; the CFA is at that offset from rbp or rsp */
		str_addn(&ops, i % 2 ? "\x41\x0d\x06\x0e" : "\x41\x0d\x07\x0e", 4);
		str_addn(&ops, (char[]){ offset | 0x80, offset >> 7 | 0x80, offset >> 14 }, 3);
	}
	fixture_write("ops", ops.data, ops.len);
	source = base_printf(".text\ncode: .skip %zu, 0x90\n.section .eh_frame,\"a\"\ncie: .long 1f-0f\n"
			     "0: .long 0\n.byte 1\n.asciz \"zR\"\n.uleb128 1\n.sleb128 -8\n.byte 16\n.uleb128 1\n"
			     ".byte 0x1b,0x0c,7,8,0x90,1\n.balign 4\n1:\n.set at,0\n.rept %zu\n"
			     ".long 1f-0f\n0: .long 0b-cie\n.long code+at-.,%u\n.uleb128 0\n.incbin \"ops\"\n.balign 4\n1:\n"
			     ".set at,at+%u\n.endr\n",
			     rows, rows / FUNCTION, FUNCTION, FUNCTION);
	fixture_text("large.s", source);
	fixture_run(link);
}

/* Starts a program that has mapped libraries that are called large0.so, large1.so, ... */
static struct echo start_with_libraries(int n)
{
	struct str libraries __str = {};
	struct echo echo;

	for (int i = 0; i < n; i++)
		str_addf(&libraries, "%s/large%d.so ", fixture_dir, i);
	setenv("LD_PRELOAD", libraries.data, 1);
	echo = echo_start("/bin/cat");
	unsetenv("LD_PRELOAD");
	return echo;
}

static size_t count_tables(const char *name)
{
	const struct unwind_module *module;
	size_t n = 0;

	for (size_t i = 1; (module = unwind_module(unwind, i)); i++)
		n += module->has_table && strstr(module->path, name);
	return n;
}

static int find_program(const struct mapping *mapping, void *at)
{
	*(uint64_t *)at = mapping->start;
	return mapping->exec && strstr(mapping->path, "/other");
}

/* An address in the code of the program. */
static uint64_t entry_of(pid_t pid)
{
	uint64_t at = 0;

	cr_assert_eq(maps_each(pid, find_program, &at), 1);
	return at;
}

#define USER 12345

/*
 * A user's files have a share of the tables and of the rules, and others have what they had, as a process that starts
 * later shows. What is refused takes nothing, and the summary names it.
 */
Test(unwind_users, files_of_one_user)
{
	struct echo echo, bystander;
	int64_t taken = 0;

	make_large_library("large0.so", 5000000, 2);
	make_large_library("large1.so", 200000, 20000);
	fixture_run("cp -L /bin/cat other && cp large0.so large2.so && cp large0.so large3.so && chown 12345 large*.so");
	session_open(0);
	/* time is no limit here, however busy the machine is: a session of an hour gives six minutes */
	unwind->shares.began -= 3600 * NS_PER_SEC;
	/* room for one of them, and for all that others need */
	unwind->blocks.n = unwind->blocks.shown = UNWIND_BLOCKS_MAX - 1000;
	echo = start_with_libraries(4);
	cr_assert_eq(unwind_start(unwind, NULL, NULL, NULL), 0);
	cr_expect_eq(count_tables("/large"), 1);
	cr_expect_eq(count_tables("/large1.so"), 1);
	bystander = echo_start(fixture_path("other"));
	session_take();
	cr_expect_eq(count_tables("/other"), 1);
	cr_expect(session_find(bystander.pid, entry_of(bystander.pid)).n_pages);
	echo_end(&bystander);
	vec_each(user, &unwind->shares) {
		if (user->uid != USER) {
			taken -= (int64_t)user->used[USERS_TABLES];
			continue;
		}
		cr_expect_eq(user->refused[USERS_NO_TABLE].n, 3);
		cr_expect(strstr(user->refused[USERS_NO_TABLE].first, "/large"));
		cr_expect_eq(user->refused[USERS_FEWER_RULES].n, 1);
		cr_expect_leq(user->used[USERS_RULES], UNWIND_RULES_MAX / 4);
		cr_expect_lt(user->used[USERS_TABLES], 2 << 20);
	}
	/* what is left is this user's: others have what the machine runs just now */
	taken += (int64_t)(unwind->modules.tables.rows.at.taken + unwind->modules.tables.pages.at.taken);
	cr_expect_leq(taken, 2 << 20);
	echo_end(&echo);
	unwind_free(unwind);
}

static uint64_t deadline;

static bool is_late(void *ctx)
{
	return clock_monotonic_ns() > deadline;
}

/* A request to stop is heard while a table is made. */
Test(unwind_users, stopped_in_a_table)
{
	uint64_t began;
	struct echo echo;

	make_large_library("large0.so", 5000000, 2);
	fixture_run("for i in 1 2 3 4 5 6 7; do cp large0.so large$i.so; done");
	echo = start_with_libraries(8);
	session_open(echo.pid);
	began = clock_monotonic_ns();
	deadline = began + NS_PER_SEC / 50;
	cr_expect_eq(unwind_start(unwind, is_late, NULL, NULL), -EINTR);
	cr_expect_lt(clock_monotonic_ns() - began, NS_PER_SEC / 2);
	echo_end(&echo);
	unwind_free(unwind);
}

/* Serves the file cat of the directory mnt, until the file stop is there; then it only notes that it is asked. */
static const char served[] =
	"#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <linux/fuse.h>\n#include <signal.h>\n#include <stdio.h>\n"
	"#include <sys/mount.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"
	"static char in[1 << 18], out[1 << 18], file[1 << 20];\nstatic long size;\n"
	"static struct fuse_attr attr(long node) {\n"
	"	return (struct fuse_attr){ .ino = node, .size = node == 1 ? 0 : size, .nlink = 1, .blksize = 4096,\n"
	"				   .mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0755 };\n}\n"
	"int main(void) {\n"
	"	struct fuse_in_header *h = (void *)in;\n	struct fuse_out_header *o = (void *)out;\n"
	"	void *body = o + 1;\n	struct fuse_read_in *r = (void *)(h + 1);\n	char options[100];\n"
	"	int fd = open(\"/dev/fuse\", O_RDWR), from = open(\"/bin/cat\", O_RDONLY);\n"
	"	sigset_t none;\n	sigemptyset(&none);\n	sigprocmask(SIG_SETMASK, &none, 0);\n"
	"	signal(SIGALRM, SIG_DFL);\n	alarm(100);\n"
	"	size = read(from, file, sizeof(file));\n"
	"	sprintf(options, \"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other\", fd);\n"
	"	if (mount(\"served\", \"mnt\", \"fuse\", 0, options)) return 1;\n"
	"	close(creat(\"ready\", 0600));\n"
	"	while (read(fd, in, sizeof(in)) > 0) {\n"
	"		long n = 0, error = 0;\n"
	"		if (!access(\"stop\", F_OK)) { close(creat(\"asked\", 0600)); continue; }\n"
	"		switch (h->opcode) {\n"
	"		case FUSE_INIT: n = sizeof(struct fuse_init_out);\n"
	"			*(struct fuse_init_out *)body = (struct fuse_init_out){ .major = 7, .minor = 31, .max_write = 65536 };\n"
	"			break;\n"
	"		case FUSE_LOOKUP: n = sizeof(struct fuse_entry_out);\n"
	"			*(struct fuse_entry_out *)body = (struct fuse_entry_out){ .nodeid = 2, .attr = attr(2) };\n			break;\n"
	"		case FUSE_GETATTR: n = sizeof(struct fuse_attr_out);\n"
	"			*(struct fuse_attr_out *)body = (struct fuse_attr_out){ .attr = attr(h->nodeid) };\n			break;\n"
	"		case FUSE_OPEN: n = sizeof(struct fuse_open_out);\n"
	"			*(struct fuse_open_out *)body = (struct fuse_open_out){ .fh = 1 };\n			break;\n"
	"		case FUSE_READ: n = r->offset < size ? size - r->offset : 0;\n"
	"			n = n < r->size ? n : r->size;\n			__builtin_memcpy(body, file + r->offset, n);\n			break;\n"
	"		case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: continue;\n"
	"		case FUSE_RELEASE: case FUSE_FLUSH: break;\n"
	"		default: error = -ENOSYS;\n"
	"		}\n"
	"		*o = (struct fuse_out_header){ sizeof(*o) + n, error, h->unique };\n"
	"		if (write(fd, out, o->len) < 0) return 1;\n"
	"	}\n}\n";

/* What processes have mapped of the files that a program serves is not opened. */
static void never_ask(bool detach)
{
	uint64_t began;
	struct echo echo;

	if (access("/dev/fuse", R_OK | W_OK))
		cr_skip_test("there is no FUSE");
	fixture_text("served.c", served);
	fixture_run("mkdir mnt && $CC -o served served.c 2> /dev/null");
	cr_assert_eq(unshare(CLONE_NEWNS), 0);
	cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	fixture_run("./served > /dev/null 2>&1 & echo $! > server; while [ ! -e ready ]; do sleep 0.1; done");
	echo = echo_start(fixture_path("mnt/cat"));
	fixture_run("touch stop");
	if (detach)
		cr_assert_eq(umount2(fixture_path("mnt"), MNT_DETACH), 0);
	began = clock_monotonic_ns();
	session_start(0);
	cr_expect_lt(clock_monotonic_ns() - began, 60 * NS_PER_SEC);
	cr_expect_neq(access(fixture_path("asked"), F_OK), 0, "it was asked");
	cr_expect_eq(count_tables("/mnt/cat"), 0);
	unwind_free(unwind);
	if (!detach)
		umount2(fixture_path("mnt"), MNT_FORCE | MNT_DETACH);
	/* it ends by itself where the mount has gone */
	fixture_run("kill -KILL $(cat server) 2> /dev/null || :");
	kill(echo.pid, SIGKILL);
	echo_end(&echo);
}

/* A program that serves files may never answer. */
Test(unwind_users, files_that_a_program_serves, .timeout = 120)
{
	never_ask(false);
}

/* The process has mapped the file, and no mount shows any more where it comes from. */
Test(unwind_users, files_that_a_program_serves_without_a_mount, .timeout = 120)
{
	never_ask(true);
}
