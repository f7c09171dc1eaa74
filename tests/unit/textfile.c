// SPDX-License-Identifier: BSD-2-Clause
/* Pages that become files: whole ones, on a full disk, in a directory that goes and comes back. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "export/textfile.h"

static int waits; /* for the disk */

/* Instead of libc's. */
int fsync(int fd)
{
	(void)fd;
	waits++;
	return 0;
}

struct span {
	char dir[32], path[64];
	struct textfile file;
	struct err err;
};

static void place_init(struct span *p)
{
	*p = (struct span){ .dir = "/tmp/sonde-textfile-XXXXXX" };
	cr_assert(mkdtemp(p->dir));
	snprintf(p->path, sizeof(p->path), "%s/sonde.prom", p->dir);
	cr_assert_eq(textfile_init(&p->file, p->path, &p->err), 0, "%s", p->err.text);
}

static enum textfile_news put(struct span *p, const char *text)
{
	struct str page = { .data = (char *)text, .len = strlen(text) };

	return textfile_write(&p->file, &page, &p->err);
}

static void expect_content(const struct span *p, const char *text)
{
	char buf[4096] = "";
	int fd __close = open(p->path, O_RDONLY);

	cr_expect_geq(fd, 0);
	cr_expect_geq(read(fd, buf, sizeof(buf) - 1), 0);
	cr_expect_str_eq(buf, text);
}

static int count_files(const char *path)
{
	DIR *dir = opendir(path);
	int n = -2;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

Test(textfile, replaces_and_removes)
{
	struct span p;
	struct stat st;

	umask(077);
	place_init(&p);
	cr_expect_eq(count_files(p.dir), 0, "trying leaves nothing behind");
	cr_expect_eq(put(&p, "a 1\n"), TEXTFILE_NONE);
	expect_content(&p, "a 1\n");
	cr_expect_eq(put(&p, "a 2\n"), TEXTFILE_NONE);
	expect_content(&p, "a 2\n");
	cr_expect_eq(count_files(p.dir), 1);
	cr_expect(!stat(p.path, &st) && (st.st_mode & 0777) == 0644, "the collector may read it");
	textfile_release(&p.file);
	cr_expect_eq(rmdir(p.dir), 0, "the file is removed at the end");
}

/* A reader that has opened the old page reads all of it, though the new one is there. */
Test(textfile, readers_keep_the_old_page)
{
	struct span p;
	char buf[8] = "";
	int fd;

	place_init(&p);
	put(&p, "old\n");
	fd = open(p.path, O_RDONLY);
	put(&p, "new page\n");
	cr_expect_eq(read(fd, buf, sizeof(buf)), 4);
	cr_expect_str_eq(buf, "old\n");
	close(fd);
	textfile_release(&p.file);
	rmdir(p.dir);
}

/* The limit on file sizes stands for a disk that is full in the middle of a page. */
Test(textfile, full_disk)
{
	struct rlimit limit = { 5, RLIM_INFINITY };
	struct span p;

	signal(SIGXFSZ, SIG_IGN);
	place_init(&p);
	put(&p, "a 1\n");
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_expect_eq(put(&p, "a 1000000\n"), TEXTFILE_FAILED);
	cr_expect_neq(strstr(p.err.text, p.path), NULL, "%s", p.err.text);
	cr_expect_eq(put(&p, "a 1000001\n"), TEXTFILE_NONE, "the same fault is not reported twice");
	expect_content(&p, "a 1\n");
	cr_expect_eq(count_files(p.dir), 1, "no unfinished file stays");
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	cr_expect_eq(put(&p, "a 1000002\n"), TEXTFILE_WORKS);
	expect_content(&p, "a 1000002\n");
	textfile_release(&p.file);
	cr_expect_eq(rmdir(p.dir), 0);
}

Test(textfile, directory_goes_and_comes)
{
	struct span p;

	place_init(&p);
	put(&p, "a 1\n");
	unlink(p.path);
	rmdir(p.dir);
	cr_expect_eq(put(&p, "a 2\n"), TEXTFILE_FAILED);
	cr_expect_eq(p.err.code, -ENOENT);
	cr_expect_eq(put(&p, "a 3\n"), TEXTFILE_NONE);
	mkdir(p.dir, 0700);
	cr_expect_eq(put(&p, "a 4\n"), TEXTFILE_WORKS);
	expect_content(&p, "a 4\n");
	textfile_release(&p.file);
	cr_expect_eq(rmdir(p.dir), 0);
}

/* Another reason is news. */
Test(textfile, reasons_change)
{
	char moved[64];
	struct span p;

	place_init(&p);
	put(&p, "a 1\n");
	unlink(p.path);
	mkdir(p.path, 0700);
	cr_expect_eq(put(&p, "a 2\n"), TEXTFILE_FAILED);
	cr_expect_eq(p.err.code, -EISDIR);
	snprintf(moved, sizeof(moved), "%s.moved", p.dir);
	cr_assert_eq(rename(p.dir, moved), 0);
	cr_expect_eq(put(&p, "a 3\n"), TEXTFILE_FAILED);
	cr_expect_eq(p.err.code, -ENOENT);
	cr_assert_eq(rename(moved, p.dir), 0);
	rmdir(p.path);
	textfile_release(&p.file);
	cr_expect_eq(rmdir(p.dir), 0);
}

/* What a killed exporter left, and links that somebody put there: replaced, not followed. */
Test(textfile, leftovers_and_links)
{
	char unfinished[96], victim[96];
	struct span p;
	struct stat st;

	place_init(&p);
	snprintf(unfinished, sizeof(unfinished), "%s/.sonde.prom.new", p.dir);
	snprintf(victim, sizeof(victim), "%s/victim", p.dir);
	close(open(victim, O_CREAT | O_WRONLY, 0600));
	cr_assert_eq(symlink(victim, unfinished), 0);
	cr_assert_eq(symlink(victim, p.path), 0);
	cr_expect_eq(put(&p, "a 1\n"), TEXTFILE_NONE);
	cr_expect(!lstat(p.path, &st) && S_ISREG(st.st_mode));
	cr_expect(!stat(victim, &st) && !st.st_size, "nobody else's file is written");
	unlink(victim);
	textfile_release(&p.file);
	cr_expect_eq(rmdir(p.dir), 0);
}

/* A file that another exporter has put at the name since is not removed. */
Test(textfile, others_file_stays)
{
	char other[64];
	struct span p;

	place_init(&p);
	snprintf(other, sizeof(other), "%s/other", p.dir);
	put(&p, "a 1\n");
	/* Twice: the second file may have the number that ours had. */
	for (int i = 0; i < 2; i++) {
		close(open(other, O_CREAT | O_WRONLY, 0600));
		cr_assert_eq(rename(other, p.path), 0);
	}
	textfile_release(&p.file);
	cr_expect_eq(unlink(p.path), 0);
	cr_expect_eq(rmdir(p.dir), 0);
}

Test(textfile, bad_names)
{
	static const char *const names[] = { "", "x", "/tmp/x.txt", "/tmp/.prom", "/tmp/.x.prom", "/tmp/x.prom/" };
	struct textfile file;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect_eq(textfile_init(&file, names[i], &err), -EINVAL, "%s", names[i]);
	cr_expect_eq(textfile_init(&file, "/nowhere/x.prom", &err), -ENOENT);
	cr_expect_str_eq(err.text, "cannot create files beside /nowhere/x.prom: No such file or directory");
}

/* A disk that hangs must not stop the exporter, whose watchdog would end it. */
Test(textfile, does_not_wait_for_the_disk)
{
	struct span p;

	place_init(&p);
	cr_expect_eq(put(&p, "x 1\n"), TEXTFILE_NONE);
	expect_content(&p, "x 1\n");
	cr_expect_eq(waits, 0);
	textfile_release(&p.file);
	rmdir(p.dir);
}
