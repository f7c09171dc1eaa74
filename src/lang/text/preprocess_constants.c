// SPDX-License-Identifier: BSD-2-Clause
/* A table of the constants that scripts for <linux/...> and <sys/...> take from there. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "preprocess_constants.h"

#define NAMED(name) #name, name

static const struct {
	const char *name;
	int64_t value;
} constants[] = {
	{ NAMED(AF_UNSPEC) },
	{ NAMED(AF_UNIX) },
	{ NAMED(AF_LOCAL) },
	{ NAMED(AF_INET) },
	{ NAMED(AF_INET6) },
	{ NAMED(AF_NETLINK) },
	{ NAMED(AF_PACKET) },
	{ NAMED(AF_VSOCK) },
	{ NAMED(SOCK_STREAM) },
	{ NAMED(SOCK_DGRAM) },
	{ NAMED(SOCK_RAW) },
	{ NAMED(SOCK_SEQPACKET) },
	{ NAMED(O_RDONLY) },
	{ NAMED(O_WRONLY) },
	{ NAMED(O_RDWR) },
	{ NAMED(O_ACCMODE) },
	{ NAMED(O_CREAT) },
	{ NAMED(O_EXCL) },
	{ NAMED(O_NOCTTY) },
	{ NAMED(O_TRUNC) },
	{ NAMED(O_APPEND) },
	{ NAMED(O_NONBLOCK) },
	{ NAMED(O_SYNC) },
	{ NAMED(O_DSYNC) },
	{ NAMED(O_DIRECT) },
	{ NAMED(O_DIRECTORY) },
	{ NAMED(O_NOFOLLOW) },
	{ NAMED(O_CLOEXEC) },
	{ NAMED(O_PATH) },
	{ NAMED(O_TMPFILE) },
	{ NAMED(AT_FDCWD) },
	{ NAMED(S_IFMT) },
	{ NAMED(S_IFSOCK) },
	{ NAMED(S_IFLNK) },
	{ NAMED(S_IFREG) },
	{ NAMED(S_IFBLK) },
	{ NAMED(S_IFDIR) },
	{ NAMED(S_IFCHR) },
	{ NAMED(S_IFIFO) },
	{ NAMED(S_ISUID) },
	{ NAMED(S_ISGID) },
	{ NAMED(S_ISVTX) },
	{ NAMED(SIGHUP) },
	{ NAMED(SIGINT) },
	{ NAMED(SIGQUIT) },
	{ NAMED(SIGILL) },
	{ NAMED(SIGTRAP) },
	{ NAMED(SIGABRT) },
	{ NAMED(SIGBUS) },
	{ NAMED(SIGFPE) },
	{ NAMED(SIGKILL) },
	{ NAMED(SIGUSR1) },
	{ NAMED(SIGSEGV) },
	{ NAMED(SIGUSR2) },
	{ NAMED(SIGPIPE) },
	{ NAMED(SIGALRM) },
	{ NAMED(SIGTERM) },
	{ NAMED(SIGCHLD) },
	{ NAMED(SIGCONT) },
	{ NAMED(SIGSTOP) },
	{ NAMED(PROT_READ) },
	{ NAMED(PROT_WRITE) },
	{ NAMED(PROT_EXEC) },
	{ NAMED(PROT_NONE) },
	{ NAMED(MAP_SHARED) },
	{ NAMED(MAP_PRIVATE) },
	{ NAMED(MAP_ANONYMOUS) },
	{ NAMED(MAP_FIXED) },
	{ NAMED(CLONE_VM) },
	{ NAMED(CLONE_FS) },
	{ NAMED(CLONE_FILES) },
	{ NAMED(CLONE_THREAD) },
	{ NAMED(CLONE_VFORK) },
	{ NAMED(CLONE_NEWNS) },
	{ NAMED(CLONE_NEWPID) },
	{ NAMED(CLONE_NEWNET) },
	{ NAMED(CLONE_NEWUSER) },
	{ NAMED(EPERM) },
	{ NAMED(ENOENT) },
	{ NAMED(EINTR) },
	{ NAMED(EIO) },
	{ NAMED(EBADF) },
	{ NAMED(EAGAIN) },
	{ NAMED(ENOMEM) },
	{ NAMED(EACCES) },
	{ NAMED(EFAULT) },
	{ NAMED(EBUSY) },
	{ NAMED(EEXIST) },
	{ NAMED(ENODEV) },
	{ NAMED(ENOTDIR) },
	{ NAMED(EISDIR) },
	{ NAMED(EINVAL) },
	{ NAMED(EMFILE) },
	{ NAMED(ENOSPC) },
	{ NAMED(EPIPE) },
	{ NAMED(ENOSYS) },
	{ NAMED(ETIMEDOUT) },
	{ NAMED(ECONNREFUSED) },
	{ NAMED(EINPROGRESS) },
	{ NAMED(EWOULDBLOCK) },
	/* Of linux/sched.h, linux/kdev_t.h and linux/net.h, which programs outside of the kernel cannot include. */
	{ "TASK_RUNNING", 0 },
	{ "TASK_INTERRUPTIBLE", 1 },
	{ "TASK_UNINTERRUPTIBLE", 2 },
	{ "MINORBITS", 20 },
	{ "MINORMASK", (1 << 20) - 1 },
	{ "PF_KTHREAD", 0x00200000 },
};

bool preprocess_constant(const char *name, int64_t *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (!strcmp(constants[i].name, name)) {
			*value = constants[i].value;
			return true;
		}
	return false;
}
