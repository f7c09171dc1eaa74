// SPDX-License-Identifier: BSD-2-Clause
/*
 * calls [-w FILE] [-t] N SYSCALL [N SYSCALL]...
 *
 * Makes each system call exactly N times and prints "did SYSCALL N" for each, with a raw system call that
 * no C library adds to. -w waits until FILE can be opened and read (a FIFO somebody writes to); -t lets
 * a second thread make the same calls and prints the sum of both. openat fails with ENOENT, close with EBADF;
 * nanosleep takes 20 ms. write, fsync and fdatasync have a file of memory, which no call opens. open opens a device,
 * creat makes a new file in the working directory, mknod a FIFO, mkfile a regular file by mknod(2); each is removed.
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static int zero = -1; /* opened by the first read: other calls stay alone */
static int memory = -1;

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void call_getpgid(void)
{
	syscall(SYS_getpgid, 0);
}

static void call_openat(void)
{
	syscall(SYS_openat, AT_FDCWD, "/no/such/file", O_RDONLY);
}

static void call_read(void)
{
	char byte;

	if (zero < 0)
		zero = open("/dev/zero", O_RDONLY);
	syscall(SYS_read, zero, &byte, 1);
}

static int memory_file(void)
{
	if (memory < 0)
		memory = memfd_create("calls", 0);
	return memory;
}

static void call_write(void)
{
	if (syscall(SYS_write, memory_file(), "", 1) != 1)
		err(1, "write");
}

static void call_fsync(void)
{
	if (syscall(SYS_fsync, memory_file()))
		err(1, "fsync");
}

static void call_fdatasync(void)
{
	if (syscall(SYS_fdatasync, memory_file()))
		err(1, "fdatasync");
}

static void call_open(void)
{
	int fd = syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY);

	if (fd < 0)
		err(1, "open");
	close(fd);
}

/* Threads have names of their own. */
static void with_name(void (*fn)(const char *name))
{
	char name[32];

	snprintf(name, sizeof(name), "new.%d", gettid());
	fn(name);
	if (unlink(name))
		err(1, "unlink");
}

static void create(const char *name)
{
	int fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		err(1, "creat");
	close(fd);
}

static void make_fifo(const char *name)
{
	if (syscall(SYS_mknodat, AT_FDCWD, name, S_IFIFO | 0600, 0))
		err(1, "mknod");
}

static void make_file(const char *name)
{
	if (syscall(SYS_mknodat, AT_FDCWD, name, S_IFREG | 0600, 0))
		err(1, "mkfile");
}

static void call_creat(void)
{
	with_name(create);
}

static void call_mknod(void)
{
	with_name(make_fifo);
}

static void call_mkfile(void)
{
	with_name(make_file);
}

static void call_close(void)
{
	syscall(SYS_close, -1);
}

static void call_nanosleep(void)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

static const struct call {
	const char *name;
	void (*fn)(void);
} known[] = {
	{ "getppid", call_getppid },
	{ "getpgid", call_getpgid },
	{ "openat", call_openat },
	{ "read", call_read },
	{ "write", call_write },
	{ "fsync", call_fsync },
	{ "fdatasync", call_fdatasync },
	{ "open", call_open },
	{ "creat", call_creat },
	{ "mknod", call_mknod },
	{ "mkfile", call_mkfile },
	{ "close", call_close },
	{ "nanosleep", call_nanosleep },
};

static const struct call *find(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	errx(2, "unknown call %s", name);
}

static void *make(void *arg)
{
	for (char **pair = arg; pair[0] && pair[1]; pair += 2) {
		const struct call *call = find(pair[1]);
		long n = atol(pair[0]);

		while (n-- > 0)
			call->fn();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *file = NULL;
	bool twice = false;
	pthread_t thread;
	int c;

	while ((c = getopt(argc, argv, "w:t")) != -1) {
		if (c == 'w')
			file = optarg;
		else if (c == 't')
			twice = true;
		else
			return 2;
	}
	argv += optind;
	if (file)
		workload_wait(file);
	if (twice && pthread_create(&thread, NULL, make, argv))
		errx(1, "no thread");
	make(argv);
	if (twice)
		pthread_join(thread, NULL);
	for (; argv[0] && argv[1]; argv += 2)
		printf("did %s %ld\n", argv[1], atol(argv[0]) * (twice ? 2 : 1));
	return 0;
}
