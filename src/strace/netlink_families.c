// SPDX-License-Identifier: BSD-2-Clause
/* The families of generic netlink, whose numbers this kernel has given them: it is asked once, when one is met. */
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/base.h"
#include "netlink_part.h"

#define MOST_FAMILIES 128
#define ANSWER_SIZE   16384

static struct {
	unsigned int id;
	char name[GENL_NAMSIZ];
} families[MOST_FAMILIES];
static size_t n_families;

static int ask(void)
{
	const struct {
		struct nlmsghdr head;
		struct genlmsghdr command;
	} message = {
		{ .nlmsg_len = sizeof(message), .nlmsg_type = GENL_ID_CTRL, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		{ .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
	};
	const struct timeval most = { .tv_usec = 100000 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most)) ||
			send(fd, &message, sizeof(message), 0) != sizeof(message))) {
		close(fd);
		fd = -1;
	}
	return fd;
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

const char *netlink_family(unsigned int id)
{
	static bool asked;
	char *answer __free = NULL;
	int fd __close = -1;
	ssize_t n;

	if (!asked) {
		asked = true;
		answer = base_alloc(ANSWER_SIZE);
		fd = ask();
		while (fd >= 0 && (n = recv(fd, answer, ANSWER_SIZE, 0)) > 0 && add_answer(answer, n))
			;
	}
	for (size_t i = 0; i < n_families; i++)
		if (families[i].id == id)
			return families[i].name;
	return NULL;
}
