// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel shows a mapping's file by device, inode and path. On overlayfs and btrfs that device is not the one of
 * stat(2), and a path can lead to another file: it is in another root, or was replaced by an update. The links in
 * map_files always lead to the right file, but need CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "binary/foreign.h"
#include "binary/library.h"
#include "binary/served.h"
#include "module_file.h"

/* As src/binary/ limits them. */
#define FILE_MAX (16ULL << 30)

int module_file_identify(int fd, struct module_file_id *id)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*id = (struct module_file_id){
		.id = { st.st_dev, st.st_ino },
		.mtime = st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec,
		.size = st.st_size,
		.uid = st.st_uid,
	};
	return 0;
}

static int open_at(struct module_file *file, const char *root, const char *path)
{
	char magic[SELFMAG] = "";
	uint64_t size;
	int fd __close = foreign_open(root, path, FILE_MAX, &size, NULL), ret;

	if (fd < 0)
		return fd;
	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, ELFMAG, SELFMAG))
		return -ENOEXEC;
	ret = module_file_identify(fd, &file->id);
	if (!ret)
		file->fd = take_fd(fd);
	return ret;
}

static char *link_of(pid_t pid, const struct mapping *mapping)
{
	return base_printf("/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)mapping->start,
			   (unsigned long long)mapping->end);
}

/* Opens a path if it leads to the mapped file. exact: the device must agree as well as the inode. */
static int open_same(struct module_file *file, const char *root, const struct mapping *mapping, bool exact)
{
	int ret = open_at(file, root, library_path_in_root(root, mapping->path));

	if (ret || (file->id.id.inode == mapping->inode && (!exact || file->id.id.dev == mapping->dev)))
		return ret;
	close(file->fd);
	return -ESTALE;
}

int module_file_open(struct module_file *file, pid_t pid, const struct mapping *mapping)
{
	char *link __free = link_of(pid, mapping), *root __free = NULL;
	bool lives = !library_root(pid, &root, NULL);
	int ret = open_at(file, NULL, link);

	if (ret && ret != -ENOEXEC && lives)
		ret = open_same(file, root ? root : "/", mapping, false);
	if (ret && ret != -ENOEXEC)
		ret = open_same(file, "/", mapping, true);
	if (!ret)
		file->root = take_ptr(root);
	return ret;
}

int module_file_open_path(struct module_file *file, const char *path)
{
	file->root = NULL;
	return open_at(file, NULL, path);
}

bool module_file_is(const struct file_id *id, pid_t pid, const struct mapping *mapping)
{
	char *link __free = link_of(pid, mapping);
	struct file_id now;

	return file_id(AT_FDCWD, link, &now) || file_id_same(id, &now);
}

bool module_file_is_served(pid_t pid, dev_t dev)
{
	return dev && served_device(pid, dev);
}
