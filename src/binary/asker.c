// SPDX-License-Identifier: BSD-2-Clause
/* Starts and ends the asker. asker_program.c writes its program, asker_confine.c limits what it may do. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "asker.h"
#include "asker_confine.h"
#include "asker_program.h"
#include "base/write.h"
#include "binary_part.h"
#include "trusted.h"

/* From Linux 6.3 on the kernel logs a warning when the flag is missing; glibc 2.36 does not define it. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x10U
#endif

/* Milliseconds to wait for the loader. It needs a few; one that takes this long hangs. */
#define PATIENCE 5000

/* Closes all descriptors but the pipe, which becomes standard output, and the program (close-on-exec). */
static bool child_files(int *program, int out)
{
	*program = fcntl(*program, F_DUPFD_CLOEXEC, 3);
	out = fcntl(out, F_DUPFD_CLOEXEC, 3);
	return *program >= 0 && out >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	       !syscall(SYS_close_range, 0, 0, 0) && !syscall(SYS_close_range, 2, *program - 1, 0) && !syscall(SYS_close_range, *program + 1, ~0U, 0);
}

/* The parent may have threads: after fork() only system calls are safe. */
static void __attribute__((noreturn)) child_run(int program, int out, pid_t parent)
{
	char *const argv[] = { "sonde-asker", NULL };

	if (child_files(&program, out) && asker_confine(parent))
		syscall(SYS_execveat, program, "", argv, argv + 1, AT_EMPTY_PATH);
	_exit(1);
}

/* Returns a descriptor of the program, which exists in memory only, or -errno. */
static int make_program(struct asker *asker, const struct bound *bound, const char *path)
{
	__close int fd = memfd_create("sonde-asker", MFD_CLOEXEC | MFD_EXEC);
	__str struct str file = {};
	int error;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("sonde-asker", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	asker_program(&file, &asker->table, path, bound);
	return write_all(fd, file.data, file.len, &error) == file.len ? take_fd(fd) : error;
}

static int wait_until_bound(int in)
{
	struct pollfd pollfd = { .fd = in, .events = POLLIN };
	char byte;

	return poll(&pollfd, 1, PATIENCE) == 1 && read(in, &byte, 1) == 1 ? 0 : -ENOTSUP;
}

static int run(struct asker *asker, const char *path, const struct bound *bound)
{
	__close int program = make_program(asker, bound, path), in = -1;
	pid_t parent = getpid();
	int pipes[2];

	if (program < 0 || pipe2(pipes, O_CLOEXEC))
		return program < 0 ? program : -errno;
	in = pipes[0];
	asker->pid = fork();
	if (!asker->pid)
		child_run(program, pipes[1], parent);
	close(pipes[1]);
	return asker->pid < 0 ? -errno : wait_until_bound(in);
}

int asker_start(struct asker *asker, const struct bound *bound)
{
	__free char *link = base_printf("/proc/self/fd/%d", bound->binary->file.fd);
	__close int loader = open(ASKER_LOADER, O_PATH | O_CLOEXEC);
	char path[PATH_MAX] = "";
	int ret;

	*asker = (struct asker){};
	if (loader < 0 || !trusted_file(loader) || !trusted_file(bound->binary->file.fd) ||
	    readlink(link, path, sizeof(path) - 1) < 0)
		return -EPERM;
	ret = run(asker, path, bound);
	if (ret)
		asker_end(asker);
	return ret;
}

void asker_end(struct asker *asker)
{
	if (asker->pid <= 0)
		return;
	kill(asker->pid, SIGKILL);
	while (waitpid(asker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	asker->pid = 0;
}
