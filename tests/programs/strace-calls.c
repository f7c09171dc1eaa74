// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes system calls whose lines are known, for the test of `sonde strace`. With a number it makes that many calls of
 * getppid, with "hostile" calls whose structs have impossible lengths, with "untouched" calls that fill memory in, with "unix" calls with a socket that has a name,
 * with "rename", "setuid" and "execute" one that makes another of it, with "reboot" one that ends its process.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/reboot.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_signal(int number)
{
}

/* A text of n bytes, the last of which is the last one of a page, with nothing behind it, and no NUL. */
static char *at_edge(size_t n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory + page, page);
	memset(memory + page - n, 'x', n);
	return memory + page - n;
}

static void make_calls(void)
{
	struct sockaddr_un address = { AF_UNIX, "/nowhere" };
	struct iovec vectors[] = { { "one", 3 }, { "two\n", 4 } };
	struct pollfd fds = { .fd = -1 };
	struct sigaction action = { .sa_handler = on_signal };
	char text[64], **variables = (void *)at_edge(2 * sizeof(*variables));
	int ends[2], fd;

	fd = open("/nowhere/at\tall", O_RDWR | O_CREAT | O_EXCL, 0640);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	write(fd, "a text that is longer than thirty-two bytes", 43);
	write(fd, "\0011\0018\"\\\n", 7);
	writev(fd, vectors, 2);
	close(fd);
	syscall(SYS_pipe2, ends, O_CLOEXEC);
	write(ends[1], "abc", 3);
	read(ends[0], text, sizeof(text));
	fcntl(ends[0], F_GETFL);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	close(-1);
	syscall(SYS_mkdirat, AT_FDCWD, at_edge(4), 0700);
	syscall(SYS_mkdirat, AT_FDCWD, at_edge(4096), 0700);
	variables[0] = variables[1] = "a=b";
	execve("/nowhere", (char *[]){ "a", NULL }, variables);
	syscall(SYS_mkdirat, AT_FDCWD, (char *)16, 0700);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	connect(fd, (void *)&address, sizeof(address.sun_family) + strlen(address.sun_path) + 1);
	poll(&fds, 1, 0);
	syscall(SYS_kill, getpid(), 0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	syscall(999, 1, 2, 3);
	if (!fork())
		_exit(5);
	wait4(-1, &fd, 0, NULL);
}

/* What is behind a length is as large as the tracer may copy. */
static void lie(void)
{
	static const unsigned long lengths[] = { -1UL, -16UL, 0, 15, 1UL << 40 };
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cmsghdr *head = (void *)page;
	struct msghdr message = { .msg_control = page, .msg_controllen = 64 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (int at = 0; at < 64; at += 16)
			*(struct cmsghdr *)(page + at) = (struct cmsghdr){ lengths[i], SOL_SOCKET, SCM_RIGHTS };
		sendmsg(-1, &message, 0);
		head->cmsg_len = 24;
		sendmsg(-1, &message, 0);
	}
	for (unsigned int size = -8U; size; size++) {
		memcpy(page, &size, sizeof(size));
		syscall(SYS_open_by_handle_at, AT_FDCWD, page, 0);
	}
}

/* A name without a file, which nothing has to remove. */
static void name_socket(void)
{
	struct sockaddr_un address = { AF_UNIX, "\0sonde-name" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	bind(fd, (void *)&address, sizeof(address.sun_family) + 11);
	listen(fd, 5);
	close(fd);
}

/* What a call fills in is in memory that nobody has touched before, and may not be read behind that. */
static void fill_untouched(void)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
	} request = { { sizeof(request), RTM_GETLINK, NLM_F_REQUEST, 7, 0 }, { .ifi_index = 1 } };
	size_t size = 1 << 20;
	char *memory = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec vectors[] = { { memory, size }, { memory + size, size } };
	struct msghdr message = { .msg_iov = vectors, .msg_iovlen = 2 };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), ends[2];

	send(fd, &request, sizeof(request), 0);
	recvmsg(fd, &message, 0);
	request.head.nlmsg_len = 4000;
	request.link.ifi_index = 0x7fffffff;
	send(fd, &request, sizeof(request), 0);
	madvise(memory, 2 * size, MADV_DONTNEED);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	send(ends[0], "some bytes", 10, 0);
	readv(ends[1], vectors, 2);
}

static void rename_thread(void)
{
	prctl(PR_SET_NAME, "elsewhere");
	syscall(SYS_getppid);
}

static void become_user(void)
{
	syscall(SYS_setuid, 1);
	syscall(SYS_getppid);
}

/* The program gets another name. */
static void execute(void)
{
	execl("/proc/self/exe", "another", "1", NULL);
}

/* The first process of a namespace ends in the call, and nothing else does. */
static void reboot(void)
{
	long child = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);

	if (!child && getpid() == 1)
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART, 0);
	if (!child)
		_exit(9);
	waitpid(child, NULL, 0);
}

static const struct {
	const char *word;
	void (*make)(void);
} modes[] = {
	{ "hostile", lie },
	{ "untouched", fill_untouched },
	{ "unix", name_socket },
	{ "rename", rename_thread },
	{ "setuid", become_user },
	{ "execute", execute },
	{ "reboot", reboot },
};

int main(int argc, char **argv)
{
	if (argc < 2) {
		make_calls();
		return 3;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].word))
			modes[i].make();
	for (int n = atoi(argv[1]); n > 0; n--)
		syscall(SYS_getppid);
	return 3;
}
