// SPDX-License-Identifier: BSD-2-Clause
/* Values of options of sockets: of setsockopt, which reads them, and of getsockopt, which may fill in a part. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "strace_part.h"
#include "types.h"

#define MOST 256 /* bytes of a value that are copied */

#define LEVEL_RAW     255
#define LEVEL_PACKET  263
#define LEVEL_NETLINK 270

struct option_value {
	const char *bytes;
	size_t n;   /* of them; 0: none that are to be shown */
	size_t all; /* how many there would be */
	unsigned int level, option;
	bool got;			/* by getsockopt */
	const struct strace_blob *code; /* of a filter */
};

static void add_address(struct strace_line *line, unsigned int arg)
{
	strace_address(line->out, strace_arg(line, arg));
}

static int word_at(const struct option_value *v, size_t at)
{
	int word;

	memcpy(&word, v->bytes + at, sizeof(word));
	return word;
}

static void add_hex(struct str *out, const char *bytes, size_t n)
{
	str_addc(out, '"');
	for (size_t i = 0; i < n; i++)
		str_addf(out, "\\x%02x", (unsigned char)bytes[i]);
	str_addc(out, '"');
}

/* The name of the word at a place; returns whether all of it is there. What is there of a part is in hex. */
static bool has_member(struct strace_line *line, const struct option_value *v, size_t at, const char *name)
{
	if (at >= v->n)
		return false;
	str_addf(line->out, "%s%s=", at ? ", " : "", name);
	if (at + sizeof(int) <= v->n)
		return true;
	add_hex(line->out, v->bytes + at, v->n - at);
	return false;
}

static void add_members(struct strace_line *line, const struct option_value *v, const char *const *names, size_t n)
{
	str_addc(line->out, '{');
	for (size_t i = 0; i < n; i++)
		if (has_member(line, v, i * sizeof(int), names[i]))
			str_addf(line->out, "%d", word_at(v, i * sizeof(int)));
	str_addc(line->out, '}');
}

static void add_peer(struct strace_line *line, const struct option_value *v)
{
	str_addc(line->out, '{');
	if (has_member(line, v, 0, "pid"))
		strace_pid(line, word_at(v, 0));
	if (has_member(line, v, 4, "uid"))
		str_add_s64(line->out, word_at(v, 4));
	if (has_member(line, v, 8, "gid"))
		str_add_s64(line->out, word_at(v, 8));
	str_addc(line->out, '}');
}

static void add_ipv4(struct str *out, const char *name, const void *address)
{
	str_addf(out, "%s=", name);
	strace_in_address(out, false, address, 4);
}

static void add_index(struct strace_line *line, const char *name, unsigned int index)
{
	str_addf(line->out, "%s=", name);
	strace_interface(line, index, false);
}

static void add_packet_member(struct strace_line *line, const struct option_value *v)
{
	static const struct strace_words kinds = { "PACKET_MR_", "MULTICAST PROMISC ALLMULTI UNICAST" };
	struct packet_mreq member;
	size_t n;

	memcpy(&member, v->bytes, sizeof(member));
	str_addc(line->out, '{');
	add_index(line, "mr_ifindex", member.mr_ifindex);
	str_add(line->out, ", mr_type=");
	strace_word(line->out, &kinds, member.mr_type);
	str_addf(line->out, ", mr_alen=%u, mr_address=", member.mr_alen);
	n = member.mr_alen < sizeof(member.mr_address) ? member.mr_alen : sizeof(member.mr_address);
	strace_mac(line->out, member.mr_address, n, n);
	str_addc(line->out, '}');
}

/* A bit for each kind of message that is dropped. */
static void add_icmp_filter(struct strace_line *line, const struct option_value *v)
{
	static const struct strace_words kinds = {
		"ICMP_", "ECHOREPLY =3 DEST_UNREACH SOURCE_QUENCH REDIRECT =8 ECHO =11 TIME_EXCEEDED PARAMETERPROB TIMESTAMP "
			 "TIMESTAMPREPLY INFO_REQUEST INFO_REPLY ADDRESS ADDRESSREPLY"
	};
	const char *separator = "";
	uint32_t bits = 0;

	memcpy(&bits, v->bytes, v->n < sizeof(bits) ? v->n : sizeof(bits));
	if (__builtin_popcount(bits) >= 32 * 2 / 3) {
		str_addc(line->out, '~');
		bits = ~bits;
	}
	str_addc(line->out, '[');
	for (unsigned int i = 0; i < 32; i++) {
		if (!(bits >> i & 1))
			continue;
		str_add(line->out, separator);
		strace_word(line->out, &kinds, i);
		separator = " ";
	}
	str_addc(line->out, ']');
}

static void add_groups(struct strace_line *line, const struct option_value *v)
{
	str_addc(line->out, '[');
	for (size_t i = 0; (i + 1) * sizeof(int) <= v->n; i++) {
		if (i >= line->settings->size) {
			str_add(line->out, ", ...");
			break;
		}
		str_addf(line->out, "%s%u", i ? ", " : "", (unsigned int)word_at(v, i * sizeof(int)));
	}
	str_addc(line->out, ']');
}

static void add_multicast(struct strace_line *line, const struct option_value *v)
{
	if (v->level == IPPROTO_IP) {
		add_ipv4(line->out, "{imr_multiaddr", v->bytes);
		add_ipv4(line->out, ", imr_interface", v->bytes + 4);
		str_addc(line->out, '}');
		return;
	}
	str_addc(line->out, '{');
	strace_in6_member(line->out, "ipv6mr_multiaddr", v->bytes);
	add_index(line, ", ipv6mr_interface", word_at(v, 16));
	str_addc(line->out, '}');
}

static void add_group_request(struct strace_line *line, const struct option_value *v)
{
	add_index(line, "{gr_interface", word_at(v, 0));
	str_add(line->out, ", gr_group=");
	strace_sockaddr(line, v->bytes + 8, sizeof(struct sockaddr_storage));
	str_addc(line->out, '}');
}

static void add_rehash(struct strace_line *line, const struct option_value *v)
{
	static const struct strace_words words = { "SOCK_TXREHASH_", "DISABLED ENABLED =255 DEFAULT" };
	int value = word_at(v, 0);

	str_addc(line->out, '[');
	if (!strace_word_if(line->out, &words, (unsigned int)value))
		str_addf(line->out, "%d /* SOCK_TXREHASH_??? */", value);
	str_addc(line->out, ']');
}

static void add_linger(struct strace_line *line, const struct option_value *v)
{
	static const char *const names[] = { "l_onoff", "l_linger" };

	add_members(line, v, names, ARRAY_SIZE(names));
}

static void add_ring(struct strace_line *line, const struct option_value *v)
{
	static const char *const names[] = { "tp_block_size", "tp_block_nr", "tp_frame_size", "tp_frame_nr" };

	str_addc(line->out, '{');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		str_addf(line->out, "%s%s=%u", i ? ", " : "", names[i], (unsigned int)word_at(v, i * sizeof(int)));
	str_addc(line->out, '}');
}

static void add_statistics(struct strace_line *line, const struct option_value *v)
{
	static const char *const names[] = { "tp_packets", "tp_drops", "tp_freeze_q_cnt" };

	add_members(line, v, names, ARRAY_SIZE(names));
}

static void add_filter(struct strace_line *line, const struct option_value *v)
{
	strace_filter(line, v->bytes, v->code, false);
}

/* An option whose value is no number. Shorter ones are an address; exact: longer ones, too. */
static const struct shape {
	unsigned short level, option, least;
	bool exact;
	enum {
		SETS = 1,
		GETS = 2,
		BOTH
	} calls;
	void (*add)(struct strace_line *line, const struct option_value *v);
} shapes[] = {
	{ SOL_SOCKET, SO_LINGER, 8, false, SETS, add_linger },
	{ SOL_SOCKET, SO_LINGER, 1, false, GETS, add_linger },
	{ SOL_SOCKET, SO_PEERCRED, 1, false, GETS, add_peer },
	{ SOL_SOCKET, SO_ATTACH_FILTER, 16, true, SETS, add_filter },
	{ SOL_SOCKET, 51, 16, true, SETS, add_filter }, /* SO_ATTACH_REUSEPORT_CBPF */
	{ SOL_SOCKET, 74, 4, false, BOTH, add_rehash }, /* SO_TXREHASH */
	{ IPPROTO_IP, IP_ADD_MEMBERSHIP, 8, false, SETS, add_multicast },
	{ IPPROTO_IP, IP_DROP_MEMBERSHIP, 8, false, SETS, add_multicast },
	{ IPPROTO_IP, MCAST_JOIN_GROUP, 136, false, SETS, add_group_request },
	{ IPPROTO_IP, MCAST_LEAVE_GROUP, 136, false, SETS, add_group_request },
	{ IPPROTO_IPV6, MCAST_JOIN_GROUP, 136, false, SETS, add_group_request },
	{ IPPROTO_IPV6, MCAST_LEAVE_GROUP, 136, false, SETS, add_group_request },
	{ IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, 20, false, SETS, add_multicast },
	{ IPPROTO_IPV6, IPV6_DROP_MEMBERSHIP, 20, false, SETS, add_multicast },
	{ IPPROTO_IPV6, IPV6_JOIN_ANYCAST, 20, false, SETS, add_multicast },
	{ IPPROTO_IPV6, IPV6_LEAVE_ANYCAST, 20, false, SETS, add_multicast },
	{ LEVEL_RAW, 1, 1, false, BOTH, add_icmp_filter },
	{ LEVEL_PACKET, PACKET_ADD_MEMBERSHIP, 16, true, SETS, add_packet_member },
	{ LEVEL_PACKET, PACKET_DROP_MEMBERSHIP, 16, true, SETS, add_packet_member },
	{ LEVEL_PACKET, PACKET_RX_RING, 16, true, SETS, add_ring },
	{ LEVEL_PACKET, PACKET_TX_RING, 16, true, SETS, add_ring },
	{ LEVEL_PACKET, PACKET_STATISTICS, 1, false, GETS, add_statistics },
	{ LEVEL_NETLINK, 9, 1, false, GETS, add_groups }, /* NETLINK_LIST_MEMBERSHIPS */
};

/* Options whose value is an int, of which more bytes are not shown, and fewer never as text. */
static bool is_int(const struct option_value *v)
{
	static const unsigned char options[] = {
		1,
		2,
		5,
		6,
		7,
		8,
		9,
		10,
		11,
		12,
		14,
		15,
		16,
		18,
		19,
		27,
		29,
		30,
		32,
		33,
		34,
		35,
		36,
		37,
		40,
		41,
		42,
		43,
		44,
		45,
		46,
		49,
		53,
		56,
		60,
		63,
		64,
		65,
		68,
		69,
		70,
		73,
		74,
		75,
	};

	if (v->level == LEVEL_NETLINK)
		return true;
	if (v->level != SOL_SOCKET)
		return false;
	if (v->option == SO_ERROR)
		return v->got;
	return v->option < 256 && memchr(options, v->option, sizeof(options));
}

static void add_int(struct strace_line *line, const struct option_value *v)
{
	char number[16];
	int value = word_at(v, 0);
	const char *name = v->got && v->level == SOL_SOCKET && v->option == SO_ERROR ? strerrorname_np(value) : NULL;

	snprintf(number, sizeof(number), "%d", value);
	str_addc(line->out, '[');
	strace_constant(line->out, number, value ? name : NULL);
	str_addc(line->out, ']');
}

static void add_value(struct strace_line *line, unsigned int arg, const struct option_value *v)
{
	size_t most = line->settings->size;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		const struct shape *shape = &shapes[i];

		if (shape->level != v->level || shape->option != v->option || !(shape->calls & (v->got ? GETS : SETS)))
			continue;
		if (v->got && v->n < shape->least)
			break;
		if (v->n < shape->least || v->all > INT32_MAX || (shape->exact && v->all != shape->least))
			add_address(line, arg);
		else
			shape->add(line, v);
		return;
	}
	if (is_int(v) && v->n >= sizeof(int) && v->all <= INT32_MAX)
		add_int(line, v);
	else if (is_int(v) && v->got)
		add_hex(line->out, v->bytes, v->n);
	else if (is_int(v))
		add_address(line, arg);
	else if (v->all == sizeof(int) && v->n == sizeof(int))
		add_int(line, v);
	else
		strace_text(line, v->bytes, v->n < most ? v->n : most, v->all > v->n || v->n > most);
}

static void print_option_in(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	struct option_value v = {
		.level = strace_arg(line, arg - 2),
		.option = strace_arg(line, arg - 1),
		.code = strace_blob(line, arg, 1, 0),
	};

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD) {
		add_address(line, arg);
		return;
	}
	v.bytes = strace_bytes(blob);
	v.all = (unsigned int)strace_arg(line, arg + 1);
	v.n = blob->n < v.all ? blob->n : v.all;
	add_value(line, arg, &v);
}
const struct strace_type t_option_in = {
	print_option_in,
	.steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 1, MOST), STEP_FILTER(0) },
};

static void print_option_out(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 1, 0) : NULL;
	const int *length = strace_socklen(line, arg + 1, false), *room = strace_socklen(line, arg + 1, true);
	struct option_value v = { .level = strace_arg(line, arg - 2), .option = strace_arg(line, arg - 1), .got = true };

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD || !length || *length <= 0) {
		add_address(line, arg);
		return;
	}
	v.bytes = strace_bytes(blob);
	v.all = *length;
	/* some say how long the value is, and not how much of it they have written */
	if (v.level == LEVEL_NETLINK && room && *room >= 0 && *room < *length)
		v.all = *room;
	v.n = blob->n < v.all ? blob->n : v.all;
	/* of a filter it says how many instructions there are */
	if (v.level == SOL_SOCKET && v.option == SO_ATTACH_FILTER && (!room || *room))
		strace_filter_code(line, strace_blob(line, arg, 2, 0), strace_arg(line, arg), v.all, false);
	else if (v.all && !(v.level == SOL_SOCKET && v.option == SO_ATTACH_FILTER))
		add_value(line, arg, &v);
	else
		add_address(line, arg);
}
const struct strace_type t_option_out = {
	print_option_out,
	.steps = {
		{
			STRACE_BYTES,
			.from = NEXT(1),
			.count_from = STRACE_FROM_NONE,
			.scale = sizeof(int),
			.most = sizeof(int),
			.when = STRACE_IF_OK,
		},
		{
			STRACE_BYTES,
			.from = SELF,
			.count_from = STRACE_FROM_BLOB,
			.scale = 1,
			.most = MOST,
			.when = STRACE_IF_OK,
		},
		{
			STRACE_BYTES,
			.from = SELF,
			.count_from = STRACE_FROM_BLOB,
			.scale = STRACE_FILTER_CODE,
			.most = STRACE_FILTER_MOST,
			.when = STRACE_IF_OK | STRACE_IF_WHOLE,
		},
	},
};
