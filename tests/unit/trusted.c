// SPDX-License-Identifier: BSD-2-Clause
/* binary/trusted.h: a file, and each directory above it. */
#include <sched.h>
#include <sys/mount.h>

#include "binary/trusted.h"
#include "binary_fixture.h"

static void init(void)
{
	if (geteuid())
		cr_skip_test("only root can give a file away");
	fixture_init();
	fixture_run("mkdir -p a/b && echo x > a/b/file");
}

TestSuite(trusted, .init = init);

static const uid_t root_and_1000[] = { 0, 1000 };

/* why "": it is trusted. n: how many of these are. */
static void expect(const char *name, size_t n, const char *why)
{
	struct err err = {};
	int fd __close = open(fixture_path(name), O_RDONLY);
	int ret = trusted_check(fd, root_and_1000, n, NULL, &err);

	cr_expect(!ret == !*why && strstr(err.text, why), "%s: %d %s", name, ret, err.text);
}

/* The directory of the tests is in /tmp, where everybody may write: but that is sticky. */
Test(trusted, directories_above)
{
	expect("a/b/file", 1, "");
	expect("a/b", 1, "");
	fixture_run("chown 1000 a/b/file");
	expect("a/b/file", 1, "it belongs to another user (1000)");
	expect("a/b/file", 2, "");
	fixture_run("chown 0 a/b/file && chown 1000 a");
	expect("a/b/file", 1, "/a' above it belongs to another user (1000)");
	expect("a/b/file", 2, "");
	fixture_run("chown 0 a && chmod g+w a");
	expect("a/b/file", 2, "others than its owner can write to '");
	expect("a/b", 2, "/a' above it");
	fixture_run("chmod 1777 a");
	expect("a/b/file", 2, "");
	fixture_run("chown 1001 a/b");
	expect("a/b/file", 2, "/a/b' above it belongs to another user (1001)");
}

/* A sticky directory protects what it holds, but what it is asked for is not the directory itself. */
Test(trusted, file_itself)
{
	fixture_run("chmod 1777 a/b");
	expect("a/b", 1, "others than its owner can write to it");
	fixture_run("chmod 755 a/b && chmod 664 a/b/file");
	expect("a/b/file", 1, "others than its owner can write to it");
}

/* A file that was removed has a path that leads nowhere. */
Test(trusted, removed_file)
{
	int fd __close = open(fixture_path("a/b/file"), O_RDONLY);
	struct err err = {};

	fixture_run("rm -r a");
	cr_expect_eq(trusted_check(fd, root_and_1000, 1, NULL, &err), -ESTALE);
	cr_expect(strstr(err.text, "leads elsewhere"), "%s", err.text);
}

/* The path of a descriptor may lead to another file by now. */
Test(trusted, path_that_leads_elsewhere)
{
	int fd __close = open(fixture_path("a/b/file"), O_RDONLY);
	struct err err = {};

	cr_assert_eq(trusted_check(fd, root_and_1000, 1, NULL, NULL), 0);
	cr_assert_eq(unshare(CLONE_NEWNS), 0);
	cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	cr_assert_eq(mount("tmpfs", fixture_path("a"), "tmpfs", 0, "mode=755"), 0);
	fixture_run("mkdir a/b && echo y > a/b/file");
	cr_expect_eq(trusted_check(fd, root_and_1000, 1, NULL, &err), -ESTALE);
	cr_expect(strstr(err.text, "leads elsewhere"), "%s", err.text);
	umount(fixture_path("a"));
}
