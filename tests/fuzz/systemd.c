// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes what a service manager passes: the variables, the descriptors from 3 on, and what is sent back. 0xff separates
 * the variables; the last piece is text for the manager.
 */
#include <sys/socket.h>
#include <sys/un.h>

#include "run/systemd.h"
#include "fuzz.h"

/* Descriptors that are passed, and where our own are out of their way. */
#define FIRST  3
#define PASSED 4
#define OURS   100

static const char *const names[] = { "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID", "NOTIFY_SOCKET" };

static int manager; /* receives what we send */
static char *manager_path;

static void begin(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	fuzz_make_root();
	manager_path = fuzz_full_path("/notify");
	strcpy(un.sun_path, manager_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&un, sizeof(un)))
		abort();
	manager = fcntl(fd, F_DUPFD_CLOEXEC, OURS);
	close(fd);
}

static void pass_descriptors(void)
{
	int fd = open("/dev/null", O_RDONLY), ours = fcntl(fd, F_DUPFD, OURS);

	close(fd);
	for (int i = 0; i < PASSED; i++)
		if (dup2(ours, FIRST + i) < 0)
			abort();
	close(ours);
}

static void set_variable(const char *name, struct fuzz_piece piece)
{
	char *text __free = base_strndup((const char *)piece.data, piece.size);

	setenv(name, text, 1);
}

/* Each descriptor is ours alone, and has a name that is one name. */
static void check_descriptors(const struct systemd *systemd)
{
	vec_each(passed, systemd) {
		if (!(fcntl(passed->fd, F_GETFD) & FD_CLOEXEC) || strchr(passed->name, ':'))
			abort();
		fuzz_look(passed->name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (getenv(names[i]))
			abort();
}

/* A message has so many lines, whatever is in the text. */
static void check_message(int lines)
{
	char message[65536];
	ssize_t n = recv(manager, message, sizeof(message), 0);

	for (ssize_t i = 0; i < n; i++)
		lines -= message[i] == '\n';
	if (n > 0 && lines != 1)
		abort();
}

static void talk(struct fuzz_piece piece)
{
	char *text __free = base_strndup((const char *)piece.data, piece.size);
	struct systemd systemd;

	setenv("NOTIFY_SOCKET", manager_path, 1);
	if (systemd_begin(&systemd))
		abort();
	systemd_status(&systemd, text);
	check_message(1);
	systemd_store(&systemd, text, manager);
	check_message(3);
	systemd_unstore(&systemd, text);
	check_message(2);
	systemd_release(&systemd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *pid __free = base_printf("%d", getpid());
	struct systemd systemd;

	if (!manager_path)
		begin();
	pass_descriptors();
	setenv("LISTEN_PID", pid, 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		set_variable(names[i], fuzz_next_piece(&data, &size));
	systemd_begin(&systemd);
	check_descriptors(&systemd);
	systemd_release(&systemd);
	talk((struct fuzz_piece){ data, size });
	return 0;
}
