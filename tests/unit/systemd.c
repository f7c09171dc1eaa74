// SPDX-License-Identifier: BSD-2-Clause
/* A service manager in this process: a socket that reads what we say, and descriptors that it passes. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "run/systemd.h"
#include "timeout.h"

static char text[1024];

/* Binds a manager's socket, at a path or, with "@", in the abstract name space. */
static int manager_open(const char *name)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(un.sun_path, name, strlen(name));
	if (*name == '@')
		un.sun_path[0] = '\0';
	cr_assert_eq(bind(fd, (void *)&un, offsetof(struct sockaddr_un, sun_path) + strlen(name)), 0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

/* Reads a message into text. Returns the descriptor that came with it, or -1. */
static int manager_read(int manager)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int) * 4)];
	} control = {};
	struct iovec data = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(manager, &message, MSG_CMSG_CLOEXEC);
	int fd = -1;

	text[n < 0 ? 0 : n] = '\0';
	if (n >= 0 && CMSG_FIRSTHDR(&message))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static void set_pid(const char *name, pid_t pid)
{
	char *number __free = base_printf("%d", pid);

	setenv(name, number, 1);
}

static void talk(const char *name)
{
	int manager __close = manager_open(name);
	struct systemd sd;

	cr_expect_eq(systemd_begin(&sd), 0);
	cr_expect_eq(getenv("NOTIFY_SOCKET"), NULL, "no child may talk in our name");
	cr_expect_eq(systemd_notify(&sd, "READY=1\nSTATUS=%d lines", 3), 0);
	manager_read(manager);
	cr_expect_str_eq(text, "READY=1\nSTATUS=3 lines");
	cr_expect_eq(systemd_status(&sd, "one\nREADY=0"), 0);
	manager_read(manager);
	cr_expect_str_eq(text, "STATUS=one\\nREADY=0", "a status cannot begin another line");
	systemd_release(&sd);
}

Test(systemd, talks)
{
	char *abstract __free = base_printf("@sonde-test-%d", getpid()), *path __free = base_printf("/tmp%s", abstract);

	talk(abstract);
	path[4] = '/';
	talk(path);
	unlink(path);
}

Test(systemd, reloading)
{
	char *name __free = base_printf("@sonde-reload-%d", getpid());
	int manager __close = manager_open(name);
	unsigned long long usec = 0;
	struct systemd sd;
	uint64_t before, after;

	systemd_begin(&sd);
	before = clock_monotonic_ns() / 1000;
	systemd_reloading(&sd);
	after = clock_monotonic_ns() / 1000;
	manager_read(manager);
	cr_expect_eq(sscanf(text, "RELOADING=1\nMONOTONIC_USEC=%llu", &usec), 1, "%s", text);
	cr_expect(usec >= before && usec <= after, "%s", text);
}

Test(systemd, stores_descriptors)
{
	char *name __free = base_printf("@sonde-store-%d", getpid());
	int manager __close = manager_open(name), ends[2], got __close = -1;
	struct systemd sd;
	struct stat a, b;

	systemd_begin(&sd);
	cr_assert_eq(pipe(ends), 0);
	cr_expect_eq(systemd_store(&sd, "0123abcd.m7", ends[1]), 0);
	got = manager_read(manager);
	cr_expect_str_eq(text, "FDSTORE=1\nFDNAME=0123abcd.m7\nFDPOLL=0");
	cr_assert_geq(got, 0);
	cr_expect(!fstat(got, &a) && !fstat(ends[1], &b) && a.st_ino == b.st_ino);
	cr_expect_eq(systemd_unstore(&sd, "0123abcd.m7"), 0);
	cr_expect_eq(manager_read(manager), -1);
	cr_expect_str_eq(text, "FDSTOREREMOVE=1\nFDNAME=0123abcd.m7");
	cr_expect_eq(systemd_store(&sd, "a:b", ends[1]), -EINVAL);
	cr_expect_eq(systemd_store(&sd, "a\nREADY=1", ends[1]), -EINVAL);
	cr_expect_eq(systemd_store(&sd, "", ends[1]), -EINVAL);
	cr_expect_eq(systemd_unstore(&sd, "*"), -EINVAL);
}

/* The manager reads the barrier after all other messages, and closes its end of the pipe later. */
Test(systemd, waits)
{
	char *name __free = base_printf("@sonde-wait-%d", getpid());
	int manager __close = manager_open(name), read_all[2];
	struct pollfd ready = { .fd = manager, .events = POLLIN };
	struct systemd sd;
	char byte = 0;

	systemd_begin(&sd);
	cr_assert_eq(pipe2(read_all, O_NONBLOCK), 0);
	cr_expect_eq(systemd_unstore(&sd, "a"), 0);
	if (!fork()) {
		int fd = -1;

		manager_read(manager);
		while (fd < 0 && poll(&ready, 1, -1) == 1)
			fd = manager_read(manager);
		byte = !strcmp(text, "BARRIER=1");
		_exit(write(read_all[1], &byte, 1) != 1);
	}
	systemd_wait(&sd);
	cr_expect_eq(read(read_all[0], &byte, 1), 1, "it did not wait");
	cr_expect_eq(byte, 1);
	wait(NULL);
}

/* With a manager that hangs, many lines end after one wait. The second one does not even ask. */
Test(systemd, waits_in_vain_once, .timeout = TIMEOUT_SECONDS)
{
	char *name __free = base_printf("@sonde-slow-%d", getpid());
	int manager __close = manager_open(name);
	struct pollfd ready = { .fd = manager, .events = POLLIN };
	struct systemd sd;

	systemd_begin(&sd);
	systemd_wait(&sd);
	close(manager_read(manager));
	cr_expect_str_eq(text, "BARRIER=1");
	systemd_wait(&sd);
	cr_expect_eq(poll(&ready, 1, 0), 0, "it asked again");
}

/* A manager that does not read: we go on after a second at most, and do not wait again until it reads. */
Test(systemd, manager_hangs, .timeout = TIMEOUT_SECONDS)
{
	char *name __free = base_printf("@sonde-hang-%d", getpid());
	int manager __close = manager_open(name), ret = 0;
	struct systemd sd;

	systemd_begin(&sd);
	for (int i = 0; i < 100000 && !ret; i++)
		ret = systemd_notify(&sd, "STATUS=%d", i);
	cr_expect_eq(ret, -EAGAIN);
	for (int i = 0; i < 1000; i++)
		cr_expect_eq(systemd_unstore(&sd, "name"), -EAGAIN);
	manager_read(manager);
	cr_expect_eq(systemd_notify(&sd, "STATUS=again"), 0);
	cr_expect_not(sd.hangs);
}

Test(systemd, manager_is_gone)
{
	char *name __free = base_printf("@sonde-gone-%d", getpid());
	struct systemd sd;

	close(manager_open(name));
	systemd_begin(&sd);
	cr_expect_eq(systemd_notify(&sd, "READY=1"), -ECONNREFUSED);
}

Test(systemd, without_a_manager)
{
	static const char *const none[] = { NULL, "" }, *const wrong[] = { "x", "/", "@", "vsock:2:1234" };
	struct systemd sd;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		none[i] ? setenv("NOTIFY_SOCKET", none[i], 1) : unsetenv("NOTIFY_SOCKET");
		cr_expect_eq(systemd_begin(&sd), 0);
		cr_expect_eq(systemd_notify(&sd, "READY=1"), 0);
		cr_expect_eq(systemd_store(&sd, "a", 0), 0);
		cr_expect_eq(sd.watchdog_next, UINT64_MAX);
		cr_expect_eq(sd.n, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		setenv("NOTIFY_SOCKET", wrong[i], 1);
		cr_expect_eq(systemd_begin(&sd), -EINVAL, "%s", wrong[i]);
		cr_expect_eq(systemd_notify(&sd, "READY=1"), 0);
	}
}

Test(systemd, watchdog)
{
	char *name __free = base_printf("@sonde-watchdog-%d", getpid());
	int manager __close = manager_open(name);
	struct systemd sd;
	uint64_t begin, next;

	setenv("WATCHDOG_USEC", "3000000", 1);
	set_pid("WATCHDOG_PID", getpid());
	begin = clock_monotonic_ns();
	systemd_begin(&sd);
	next = sd.watchdog_next;
	cr_expect_geq(next, begin + 1500000000);
	systemd_watchdog(&sd, next - 1);
	manager_read(manager);
	cr_expect_str_eq(text, "", "too soon");
	systemd_watchdog(&sd, next);
	manager_read(manager);
	cr_expect_str_eq(text, "WATCHDOG=1");
	cr_expect_eq(sd.watchdog_next, next + 1500000000, "at half of the time that the manager waits");
	/* another process' watchdog */
	setenv("WATCHDOG_USEC", "3000000", 1);
	set_pid("WATCHDOG_PID", 1);
	systemd_begin(&sd);
	cr_expect_eq(sd.watchdog_next, UINT64_MAX);
}

/* In a child of its own, whose descriptors 3 and on are what the manager passes. */
static int in_child(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		for (int fd = 3; fd < 20; fd++)
			dup2(0, fd);
		set_pid("LISTEN_PID", getpid());
		_exit(check());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int check_names(void)
{
	struct systemd sd;

	setenv("LISTEN_FDS", "4", 1);
	setenv("LISTEN_FDNAMES", "web::0123.m7", 1);
	if (systemd_begin(&sd) || sd.n != 4)
		return 1;
	if (strcmp(sd.v[0].name, "web") || strcmp(sd.v[1].name, "unknown") || strcmp(sd.v[2].name, "0123.m7") ||
	    strcmp(sd.v[3].name, "unknown"))
		return 2;
	for (int i = 0; i < 4; i++)
		if (sd.v[i].fd != 3 + i || fcntl(3 + i, F_GETFD) != FD_CLOEXEC)
			return 3;
	if (getenv("LISTEN_FDS") || getenv("LISTEN_PID") || getenv("LISTEN_FDNAMES"))
		return 4;
	sd.v[1].fd = -1;
	systemd_release(&sd);
	if (fcntl(3, F_GETFD) >= 0 || fcntl(4, F_GETFD) < 0 || fcntl(7, F_GETFD) < 0)
		return 5;
	return 0;
}

static int check_others(void)
{
	struct systemd sd;

	setenv("LISTEN_FDS", "2", 1);
	set_pid("LISTEN_PID", getppid());
	return systemd_begin(&sd) || sd.n || fcntl(3, F_GETFD) == FD_CLOEXEC;
}

static int check_lies(void)
{
	static const char *const wrong[] = { "x", "-1", "1x", "", "99999999999999999999999", "2000000" };
	struct systemd sd;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		set_pid("LISTEN_PID", getpid());
		setenv("LISTEN_FDS", wrong[i], 1);
		if (systemd_begin(&sd) || sd.n)
			return 1;
	}
	close(5);
	set_pid("LISTEN_PID", getpid());
	setenv("LISTEN_FDS", "10", 1);
	return systemd_begin(&sd) != -EBADF || sd.n != 2;
}

Test(systemd, passed_descriptors)
{
	cr_expect_eq(in_child(check_names), 0);
	cr_expect_eq(in_child(check_others), 0);
	cr_expect_eq(in_child(check_lies), 0);
}
