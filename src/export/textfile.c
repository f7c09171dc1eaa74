// SPDX-License-Identifier: BSD-2-Clause
/*
 * Paths are resolved anew for each page: a directory that was removed and created again is found. The unfinished file
 * has a fixed name, so what a killed exporter left is replaced by the next one.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/write.h"
#include "textfile.h"

#define SUFFIX ".prom"

/* Returns the descriptor of an empty unfinished file, or -errno. Never follows a link that somebody put there. */
static int create(const struct textfile *textfile)
{
	int fd;

	if (unlink(textfile->unfinished) && errno != ENOENT)
		return -errno;
	fd = open(textfile->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int textfile_init(struct textfile *textfile, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n = strlen(name), suffix = strlen(SUFFIX);
	int fd;

	*textfile = (struct textfile){};
	if (n <= suffix || strcmp(name + n - suffix, SUFFIX) || *name == '.')
		return err_set(err, -EINVAL, "\"%s\" is not the name of a text file: it must end with " SUFFIX, path);
	textfile->path = base_strdup(path);
	textfile->unfinished = base_printf("%.*s.%s.new", (int)(name - path), path, name);
	fd = create(textfile);
	if (fd < 0) {
		textfile_release(textfile);
		return err_set(err, fd, "cannot create files beside %s: %s", path, strerror(-fd));
	}
	close(fd);
	unlink(textfile->unfinished);
	return 0;
}

/* True if nobody else has put a file at the path since. */
static bool is_ours(const struct textfile *textfile)
{
	struct stat st;

	return textfile->ino && !lstat(textfile->path, &st) && st.st_ino == textfile->ino &&
	       st.st_mtim.tv_sec == textfile->written.tv_sec && st.st_mtim.tv_nsec == textfile->written.tv_nsec;
}

void textfile_release(struct textfile *textfile)
{
	if (is_ours(textfile))
		unlink(textfile->path);
	free(textfile->path);
	free(textfile->unfinished);
	*textfile = (struct textfile){};
}

/*
 * Writes the whole page into the unfinished file. Does not wait for the disk: one that hangs would stop the exporter,
 * and after a crash of the machine the page is old. Returns 0 or -errno.
 */
static int fill(int fd, const struct str *page, struct stat *st)
{
	int error;

	write_all(fd, str_or_empty(page->data), page->len, &error);
	if (!error && (fchmod(fd, 0644) || fstat(fd, st)))
		error = -errno;
	/* A full disk may be reported by close() only (NFS). */
	if (close(fd) && !error)
		error = -errno;
	return error;
}

static int replace(struct textfile *textfile, const struct str *page)
{
	int fd = create(textfile), ret;
	struct stat st;

	if (fd < 0)
		return fd;
	ret = fill(fd, page, &st);
	if (!ret && rename(textfile->unfinished, textfile->path))
		ret = -errno;
	if (ret) {
		unlink(textfile->unfinished);
		return ret;
	}
	textfile->ino = st.st_ino;
	textfile->written = st.st_mtim;
	return 0;
}

enum textfile_news textfile_write(struct textfile *textfile, const struct str *page, struct err *err)
{
	int before = textfile->error;

	textfile->error = replace(textfile, page);
	if (textfile->error == before)
		return TEXTFILE_NONE;
	if (!textfile->error)
		return TEXTFILE_WORKS;
	err_set(err, textfile->error, "cannot write %s: %s", textfile->path, strerror(-textfile->error));
	return TEXTFILE_FAILED;
}
