// SPDX-License-Identifier: BSD-2-Clause
/* Messages of netlink: what they say, and lengths in them that are wrong. */
#include <criterion/criterion.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "strace/netlink_part.h"
#include "strace/strace_part.h"

/* The first family is that which says what others there are. */
Test(strace_netlink, families)
{
	cr_assert_str_eq(netlink_family(16), "nlctrl");
	cr_assert_null(netlink_family(0xffff));
}

static struct strace_settings settings = { .size = 32, .column = 0 };
static char bytes[4096];
static size_t used;

static void begin(void)
{
	used = 0;
}

static void add(const void *data, size_t n)
{
	memcpy(bytes + used, data, n);
	used += n;
	while (used % 4)
		bytes[used++] = '\0';
}

/* A header with that length, which need not be true. */
static void add_header(uint32_t len, uint16_t type, uint16_t flags)
{
	add(&(struct nlmsghdr){ len, type, flags, 7, 0 }, sizeof(struct nlmsghdr));
}

static void add_link(void)
{
	add(&(struct ifinfomsg){ .ifi_type = 1, .ifi_index = 0x7fffffff, .ifi_flags = IFF_UP }, sizeof(struct ifinfomsg));
}

static void add_attribute(uint16_t len, uint16_t type, const char *data, size_t n)
{
	char attribute[64];

	memcpy(attribute, &(struct nlattr){ len, type }, sizeof(struct nlattr));
	memcpy(attribute + sizeof(struct nlattr), data, n);
	add(attribute, sizeof(struct nlattr) + n);
}

/* From memory of exactly that size. */
static void expect_of(int protocol, size_t n, bool cut, const char *want)
{
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings };
	struct strace_blob *copy __free = base_alloc(sizeof(*copy) + n);

	*copy = (struct strace_blob){ .n = n, .status = cut ? STRACE_SHORT : STRACE_WHOLE };
	memcpy(copy + 1, bytes, n);
	if (!strace_netlink(&line, protocol, copy, 0x1000, n + cut))
		str_add(&out, "none");
	if (want)
		cr_assert_str_eq(out.data, want);
	/* 4 bytes are an attribute, and not more than a line of text */
	cr_assert_lt(out.len, 200 + n * 64);
}

static void expect(const char *want)
{
	expect_of(NETLINK_ROUTE, used, false, want);
}

static void expect_end(const char *want)
{
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings };

	struct strace_blob *copy __free = base_alloc(sizeof(*copy) + used);

	*copy = (struct strace_blob){ .n = used, .status = STRACE_WHOLE };
	memcpy(copy + 1, bytes, used);
	strace_netlink(&line, NETLINK_ROUTE, copy, 0x1000, used);
	cr_assert(out.len > strlen(want) && !strcmp(out.data + out.len - strlen(want), want), "%s", out.data);
}

#define HEAD(LEN, TYPE, FLAGS) "{nlmsg_len=" LEN ", nlmsg_type=" TYPE ", nlmsg_flags=" FLAGS ", nlmsg_seq=7, nlmsg_pid=0}"
#define LINK		       "{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_ETHER, ifi_index=2147483647, ifi_flags=IFF_UP, ifi_change=0}"

Test(strace_netlink, messages)
{
	begin();
	add_header(40, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP);
	add_link();
	add_attribute(8, IFLA_IFNAME, "eth", 4);
	expect("[" HEAD("40", "RTM_GETLINK", "NLM_F_REQUEST|NLM_F_DUMP") ", " LINK
									 ", [{nla_len=8, nla_type=IFLA_IFNAME}, \"eth\"]]");
	add_header(20, NLMSG_DONE, NLM_F_MULTI);
	add("\377\377\377\377", 4);
	expect("[[" HEAD("40", "RTM_GETLINK", "NLM_F_REQUEST|NLM_F_DUMP") ", " LINK
									  ", [{nla_len=8, nla_type=IFLA_IFNAME}, \"eth\"]], [" HEAD("20", "NLMSG_DONE", "NLM_F_MULTI") ", -1]]");
	expect_of(NETLINK_KOBJECT_UEVENT, used, false, "none");
	expect_of(NETLINK_ROUTE, 0, false, "none");
}

Test(strace_netlink, nested)
{
	begin();
	add_header(60, RTM_NEWLINK, NLM_F_CREATE);
	add_link();
	add_attribute(28, IFLA_LINKINFO, "\11\0\1\0veth\0\0\0\0\14\0\2\0\1\2\3\4\5\6\7\10", 24);
	expect("[" HEAD("60", "RTM_NEWLINK", "NLM_F_CREATE") ", " LINK
							     ", [{nla_len=28, nla_type=IFLA_LINKINFO}, [[{nla_len=9, nla_type=IFLA_INFO_KIND}, \"veth\"], "
							     "[{nla_len=12, nla_type=IFLA_INFO_DATA}, \"\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\"]]]]");
}

/* Numbers of interfaces have names here, and not in a recording of perhaps another machine. */
Test(strace_netlink, interfaces)
{
	char want[200], name[IF_NAMESIZE] = "";

	begin();
	add_header(24, RTM_GETADDR, NLM_F_REQUEST);
	add(&(struct ifaddrmsg){ .ifa_index = 1 }, sizeof(struct ifaddrmsg));
	snprintf(want, sizeof(want), if_indextoname(1, name) ? "ifa_index=if_nametoindex(\"%s\")}]" : "ifa_index=1}]%s", name);
	expect_end(want);
	settings.elsewhere = true;
	expect_end("ifa_index=1}]");
	settings.elsewhere = false;
}

/* With what the kernel says about it. */
Test(strace_netlink, errors)
{
	begin();
	add_header(44, NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS);
	add("\376\377\377\377", 4);
	add_header(200, RTM_GETLINK, NLM_F_REQUEST);
	add_attribute(8, NLMSGERR_ATTR_MSG, "bad", 4);
	expect("[" HEAD("44", "NLMSG_ERROR", "NLM_F_CAPPED|NLM_F_ACK_TLVS") ", [{error=-ENOENT, msg=" HEAD("200", "RTM_GETLINK", "NLM_F_REQUEST") "}, [{nla_len=8, nla_type=NLMSGERR_ATTR_MSG}, \"bad\"]]]");
	/* errors within errors, which say that they are longer */
	begin();
	add_header(200, NLMSG_ERROR, 0);
	add("\376\377\377\377", 4);
	for (int i = 0; i < 50; i++) {
		add_header(4000, NLMSG_ERROR, 0);
		add("\376\377\377\377", 4);
	}
	expect(NULL);
}

Test(strace_netlink, wrong_lengths)
{
	/* more than there is */
	begin();
	add_header(4000, RTM_GETLINK, NLM_F_REQUEST);
	add_link();
	add_attribute(60000, IFLA_IFNAME, "eth", 4);
	expect("[" HEAD("4000", "RTM_GETLINK", "NLM_F_REQUEST") ", " LINK ", [{nla_len=60000, nla_type=IFLA_IFNAME}, \"eth\"]]");
	expect_of(NETLINK_ROUTE, used, true, "...");
	/* less than a header; the length is no way to the next one */
	for (unsigned int len = 0; len < 16; len++) {
		begin();
		add_header(len, RTM_GETLINK, NLM_F_REQUEST);
		add_link();
		expect(NULL);
		begin();
		add_header(4000, RTM_GETLINK, NLM_F_REQUEST);
		add_link();
		add_attribute(len, IFLA_LINKINFO, "\3\0\1\0", 4);
		add_attribute(len, IFLA_IFNAME, "eth", 4);
		expect(NULL);
	}
	begin();
	add("\20\0\0\0", 4);
	expect("\"\\x10\\x00\\x00\\x00\"");
}

/* Each beginning of messages with structs, lists and nested attributes, as if the rest had not been copied, and had. */
Test(strace_netlink, cut_anywhere)
{
	static const uint16_t types[] = { RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWNEIGH, RTM_NEWRULE, RTM_NEWQDISC,
					  RTM_NEWNETCONF, RTM_NEWNEXTHOP, 20 };
	char value[60];

	for (size_t i = 0; i < sizeof(value); i++)
		value[i] = i % 4 == 0 ? 8 : i % 4 == 2 ? (char)(i / 4)
						       : 0;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		begin();
		add_header(3000, types[i], i % 2);
		add("\12\0\0\0\0\0\0\0\0\0\0\0", 12);
		for (unsigned int type = 0; type < 60; type++)
			add_attribute(type % 5 ? 44 : 12, type, value, type % 5 ? 40 : 8);
		for (size_t n = 0; n < used; n++) {
			expect_of(NETLINK_ROUTE, n, n % 2, NULL);
			expect_of(NETLINK_SOCK_DIAG, n, n % 2, NULL);
			expect_of(NETLINK_GENERIC, n, n % 2, NULL);
		}
	}
}
