// SPDX-License-Identifier: BSD-2-Clause
/* The families of generic netlink, whose numbers this kernel has given them: it is asked once, when one is met. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/clock.h"
#include "netlink_part.h"

#define MOST_FAMILIES 128
#define ANSWER_SIZE   16384
#define PATIENCE_NS   (100 * NS_PER_MS)
#define REAP_MS	      50

static struct {
	unsigned int id;
	char name[GENL_NAMSIZ];
} families[MOST_FAMILIES];
static size_t n_families;

/*
 * The kernel answers within send() and recv(), and waits there, deaf to SIGKILL, for whoever holds its lock: a module
 * that is being loaded, say. So a child asks, which holds no descriptor of ours. Only system calls are safe in it.
 */
static void __attribute__((noreturn)) child_run(int out, pid_t parent)
{
	static char answer[ANSWER_SIZE] __attribute__((aligned(8)));
	const struct {
		struct nlmsghdr head;
		struct genlmsghdr command;
	} message = {
		{ .nlmsg_len = sizeof(message), .nlmsg_type = GENL_ID_CTRL, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		{ .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
	};
	ssize_t n;
	int fd;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || dup2(out, 0) ||
	    syscall(SYS_close_range, 1, ~0U, 0))
		_exit(1);
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (fd < 0 || send(fd, &message, sizeof(message), 0) != sizeof(message))
		_exit(1);
	while ((n = recv(fd, answer, sizeof(answer), 0)) > 0 && send(0, answer, n, MSG_NOSIGNAL) == n)
		;
	_exit(0);
}

/* The attributes of one family, in n bytes. */
static void add_family(const char *bytes, size_t n)
{
	unsigned int id = 0;
	const char *name = NULL;
	struct nlattr attribute;

	while (n >= sizeof(attribute) && n_families < MOST_FAMILIES) {
		size_t len, used;

		memcpy(&attribute, bytes, sizeof(attribute));
		len = attribute.nla_len;
		if (len < sizeof(attribute) || len > n)
			break;
		if (attribute.nla_type == CTRL_ATTR_FAMILY_ID && len >= sizeof(attribute) + sizeof(uint16_t))
			id = *(const uint16_t *)(bytes + sizeof(attribute));
		if (attribute.nla_type == CTRL_ATTR_FAMILY_NAME && len > sizeof(attribute) && !bytes[len - 1])
			name = bytes + sizeof(attribute);
		used = NLA_ALIGN(len) < n ? NLA_ALIGN(len) : n;
		bytes += used;
		n -= used;
	}
	if (!id || !name)
		return;
	families[n_families].id = id;
	snprintf(families[n_families++].name, GENL_NAMSIZ, "%s", name);
}

/* Returns whether more messages come. */
static bool add_answer(const char *bytes, size_t n)
{
	while (n >= sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr)) {
		const struct nlmsghdr *head = (const void *)bytes;
		size_t len = head->nlmsg_len, begin = NLMSG_HDRLEN + GENL_HDRLEN, used;

		if (head->nlmsg_type != GENL_ID_CTRL || len < begin || len > n)
			return false;
		add_family(bytes + begin, len - begin);
		used = NLMSG_ALIGN(len) < n ? NLMSG_ALIGN(len) : n;
		bytes += used;
		n -= used;
	}
	return true;
}

/* Takes what the child sends, until there is no more or the time is over. */
static void take_answers(int in)
{
	__free char *answer = base_alloc(ANSWER_SIZE);
	uint64_t until = clock_monotonic_ns() + PATIENCE_NS, now;
	struct pollfd more = { .fd = in, .events = POLLIN };
	ssize_t n;

	while ((now = clock_monotonic_ns()) < until) {
		if (poll(&more, 1, (int)((until - now) / NS_PER_MS) + 1) <= 0)
			continue;
		n = recv(in, answer, ANSWER_SIZE, MSG_DONTWAIT);
		if (n <= 0 || !add_answer(answer, n))
			break;
	}
}

/* The child that has not ended yet; 0: there is none. */
static pid_t unreaped;

void strace_netlink_reap(void)
{
	if (unreaped && waitpid(unreaped, NULL, WNOHANG))
		unreaped = 0;
}

/* It ends at once, but for one that waits for the lock: that is reaped later. */
static void reap(pid_t child)
{
	int pidfd __close = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	/* without a pidfd (-1), poll() only waits */
	poll(&ended, 1, REAP_MS);
	unreaped = child;
	strace_netlink_reap();
}

static void ask(void)
{
	pid_t child, parent = getpid();
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return;
	child = fork();
	if (!child)
		child_run(sockets[1], parent);
	close(sockets[1]);
	if (child > 0) {
		take_answers(sockets[0]);
		/* where ends of children are ignored, its number may be another process's now */
		if (!waitpid(child, NULL, WNOHANG)) {
			kill(child, SIGKILL);
			reap(child);
		}
	}
	close(sockets[0]);
}

void strace_netlink_ask(void)
{
	static bool asked;

	if (!asked)
		ask();
	asked = true;
}

const char *netlink_family(unsigned int id)
{
	strace_netlink_ask();
	for (size_t i = 0; i < n_families; i++)
		if (families[i].id == id)
			return families[i].name;
	return NULL;
}
