// SPDX-License-Identifier: BSD-2-Clause
/* Calls as paths for files: those whose caller comes later, and those whose caller never comes. */
#include <criterion/criterion.h>
#include <fcntl.h>

#include "graph/graph_paths.h"

#define US 1000

static char dir[] = "/tmp/graph-paths-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
}

static void leave(void)
{
	cr_assert_eq(unlink("folded"), 0);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(dir), 0);
}

TestSuite(graph_paths, .init = enter, .fini = leave);

static struct graph_step step_of(const char *function, uint32_t depth, uint64_t start, uint64_t us)
{
	return (struct graph_step){ .function = function, .depth = depth, .start = start * US, .ns = us * US };
}

/* Adds the first n_early steps, then the others, and expects these lines, in any order, and no others. */
static void expect_folded(const struct graph_step *steps, size_t n_early, size_t n, const char *const *lines)
{
	const struct graph_settings settings = { .folded = "folded" };
	struct graph_files files = {};
	struct graph_paths paths = {};
	struct err err = {};
	char text[1000] = "";
	size_t len = 0;
	int fd;

	cr_assert_eq(graph_files_add(&files, &settings, NULL, &err), 0, "%s", err.text);
	graph_paths_add(&paths, &files, "p", steps, n_early);
	graph_paths_add(&paths, &files, "p", steps + n_early, n - n_early);
	cr_expect_not(graph_paths_wait(&paths));
	graph_paths_end(&paths, &files, "p");
	cr_assert_eq(graph_files_write(&files, "test", &err), 0, "%s", err.text);
	fd = open("folded", O_RDONLY);
	cr_assert(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	for (; *lines; len += strlen(*lines++))
		cr_expect(strstr(text, *lines), "no %s in %s", *lines, text);
	cr_expect_eq(strlen(text), len, "%s", text);
	graph_paths_release(&paths);
	graph_files_release(&files);
}

/* A call that was printed before its caller has returned is in it. */
Test(graph_paths, early)
{
	const struct graph_step steps[] = {
		step_of("leaf", 1, 310, 30),
		step_of("root", 0, 300, 100),
		step_of("leaf", 1, 350, 20),
	};

	expect_folded(steps, 1, 3, (const char *[]){ "p;root 50\n", "p;root;leaf 50\n", NULL });
}

/* The outermost call of a tree was lost: what was in it is in no call of the next tree, also if both come at once. */
Test(graph_paths, lost)
{
	const struct graph_step steps[] = {
		step_of("mid", 1, 110, 60),
		step_of("leaf", 2, 120, 50),
		step_of("root", 0, 300, 100),
		step_of("leaf", 1, 310, 30),
	};
	const char *const lines[] = { "p;mid 10\n", "p;mid;leaf 50\n", "p;root 70\n", "p;root;leaf 30\n", NULL };

	expect_folded(steps, 2, 4, lines);
}

Test(graph_paths, lost_at_once)
{
	const struct graph_step steps[] = {
		step_of("mid", 1, 110, 60),
		step_of("root", 0, 300, 100),
		step_of("root", 0, 500, 40),
		step_of("mid", 1, 510, 30),
	};

	expect_folded(steps, 2, 4, (const char *[]){ "p;mid 60\n", "p;root 110\n", "p;root;mid 30\n", NULL });
}
