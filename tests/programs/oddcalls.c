// SPDX-License-Identifier: BSD-2-Clause
/*
 * oddcalls
 *
 * Makes system calls that do not simply return: they return in two processes, in another program or from a signal
 * handler; or they are interrupted, denied, unknown or 32-bit calls. Prints "did CALL CALLS ERRORS" for each, and
 * "did 32-bit CALLS".
 */
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#define FORKS	3
#define SIGNALS 5
#define DENIED	7
#define COMPAT	4

static void wait_for(pid_t child)
{
	if (child < 0 || waitpid(child, NULL, 0) != child)
		err(1, "no child");
}

static pid_t clone_raw(void)
{
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!child)
		_exit(0);
	return child;
}

static pid_t clone3_raw(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t child = syscall(SYS_clone3, &args, sizeof(args));

	if (!child)
		_exit(0);
	return child;
}

static void fork_all(void)
{
	for (int i = 0; i < FORKS; i++)
		wait_for(clone_raw());
	wait_for(clone3_raw());
	printf("did clone %d 0\ndid clone3 1 0\ndid wait4 %d 0\n", FORKS, FORKS + 1);
#if defined(__x86_64__)
	for (int i = 0; i < FORKS; i++) {
		pid_t child = vfork();

		if (!child)
			_exit(0);
		waitid(P_PID, child, NULL, WEXITED);
	}
	printf("did vfork %d 0\n", FORKS);
#endif
}

static void on_signal(int signal)
{
}

/* Each returns from its handler; rt_sigsuspend has failed by then, for it is to be interrupted. */
static void signal_all(void)
{
	sigset_t blocked, none;

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < SIGNALS; i++)
		syscall(SYS_tkill, getpid(), SIGUSR1);
	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	syscall(SYS_tkill, getpid(), SIGUSR1);
	sigsuspend(&none);
	/* the register that has a call's result is restored, too: the handler's end "returns" EINTR */
	printf("did tkill %d 0\ndid rt_sigsuspend 1 1\ndid rt_sigreturn %d 1\n", SIGNALS + 1, SIGNALS + 1);
}

static void deny(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		err(1, "seccomp");
	for (int i = 0; i < DENIED; i++)
		if (syscall(SYS_getpgid, 0) != -1 || errno != EPERM)
			errx(1, "not denied");
	printf("did getpgid %d %d\n", DENIED, DENIED);
}

#if defined(__x86_64__)
static sigjmp_buf refused;

static void refuse(int signal)
{
	siglongjmp(refused, 1);
}
#endif

/* getpid, whose number is writev's in 64 bits. A kernel without 32-bit calls sends SIGSEGV. */
static void compat(void)
{
#if defined(__x86_64__)
	struct sigaction action = { .sa_handler = refuse, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(refused, 0)) {
		printf("did 32-bit 0\n");
		return;
	}
	for (int i = 0; i < COMPAT; i++) {
		long ret = 20;

		__asm__ volatile("int $0x80"
				 : "+a"(ret)
				 :
				 : "r8", "r9", "r10", "r11", "memory");
		if (ret != getpid())
			errx(1, "int 0x80 returned %ld", ret);
	}
	printf("did 32-bit %d\n", COMPAT);
#endif
}

static void unknown(void)
{
	for (int i = 0; i < 2; i++)
		syscall(500);
	for (int i = 0; i < 3; i++)
		syscall(5000);
	printf("did [unknown:500] 2 2\ndid [unknown] 3 3\n");
}

int main(int argc, char **argv)
{
	char *again[] = { argv[0], "again", NULL }, *none[] = { NULL };
	int self = open("/proc/self/exe", O_RDONLY);

	if (argc == 1) {
		if (syscall(SYS_execve, "/no/such/program", again, none) != -1)
			errx(1, "executed");
		syscall(SYS_execveat, self, "", again, none, AT_EMPTY_PATH);
		err(1, "execveat");
	}
	printf("did execve 2 1\ndid execveat 1 0\n");
	fork_all();
	signal_all();
	compat();
	unknown();
	deny();
	return 0;
}
