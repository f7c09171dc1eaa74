// SPDX-License-Identifier: BSD-2-Clause
/* The protocol of sd_notify(3): lines in a datagram, descriptors beside it. */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "systemd.h"

/* SD_LISTEN_FDS_START: descriptors are passed from here on. */
#define FIRST_FD 3
/* More would be a mistake: the kernel allows no process so many by default. */
#define MAX_FDS	     (1 << 20)
#define FDNAME_MAX   255
#define SEND_SECONDS 1
#define WAIT_MS	     2000
#define USEC	     1000ULL /* ns */

static const char *const variables[] = { "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID",
					 "LISTEN_PIDFDID", "LISTEN_FDS", "LISTEN_FDNAMES", "FDSTORE" };

/* --- what the environment says --- */

/* Returns false unless the variable is a decimal number up to max. */
static bool get_number(const char *name, uint64_t max, uint64_t *value)
{
	const char *text = getenv(name);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end && *value <= max;
}

/* A path, or "@NAME" for an abstract socket. */
static int read_notify(struct systemd *systemd)
{
	const char *text = getenv("NOTIFY_SOCKET");
	size_t n = text ? strlen(text) : 0;

	if (!n)
		return 0;
	if ((*text != '/' && *text != '@') || n < 2 || n >= sizeof(systemd->notify.sun_path))
		return -EINVAL;
	systemd->notify.sun_family = AF_UNIX;
	memcpy(systemd->notify.sun_path, text, n);
	/* The name of an abstract socket is as long as the address says, without a NUL at its end. */
	systemd->notify_size = offsetof(struct sockaddr_un, sun_path) + n + (*text == '/');
	if (*text == '@')
		systemd->notify.sun_path[0] = '\0';
	return 0;
}

static void read_watchdog(struct systemd *systemd)
{
	uint64_t usec, pid;

	systemd->watchdog_next = UINT64_MAX;
	if (!get_number("WATCHDOG_USEC", UINT64_MAX / USEC - 1, &usec) || !usec)
		return;
	if (getenv("WATCHDOG_PID") && (!get_number("WATCHDOG_PID", INT32_MAX, &pid) || pid != (uint64_t)getpid()))
		return;
	systemd->watchdog_ns = usec * USEC / 2;
	systemd->watchdog_next = clock_monotonic_ns() + systemd->watchdog_ns;
}

/* Takes the next name of "a:b:c". The caller frees it. */
static char *take_name(const char **names)
{
	size_t n = *names ? strcspn(*names, ":") : 0;
	char *name = n ? base_strndup(*names, n) : base_strdup("unknown");

	if (*names)
		*names = (*names)[n] ? *names + n + 1 : NULL;
	return name;
}

static int claim_fds(struct systemd *systemd)
{
	const char *names = getenv("LISTEN_FDNAMES");
	uint64_t pid, n;

	if (!get_number("LISTEN_PID", INT32_MAX, &pid) || pid != (uint64_t)getpid())
		return 0;
	if (!get_number("LISTEN_FDS", MAX_FDS, &n))
		return 0;
	for (int fd = FIRST_FD; fd < FIRST_FD + (int)n; fd++) {
		if (fcntl(fd, F_SETFD, FD_CLOEXEC))
			return -errno;
		*vec_push(systemd) = (struct systemd_fd){ fd, take_name(&names) };
	}
	return 0;
}

int systemd_begin(struct systemd *systemd)
{
	int ret, claimed;

	*systemd = (struct systemd){};
	ret = read_notify(systemd);
	read_watchdog(systemd);
	claimed = claim_fds(systemd);
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
	return ret ? ret : claimed;
}

void systemd_release(struct systemd *systemd)
{
	vec_each(passed, systemd) {
		if (passed->fd >= 0)
			close(passed->fd);
		free(passed->name);
	}
	free(systemd->v);
	*systemd = (struct systemd){};
}

/* --- messages --- */

/* Sends text and, unless it is -1, a descriptor. */
static int send_lines(struct systemd *systemd, const struct str *text, int fd)
{
	int s __close = -1, flags = MSG_NOSIGNAL | (systemd->hangs ? MSG_DONTWAIT : 0), ret;
	struct timeval patience = { .tv_sec = SEND_SECONDS };
	struct iovec data = { text->data, text->len };
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct msghdr message = {
		.msg_name = (void *)&systemd->notify,
		.msg_namelen = systemd->notify_size,
		.msg_iov = &data,
		.msg_iovlen = 1,
	};

	if (!systemd->notify_size)
		return 0;
	s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s < 0)
		return -errno;
	setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (fd >= 0) {
		control.header = (struct cmsghdr){ CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	ret = sendmsg(s, &message, flags) < 0 ? -errno : 0;
	systemd->hangs = ret == -EAGAIN;
	return ret;
}

int systemd_notify(struct systemd *systemd, const char *fmt, ...)
{
	__str struct str text = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&text, fmt, ap);
	va_end(ap);
	return send_lines(systemd, &text, -1);
}

int systemd_reloading(struct systemd *systemd)
{
	return systemd_notify(systemd, "RELOADING=1\nMONOTONIC_USEC=%llu",
			      (unsigned long long)(clock_monotonic_ns() / USEC));
}

int systemd_status(struct systemd *systemd, const char *text)
{
	__str struct str line = {};

	str_add_shown(&line, text, strlen(text));
	return systemd_notify(systemd, "STATUS=%s", str_or_empty(line.data));
}

static bool is_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	return n && n <= FDNAME_MAX && !name[n];
}

int systemd_store(struct systemd *systemd, const char *name, int fd)
{
	__str struct str text = {};

	if (!is_name(name))
		return -EINVAL;
	str_addf(&text, "FDSTORE=1\nFDNAME=%s\nFDPOLL=0", name);
	return send_lines(systemd, &text, fd);
}

int systemd_unstore(struct systemd *systemd, const char *name)
{
	return is_name(name) ? systemd_notify(systemd, "FDSTOREREMOVE=1\nFDNAME=%s", name) : -EINVAL;
}

/* The manager closes the descriptor that comes with it when it has handled the messages before. */
void systemd_wait(struct systemd *systemd)
{
	static const char barrier[] = "BARRIER=1";
	const struct str text = { .data = (char *)barrier, .len = sizeof(barrier) - 1 };
	struct pollfd poll_end = {};
	int ends[2], ret;

	if (!systemd->notify_size || systemd->is_slow || pipe2(ends, O_CLOEXEC))
		return;
	ret = send_lines(systemd, &text, ends[1]);
	close(ends[1]);
	poll_end.fd = ends[0];
	systemd->is_slow = ret || !poll(&poll_end, 1, WAIT_MS);
	close(ends[0]);
}

void systemd_watchdog(struct systemd *systemd, uint64_t now)
{
	if (!systemd->watchdog_ns || now < systemd->watchdog_next)
		return;
	systemd_notify(systemd, "WATCHDOG=1");
	systemd->watchdog_next = now + systemd->watchdog_ns;
}
