// SPDX-License-Identifier: BSD-2-Clause
/* Creates the files of a run: safely, complete or not at all. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "stacks_fixture.h"

static char dir[] = "/tmp/files-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	signal(SIGXFSZ, SIG_IGN);
}

static void leave(void)
{
	char *command __free = base_printf("rm -rf %s", dir);

	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(system(command), 0);
}

TestSuite(files, .init = enter, .fini = leave);

static void add_row(struct files *files)
{
	const struct stack_row row = { STACK(&k_read), STACK(&u_main), "cat", 42, 7, 0 };

	files->about = (struct files_about){ .title = "test", .counts = "samples" };
	files_row(files, &profile_schema, &row, NULL);
}

/* What `name` holds: "" if it cannot be read. */
static const char *content(const char *name)
{
	static char text[1000];
	int fd __close = open(name, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[n < 0 ? 0 : n] = 0;
	return text;
}

static void put(const char *name, const char *text)
{
	FILE *file __fclose = fopen(name, "w");

	cr_assert(file);
	fputs(text, file);
}

/* How many files there are here. */
static int entries(void)
{
	DIR *here = opendir(".");
	int n = 0;

	cr_assert(here);
	while (readdir(here))
		n++;
	closedir(here);
	return n - 2;
}

#define LINE "cat;main;vfs_read 7\n"

Test(files, appears_at_the_end)
{
	struct files files = {};
	struct err err = {};
	struct stat st;

	cr_assert_eq(files_add(&files, &file_folded, "out", false, &err), 0, "%s", err.text);
	add_row(&files);
	cr_expect_eq(entries(), 0);
	cr_expect_eq(files_write(&files, files.v, &err), 0, "%s", err.text);
	cr_expect_eq(entries(), 1);
	cr_expect_str_eq(content("out"), LINE);
	cr_assert_eq(stat("out", &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0600);
	cr_expect_eq(st.st_nlink, 1);
	files_release(&files);
}

Test(files, in_the_directory_that_was_there)
{
	struct files files = {};
	struct err err = {};

	cr_assert_eq(mkdir("d", 0700), 0);
	cr_assert_eq(files_add(&files, &file_folded, "d/out", false, &err), 0, "%s", err.text);
	add_row(&files);
	cr_assert_eq(rename("d", "e"), 0);
	cr_expect_eq(files_write(&files, files.v, &err), 0, "%s", err.text);
	cr_expect_str_eq(content("e/out"), LINE);
	files_release(&files);
}

/* As on NFS, which cannot rename without replacing. */
static void refuse_renameat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { ARRAY_SIZE(code), code };

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

Test(files, where_only_links_do_not_replace)
{
	struct files files = {};
	struct err err = {};
	struct stat st;

	cr_assert_eq(files_add(&files, &file_folded, "out", false, &err), 0);
	cr_assert_eq(files_add(&files, &file_folded, "taken", false, &err), 0);
	add_row(&files);
	put("taken", "old");
	refuse_renameat2();
	cr_expect_eq(files_write(&files, &files.v[0], &err), 0, "%s", err.text);
	cr_expect_str_eq(content("out"), LINE);
	cr_assert_eq(stat("out", &st), 0);
	cr_expect_eq(st.st_nlink, 1);
	cr_expect_eq(files_write(&files, &files.v[1], &err), -EEXIST);
	cr_expect_str_eq(content("taken"), "old");
	cr_expect_eq(entries(), 3);
	files_release(&files);
}

static void expect_refused(const char *name, bool force, int code, const char *text)
{
	struct files files = {};
	struct err err = {};

	cr_expect_eq(files_add(&files, &file_folded, name, force, &err), code, "%s: %d", name, err.code);
	cr_expect(strstr(err.text, text), "%s: '%s'", name, err.text);
	cr_expect_eq(files.n, 0);
	files_release(&files);
}

Test(files, refused_before_tracing)
{
	put("old", "old");
	cr_assert_eq(symlink("old", "link"), 0);
	cr_assert_eq(symlink("nowhere", "dangling"), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	cr_assert_eq(mkdir("d", 0700), 0);
	expect_refused("old", false, -EEXIST, "old exists: --overwrite replaces it");
	expect_refused("link", false, -EEXIST, "link exists: --overwrite replaces it");
	expect_refused("dangling", false, -EEXIST, "dangling exists");
	for (int force = 0; force < 2; force++) {
		expect_refused("fifo", force, -EEXIST, "fifo exists and is not a regular file");
		expect_refused("d", force, -EEXIST, "d exists and is not a regular file");
		expect_refused("d/", force, -EINVAL, "\"d/\" is not the name of a file");
		expect_refused("", force, -EINVAL, "\"\" is not the name of a file");
		expect_refused("none/out", force, -ENOENT, "cannot create none/out: No such file");
		expect_refused("old/out", force, -ENOTDIR, "cannot create old/out: Not a directory");
		expect_refused("/proc/out", force, -ENOENT, "cannot create /proc/out");
	}
	cr_expect_str_eq(content("old"), "old");
}

Test(files, two_of_one_name)
{
	struct files files = {};
	struct err err = {};

	cr_expect_eq(files_add(&files, &file_folded, "-", false, &err), 0);
	cr_expect(files_use_stdout(&files));
	cr_expect_eq(files_add(&files, &file_folded, "-", false, &err), -EINVAL);
	cr_expect_str_eq(err.text, "only one file can go to stdout");
	cr_expect_eq(files_add(&files, &file_folded, "a", false, &err), 0);
	cr_expect_eq(files_add(&files, &file_folded, "a", true, &err), -EINVAL);
	cr_expect_str_eq(err.text, "a is named twice");
	files_release(&files);
}

Test(files, force_replaces_and_follows_no_link)
{
	static const char *const names[] = { "file", "link" };
	struct files files = {};
	struct err err = {};
	struct stat st;

	put("file", "old");
	put("target", "target");
	cr_assert_eq(symlink("target", "link"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_assert_eq(files_add(&files, &file_folded, names[i], true, &err), 0, "%s", err.text);
	add_row(&files);
	cr_expect_str_eq(content("file"), "old");
	vec_each(file, &files)
		cr_expect_eq(files_write(&files, file, &err), 0, "%s", err.text);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cr_expect_str_eq(content(names[i]), LINE);
		cr_assert_eq(lstat(names[i], &st), 0);
		cr_expect(S_ISREG(st.st_mode));
	}
	cr_expect_str_eq(content("target"), "target");
	cr_expect_eq(entries(), 3);
	files_release(&files);
}

/* Nothing is overwritten, and nothing is lost. */
Test(files, a_name_taken_meanwhile)
{
	struct files files = {};
	struct err err = {};
	const char *own;

	cr_assert_eq(files_add(&files, &file_folded, "./out", false, &err), 0);
	add_row(&files);
	cr_assert_eq(symlink("victim", "out"), 0);
	cr_expect_eq(files_write(&files, files.v, &err), -EEXIST);
	cr_expect(strstr(err.text, "./out was created while sonde ran; the results are in ./.sonde-"), "%s", err.text);
	own = strstr(err.text, "./.sonde-");
	cr_expect_str_eq(content(own), LINE);
	cr_expect_eq(access("victim", F_OK), -1);
	files_release(&files);
}

Test(files, a_write_error_leaves_nothing)
{
	const struct rlimit five = { 5, 5 };
	struct files files = {};
	struct err err = {};

	put("old", "old");
	cr_assert_eq(files_add(&files, &file_folded, "out", false, &err), 0);
	cr_assert_eq(files_add(&files, &file_folded, "old", true, &err), 0);
	add_row(&files);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &five), 0);
	cr_expect_eq(files_write(&files, &files.v[0], &err), -EFBIG);
	cr_expect_str_eq(err.text, "cannot write out: File too large");
	cr_expect_eq(files_write(&files, &files.v[1], &err), -EFBIG);
	cr_expect_eq(entries(), 1);
	cr_expect_str_eq(content("old"), "old");
	files_release(&files);
}

Test(files, a_full_stdout)
{
	int full __close = open("/dev/full", O_WRONLY);
	struct files files = {};
	struct err err = {};
	int saved;

	cr_assert_eq(files_add(&files, &file_folded, "-", false, &err), 0);
	add_row(&files);
	saved = dup(STDOUT_FILENO);
	dup2(full, STDOUT_FILENO);
	cr_expect_eq(files_write(&files, files.v, &err), -ENOSPC);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	cr_expect_str_eq(err.text, "cannot write folded to stdout: No space left on device");
	files_release(&files);
}
