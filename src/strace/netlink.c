// SPDX-License-Identifier: BSD-2-Clause
/* Messages of netlink: their headers, errors, and how they follow each other. */
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "netlink_part.h"

#define FLAGS_OF_ALL "=1 REQUEST MULTI ACK ECHO DUMP_INTR DUMP_FILTERED "
WORDS_OF(flags_of_get, "NLM_F_", FLAGS_OF_ALL "=0x300 DUMP =0x100 ROOT MATCH ATOMIC");
WORDS_OF(flags_of_new, "NLM_F_", FLAGS_OF_ALL "=0x100 REPLACE EXCL CREATE APPEND");
WORDS_OF(flags_of_del, "NLM_F_", FLAGS_OF_ALL "=0x100 NONREC BULK");
WORDS_OF(flags_of_error, "NLM_F_", FLAGS_OF_ALL "=0x100 CAPPED ACK_TLVS");
WORDS_OF(flags_of_others, "NLM_F_", FLAGS_OF_ALL);

#define HEADER sizeof(struct nlmsghdr)

static void add_message(struct strace_line *line, int protocol, struct netlink_bytes bytes);

/* NETLINK_ROUTE has one kind of message in each four types, those that have no names. */
static const struct strace_words *flags_of(int protocol, unsigned int type, const struct netlink_attribute *name)
{
	bool is_route = protocol == NETLINK_ROUTE && type >= NLMSG_MIN_TYPE && !name->name;

	switch (is_route ? "ndg"[type & 3] : name->value_n ? *name->value
							   : '\0') {
	case 'e':
		return &flags_of_error;
	case 'n':
		return &flags_of_new;
	case 'd':
		return &flags_of_del;
	case 'g':
		return &flags_of_get;
	default:
		return &flags_of_others;
	}
}

/* A family of generic netlink, by the name that this kernel knows; of a recording by its number. False: it has none. */
static bool add_family(struct strace_line *line, unsigned int type, struct netlink_attribute *name)
{
	const char *family = "";
	char number[16];

	if (line->settings->elsewhere || type <= NLMSG_MIN_TYPE)
		return false;
	/* the kernel is not asked for what is not printed */
	if (strace_style() != STRACE_NUMBERS)
		family = netlink_family(type);
	if (!family)
		return false;
	*name = (struct netlink_attribute){ .name_n = 0 };
	snprintf(number, sizeof(number), "%#x", type);
	strace_constant(line->out, number, family);
	return true;
}

/* The name of a message's type, and what the table says of it. Those of NETLINK_NETFILTER have two parts. */
static void add_type(struct strace_line *line, int protocol, unsigned int type, struct netlink_attribute *name)
{
	struct str *out = line->out;
	char table[NETLINK_TABLE];

	if (protocol == NETLINK_GENERIC && add_family(line, type, name))
		return;

	snprintf(table, sizeof(table), type < NLMSG_MIN_TYPE ? "t" : "t%d", protocol);
	if (!netlink_has_table(table))
		snprintf(table, sizeof(table), "t");
	if (protocol != NETLINK_NETFILTER || type < NLMSG_MIN_TYPE) {
		netlink_find_attribute(table, type, name);
		netlink_add_name(out, name, type);
		return;
	}
	if (type == 0x10 || type == 0x11) {
		*name = (struct netlink_attribute){ .name_n = 0 };
		strace_constant(out, type == 0x10 ? "0x10" : "0x11",
				type == 0x10 ? "NFNL_MSG_BATCH_BEGIN" : "NFNL_MSG_BATCH_END");
		return;
	}
	netlink_find_attribute(table, type >> 8, name);
	netlink_add_name(out, name, type >> 8);
	str_add(out, "<<8|");
	snprintf(table, sizeof(table), "t%d.%u", protocol, type >> 8);
	netlink_find_attribute(table, type & 0xff, name);
	netlink_add_name(out, name, type & 0xff);
}

static void add_header(struct strace_line *line, int protocol, struct netlink_bytes bytes)
{
	struct str *out = line->out;
	unsigned int type = netlink_number(bytes, 4, 2);
	struct netlink_attribute name;
	const struct strace_words *flags;

	str_addf(out, "{nlmsg_len=%u, nlmsg_type=", (unsigned int)netlink_number(bytes, 0, 4));
	add_type(line, protocol, type, &name);
	flags = protocol == NETLINK_SOCK_DIAG && type >= NLMSG_MIN_TYPE ? &flags_of_get : flags_of(protocol, type, &name);
	str_add(out, ", nlmsg_flags=");
	strace_bits(out, flags, netlink_number(bytes, 6, 2));
	str_addf(out, ", nlmsg_seq=%u, nlmsg_pid=%d}", (unsigned int)netlink_number(bytes, 8, 4),
		 (int)netlink_number(bytes, 12, 4));
}

/* An error, and the message that caused it: its header, if it is capped; then attributes. */
static void add_error(struct strace_line *line, int protocol, unsigned int flags, struct netlink_bytes bytes)
{
	int error = netlink_number(bytes, 0, 4);
	struct netlink_bytes cause = netlink_skip(bytes, sizeof(error)), rest;
	size_t len = flags & NLM_F_CAPPED ? HEADER : netlink_number(cause, 0, 4);

	rest = netlink_skip(cause, len < HEADER ? HEADER : len);
	cause = netlink_first(cause, cause.n - rest.n);
	str_add(line->out, rest.n ? "[" : "");
	if (error < 0 && error >= -4095 && strerrorname_np(-error) && strace_style() != STRACE_NUMBERS)
		str_addf(line->out, strace_style() == STRACE_NAMES ? "{error=-%1$s, msg=" : "{error=%2$d /* -%1$s */, msg=",
			 strerrorname_np(-error), error);
	else
		str_addf(line->out, "{error=%d, msg=", error);
	add_message(line, protocol, cause);
	str_addc(line->out, '}');
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	netlink_add_attributes(line, "err", 0, rest);
	str_addc(line->out, ']');
}

static void add_content(struct strace_line *line, int protocol, struct netlink_bytes header, struct netlink_bytes bytes)
{
	unsigned int type = netlink_number(header, 4, 2), flags = netlink_number(header, 6, 2);

	if (type == NLMSG_ERROR && bytes.have >= sizeof(struct nlmsgerr))
		add_error(line, protocol, flags, bytes);
	else if (type == NLMSG_DONE && bytes.n == sizeof(int) && bytes.have == bytes.n)
		str_addf(line->out, "%d", (int)netlink_number(bytes, 0, sizeof(int)));
	else if (type < NLMSG_MIN_TYPE)
		netlink_add_hex(line, bytes);
	else
		netlink_add_payload(line, protocol, type, flags & NLM_F_REQUEST, bytes);
}

/* A message says how long it is, and has no more bytes than are there. */
static void add_message(struct strace_line *line, int protocol, struct netlink_bytes bytes)
{
	struct netlink_bytes rest = netlink_skip(netlink_first(bytes, netlink_number(bytes, 0, 4)), HEADER);

	if (bytes.n < HEADER) {
		netlink_add_hex(line, bytes);
		return;
	}
	str_add(line->out, rest.n ? "[" : "");
	add_header(line, protocol, bytes);
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	add_content(line, protocol, bytes, rest);
	str_addc(line->out, ']');
}

static void add_messages(struct strace_line *line, int protocol, struct netlink_bytes bytes, bool cut)
{
	for (size_t i = 0; bytes.n; i++) {
		size_t len = netlink_number(bytes, 0, 4);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size || (cut && (len > bytes.n || bytes.n < HEADER))) {
			str_add(line->out, "...");
			break;
		}
		if (netlink_is_cut(bytes, HEADER)) {
			netlink_add_end(line, bytes, i);
			break;
		}
		add_message(line, protocol, bytes);
		if (len < HEADER)
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
}

bool strace_netlink(struct strace_line *line, int protocol, const struct strace_blob *blob, uint64_t address, uint64_t len)
{
	bool cut = len > blob->n && blob->status != STRACE_EDGE;
	size_t n = cut ? blob->n : len;
	struct netlink_bytes bytes = { strace_bytes(blob), n, n < blob->n ? n : blob->n, address };
	size_t first = netlink_number(bytes, 0, 4);
	bool many = first >= HEADER && netlink_aligned(first) < n;

	if (!n || protocol == NETLINK_KOBJECT_UEVENT || netlink_is_cut(bytes, HEADER))
		return false;
	str_add(line->out, many ? "[" : "");
	add_messages(line, protocol, bytes, cut);
	str_add(line->out, many ? "]" : "");
	return true;
}
