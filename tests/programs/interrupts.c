// SPDX-License-Identifier: BSD-2-Clause
/*
 * interrupts SYSCALL N SIGNAL PROGRAM [ARG]...
 *
 * Runs a program and sends it a signal at the begin of its Nth call of SYSCALL (openat, bpf, perf_event_open), a
 * moment that does not depend on time. Prints "did calls M", the number of calls at the end, and "did end
 * signal S" or "did end exit S". Children of the program are not followed.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned long long nr;
} syscalls[] = {
	{ "openat", SYS_openat },
	{ "bpf", SYS_bpf },
	{ "perf_event_open", SYS_perf_event_open },
};

static unsigned long long number_of(const char *name)
{
	for (size_t i = 0; i < sizeof(syscalls) / sizeof(*syscalls); i++)
		if (!strcmp(syscalls[i].name, name))
			return syscalls[i].nr;
	errx(2, "'%s' is none of the system calls that this knows", name);
}

/* Whether the program is at the begin of this system call. */
static bool begins(pid_t pid, unsigned long long nr)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == nr;
}

int main(int argc, char **argv)
{
	int signal = 0, status, calls = 0;
	unsigned long long nr;
	pid_t pid;

	if (argc < 5)
		errx(2, "usage: interrupts SYSCALL N SIGNAL PROGRAM [ARG]...");
	nr = number_of(argv[1]);
	pid = fork();
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			err(126, "ptrace");
		execvp(argv[4], argv + 4);
		err(127, "%s", argv[4]);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		errx(1, "the program cannot be traced");
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, signal) && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		signal = WSTOPSIG(status);
		if (signal != (SIGTRAP | 0x80))
			continue;
		signal = 0;
		if (begins(pid, nr) && ++calls == atoi(argv[2]))
			kill(pid, atoi(argv[3]));
	}
	printf("did calls %d\ndid end %s %d\n", calls, WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return 0;
}
