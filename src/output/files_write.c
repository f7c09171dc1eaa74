// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files appear at the end, complete: the data are written under a name of our own beside the file, which is new
 * (O_EXCL), and then get the user's name. A link never replaces a file that exists, rename() does (--overwrite). Neither
 * follows a symbolic link that lies at the name. The directory is held open, so that the file is created where it was
 * promised.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/write.h"
#include "files.h"

static bool is_stdout(const char *name)
{
	return !strcmp(name, "-");
}

bool files_use_stdout(const struct files *files)
{
	vec_each(file, files)
		if (is_stdout(file->name))
			return true;
	return false;
}

static int check_stdout(const struct files *files, const struct file_format *format, struct err *err)
{
	if (files_use_stdout(files))
		return err_set(err, -EINVAL, "only one file can go to stdout");
	if (format->binary && isatty(STDOUT_FILENO))
		return err_set(err, -EINVAL, "%s is binary: send stdout to a file, not to a terminal", format->name);
	return 0;
}

/* Creates a file of our own in the directory. Returns its descriptor or -errno. */
static int create_own(int dir, char *name, size_t size)
{
	uint64_t random;
	int fd;

	do {
		if (getrandom(&random, sizeof(random), 0) < 0)
			return -errno;
		snprintf(name, size, ".sonde-%016llx", (unsigned long long)random);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd < 0 ? -errno : fd;
}

/* Opens the directory, and sets the name in it. Only a file that is created shows that one can be. */
static int find_place(struct file *file, struct err *err)
{
	const char *slash = strrchr(file->name, '/');
	char *dir __free = slash ? base_strndup(file->name, slash - file->name + 1) : base_strdup("."), own[64];
	int fd;

	file->base = slash ? slash + 1 : file->name;
	file->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = file->dir < 0 ? -errno : create_own(file->dir, own, sizeof(own));
	if (fd < 0)
		return err_set(err, fd, "cannot create %s: %s", file->name, strerror(-fd));
	close(fd);
	unlinkat(file->dir, own, 0);
	return 0;
}

static int check_name(const struct file *file, struct err *err)
{
	struct stat st;

	if (!*file->base)
		return err_set(err, -EINVAL, "\"%s\" is not the name of a file", file->name);
	if (fstatat(file->dir, file->base, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : err_set(err, -errno, "cannot create %s: %s", file->name, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(err, -EEXIST, "%s exists and is not a regular file", file->name);
	if (!file->force)
		return err_set(err, -EEXIST, "%s exists: --overwrite replaces it", file->name);
	return 0;
}

static int check_others(const struct files *files, const char *name, struct err *err)
{
	vec_each(file, files)
		if (!strcmp(file->name, name))
			return err_set(err, -EINVAL, "%s is named twice", name);
	return 0;
}

int files_add(struct files *files, const struct file_format *format, const char *name, bool force, struct err *err)
{
	struct file file = { .format = format, .name = name, .force = force, .dir = -1 };
	int ret;

	if (is_stdout(name)) {
		ret = check_stdout(files, format, err);
	} else {
		ret = check_others(files, name, err);
		if (!ret)
			ret = find_place(&file, err);
		if (!ret)
			ret = check_name(&file, err);
	}
	if (ret && file.dir >= 0)
		close(file.dir);
	if (ret)
		return ret;
	*vec_push(files) = file;
	files->has_samples |= format->samples;
	return 0;
}

/* Gives our file the user's name. Not every file system has links. */
static int place(const struct file *file, const char *own)
{
	if (file->force)
		return renameat(file->dir, own, file->dir, file->base) ? -errno : 0;
	if (!renameat2(file->dir, own, file->dir, file->base, RENAME_NOREPLACE))
		return 0;
	if (errno == EEXIST || linkat(file->dir, own, file->dir, file->base, 0))
		return -errno;
	unlinkat(file->dir, own, 0);
	return 0;
}

int file_begin(const struct file *file, struct file_part *part, struct err *err)
{
	*part = (struct file_part){ .fd = STDOUT_FILENO };
	if (!is_stdout(file->name))
		part->fd = create_own(file->dir, part->own, sizeof(part->own));
	return part->fd < 0 ? err_set(err, part->fd, "cannot write %s: %s", file->name, strerror(-part->fd)) : 0;
}

int file_open_temporary(int dir)
{
	int fd = openat(dir, dir < 0 ? "/tmp" : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? memfd_create("sonde", MFD_CLOEXEC) : fd;
}

/* A full disk may be reported by close() only (NFS). */
int file_end(const struct file *file, struct file_part *part, int error, struct err *err)
{
	if (!*part->own)
		return error ? err_set(err, error, "cannot write %s to stdout: %s", file->format->name, strerror(-error)) : 0;
	if (close(part->fd) && !error)
		error = -errno;
	if (!error)
		error = place(file, part->own);
	if (!error)
		return 0;
	if (error == -EEXIST)
		return err_set(err, error, "%s was created while sonde ran; the results are in %.*s%s", file->name,
			       (int)(file->base - file->name), file->name, part->own);
	unlinkat(file->dir, part->own, 0);
	return err_set(err, error, "cannot write %s: %s", file->name, strerror(-error));
}

int files_write(struct files *files, const struct file *file, struct err *err)
{
	__str struct str data = {};
	struct file_part part;
	int ret;

	tree_finish(&files->tree);
	file->format->add(&data, files);
	ret = file_begin(file, &part, err);
	if (ret)
		return ret;
	write_all(part.fd, str_or_empty(data.data), data.len, &ret);
	return file_end(file, &part, ret, err);
}

void files_release(struct files *files)
{
	vec_each(file, files)
		if (file->dir >= 0)
			close(file->dir);
	free(files->v);
	tree_release(&files->tree);
	tree_release(&files->exact);
	tree_release(&files->old);
	free(files->samples.v);
	set_release(&files->sample_set);
	set_release(&files->label_set);
	set_release(&files->strings);
	*files = (struct files){};
}
