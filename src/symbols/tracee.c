// SPDX-License-Identifier: BSD-2-Clause
/* Starts, stops and ends the traced process. What the registers mean is in tracee_regs.c. */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "tracee_regs.h"

/* A loader needs milliseconds; what takes this long (in ms) waits for something or loops. */
#define PATIENCE 5000

/* What the child was doing when it gave up, as its exit status. */
enum step {
	STEP_TRACE = 1,
	STEP_ROOT,
	STEP_USER,
	STEP_LIMIT,
	STEP_EXEC
};

static const char *const step_failed[] = {
	[STEP_TRACE] = "tracing is not permitted here (ptrace)",
	[STEP_ROOT] = "its root directory cannot be entered (chroot needs root)",
	[STEP_USER] = "its owner's identity cannot be taken on",
	[STEP_LIMIT] = "the process cannot be confined",
	[STEP_EXEC] = "its loader cannot be run",
};

static void limit(int resource, rlim_t value)
{
	struct rlimit r = { value, value };

	setrlimit(resource, &r);
}

/* Nothing of ours reaches the program: no files, terminal, signals to come, environment. */
static bool child_confine(pid_t parent)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	/* a container may lack /dev/null: then they are closed, which a loader bears */
	for (int fd = 0; fd < 3; fd++) {
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	}
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, PATIENCE / 1000);
	limit(RLIMIT_NPROC, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ||
	    getppid() != parent)
		return false;
	return !syscall(SYS_close_range, 3, ~0U, 0);
}

/* After fork, maybe of a process with threads: system calls only. */
static void __attribute__((noreturn)) child_run(const struct tracee_options *o, pid_t parent)
{
	char *const none[] = { NULL };

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(STEP_TRACE);
	if (o->root && (chroot(o->root) || chdir("/")))
		_exit(STEP_ROOT);
	if (o->change_user && (setgroups(0, NULL) || setresgid(o->gid, o->gid, o->gid) ||
			       setresuid(o->uid, o->uid, o->uid)))
		_exit(STEP_USER);
	/* last: a change of identity undoes PR_SET_PDEATHSIG */
	if (!child_confine(parent))
		_exit(STEP_LIMIT);
	execve(o->argv[0], (char *const *)o->argv, none);
	_exit(STEP_EXEC);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/*
 * Waits for a stop or the end. By polling: waitpid() has no timeout, a pidfd tells of exits only,
 * and SIGCHLD is the application's. It yields first because most waits last microseconds.
 */
static int tracee_wait(struct tracee *t, int *status)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	uint64_t end = now_ms() + PATIENCE;

	for (unsigned int turn = 0;; turn++) {
		pid_t pid = waitpid(t->pid, status, WNOHANG | __WALL);

		if (pid == t->pid)
			break;
		if (pid < 0 && errno != EINTR)
			return -errno;
		if (turn < 200)
			sched_yield();
		else if (now_ms() > end)
			return -ETIMEDOUT;
		else
			nanosleep(&pause, NULL);
	}
	if (!WIFSTOPPED(*status))
		t->pid = 0;
	return 0;
}

int tracee_start(struct tracee *t, const struct tracee_options *options, struct err *err)
{
	pid_t parent = getpid();
	int status, step, ret;

	*t = (struct tracee){ .pid = fork() };
	if (t->pid < 0)
		return err_set(err, -errno, "cannot start a process: %s", strerror(errno));
	if (!t->pid)
		child_run(options, parent);
	ret = tracee_wait(t, &status);
	if (!ret && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP &&
	    !ptrace(PTRACE_SETOPTIONS, t->pid, NULL, PTRACE_O_EXITKILL))
		return tracee_regs_get(t->pid, &t->home);
	tracee_end(t);
	step = !ret && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	if (step < STEP_TRACE || step > STEP_EXEC)
		step = STEP_TRACE;
	return err_set(err, -ENOTSUP, "%s: %s", options->argv[0], step_failed[step]);
}

void tracee_end(struct tracee *t)
{
	int status;

	if (t->pid <= 0)
		return;
	kill(t->pid, SIGKILL);
	while (waitpid(t->pid, &status, __WALL) == t->pid ? WIFSTOPPED(status) : errno == EINTR)
		;
	t->pid = 0;
}

int tracee_break_at(struct tracee *t, uint64_t addr)
{
	return tracee_regs_break(t->pid, addr);
}

/* Lets it run until a signal stops it, and reads where. */
static int run(struct tracee *t, struct user_regs_struct *regs, int *signal)
{
	int status, ret;

	if (t->pid <= 0)
		return -EFAULT;
	if (ptrace(PTRACE_CONT, t->pid, NULL, 0))
		return -EFAULT;
	ret = tracee_wait(t, &status);
	if (ret)
		return ret;
	if (!WIFSTOPPED(status))
		return -EFAULT;
	*signal = WSTOPSIG(status);
	return tracee_regs_get(t->pid, regs);
}

int tracee_run_to(struct tracee *t, uint64_t addr)
{
	int signal, ret = run(t, &t->home, &signal);

	if (ret)
		return ret;
	if (signal != SIGTRAP || tracee_regs_at_break(&t->home) != addr)
		return -EFAULT;
	return 0;
}

int tracee_peek(struct tracee *t, uint64_t addr, uint64_t *word)
{
	return tracee_regs_peek(t->pid, addr, word);
}

int tracee_return(struct tracee *t)
{
	int ret = tracee_regs_return(t->pid, &t->home);

	return ret ? ret : tracee_regs_set(t->pid, &t->home);
}

int tracee_call_resolver(struct tracee *t, uint64_t addr, uint64_t *result)
{
	struct user_regs_struct regs = t->home;
	int signal, ret;

	if (t->pid <= 0)
		return -EFAULT;
	ret = tracee_regs_call(t->pid, &regs, addr);
	if (!ret)
		ret = tracee_regs_set(t->pid, &regs);
	if (!ret)
		ret = run(t, &regs, &signal);
	if (ret)
		return ret;
	/* the return address is 0, where nothing can be mapped: that fault is the return */
	if (signal != SIGSEGV || tracee_regs_pc(&regs))
		return -EFAULT;
	*result = tracee_regs_result(&regs);
	return 0;
}
