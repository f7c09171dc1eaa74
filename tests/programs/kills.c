// SPDX-License-Identifier: BSD-2-Clause
/*
 * kills [PID TID]
 * kills target
 *
 * Sends signals in every way, valid and invalid, to the thread TID of process PID or to a child of its own, and
 * prints arguments and result of each:
 *
 *	did kill COMM PID TID PPID UID SIGNAL NAME|null TPID|null TGID|null TID|null RET ERROR|null SYSCALL WHEN
 *
 * WHEN: BOOT BOOT WALL WALL as in did.h. "target" is a process with two threads that ignores these signals: it prints
 * its PID and the TID of the other thread and waits to be killed.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "did.h"

#define PIDFD_SELF_THREAD -10000 /* Linux 6.15 */
#define NOBODY		  1000
#define NONE		  -99999 /* instead of a number: null */

static struct target {
	volatile pid_t pid, tid;
} * target;

/* --- targets --- */

static void *other_thread(void *arg)
{
	target->tid = gettid();
	for (;;)
		pause();
	return arg;
}

static void be_target(void)
{
	pthread_t thread;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGRTMIN + 1, SIG_IGN);
	signal(SIGRTMAX, SIG_IGN);
	setpgid(0, 0);
	if (pthread_create(&thread, NULL, other_thread, NULL))
		errx(1, "no thread");
	while (!target->tid)
		sched_yield();
	target->pid = getpid();
}

static void start_target(void)
{
	if (!fork()) {
		be_target();
		for (;;)
			pause();
	}
	while (!target->pid)
		sched_yield();
}

/* The id of a process that has ended. */
static pid_t gone(int *pidfd)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	*pidfd = syscall(SYS_pidfd_open, pid, 0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* --- facts --- */

static const char *name_of(int signal)
{
	return signal == SIGKILL	? "SIGKILL"
	       : signal == SIGTERM	? "SIGTERM"
	       : signal == SIGUSR1	? "SIGUSR1"
	       : signal == SIGUSR2	? "SIGUSR2"
	       : signal == SIGRTMIN + 1 ? "SIGRTMIN+1"
	       : signal == SIGRTMAX	? "SIGRTMAX"
					: "null";
}

static const char *error_name(int error)
{
	return error == ESRCH	 ? "ESRCH"
	       : error == EPERM	 ? "EPERM"
	       : error == EINVAL ? "EINVAL"
	       : error == EBADF	 ? "EBADF"
	       : error		 ? "?"
				 : "null";
}

static void number(int n)
{
	if (n == NONE)
		printf("null ");
	else
		printf("%d ", n);
}

struct sender {
	pid_t pid, tid, ppid;
	uid_t uid;
};

static struct sender me(void)
{
	return (struct sender){ getpid(), gettid(), getppid(), getuid() };
}

static void tell(const struct sender *who, const char *call, int signal, int tpid, int tgid, int tid, int error,
		 const struct did *did)
{
	printf("did kill kills %d %d %d %d %d %s ", who->pid, who->tid, who->ppid, who->uid, signal, name_of(signal));
	number(tpid);
	number(tgid);
	number(tid);
	printf("%d %s %s ", -error, error_name(error), call);
	did_when(did);
}

/* When a system call that sends a signal was made, and its error, or 0. */
struct sent {
	struct did did;
	int error;
};

static struct sent sent(long nr, long a, long b, long c, long d)
{
	struct sent sent = { did_begin(), 0 };

	if (syscall(nr, a, b, c, d))
		sent.error = errno;
	return sent;
}

static void by_kill(int pid, int signal)
{
	struct sent it = sent(SYS_kill, pid, signal, 0, 0);
	struct sender who = me();

	tell(&who, "kill", signal, pid, NONE, NONE, it.error, &it.did);
}

static void by_tkill(int tid, int signal)
{
	struct sent it = sent(SYS_tkill, tid, signal, 0, 0);
	struct sender who = me();

	tell(&who, "tkill", signal, tid, NONE, tid, it.error, &it.did);
}

static void by_tgkill(int tgid, int tid, int signal)
{
	struct sent it = sent(SYS_tgkill, tgid, tid, signal, 0);
	struct sender who = me();

	tell(&who, "tgkill", signal, tid, tgid, tid, it.error, &it.did);
}

static siginfo_t queued(int signal)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = signal;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	return info;
}

static void by_sigqueue(int pid, int signal)
{
	siginfo_t info = queued(signal);
	struct sent it = sent(SYS_rt_sigqueueinfo, pid, signal, (long)&info, 0);
	struct sender who = me();

	tell(&who, "rt_sigqueueinfo", signal, pid, NONE, NONE, it.error, &it.did);
}

static void by_tgsigqueue(int tgid, int tid, int signal)
{
	siginfo_t info = queued(signal);
	struct sent it = sent(SYS_rt_tgsigqueueinfo, tgid, tid, signal, (long)&info);
	struct sender who = me();

	tell(&who, "rt_tgsigqueueinfo", signal, tid, tgid, tid, it.error, &it.did);
}

/* pid: whom the descriptor stands for; where the kernel finds that it is no such descriptor, for nobody. */
static void by_pidfd(int fd, int signal, unsigned flags, int pid)
{
	struct sent it = sent(SYS_pidfd_send_signal, fd, signal, 0, flags);
	struct sender who = me();

	tell(&who, "pidfd_send_signal", signal, it.error == EBADF ? NONE : pid, NONE, NONE, it.error, &it.did);
}

/* --- all ways --- */

static void numbers(void)
{
	int fd;
	pid_t dead = gone(&fd);

	by_kill(target->pid, 0);
	by_kill(target->pid, SIGUSR1);
	by_kill(-target->pid, SIGUSR1);
	by_kill(0, 0);
	by_kill(target->pid, 99);
	by_kill(dead, SIGTERM);
	by_tkill(target->tid, SIGUSR1);
	by_tgkill(target->pid, target->tid, SIGUSR2);
	by_tgkill(getpid(), target->tid, SIGUSR2);
	by_sigqueue(target->pid, SIGRTMIN + 1);
	by_tgsigqueue(target->pid, target->tid, SIGRTMAX);
	close(fd);
}

static void descriptors(void)
{
	int fd, dead_fd, event = eventfd(0, 0), proc;
	pid_t dead = gone(&dead_fd);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", target->pid);
	fd = syscall(SYS_pidfd_open, target->pid, 0);
	proc = open(path, O_RDONLY | O_DIRECTORY);
	by_pidfd(fd, SIGUSR1, 0, target->pid);
	by_pidfd(fd, 99, 0, target->pid);
	by_pidfd(dead_fd, SIGUSR2, 0, dead);
	by_pidfd(proc, SIGUSR2, 0, target->pid);
	by_pidfd(PIDFD_SELF_THREAD, 0, 0, gettid());
	by_pidfd(-1, SIGUSR1, 0, NONE);
	by_pidfd(1000000, SIGUSR1, 0, NONE);
	by_pidfd(event, SIGUSR1, 0, NONE);
	by_pidfd(event, SIGUSR1, ~0U, NONE);
	close(fd);
	close(dead_fd);
	close(proc);
	close(event);
}

/* As another user, to process 1. */
static void not_allowed(void)
{
	if (!fork()) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			err(1, "setresuid");
		by_kill(1, SIGTERM);
		_exit(0);
	}
	wait(NULL);
}

/* A process that kills itself cannot report: its parent does. */
static void itself(void)
{
	struct did did = did_begin();
	struct sender who = { fork(), 0, getpid(), getuid() };
	int status;

	if (!who.pid) {
		syscall(SYS_kill, getpid(), SIGKILL);
		_exit(1);
	}
	who.tid = who.pid;
	if (waitpid(who.pid, &status, 0) != who.pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		errx(1, "it lives");
	tell(&who, "kill", SIGKILL, who.pid, NONE, NONE, 0, &did);
}

int main(int argc, char **argv)
{
	target = mmap(NULL, sizeof(*target), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (target == MAP_FAILED)
		err(1, "mmap");
	if (argc == 2 && !strcmp(argv[1], "target")) {
		be_target();
		printf("%d %d\n", target->pid, target->tid);
		fflush(stdout);
		for (;;)
			pause();
	}
	if (argc == 3) {
		target->pid = atoi(argv[1]);
		target->tid = atoi(argv[2]);
	} else {
		start_target();
	}
	signal(SIGUSR1, SIG_IGN);
	numbers();
	descriptors();
	not_allowed();
	itself();
	if (argc == 1)
		by_kill(target->pid, SIGKILL);
	return 0;
}
