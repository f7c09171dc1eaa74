// SPDX-License-Identifier: BSD-2-Clause
/* Where a server listens: addresses, paths that are taken, free or left behind, and passed sockets. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "export/listen.h"
#include "run/systemd.h"
#include "timeout.h"

static struct err err;

static int listen_at(struct listeners *listeners, const char *where)
{
	err = (struct err){};
	return listen_add(listeners, where, NULL, &err);
}

/* "http://127.0.0.1:PORT/metrics" -> PORT */
static int port_of(const struct listeners *listeners)
{
	__str struct str s = {};
	const char *colon;
	int port = 0;

	listen_add_names(listeners, &s);
	colon = strrchr(s.data, ':');
	sscanf(colon, ":%d/metrics", &port);
	return port;
}

Test(listen, addresses)
{
	static const char *const good[] = { "127.0.0.1:0", "localhost:0", "0.0.0.0:0", ":0" };
	static const char *const bad[] = {
		"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-1",
		"1.2.3:80", "::1:80", "[::1]", "[::1:80", "[1.2.3.4]:80", "[::1%nothere]:80", "host:9435"
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct listeners listeners = {};

		cr_expect_eq(listen_at(&listeners, good[i]), 0, "%s: %s", good[i], err.text);
		cr_expect_eq(listeners.n, 1);
		cr_expect_gt(port_of(&listeners), 0);
		listen_release(&listeners);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct listeners listeners = {};

		cr_expect_eq(listen_at(&listeners, bad[i]), -EINVAL, "%s", bad[i]);
		cr_expect_eq(listeners.n, 0);
	}
}

Test(listen, v6)
{
	struct listeners listeners = {};
	__str struct str s = {};
	int ret = listen_at(&listeners, "[::1]:0");

	if (ret == -EAFNOSUPPORT || ret == -EADDRNOTAVAIL)
		cr_skip_test("this machine has no IPv6");
	cr_assert_eq(ret, 0, "%s", err.text);
	listen_add_names(&listeners, &s);
	cr_expect(!strncmp(s.data, "http://[::1]:", 13), "%s", s.data);
	listen_release(&listeners);
}

Test(listen, port_is_taken)
{
	struct listeners listeners = {};
	char *where __free = NULL, *expected __free = NULL;

	cr_assert_eq(listen_at(&listeners, "127.0.0.1:0"), 0);
	where = base_printf("127.0.0.1:%d", port_of(&listeners));
	expected = base_printf("cannot listen on %s: another program does", where);
	cr_expect_eq(listen_at(&listeners, where), -EADDRINUSE);
	cr_expect_str_eq(err.text, expected);
	cr_expect_eq(listeners.n, 1);
	listen_release(&listeners);
	cr_expect_eq(listen_at(&listeners, "203.0.113.7:0"), -EADDRNOTAVAIL);
	cr_expect_str_eq(err.text, "cannot listen on 203.0.113.7:0: this machine has no such address");
}

static void make_place(char *dir, char *path, char *where)
{
	cr_assert(mkdtemp(dir));
	sprintf(path, "%s/s", dir);
	sprintf(where, "unix:%s", path);
}

Test(listen, paths)
{
	char dir[] = "/tmp/sonde-listen-XXXXXX", path[64], where[64];
	struct listeners first = {}, second = {};
	__str struct str s = {};
	struct stat st;

	make_place(dir, path, where);
	/* Whatever the umask is, the group may connect and others may not. */
	for (int i = 0; i < 2; i++) {
		listen_release(&first);
		umask(i ? 0 : 077);
		cr_assert_eq(listen_at(&first, where), 0, "%s", err.text);
		cr_expect(!stat(path, &st) && (st.st_mode & 0777) == 0660, "%o", st.st_mode);
	}
	cr_expect_eq(listen_at(&second, where), -EADDRINUSE, "somebody listens there");
	cr_expect(strstr(err.text, "another program"), "%s", err.text);
	listen_add_names(&first, &s);
	cr_expect_str_eq(s.data, where);
	listen_release(&first);
	cr_expect_eq(rmdir(dir), 0, "the file is removed at the end");
}

static void say(int fd)
{
	cr_assert_eq(write(fd, "", 1), 1);
}

static void hear(int fd)
{
	char c;

	cr_assert_eq(read(fd, &c, 1), 1);
}

/*
 * The file of a listener that is gone is replaced: its socket was closed without listen_release(), as SIGKILL does. And
 * that process does not remove what another one has put there.
 */
Test(listen, paths_left_behind, .timeout = TIMEOUT_SECONDS)
{
	char dir[] = "/tmp/sonde-listen-XXXXXX", path[64], where[64];
	struct listeners listeners = {};
	int ours[2], theirs[2], status;
	struct stat st;
	pid_t pid;

	make_place(dir, path, where);
	cr_assert(!pipe(ours) && !pipe(theirs));
	pid = fork();
	if (!pid) {
		bool fine = !listen_at(&listeners, where) && dup2(open("/dev/null", O_RDONLY), listeners.v->fd) >= 0;

		say(theirs[1]);
		hear(ours[0]);
		listen_release(&listeners);
		_exit(!fine);
	}
	hear(theirs[0]);
	cr_expect_eq(listen_at(&listeners, where), 0, "%s", err.text);
	say(ours[1]);
	waitpid(pid, &status, 0);
	cr_expect_eq(status, 0);
	cr_expect_eq(stat(path, &st), 0);
	listen_release(&listeners);
	cr_expect_eq(rmdir(dir), 0);
}

Test(listen, paths_that_are_no_place)
{
	char dir[] = "/tmp/sonde-listen-XXXXXX", path[64], where[64], *longer __free = NULL;
	struct listeners listeners = {};
	struct stat st;

	make_place(dir, path, where);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	cr_expect_eq(listen_at(&listeners, where), -EEXIST);
	cr_expect(strstr(err.text, "not a socket"), "%s", err.text);
	cr_expect_eq(stat(path, &st), 0, "the file is still there");
	unlink(path);
	cr_expect_eq(listen_at(&listeners, "unix:/nowhere/s"), -ENOENT);
	cr_expect_eq(listen_at(&listeners, "unix:"), -EINVAL);
	longer = base_printf("unix:%0108d", 0);
	cr_expect_eq(listen_at(&listeners, longer), -EINVAL);
	rmdir(dir);
}

/* A passed socket's file is the service manager's. */
Test(listen, passed)
{
	char dir[] = "/tmp/sonde-listen-XXXXXX", path[64], where[64];
	struct listeners managers = {}, ours = {};
	struct systemd sd = {};
	int ends[2];
	struct stat st;

	make_place(dir, path, where);
	cr_assert_eq(listen_at(&managers, where), 0);
	cr_assert_eq(listen_at(&managers, "127.0.0.1:0"), 0);
	cr_assert_eq(pipe(ends), 0);
	fcntl(managers.v->fd, F_SETFL, 0);
	*vec_push(&sd) = (struct systemd_fd){ ends[0], base_strdup("kept.m1") };
	*vec_push(&sd) = (struct systemd_fd){ dup(managers.v[0].fd), base_strdup("web") };
	*vec_push(&sd) = (struct systemd_fd){ dup(managers.v[1].fd), base_strdup("other") };
	cr_expect_eq(listen_add(&ours, "fd:nobody", &sd, &err), -ENOENT);
	cr_expect_eq(listen_add(&ours, "fd:kept.m1", &sd, &err), -ENOENT, "a pipe does not listen");
	cr_expect_eq(listen_add(&ours, "fd:web", &sd, &err), 0);
	cr_expect_eq(ours.n, 1);
	cr_expect(fcntl(ours.v->fd, F_GETFL) & O_NONBLOCK, "accept() must not wait");
	cr_expect_eq(listen_add(&ours, "fd:", &sd, &err), 0);
	cr_expect_eq(ours.n, 2, "what is taken is not taken again");
	cr_expect_eq(listen_add(&ours, "fd:", &sd, &err), -ENOENT);
	cr_expect_eq(listen_add(&ours, "fd:", NULL, &err), -ENOENT);
	cr_expect_geq(sd.v[0].fd, 0, "the store's descriptors stay");
	listen_release(&ours);
	cr_expect_eq(stat(path, &st), 0);
	systemd_release(&sd);
	listen_release(&managers);
	close(ends[1]);
	rmdir(dir);
}
