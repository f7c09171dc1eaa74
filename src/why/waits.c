// SPDX-License-Identifier: BSD-2-Clause
/* The table of classes. Programs find the class of a sleep by it, pages and pictures show by it what was found. */
#include <string.h>

#include "base/base.h"
#include "kernel/syscalls.h"
#include "waits.h"

/* clang-format off */
static const struct waits_class classes[WHY_CLASSES] = {
	[WHY_UNKNOWN] = { "unknown", { "#c8c6a8", "#6a6962" }, WAITS_FOR_CLASS, {} },
	[WHY_RUNNING] = { "running", {}, WAITS_FOR_CLASS, {} },
	[WHY_PROCESSOR] = { "processor", { "#ff8f8f", "#a8323a" }, WAITS_FOR_TASK, {} },
	[WHY_DISK] = { "disk", { "#ff9ad5", "#9c2f77" }, WAITS_FOR_FILE,
		{ { "sync msync" },
		  { "getdents getdents64 _llseek ftruncate fallocate copy_file_range readahead fadvise64 fsync "
		    "fdatasync sync_file_range syncfs ftruncate64 fadvise64_64 arm_fadvise64_64 "
		    "arm_sync_file_range", WHY_BY_FD } } },
	[WHY_PIPE] = { "pipe", { "#5fd6cb", "#0b6f68" }, WAITS_FOR_WAKER, {}, true },
	[WHY_NETWORK] = { "network", { "#3a9bfd", "#066abd" }, WAITS_FOR_PEER, {}, true },
	[WHY_SOCKET] = { "socket", { "#48bff5", "#216f91" }, WAITS_FOR_WAKER,
		{ { "recv recvfrom sendto recvmsg sendmsg recvmmsg sendmmsg accept accept4 connect shutdown send",
		    WHY_BY_FD },
		  { "socketcall", WHY_BY_SOCKETCALL } }, true },
	[WHY_TTY] = { "terminal", { "#90b5a0", "#4f6e5d" }, WAITS_FOR_FILE, {}, true },
	[WHY_POLL] = { "poll", { "#0dbe4e", "#397544" }, WAITS_FOR_WAKER,
		{ { "poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 _newselect" } }, true },
	[WHY_LOCK] = { "lock", { "#cda2ff", "#7442b8" }, WAITS_FOR_LOCK, {} },
	[WHY_FLOCK] = { "flock", { "#f462d8", "#a1388d" }, WAITS_FOR_LOCK,
		{ { "flock fcntl fcntl64", WHY_BY_FLOCK } } },
	[WHY_CONDITION] = { "condition", { "#9693e6", "#625fa5" }, WAITS_FOR_WAKER,
		{ { "futex_waitv futex_wait" }, { "futex", WHY_BY_FUTEX } }, true },
	[WHY_CHILD] = { "child", { "#cda609", "#7f6604" }, WAITS_FOR_WAKER,
		{ { "wait4 waitid vfork clone clone3 waitpid" } } },
	[WHY_SLEEP] = { "sleep", { "#dcdf7a", "#65680f" }, WAITS_FOR_CLASS, { { "nanosleep clock_nanosleep" } }, true },
	[WHY_FAULT] = { "page fault", { "#dc70f4", "#9240a4" }, WAITS_FOR_CLASS, {} },
	[WHY_ALLOCATION] = { "allocation", { "#eb6f9a", "#a73e65" }, WAITS_FOR_CLASS, {} },
	[WHY_STOPPED] = { "stopped", { "#a39875", "#72684b" }, WAITS_FOR_CLASS, {} },
	[WHY_SIGNAL] = { "signal", { "#da8a11", "#905c16" }, WAITS_FOR_WAKER,
		{ { "pause rt_sigsuspend rt_sigtimedwait sigsuspend" } }, true },
	[WHY_EVENT] = { "event", { "#77aa48", "#4a741b" }, WAITS_FOR_EVENT, {}, true },
	[WHY_AIO] = { "async I/O", { "#bf8cb1", "#835979" }, WAITS_FOR_CLASS,
		{ { "io_getevents io_pgetevents io_uring_enter" } }, true },
	[WHY_IPC] = { "ipc", { "#6ca3ae", "#3f6f78" }, WAITS_FOR_WAKER,
		{ { "semop semtimedop msgrcv msgsnd mq_timedreceive mq_timedsend ipc" } }, true },
	[WHY_KERNEL] = { "kernel", { "#b9bfc7", "#59616b" }, WAITS_FOR_CALL,
		{ { "open openat openat2 creat stat lstat newfstatat statx access faccessat faccessat2 readlink "
		    "readlinkat execve execveat unlink unlinkat mkdir mkdirat rename renameat renameat2 truncate "
		    "chdir stat64 lstat64 fstatat64 truncate64", WHY_BY_PATH } } },
	[WHY_THROTTLED] = { "throttled", { "#fc6b33", "#a14d2f" }, WAITS_FOR_CLASS, {} },
	[WHY_EXIT] = { "exit", { "#d29c8a", "#895d4d" }, WAITS_FOR_CLASS, { { "exit exit_group" } } },
	[WHY_DESCRIPTOR] = { "descriptor", { "#98abd2", "#596989" }, WAITS_FOR_WAKER,
		{ { "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 splice tee vmsplice "
		    "sendfile ioctl close sendfile64", WHY_BY_FD } } },
	[WHY_BEFORE] = { "since before", { "#c1a8bd", "#766272" }, WAITS_FOR_CLASS, {} },
};
/* clang-format on */

const struct waits_class *waits_of(uint32_t class)
{
	return &classes[class < WHY_CLASSES ? class : WHY_UNKNOWN];
}

uint64_t waits_with(enum waits_object object)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < WHY_CLASSES; i++)
		bits |= (uint64_t)(classes[i].object == object) << i;
	return bits;
}

/* The length of a call's name without what 32-bit programs have for those of their calls whose times have 64 bits. */
static size_t plain_length(const char *name)
{
	static const char newer[] = "_time64";
	size_t n = strlen(name), extra = sizeof(newer) - 1;

	return n > extra && !strcmp(name + n - extra, newer) ? n - extra : n;
}

static bool has_word(const char *words, const char *word, size_t n)
{
	for (; words; words = strchr(words, ' ')) {
		words += *words == ' ';
		if (!strncmp(words, word, n) && (!words[n] || words[n] == ' '))
			return true;
	}
	return false;
}

/* The class of a call by its name alone, and in *how what .rodata.calls has for it. */
static uint8_t find_call(const char *name, uint8_t *how)
{
	size_t n = name ? plain_length(name) : 0;

	for (uint32_t class = 0; n && class < WHY_CLASSES; class ++) {
		for (size_t i = 0; i < ARRAY_SIZE(classes[class].calls); i++) {
			const struct waits_calls *calls = &classes[class].calls[i];

			if (!has_word(calls->names, name, n))
				continue;
			*how = calls->how ? calls->how : class;
			return class;
		}
	}
	*how = WHY_KERNEL;
	return WHY_KERNEL;
}

uint64_t waits_for_work(void)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < WHY_CLASSES; i++)
		bits |= (uint64_t)classes[i].for_work << i;
	return bits;
}

void waits_fill(uint8_t calls[WHY_ABIS][WHY_CALLS])
{
	for (int number = 0; number < WHY_CALLS; number++) {
		find_call(syscall_name(number), &calls[WHY_NATIVE][number]);
		find_call(syscall_name_32(number), &calls[WHY_COMPAT][number]);
	}
}

uint8_t waits_class(const char *name)
{
	uint8_t how;

	return find_call(name, &how);
}

const char *waits_call(unsigned int call)
{
	if (call == WHY_NO_CALL)
		return NULL;
	return call & WHY_COMPAT_CALL ? syscall_name_32(call & ~WHY_COMPAT_CALL) : syscall_name(call);
}
