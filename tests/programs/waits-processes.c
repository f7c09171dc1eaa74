// SPDX-License-Identifier: BSD-2-Clause
/* Waits for other processes: children, locks of files, signals, queues. And processes that sleep or run. */
#include <linux/aio_abi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "waits.h"

static void wait_sleep(void)
{
	struct timespec ts = { .tv_nsec = ms * 1000000L };

	for (int i = 0; i < times; i++)
		MEASURE(nanosleep(&ts, NULL));
}

static void wait_child(void)
{
	for (int i = 0; i < times; i++) {
		pid_t pid = fork();

		if (!pid)
			after_nap(NULL);
		MEASURE(waitpid(pid, NULL, 0));
	}
}

static void wait_waitid(void)
{
	for (int i = 0; i < times; i++) {
		siginfo_t info;
		pid_t pid = fork();

		if (!pid)
			after_nap(NULL);
		MEASURE(waitid(P_PID, pid, &info, WEXITED));
	}
}

static void wait_vfork(void)
{
	static char stack[65536] __attribute__((aligned(16)));

	for (int i = 0; i < times; i++) {
		pid_t pid = 0;

		MEASURE(pid = clone(after_nap, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
		waitpid(pid, NULL, 0);
	}
}

/* did held PATH PID: who had the lock of the file while this process waited for it. */
static void tell_held(const char *path, pid_t pid)
{
	struct tell *tell = tell_begin("held");

	tell_word(tell, path);
	tell_number(tell, pid);
	tell_end(tell);
}

static void wait_flock(void)
{
	char path[] = "/tmp/waitsXXXXXX";
	int fd = mkstemp(path);

	for (int i = 0; i < times; i++) {
		int ready[2];
		char byte;
		pid_t pid;

		if (pipe(ready))
			err(1, "pipe");
		pid = fork();
		if (!pid) {
			int own = open(path, O_RDWR);

			flock(own, LOCK_EX);
			put_byte(&ready[1]);
			after_nap(NULL);
		}
		if (read(ready[0], &byte, 1) != 1)
			err(1, "read");
		tell_held(path, pid);
		MEASURE(flock(fd, LOCK_EX));
		flock(fd, LOCK_UN);
		waitpid(pid, NULL, 0);
		close(ready[0]);
		close(ready[1]);
	}
	unlink(path);
}

static void wait_signal(void)
{
	pid_t self = getpid();
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	WITH_OTHER(send_signal, &self, sigwaitinfo(&set, NULL));
}

static bool is_stopped(pid_t pid)
{
	char name[64], state = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	f = fopen(name, "r");
	if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (f)
		fclose(f);
	return state == 'T';
}

/* What comes before the stop does not end it. */
static void go_on(void *pid)
{
	for (int i = 0; i < 10000 && !is_stopped(*(pid_t *)pid); i++)
		usleep(1000);
	kill(*(pid_t *)pid, SIGCONT);
}

static void wait_stopped(void)
{
	pid_t self = getpid();

	WITH_OTHER(go_on, &self, raise(SIGSTOP));
}

static void got(int signal)
{
	(void)signal;
}

/* arm64 has no pause(2): its C library calls ppoll(2). */
static int wait_for_signal(void)
{
#ifdef SYS_pause
	return pause();
#else
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
#endif
}

static void wait_pause(void)
{
	struct sigaction act = { .sa_handler = got };

	sigaction(SIGALRM, &act, NULL);
	for (int i = 0; i < times; i++) {
		/* again and again: the first can come before it waits */
		struct itimerval at = { .it_value.tv_usec = ms * 1000, .it_interval.tv_usec = ms * 1000 };

		MEASURE(setitimer(ITIMER_REAL, &at, NULL) || wait_for_signal() != -1 ? -1 : 0);
		setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
	}
}

/* Stopped for MS milliseconds while it sleeps for three times as long: it goes on to sleep. */
static void stop_between(void *pid)
{
	kill(*(pid_t *)pid, SIGSTOP);
	nap();
	kill(*(pid_t *)pid, SIGCONT);
}

static void wait_stopped_sleep(void)
{
	struct timespec ts = { .tv_nsec = 3 * ms * 1000000L };
	pid_t self = getpid();

	WITH_OTHER(stop_between, &self, nanosleep(&ts, NULL));
}

/* Traced by its parent, which lets it go on after a while. */
static void wait_traced(void)
{
	long long began = did_ns(CLOCK_MONOTONIC);
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		for (int i = 0; i < times; i++)
			raise(SIGUSR1);
		_exit(0);
	}
	/* it stops while this process waits for a processor, too: all of it is measured at once */
	for (int i = 0; i < times; i++) {
		waitpid(pid, NULL, 0);
		nap();
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	waited = did_ns(CLOCK_MONOTONIC) - began;
	waiter = pid;
	waitid(P_PID, pid, &(siginfo_t){}, WEXITED | WNOWAIT);
}

/* Killed in pause(2): while it exits, it waits until the kernel has let go of its asynchronous I/O. */
static void wait_killed(void)
{
	int ready[2];
	char byte;

	if (pipe(ready))
		err(1, "pipe");
	waiter = fork();
	if (!waiter) {
		aio_context_t context = 0;

		if (syscall(SYS_io_setup, 1, &context))
			err(1, "io_setup");
		put_byte(&ready[1]);
		pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		err(1, "read");
	kill(waiter, SIGKILL);
	MEASURE(waitid(P_PID, waiter, &(siginfo_t){}, WEXITED | WNOWAIT));
}

/* A process that has the lock of another byte of the file: nobody waits for it. */
static pid_t lock_beside(int fd)
{
	struct flock second = { .l_type = F_WRLCK, .l_start = 1, .l_len = 1 };
	int ready[2];
	char byte;
	pid_t pid;

	if (fd < 0 || pipe(ready))
		err(1, "pipe");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fcntl(fd, F_SETLKW, &second);
		put_byte(&ready[1]);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		err(1, "read");
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void wait_fcntl(void)
{
	struct flock first = { .l_type = F_WRLCK, .l_len = 1 };
	char path[] = "/tmp/waitsXXXXXX";
	int fd = mkstemp(path);
	pid_t beside = lock_beside(fd);

	for (int i = 0; i < times; i++) {
		int ready[2];
		char byte;
		pid_t pid;

		if (fd < 0 || pipe(ready))
			err(1, "pipe");
		pid = fork();
		if (!pid) {
			fcntl(fd, F_SETLKW, &first);
			put_byte(&ready[1]);
			after_nap(NULL);
		}
		if (read(ready[0], &byte, 1) != 1)
			err(1, "read");
		tell_held(path, pid);
		MEASURE(fcntl(fd, F_SETLKW, &first));
		fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_UNLCK });
		waitpid(pid, NULL, 0);
		close(ready[0]);
		close(ready[1]);
	}
	kill(beside, SIGKILL);
	waitpid(beside, NULL, 0);
	unlink(path);
}

static void give(void *id)
{
	struct sembuf up = { 0, 1, 0 };

	semop(*(int *)id, &up, 1);
}

static void wait_ipc(void)
{
	int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf down = { 0, -1, 0 };

	WITH_OTHER(give, &id, semop(id, &down, 1));
	semctl(id, 0, IPC_RMID);
}

static void send_message(void *id)
{
	struct {
		long type;
	} message = { 1 };

	msgsnd(*(int *)id, &message, 0, 0);
}

static void wait_message(void)
{
	int id = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
	} message;

	WITH_OTHER(send_message, &id, msgrcv(id, &message, 0, 0, 0));
	msgctl(id, IPC_RMID, NULL);
}

/*
 * Uses more memory than its cgroup may (memory.high, which the caller has set): the kernel reclaims, and holds it up,
 * until it has waited long enough.
 */
static void wait_allocation(void)
{
	const size_t most = 64 << 20, piece = 128 << 10;
	char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	for (size_t at = 0; waited < (long long)times * ms * 1000000; at += piece) {
		if (at == most)
			errx(1, "there is memory enough");
		MEASURE((memset(memory + at, 1, piece), 0));
	}
	/* else what follows would be held up, too */
	munmap(memory, most);
}

/* Two of these on one processor wait for it in turns. */
static void run_user(void)
{
	long long until = did_ns(CLOCK_MONOTONIC) + (long long)times * ms * 1000000;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	while (did_ns(CLOCK_MONOTONIC) < until)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static void run_kernel(void)
{
	long long until = did_ns(CLOCK_MONOTONIC) + (long long)times * ms * 1000000;
	static char room[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	while (did_ns(CLOCK_MONOTONIC) < until)
		if (read(fd, room, sizeof(room)) < 0)
			err(1, "zero");
}

const struct cause on_processes[] = {
	{ "sleep", wait_sleep },
	{ "child", wait_child },
	{ "waitid", wait_waitid },
	{ "vfork", wait_vfork },
	{ "flock", wait_flock },
	{ "signal", wait_signal },
	{ "stopped", wait_stopped },
	{ "pause", wait_pause },
	{ "stopped-sleep", wait_stopped_sleep },
	{ "traced", wait_traced },
	{ "killed", wait_killed },
	{ "fcntl", wait_fcntl },
	{ "ipc", wait_ipc },
	{ "message", wait_message },
	{ "allocation", wait_allocation },
	{ "user", run_user },
	{ "kernel", run_kernel },
	{},
};
