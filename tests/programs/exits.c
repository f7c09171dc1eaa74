// SPDX-License-Identifier: BSD-2-Clause
/*
 * exits all | threads | burst N | race N
 *
 * Ends processes. all: in every way, one after the other. threads: ends threads of this process, each with a different
 * code. burst: N processes at once. race: N processes, each with two threads that exit at the same moment. Prints what
 * wait(2) returned for each; this process is the last:
 *
 *	did exit COMM PID PPID TID CODE|null SIGNAL|null NAME|null CORE AGE AGE BOOT BOOT WALL WALL
 *
 * AGE: lower and upper bound of its life in ns. did.h explains the rest.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "did.h"

#define LONG_NS 130000000

/* Shared by all processes: facts of the process that is about to end. */
static struct about {
	char comm[64];
	pid_t parent;	 /* of all */
	long long lived; /* at least so long */
	int ready;
} * about;

static char self[4096];

static void name(const char *comm)
{
	prctl(PR_SET_NAME, comm);
}

static void end_thread(int code)
{
	syscall(SYS_exit, code);
}

static void thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg))
		errx(1, "no thread");
}

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void wait_ready(int n)
{
	while (__atomic_load_n(&about->ready, __ATOMIC_SEQ_CST) < n)
		sched_yield();
}

static void ready(void)
{
	__atomic_add_fetch(&about->ready, 1, __ATOMIC_SEQ_CST);
}

/* --- how a process ends --- */

static void well(void)
{
	_exit(0);
}

static void badly(void)
{
	_exit(3);
}

static void worst(void)
{
	exit(255);
}

static void by_term(void)
{
	raise(SIGTERM);
}

static void by_kill(void)
{
	raise(SIGKILL);
}

static void by_realtime(void)
{
	raise(SIGRTMIN + 2);
}

static void by_abort(void)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_CORE, &unlimited);
	abort();
}

static void renamed(void)
{
	strcpy(about->comm, "a\\nb\"c");
	name("a\nb\"c");
	_exit(8);
}

static void *exit_all(void *arg)
{
	_exit(5);
	return arg;
}

/* A thread ends the process while the first one sleeps. */
static void by_thread(void)
{
	thread(exit_all, NULL);
	sleeper(NULL);
}

/* The leader thread exits first: it stays as a zombie while other threads live. */
static void wait_leader(void)
{
	char path[64], stat[256] = "";
	const char *state = NULL;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	do {
		int fd = open(path, O_RDONLY);
		ssize_t n = fd < 0 ? 0 : read(fd, stat, sizeof(stat) - 1);

		stat[n > 0 ? n : 0] = '\0';
		state = strrchr(stat, ')');
		close(fd);
	} while (!state || state[2] != 'Z');
}

static void *exit_last(void *arg)
{
	name("second");
	wait_leader();
	end_thread(4);
	return arg;
}

/* Each thread exits by itself, the leader first: the process has its name, and is older than the other thread. */
static void one_by_one(void)
{
	struct timespec ts = { 0, LONG_NS };

	strcpy(about->comm, "first");
	name("first");
	nanosleep(&ts, NULL);
	about->lived = LONG_NS;
	thread(exit_last, NULL);
	end_thread(9);
}

static void killed_threads(void)
{
	for (int i = 0; i < 3; i++)
		thread(sleeper, NULL);
	raise(SIGKILL);
}

static void *execute(void *arg)
{
	execl(self, self, "quit", "6", NULL);
	err(1, "%s", self);
	return arg;
}

/* A second thread executes a program: the others end, and it becomes the first. */
static void by_exec(void)
{
	thread(sleeper, NULL);
	thread(execute, NULL);
	sleeper(NULL);
}

/* The parent ends first: then the process is a child of this program. */
static void orphan(void)
{
	if (fork())
		_exit(0);
	while (getppid() != about->parent)
		sched_yield();
	_exit(12);
}

static void (*const ways[])(void) = {
	well,
	badly,
	worst,
	by_term,
	by_kill,
	by_realtime,
	by_abort,
	renamed,
	by_thread,
	one_by_one,
	killed_threads,
	by_exec,
};

/* --- results --- */

/* Of the signals that are sent here. */
static const char *name_of(int signal)
{
	return signal == SIGTERM	? "SIGTERM"
	       : signal == SIGKILL	? "SIGKILL"
	       : signal == SIGABRT	? "SIGABRT"
	       : signal == SIGRTMIN + 2 ? "SIGRTMIN+2"
					: "?";
}

static void tell(const char *comm, pid_t pid, pid_t ppid, pid_t tid, int status, long long lived,
		 const struct did *did)
{
	printf("did exit %s %d %d %d ", comm, pid, ppid, tid);
	if (WIFSIGNALED(status))
		printf("null %d %s ", WTERMSIG(status), name_of(WTERMSIG(status)));
	else
		printf("%d null null ", WEXITSTATUS(status));
	printf("%s %lld %lld ", WIFSIGNALED(status) && WCOREDUMP(status) ? "true" : "false", lived,
	       did_ns(CLOCK_BOOTTIME) - did->boot);
	did_when(did);
}

static int ended(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	return status;
}

static void begin(void)
{
	memset(about, 0, sizeof(*about));
	strcpy(about->comm, "exits");
	about->parent = getpid();
}

static pid_t child(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	fn();
	_exit(99);
}

static void each(void (*fn)(void))
{
	struct did did = did_begin();
	pid_t pid;
	int status;

	begin();
	pid = child(fn);
	status = ended(pid);
	tell(about->comm, pid, getpid(), pid, status, about->lived, &did);
}

static void vforked(void)
{
	struct did did = did_begin();
	pid_t pid = vfork();

	if (!pid)
		_exit(7);
	tell("exits", pid, getpid(), pid, ended(pid), 0, &did);
}

static void orphaned(void)
{
	struct did did = did_begin();
	int status;
	pid_t pid;

	begin();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = child(orphan);
	tell("exits", pid, getpid(), pid, ended(pid), 0, &did);
	pid = wait(&status);
	tell("exits", pid, getpid(), pid, status, 0, &did);
}

static void all(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		each(ways[i]);
	vforked();
	orphaned();
}

/* --- many --- */

static void burst(int n)
{
	struct did did = did_begin();
	pid_t *pids = calloc(n, sizeof(*pids));

	for (int i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (i % 7 == 6)
				raise(SIGKILL);
			_exit(i % 256);
		}
	}
	for (int i = 0; i < n; i++)
		tell("exits", pids[i], getpid(), pids[i], ended(pids[i]), 0, &did);
	free(pids);
}

static void *racer(void *arg)
{
	ready();
	wait_ready(2);
	end_thread(4);
	return arg;
}

static void two_at_once(void)
{
	thread(racer, NULL);
	ready();
	wait_ready(2);
	end_thread(9);
}

/* --- threads --- */

static struct told {
	pid_t tid;
	struct did did;
	int code;
	char comm[16];
	bool ready;
} told[3];

static void *with_code(void *arg)
{
	struct told *who = arg;

	who->tid = gettid();
	name(who->comm);
	__atomic_store_n(&who->ready, true, __ATOMIC_SEQ_CST);
	end_thread(who->code);
	return arg;
}

/* A thread that exits by exit(2) alone cannot be joined by pthread_join(3). */
static void wait_gone(pid_t tid)
{
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		sched_yield();
}

static void threads(void)
{
	for (int i = 0; i < 3; i++) {
		struct told *who = &told[i];

		who->did = did_begin();
		who->code = i ? 10 + i : 0;
		sprintf(who->comm, "thread%d", i);
		thread(with_code, who);
		while (!__atomic_load_n(&who->ready, __ATOMIC_SEQ_CST))
			sched_yield();
		wait_gone(who->tid);
		tell(who->comm, getpid(), getppid(), who->tid, who->code << 8, 0, &who->did);
	}
}

int main(int argc, char **argv)
{
	struct did did = did_begin();
	long long now;

	if (argc == 3 && !strcmp(argv[1], "quit"))
		return atoi(argv[2]);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		err(1, "/proc/self/exe");
	about = mmap(NULL, sizeof(*about), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (about == MAP_FAILED)
		err(1, "mmap");
	if (argc == 2 && !strcmp(argv[1], "all"))
		all();
	else if (argc == 2 && !strcmp(argv[1], "threads"))
		threads();
	else if (argc == 3 && !strcmp(argv[1], "burst"))
		burst(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "race"))
		for (int n = atoi(argv[2]); n > 0; n--)
			each(two_at_once);
	else
		errx(2, "usage: exits all|threads|burst N|race N");
	/* itself: how long it lived before it came here nobody knows, and the end is still to come */
	now = did_ns(CLOCK_BOOTTIME);
	printf("did exit exits %d %d %d 0 null null false %lld %lld %lld %lld 1970 9999\n", getpid(), getppid(),
	       getpid(), now - did.boot, now, now, LLONG_MAX);
	return 0;
}
