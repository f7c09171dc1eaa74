// SPDX-License-Identifier: BSD-2-Clause
/* The table of system calls in which threads wait, and what their classes are called. */
#include <string.h>

#include "base/base.h"
#include "kernel/syscalls.h"
#include "waits.h"

/*
 * Calls of one class, those of 32-bit programs too, which have names and numbers of their own. alone: their class if
 * nothing is known but the call.
 */
/* clang-format off */
static const struct {
	uint8_t class, alone;
	const char *calls[32];
} classes[] = {
	{ WHY_BY_FD, WHY_UNKNOWN,
	  { "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
	    "pwritev2", "splice", "tee", "vmsplice", "sendfile", "ioctl", "close", "sendfile64" } },
	{ WHY_BY_FD, WHY_SOCKET,
	  { "recv", "recvfrom", "sendto", "recvmsg", "sendmsg", "recvmmsg", "sendmmsg", "accept", "accept4",
	    "connect", "shutdown", "send" } },
	{ WHY_BY_FD, WHY_DISK,
	  { "getdents", "getdents64", "_llseek", "ftruncate", "fallocate", "copy_file_range", "readahead",
	    "fadvise64", "fsync", "fdatasync", "sync_file_range", "syncfs", "ftruncate64", "fadvise64_64",
	    "arm_fadvise64_64", "arm_sync_file_range" } },
	{ WHY_DISK, WHY_DISK, { "sync", "msync" } },
	{ WHY_BY_FUTEX, WHY_CONDITION, { "futex" } },
	{ WHY_CONDITION, WHY_CONDITION, { "futex_waitv", "futex_wait" } },
	{ WHY_BY_LOCK, WHY_LOCK, { "flock", "fcntl", "fcntl64" } },
	{ WHY_BY_SOCKETCALL, WHY_SOCKET, { "socketcall" } },
	{ WHY_BY_PATH, WHY_KERNEL,
	  { "open", "openat", "openat2", "creat", "stat", "lstat", "newfstatat", "statx", "access",
	    "faccessat", "faccessat2", "readlink", "readlinkat", "execve", "execveat", "unlink", "unlinkat",
	    "mkdir", "mkdirat", "rename", "renameat", "renameat2", "truncate", "chdir", "stat64", "lstat64",
	    "fstatat64", "truncate64" } },
	{ WHY_POLL, WHY_POLL,
	  { "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2", "_newselect" } },
	{ WHY_CHILD, WHY_CHILD, { "wait4", "waitid", "vfork", "clone", "clone3", "waitpid" } },
	{ WHY_SLEEP, WHY_SLEEP, { "nanosleep", "clock_nanosleep" } },
	{ WHY_SIGNAL, WHY_SIGNAL, { "pause", "rt_sigsuspend", "rt_sigtimedwait", "sigsuspend" } },
	{ WHY_AIO, WHY_AIO, { "io_getevents", "io_pgetevents", "io_uring_enter" } },
	{ WHY_IPC, WHY_IPC,
	  { "semop", "semtimedop", "msgrcv", "msgsnd", "mq_timedreceive", "mq_timedsend", "ipc" } },
	{ WHY_EXIT, WHY_EXIT, { "exit", "exit_group" } },
};
/* clang-format on */

/* The length of a call's name without what 32-bit programs have for those of their calls whose times have 64 bits. */
static size_t plain_length(const char *name)
{
	static const char newer[] = "_time64";
	size_t n = strlen(name), extra = sizeof(newer) - 1;

	return n > extra && !strcmp(name + n - extra, newer) ? n - extra : n;
}

/* The row of `classes` that has this call; ARRAY_SIZE(classes): none has. */
static size_t row_of(const char *name)
{
	size_t row = 0, n = name ? plain_length(name) : 0;

	for (; n && row < ARRAY_SIZE(classes); row++)
		for (const char *const *known = classes[row].calls; *known; known++)
			if (!strncmp(*known, name, n) && !(*known)[n])
				return row;
	return ARRAY_SIZE(classes);
}

static uint8_t how_found(const char *name)
{
	size_t row = row_of(name);

	return row < ARRAY_SIZE(classes) ? classes[row].class : WHY_KERNEL;
}

void waits_fill(uint8_t calls[WHY_ABIS][WHY_CALLS])
{
	for (int number = 0; number < WHY_CALLS; number++) {
		calls[WHY_NATIVE][number] = how_found(syscall_name(number));
		calls[WHY_COMPAT][number] = how_found(syscall_name_32(number));
	}
}

uint8_t waits_class(const char *name)
{
	size_t row = row_of(name);

	return row < ARRAY_SIZE(classes) ? classes[row].alone : WHY_KERNEL;
}

const char *waits_call(unsigned int call)
{
	if (call == WHY_NO_CALL)
		return NULL;
	return call & WHY_COMPAT_CALL ? syscall_name_32(call & ~WHY_COMPAT_CALL) : syscall_name(call);
}

static const char *const names[WHY_CLASSES] = {
	[WHY_UNKNOWN] = "unknown",
	[WHY_RUNNING] = "running",
	[WHY_PROCESSOR] = "processor",
	[WHY_DISK] = "disk",
	[WHY_PIPE] = "pipe",
	[WHY_NETWORK] = "network",
	[WHY_SOCKET] = "socket",
	[WHY_TTY] = "terminal",
	[WHY_POLL] = "poll",
	[WHY_LOCK] = "lock",
	[WHY_CONDITION] = "condition",
	[WHY_CHILD] = "child",
	[WHY_SLEEP] = "sleep",
	[WHY_FAULT] = "page fault",
	[WHY_STOPPED] = "stopped",
	[WHY_SIGNAL] = "signal",
	[WHY_EVENT] = "event",
	[WHY_AIO] = "async I/O",
	[WHY_IPC] = "ipc",
	[WHY_KERNEL] = "kernel",
	[WHY_THROTTLED] = "throttled",
	[WHY_EXIT] = "exit",
	[WHY_BEFORE] = "since before",
};

const char *waits_name(uint32_t class)
{
	return names[class < WHY_CLASSES ? class : WHY_UNKNOWN];
}
