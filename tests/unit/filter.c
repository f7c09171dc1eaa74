// SPDX-License-Identifier: BSD-2-Clause
/* The filter options and their errors. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/process.h"
#include "engine/filter.h"
#include "run/filter_parse.h"

static struct filter filter;
static struct err err;
static int cgroup;

static int parse(struct run_options options)
{
	memset(&filter, 0, sizeof(filter));
	memset(&err, 0, sizeof(err));
	cgroup = -1;
	return filter_parse(&filter, &options, false, &cgroup, &err);
}

/* The id of a process that has ended. */
static pid_t nobody(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* That nothing can be opened is no answer. */
Test(filter, has_ended)
{
	struct rlimit most, none;
	bool ended;
	pid_t zombie = fork();
	siginfo_t info;

	if (!zombie)
		_exit(0);
	waitid(P_PID, zombie, &info, WEXITED | WNOWAIT);
	cr_expect(process_has_ended(nobody()));
	cr_expect(process_has_ended(zombie));
	cr_expect_not(process_has_ended(getpid()));
	getrlimit(RLIMIT_NOFILE, &most);
	none = (struct rlimit){ 0, most.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	ended = process_has_ended(getpid()) || process_has_ended(zombie);
	cr_expect_eq(parse((struct run_options){ .pid = getpid() }), -EMFILE);
	cr_expect_eq(parse((struct run_options){ .tid = getpid() }), -EMFILE);
	cr_expect_eq(filter_check_parent(getpid(), &err), -EMFILE);
	setrlimit(RLIMIT_NOFILE, &most);
	cr_expect_not(ended);
	cr_expect(strstr(err.text, "cannot read /proc/"), "%s", err.text);
}

/* What /proc says of us, of a thread, and of a process that is none. */
Test(filter, asks)
{
	struct process_task task;

	cr_expect_eq(process_ask(getpid(), &task), 0);
	cr_expect(task.process == (uint32_t)getpid() && task.parent == (uint32_t)getppid() && task.threads);
	cr_expect_neq(task.state, 'Z');
	cr_expect_eq(process_of(getpid()), getpid());
	cr_expect_eq(process_ask(nobody(), &task), -ESRCH);
	cr_expect_eq(process_of(nobody()), 0);
}

Test(filter, nothing_asked_for)
{
	static const struct filter none;

	cr_expect_eq(parse((struct run_options){}), 0);
	cr_expect_arr_eq(&filter, &none, sizeof(none));
}

Test(filter, command)
{
	cr_expect_eq(filter_parse(&filter, &(struct run_options){}, true, &cgroup, &err), 0);
	cr_expect(filter.any);
	cr_expect(filter.by_members);
}

Test(filter, pid)
{
	cr_expect_eq(parse((struct run_options){ .pid = getpid() }), 0);
	cr_expect(filter.any);
	cr_expect(filter.by_tgid);
	cr_expect_not(filter.by_tid);
	cr_expect_eq(filter.tgid, getpid());
	cr_expect_eq(parse((struct run_options){ .pid = nobody() }), -ESRCH);
	cr_expect(strstr(err.text, "there is no process "), "%s", err.text);
	cr_expect_eq(parse((struct run_options){ .tid = nobody() }), -ESRCH);
	cr_expect(strstr(err.text, "there is no thread "), "%s", err.text);
}

static void *ask_as_thread(void *ctx)
{
	pid_t tid = syscall(SYS_gettid);
	__free char *want = base_printf("%d is a thread of process %d: use --tid %d, or -p %d", tid, getpid(),
					tid, getpid());

	cr_expect_eq(parse((struct run_options){ .pid = tid }), -ESRCH);
	cr_expect_str_eq(err.text, want);
	cr_expect_eq(parse((struct run_options){ .tid = tid }), 0);
	cr_expect(filter.by_tid);
	cr_expect_not(filter.by_tgid);
	cr_expect_eq(filter.tid, tid);
	return NULL;
}

Test(filter, threads)
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, ask_as_thread, NULL), 0);
	pthread_join(thread, NULL);
}

/* A process that has ended has an id until its parent has asked for its status. */
Test(filter, zombie)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(0);
	cr_expect_not(process_has_ended(getpid()));
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	cr_expect(process_has_ended(pid));
	cr_expect_eq(parse((struct run_options){ .pid = pid }), -ESRCH);
	cr_expect(strstr(err.text, " has ended: its parent has not asked for its status yet"), "%s", err.text);
	cr_expect_eq(parse((struct run_options){ .tid = pid }), -ESRCH);
	cr_expect(strstr(err.text, " has ended"), "%s", err.text);
	waitpid(pid, NULL, 0);
	cr_expect(process_has_ended(pid));
}

Test(filter, uid)
{
	cr_expect_eq(parse((struct run_options){ .uid = "root" }), 0);
	cr_expect(filter.any);
	cr_expect(filter.by_uid);
	cr_expect_eq(filter.uid, 0);
	cr_expect_eq(parse((struct run_options){ .uid = "4294967294" }), 0);
	cr_expect_eq(filter.uid, 4294967294);
	cr_expect_eq(parse((struct run_options){ .uid = "no such user" }), -EINVAL);
	cr_expect_str_eq(err.text, "no user 'no such user' in /etc/passwd");
	/* (uid_t)-1 is no user, and more does not fit */
	cr_expect_eq(parse((struct run_options){ .uid = "4294967295" }), -EINVAL);
	cr_expect_eq(parse((struct run_options){ .uid = "4294967296" }), -EINVAL);
	cr_expect_eq(parse((struct run_options){ .uid = "-1" }), -EINVAL);
	cr_expect_eq(parse((struct run_options){ .uid = "" }), -EINVAL);
}

Test(filter, cpu)
{
	cr_expect_eq(parse((struct run_options){ .cpu_text = "0" }), 0);
	cr_expect(filter.any);
	cr_expect(filter.by_cpu);
	cr_expect_eq(filter.cpu, 0);
	cr_expect_eq(parse((struct run_options){ .cpu_text = "1x" }), -EINVAL);
	cr_expect_str_eq(err.text, "--cpu takes a number, not '1x'");
	cr_expect_eq(parse((struct run_options){ .cpu_text = "100000" }), -ENOENT);
	cr_expect(strstr(err.text, "there is no processor 100000: the highest number is "), "%s", err.text);
	cr_expect_eq(parse((struct run_options){ .cpu_text = "18446744073709551616" }), -EINVAL);
}

/* The kernel's names end with a NUL, at 15 bytes. */
Test(filter, comm)
{
	cr_expect_eq(parse((struct run_options){ .comm = "sh" }), 0);
	cr_expect(filter.any);
	cr_expect(filter.by_comm);
	cr_expect_arr_eq(filter.comm, "sh\0\0\0\0\0\0\0\0\0\0\0\0\0", FILTER_COMM_LEN);
	cr_expect_eq(parse((struct run_options){ .comm = "a-name-that-is-too-long" }), 0);
	cr_expect_arr_eq(filter.comm, "a-name-that-is-", FILTER_COMM_LEN);
	cr_expect_eq(parse((struct run_options){ .comm = "fifteen letters" }), 0);
	cr_expect_arr_eq(filter.comm, "fifteen letters", FILTER_COMM_LEN);
}

/* Without cgroup v2, too, the error names the cgroup or says why. */
Test(filter, cgroup)
{
	cr_expect_lt(parse((struct run_options){ .cgroup = "/no/such/group" }), 0);
	cr_expect(strstr(err.text, "/no/such/group") || strstr(err.text, "--cgroup"), "%s", err.text);
	cr_expect_lt(cgroup, 0);
	cr_expect_lt(parse((struct run_options){ .cgroup = "/proc" }), 0);
	cr_expect(strstr(err.text, "/proc") || strstr(err.text, "--cgroup"), "%s", err.text);
}
