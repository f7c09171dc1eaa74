// SPDX-License-Identifier: BSD-2-Clause
/* export/store.h: which directory for pins is used, in a file system where everybody may make one. */
#include <sched.h>
#include <sys/mount.h>

#include "binary_fixture.h"
#include "export/store.h"

TestSuite(store, .init = fixture_init);

static struct systemd none;

/* Before the directory is removed. */
static void unmount(void)
{
	umount2(fixture_path("bpf"), MNT_DETACH);
}

/* Mounts a bpffs of mode 1777, which this process alone sees. Returns the place for the pins. */
static const char *mount_bpffs(void)
{
	static char pins[PATH_MAX + 64];

	if (geteuid())
		cr_skip_test("only root may mount");
	fixture_run("mkdir -m 755 bpf");
	cr_assert_eq(unshare(CLONE_NEWNS), 0);
	cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	cr_assert_eq(mount("bpf", fixture_path("bpf"), "bpf", 0, "mode=1777"), 0);
	atexit(unmount);
	snprintf(pins, sizeof(pins), "%s/bpf/sonde", fixture_dir);
	return pins;
}

static void expect_refused(const char *pins, const char *why)
{
	struct err err = {};
	struct store *store = store_new(&none, pins, &err);

	cr_expect_null(store);
	cr_expect(strstr(err.text, why), "%s", err.text);
	store_free(store);
}

static void expect_used(const char *pins)
{
	struct err err = {};
	struct store *store = store_new(&none, pins, &err);
	struct stat st;

	cr_assert(store, "%s", err.text);
	cr_expect(!lstat(pins, &st) && S_ISDIR(st.st_mode) && !st.st_uid && (st.st_mode & 0777) == 0700);
	store_free(store);
}

Test(store, own_directory)
{
	const char *pins = mount_bpffs();

	expect_used(pins);
	expect_used(pins);
	cr_assert_eq(chmod(pins, 0770), 0);
	/* it is empty, and made afresh */
	expect_used(pins);
}

Test(store, directory_of_another_user)
{
	const char *pins = mount_bpffs();
	char *inside __free = base_printf("%s/more", pins);

	cr_assert(!mkdir(pins, 0700) && !chown(pins, 1000, 1000));
	expect_used(pins);
	cr_assert(!chown(pins, 1000, 1000) && !mkdir(inside, 0700));
	expect_refused(pins, "/sonde is not used: it belongs to another user (1000)");
	cr_assert(!chown(pins, 0, 0) && !chmod(pins, 01777));
	expect_refused(pins, "/sonde is not used: others than its owner can write to it");
}

Test(store, directory_that_is_a_link)
{
	const char *pins = mount_bpffs();
	char *other __free = base_printf("%s-of-root", pins);

	cr_assert(!mkdir(other, 0700) && !symlink(other, pins));
	expect_refused(pins, "--pin: cannot open ");
}

/* A FIFO waits for nobody. */
Test(store, directory_that_is_a_fifo, .timeout = 20)
{
	fixture_run("mkfifo sonde");
	expect_refused(fixture_path("sonde"), "--pin: cannot open ");
	fixture_run("mkdir other");
	expect_refused(fixture_path("other"), "is not in a file system of type bpf");
}
