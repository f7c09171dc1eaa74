// SPDX-License-Identifier: BSD-2-Clause
/* Asks programs that serve files, without waiting for ever. Knows nothing of what the files are. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "base/mount.h"
#include "served.h"

/* How often to look for a signal that is blocked because somebody reads it from a descriptor. */
#define LOOK_MS 100

/* What the child sends: an error, or 0 with a descriptor. */
struct answer {
	int error;
	struct iovec part;
	struct msghdr message;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
};

/* fusectl only shows the connections. */
static bool is_served_type(const char *type)
{
	return !strncmp(type, "fuse", 4) && strncmp(type, "fusectl ", 8);
}

/* Asking for a file system that the kernel does not know would load its module. */
static bool has_fusectl(void)
{
	FILE *known __fclose = fopen("/proc/filesystems", "re");
	char *line __free = NULL;
	bool found = false;
	size_t cap = 0;

	while (!found && known && getline(&line, &cap, known) > 0)
		found = !strcmp(line, "nodev\tfusectl\n");
	return found || !known;
}

/* The directory of fusectl, which has an entry for each mount that is served, of all namespaces; or a negative number. */
static int connections(void)
{
	static int fd = -1;
	int denied = 0;

	if (fd < 0 && has_fusectl())
		fd = denied = mount_own("fusectl");
	return fd >= 0 ? fd : denied ? denied
				     : -ENODEV;
}

/*
 * What the mounts of a process say of a device, or with device 0 of any. proc_pid_mountinfo(5):
 * "ID PARENT MAJOR:MINOR ... - TYPE ...".
 */
static bool is_mounted_as(pid_t pid, dev_t device, bool (*is_type)(const char *))
{
	char *path __free = pid ? base_printf("/proc/%d/mountinfo", (int)pid) : base_strdup("/proc/self/mountinfo");
	FILE *mounts __fclose = fopen(path, "re");
	char *line __free = NULL;
	bool is = false;
	size_t cap = 0;

	while (!is && mounts && getline(&line, &cap, mounts) > 0) {
		const char *type = strstr(line, " - ");
		unsigned int found[2];

		if (type && sscanf(line, "%*d %*d %u:%u", &found[0], &found[1]) == 2 &&
		    (!device || makedev(found[0], found[1]) == device))
			is = is_type(type + 3);
	}
	return is;
}

/* By the machine's host, which is trusted: it can stop us anyway. */
static bool is_hosts(const char *type)
{
	return !strncmp(type, "virtiofs ", 9);
}

/* The number of a device in the kernel, which is the name of its entry. */
static bool is_connected(int dir, dev_t device)
{
	char name[32];

	snprintf(name, sizeof(name), "%u", major(device) << 20 | minor(device));
	return !faccessat(dir, name, F_OK, 0);
}

/* A mount may have left its namespace, or be another one's: what fusectl says holds for all. */
bool served_device(pid_t pid, dev_t device)
{
	int dir = device ? connections() : -EINVAL;

	if (dir >= 0)
		return is_connected(dir, device) && !is_mounted_as(pid, device, is_hosts);
	return dir != -ENODEV && is_mounted_as(pid, device, is_served_type);
}

static void prepare(struct answer *answer)
{
	*answer = (struct answer){};
	answer->part = (struct iovec){ &answer->error, sizeof(answer->error) };
	answer->message = (struct msghdr){
		.msg_iov = &answer->part,
		.msg_iovlen = 1,
		.msg_control = &answer->control,
		.msg_controllen = sizeof(answer->control),
	};
}

static void send_answer(int socket, int fd)
{
	struct answer answer;

	prepare(&answer);
	answer.error = fd < 0 ? fd : 0;
	answer.control.header = (struct cmsghdr){ CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(&answer.control.header), &fd, sizeof(fd));
	if (fd < 0)
		answer.message.msg_controllen = 0;
	if (sendmsg(socket, &answer.message, MSG_NOSIGNAL) < 0)
		_exit(1);
}

static int take_answer(int socket)
{
	struct answer answer;
	int fd;

	prepare(&answer);
	if (recvmsg(socket, &answer.message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof(answer.error))
		return -EIO;
	if (answer.error)
		return answer.error;
	if (answer.message.msg_controllen < CMSG_LEN(sizeof(fd)))
		return -EMFILE;
	memcpy(&fd, CMSG_DATA(&answer.control.header), sizeof(fd));
	return fd;
}

/* What the kernel has read once it need not ask for. */
static void read_ends(int fd)
{
	struct stat st;
	char byte;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	if (pread(fd, &byte, 1, 0) == 1 && st.st_size > 1 && pread(fd, &byte, 1, st.st_size - 1) < 0)
		return;
}

/* The parent may have threads: after fork() only system calls are safe. */
static void __attribute__((noreturn)) child_run(int socket, int dir, const char *path, const struct open_how *how,
						pid_t parent)
{
	int fd;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	socket = fcntl(socket, F_DUPFD_CLOEXEC, 3);
	dir = dir < 0 ? dir : fcntl(dir, F_DUPFD_CLOEXEC, 3);
	if (socket < 0 || dup2(socket, 0) || (dir >= 0 && dup2(dir, 1) != 1) ||
	    syscall(SYS_close_range, dir >= 0 ? 2 : 1, ~0U, 0))
		_exit(1);
	fd = (int)syscall(SYS_openat2, dir >= 0 ? 1 : dir, path, how, sizeof(*how));
	fd = fd < 0 ? -errno : fd;
	if (fd >= 0 && !(how->flags & (O_PATH | O_DIRECTORY)))
		read_ends(fd);
	send_answer(0, fd);
	_exit(0);
}

/* A signal that is not blocked interrupts poll(), if it does not end us. */
static bool should_end(void)
{
	static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	sigset_t waits;

	if (sigpending(&waits))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigismember(&waits, ending[i]) == 1)
			return true;
	return false;
}

/* Until the child has ended: closing a file can ask the program as well. */
static int wait_for(pid_t child)
{
	int pidfd __close = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	/* without a pidfd (-1), poll() only waits */
	while (!waitpid(child, NULL, WNOHANG)) {
		if (poll(&ended, 1, LOOK_MS) > 0 || !should_end())
			continue;
		kill(child, SIGKILL);
		return -EINTR;
	}
	return 0;
}

int served_open(int dir, const char *path, const struct open_how *how)
{
	int sockets[2], ret;
	pid_t child, parent = getpid();

	if (should_end())
		return -EINTR;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	child = fork();
	ret = child < 0 ? -errno : 0;
	if (!child)
		child_run(sockets[1], dir, path, how, parent);
	close(sockets[1]);
	if (!ret)
		ret = wait_for(child);
	if (!ret)
		ret = take_answer(sockets[0]);
	close(sockets[0]);
	return ret;
}
