// SPDX-License-Identifier: BSD-2-Clause
/* The table of system calls in which threads wait, and what their classes are called. */
#include <string.h>

#include "base/base.h"
#include "syscalls.h"
#include "waits.h"

/*
 * Calls of one class, with their numbers on x86 for 32-bit programs; -1: none. alone: their class if nothing is known
 * but the call.
 */
struct call {
	const char *name;
	int compat;
};

static const struct {
	uint8_t class, alone;
	struct call calls[32];
} classes[] = {
	{ WHY_BY_FD, WHY_UNKNOWN, {
					  { "read", 3 },
					  { "write", 4 },
					  { "readv", 145 },
					  { "writev", 146 },
					  { "pread64", 180 },
					  { "pwrite64", 181 },
					  { "preadv", 333 },
					  { "pwritev", 334 },
					  { "preadv2", 378 },
					  { "pwritev2", 379 },
					  { "splice", 313 },
					  { "tee", 315 },
					  { "vmsplice", 316 },
					  { "sendfile", 187 },
					  { "ioctl", 54 },
					  { "close", 6 },
				  } },
	{ WHY_BY_FD, WHY_SOCKET, {
					 { "recv", -1 },
					 { "recvfrom", 371 },
					 { "sendto", 369 },
					 { "recvmsg", 372 },
					 { "sendmsg", 370 },
					 { "recvmmsg", 337 },
					 { "sendmmsg", 345 },
					 { "accept", -1 },
					 { "accept4", 364 },
					 { "connect", 362 },
					 { "shutdown", 373 },
				 } },
	{ WHY_BY_FD, WHY_DISK, {
				       { "getdents", 141 },
				       { "getdents64", 220 },
				       { "_llseek", 140 },
				       { "ftruncate", 93 },
				       { "fallocate", 324 },
				       { "copy_file_range", 377 },
				       { "readahead", 225 },
				       { "fadvise64", 250 },
				       { "fsync", 118 },
				       { "fdatasync", 148 },
				       { "sync_file_range", 314 },
				       { "syncfs", 344 },
			       } },
	{ WHY_DISK, WHY_DISK, { { "sync", 36 }, { "msync", 144 } } },
	{ WHY_BY_FUTEX, WHY_CONDITION, { { "futex", 240 } } },
	{ WHY_CONDITION, WHY_CONDITION, { { "futex_waitv", 449 }, { "futex_wait", 455 } } },
	{ WHY_BY_LOCK, WHY_LOCK, { { "flock", 143 }, { "fcntl", 221 } } },
	{ WHY_BY_PATH, WHY_KERNEL, {
					   { "open", 5 },
					   { "openat", 295 },
					   { "openat2", 437 },
					   { "creat", 8 },
					   { "stat", 106 },
					   { "lstat", 107 },
					   { "newfstatat", 300 },
					   { "statx", 383 },
					   { "access", 33 },
					   { "faccessat", 307 },
					   { "faccessat2", 439 },
					   { "readlink", 85 },
					   { "readlinkat", 305 },
					   { "execve", 11 },
					   { "execveat", 358 },
					   { "unlink", 10 },
					   { "unlinkat", 301 },
					   { "mkdir", 39 },
					   { "mkdirat", 296 },
					   { "rename", 38 },
					   { "renameat", 302 },
					   { "renameat2", 353 },
					   { "truncate", 92 },
					   { "chdir", 12 },
				   } },
	{ WHY_POLL, WHY_POLL, {
				      { "poll", 168 },
				      { "ppoll", 309 },
				      { "select", 142 },
				      { "pselect6", 308 },
				      { "epoll_wait", 256 },
				      { "epoll_pwait", 319 },
				      { "epoll_pwait2", 441 },
			      } },
	{ WHY_CHILD, WHY_CHILD, {
					{ "wait4", 114 },
					{ "waitid", 284 },
					{ "vfork", 190 },
					{ "clone", 120 },
					{ "clone3", 435 },
				} },
	{ WHY_SLEEP, WHY_SLEEP, { { "nanosleep", 162 }, { "clock_nanosleep", 267 } } },
	{ WHY_SIGNAL, WHY_SIGNAL, {
					  { "pause", 29 },
					  { "rt_sigsuspend", 179 },
					  { "rt_sigtimedwait", 177 },
				  } },
	{ WHY_AIO, WHY_AIO, { { "io_getevents", 247 }, { "io_pgetevents", 385 }, { "io_uring_enter", 426 } } },
	{ WHY_IPC, WHY_IPC, {
				    { "semop", -1 },
				    { "semtimedop", -1 },
				    { "msgrcv", 401 },
				    { "msgsnd", 400 },
				    { "mq_timedreceive", 280 },
				    { "mq_timedsend", 279 },
				    { "ipc", 117 },
			    } },
	{ WHY_EXIT, WHY_EXIT, { { "exit", 1 }, { "exit_group", 252 } } },
};

/* Of 32-bit programs, whose times have 64 bits: numbers of their own. */
static const struct {
	uint16_t number;
	uint8_t class;
} newer_compat[] = {
	{ 407, WHY_SLEEP },
	{ 413, WHY_POLL },
	{ 414, WHY_POLL },
	{ 416, WHY_AIO },
	{ 417, WHY_BY_FD },
	{ 418, WHY_IPC },
	{ 419, WHY_IPC },
	{ 420, WHY_IPC },
	{ 421, WHY_SIGNAL },
	{ 422, WHY_BY_FUTEX },
	{ 7, WHY_CHILD },
	{ 82, WHY_POLL },
	{ 239, WHY_BY_FD },
	{ 55, WHY_BY_LOCK },
	{ 102, WHY_BY_SOCKETCALL },
	{ 72, WHY_SIGNAL },
};

static void fill(uint8_t calls[WHY_ABIS][WHY_CALLS], uint8_t class, const struct call *call)
{
	int number = syscall_number(call->name);

	if (number >= 0 && number < WHY_CALLS)
		calls[WHY_NATIVE][number] = class;
	if (call->compat >= 0)
		calls[WHY_COMPAT][call->compat] = class;
}

void waits_fill(uint8_t calls[WHY_ABIS][WHY_CALLS])
{
	memset(calls, WHY_KERNEL, WHY_ABIS * WHY_CALLS);
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		for (const struct call *call = classes[i].calls; call->name; call++)
			fill(calls, classes[i].class, call);
	for (size_t i = 0; i < ARRAY_SIZE(newer_compat); i++)
		calls[WHY_COMPAT][newer_compat[i].number] = newer_compat[i].class;
}

uint8_t waits_class(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(classes); i++)
		for (const struct call *call = classes[i].calls; call->name; call++)
			if (!strcmp(call->name, name))
				return classes[i].alone;
	return WHY_KERNEL;
}

const char *waits_call(unsigned int call)
{
	if (call == WHY_NO_CALL)
		return NULL;
	if (!(call & WHY_COMPAT_CALL))
		return syscall_name(call);
	call &= ~WHY_COMPAT_CALL;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		for (const struct call *known = classes[i].calls; known->name; known++)
			if (known->compat >= 0 && (unsigned int)known->compat == call)
				return known->name;
	return NULL;
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
