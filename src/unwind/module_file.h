/* SPDX-License-Identifier: BSD-2-Clause */
/* For modules.c: opens the very file that a process has mapped, within the limits of foreign files. */
#ifndef SONDE_UNWIND_MODULE_FILE_H
#define SONDE_UNWIND_MODULE_FILE_H

#include "base/file_id.h"
#include "binary/maps.h"

/* What identifies the contents of a file. */
struct module_file_id {
	struct file_id id; /* as stat(2) has it */
	uint64_t mtime;	   /* in nanoseconds since 1970 */
	uint64_t size;
	uid_t uid;	   /* the owner */
};

struct module_file {
	int fd;
	struct module_file_id id;
	char *root; /* as struct unwind_module has it */
};

/*
 * Opens the file of a mapping: by its link in /proc/PID/map_files, else by its path in the root of the process, else
 * by its path in ours; a path only if it leads to the same file. The caller takes over fd and root. Returns 0;
 * -ENOEXEC: it is not an ELF file, but other memory with a name; else -errno: it cannot be opened (now).
 */
int module_file_open(struct module_file *file, pid_t pid, const struct mapping *mapping);
/* The same for a path of our own. */
int module_file_open_path(struct module_file *file, const char *path);
/* What the descriptor is. Returns 0 or -errno. */
int module_file_identify(int fd, struct module_file_id *id);
/* Whether the mapping still is of the file with this id. Asks the kernel; true if it does not say. */
bool module_file_is(const struct file_id *id, pid_t pid, const struct mapping *mapping);
/*
 * Whether a program serves the files of a device (FUSE), as mappings of a process show it. Such a file system answers when
 * its program wants, and no signal would end us meanwhile. Asks the kernel alone.
 */
bool module_file_is_served(pid_t pid, dev_t dev);

static inline bool module_file_same(const struct module_file_id *a, const struct module_file_id *b)
{
	return file_id_same(&a->id, &b->id) && a->mtime == b->mtime && a->size == b->size;
}

#endif
