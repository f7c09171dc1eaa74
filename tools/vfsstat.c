// SPDX-License-Identifier: BSD-2-Clause
/* vfsstat: how many reads, writes, fsyncs, opens and creations of files there are each second. */
#include "engines/rates.h"
#include "run/tool.h"

/*
 * fsync(2) and fdatasync(2) never reach vfs_fsync(), and in some kernels (7.2) not vfs_fsync_range() either, because
 * compilers inline both; so the column has the functions of the system calls: __x64_, __ia32_ and __arm64_sys_. open(2)
 * creates files without vfs_create(), which mknod(2) and other file systems call. Both ask security_inode_create().
 */
static const char *const specs[] = {
	"vfs_read",
	"vfs_write",
	"__*[24]_sys_f*sync",
	"vfs_open",
	"security_inode_create",
};
static const struct rates_source source = { RATES_SPECS(specs), .what = "file system calls" };

static const struct field fields[] = {
	RATES_TIME,
	RATES_COLUMN(0, "reads", "READ/s", 8),
	RATES_COLUMN(1, "writes", "WRITE/s", 8),
	RATES_COLUMN(2, "fsyncs", "FSYNC/s", 8),
	RATES_COLUMN(3, "opens", "OPEN/s", 8),
	RATES_COLUMN(4, "creates", "CREATE/s", 8),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

TOOL(vfsstat, .brief = "how many file system calls there are each second",
     .group = GROUP_OFTEN,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &schema, RATES_ENGINE(source), LACKS(RATES_LACKS),
     .description =
	     "Counts in the kernel, and prints every second, or every INTERVAL seconds, COUNT times, how many "
	     "calls there were per second. --json and --csv have the counts, and the length of the interval in "
	     "ns.\n\n"
	     "READ/s and WRITE/s have the calls of vfs_read and vfs_write. Calls of readv, writev, sendfile and "
	     "io_uring, and accesses to mapped files, take other ways. OPEN/s has the calls of vfs_open; "
	     "executing a program opens it, too.\n\n"
	     "FSYNC/s has the system calls fsync and fdatasync, each once, also those that fail. It is not a "
	     "count of vfs_fsync: the kernel's compiler inlines that function in these calls.\n\n"
	     "CREATE/s has the regular files that open or mknod create. It is not a count of vfs_create, which "
	     "open does not call. It counts security_inode_create, which the kernel calls before it creates a "
	     "file. So it also has creations that fail, and may have an open with O_CREAT of a file that exists, "
	     "if its name was not cached. On overlayfs a file may count twice, once for the file system below.",
     EXAMPLES({ "sonde vfsstat", "every second, until Ctrl-C" },
	      { "sonde vfsstat 5 3", "three rows, each of five seconds" },
	      { "sonde vfsstat -p 1234", "one process" },
	      { "sonde vfsstat --json -- tar cf /tmp/t.tar /usr", "the counts of one command and its children" }));
