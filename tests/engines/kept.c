// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counters that go on while nobody of ours runs: an engine is opened in a process, which hands its descriptors to us
 * and is killed; the next one adopts them. Meanwhile a workload calls what is counted, and counts its calls itself.
 *
 *	kept RESTARTS ENGINE MECHANISM SPEC	ENGINE: count, latency, syscalls, script (SPEC is the program)
 *
 * SPEC "alpha" is a function of this program; "getpgid" in a spec is the system call that the workload makes. Prints
 * "ok" and what it has done, or what is wrong, and exits with 1.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <bpf/bpf.h>

#include "attach/keep.h"
#include "base/file_limit.h"
#include "base/report.h"
#include "counted.h"
#include "fail.h"
#include "setup.h"

#define LINE	 "a line of the configuration"
#define WORKLOAD "keptload"

/* --- the workload --- */

__attribute__((noipa)) void kept_alpha(void)
{
	__asm__ volatile("");
}

static struct shared {
	uint64_t calls;
	bool pause;
} * shared;
static int resume[2], paused[2];

static void work(void)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, WORKLOAD);
	for (;;) {
		if (__atomic_load_n(&shared->pause, __ATOMIC_ACQUIRE) &&
		    (write(paused[1], "", 1) != 1 || read(resume[0], &byte, 1) != 1))
			_exit(0);
		kept_alpha();
		syscall(SYS_getpgid, 0);
		__atomic_store_n(&shared->calls, shared->calls + 1, __ATOMIC_RELEASE);
	}
}

static uint64_t calls(void)
{
	return __atomic_load_n(&shared->calls, __ATOMIC_ACQUIRE);
}

/* Returns when the workload stands still. */
static void wait_paused(void)
{
	char byte;

	__atomic_store_n(&shared->pause, true, __ATOMIC_RELEASE);
	if (read(paused[0], &byte, 1) != 1)
		fail("the workload has ended");
}

static void go_on(void)
{
	__atomic_store_n(&shared->pause, false, __ATOMIC_RELEASE);
	if (write(resume[1], "", 1) != 1)
		fail("the workload has ended");
}

/* It stands still at first. */
static void start_workload(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->pause = true;
	if (pipe(resume) || pipe(paused))
		exit(1);
	if (!fork())
		work();
	wait_paused();
}

static void wait_calls(uint64_t more)
{
	for (uint64_t end = calls() + more; calls() < end;)
		syscall(SYS_sched_yield);
}

/* --- an engine --- */

struct wanted {
	const char *engine, *mechanism, *line, *spec, *comm;
};

struct opened {
	struct keep *keep;
	struct counted counted;
};

static int open_engine(struct opened *opened, const struct wanted *wanted, struct err *err)
{
	struct counted *counted = &opened->counted;

	counted_choose(counted, wanted->engine);
	counted->metrics = (struct engine_metrics){ .max_keys = 128, .keep = opened->keep };
	return counted_open(counted, wanted->mechanism, (const char **)&wanted->spec, wanted->comm, err);
}

/*
 * Hits that the kernel skipped. A preemptible kernel preempts a program on a tracepoint and skips its hits meanwhile,
 * of whatever task, so some of them may be the workload's.
 */
static uint64_t missed(const struct counted *counted)
{
	const struct attach *attach;
	uint64_t sum = 0;

	for (size_t n = 0; (attach = counted->engine->attachment(&counted->instance, n)); n++)
		sum += counted_missed(attach);
	return sum;
}

struct answer {
	uint64_t counted, missed;
};

/* --- a process of ours, which is killed --- */

struct message {
	bool last, adopted;
	struct keep_history history;
	enum keep_kind kind;
	uint64_t id;
};

static void send_fd(int to, const struct message *message, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { (void *)message, sizeof(*message) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	if (sendmsg(to, &msg, MSG_NOSIGNAL) < 0)
		exit(1);
}

/* Opens the engine with what was kept; from nothing if that does not fit. */
static bool open_kept(struct opened *opened, const struct wanted *wanted, const int *fds, size_t n,
		      struct keep_history *history)
{
	struct err err = {};
	bool adopted;
	int ret;

	opened->keep = keep_new(wanted->line);
	adopted = !keep_offer(opened->keep, fds, n, history);
	ret = open_engine(opened, wanted, &err);
	if (ret == -ESTALE) {
		report_line("%s", err.text);
		adopted = false;
		counted_close(&opened->counted);
		ret = open_engine(opened, wanted, &err);
	}
	if (ret)
		fail("%s", err.text);
	if (adopted != keep_is_adopted(opened->keep))
		fail("adopted or not?");
	return adopted;
}

static void serve(int to, const struct wanted *wanted, const int *fds, size_t n)
{
	struct opened opened = {};
	struct message message = {};
	struct keep_fds list = {};
	struct err err = {};
	char byte;

	message.adopted = open_kept(&opened, wanted, fds, n, &message.history);
	message.history.created_ns++;
	if (keep_describe(opened.keep, &message.history, &list, &err))
		fail("%s", err.text);
	vec_each(fd, &list) {
		message.last = fd == &list.v[list.n - 1];
		message.kind = fd->kind;
		message.id = fd->id;
		send_fd(to, &message, fd->fd);
	}
	free(list.v);
	while (read(to, &byte, 1) == 1) {
		struct answer answer = { counted_total(&opened.counted).calls, missed(&opened.counted) };

		if (write(to, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	counted_close(&opened.counted);
	keep_free(opened.keep);
	exit(0);
}

/* --- the store --- */

struct kept {
	vec(int) fds;
	struct message last;
};

struct process {
	pid_t pid;
	int socket;
};

static struct process start(const struct wanted *wanted, const struct kept *kept)
{
	struct process process;
	int sockets[2];

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		exit(1);
	process.pid = fork();
	if (!process.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		serve(sockets[1], wanted, kept->fds.v, kept->fds.n);
	}
	close(sockets[1]);
	process.socket = sockets[0];
	return process;
}

/* Returns when the process is gone, and all that only it has held. */
static void end(struct process *process, int signal)
{
	close(process->socket);
	if (signal)
		kill(process->pid, signal);
	waitpid(process->pid, NULL, 0);
}

static bool receive_fd(int from, struct message *message, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { message, sizeof(*message) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) != sizeof(*message) || !CMSG_FIRSTHDR(&msg))
		return false;
	memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(*fd));
	return true;
}

static void forget(struct kept *kept)
{
	vec_each(fd, &kept->fds)
		close(*fd);
	free(kept->fds.v);
	*kept = (struct kept){};
}

/* Replaces what is kept by what the process sends. */
static void receive(const struct process *process, struct kept *kept)
{
	struct kept next = {};

	do {
		int fd;

		if (!receive_fd(process->socket, &next.last, &fd))
			fail("the process has ended before it was armed");
		*vec_push(&next.fds) = fd;
	} while (!next.last.last);
	forget(kept);
	*kept = next;
}

static struct answer ask(const struct process *process)
{
	struct answer answer = {};

	if (write(process->socket, "", 1) != 1 || read(process->socket, &answer, sizeof(answer)) != sizeof(answer))
		fail("the process has ended");
	return answer;
}

/* --- restarts --- */

static void restart(const struct wanted *wanted, unsigned restarts)
{
	struct kept kept = {};
	struct process process = start(wanted, &kept);
	struct answer answer;
	uint64_t created;

	receive(&process, &kept);
	if (kept.last.adopted)
		fail("adopted from nothing");
	go_on();
	for (unsigned i = 0; i < restarts; i++) {
		wait_calls(rand() % 1000);
		end(&process, SIGKILL);
		wait_calls(1 + rand() % 1000);
		process = start(wanted, &kept);
		/* each third is killed while it is opening, or soon after */
		if (i % 3 == 2) {
			wait_calls(rand() % 1000);
			continue;
		}
		created = kept.last.history.created_ns;
		receive(&process, &kept);
		if (!kept.last.adopted)
			fail("not adopted");
		if (kept.last.history.created_ns != created + 1)
			fail("another history");
	}
	if (restarts && restarts % 3 == 0)
		receive(&process, &kept);
	wait_paused();
	answer = ask(&process);
	/* in the rows of some engines are the skipped hits, too */
	if (answer.counted > calls() || answer.counted + answer.missed < calls())
		fail("counted %llu of %llu calls, missed %llu", (unsigned long long)answer.counted,
		     (unsigned long long)calls(), (unsigned long long)answer.missed);
	end(&process, 0);
	forget(&kept);
	printf("ok, %u restarts, %llu calls\n", restarts, (unsigned long long)calls());
}

int main(int argc, char **argv)
{
	struct wanted wanted = { .line = LINE, .comm = WORKLOAD };
	__free char *alpha = NULL;

	report_set_name("kept");
	if (argc < 2)
		return 2;
	srand(getpid());
	file_limit_raise();
	start_workload();
	if (argc != 5)
		return 2;
	wanted.engine = argv[2];
	wanted.mechanism = argv[3];
	alpha = setup_spec("kept_alpha");
	wanted.spec = strcmp(argv[4], "alpha") ? argv[4] : alpha;
	restart(&wanted, atoi(argv[1]));
	return 0;
}
