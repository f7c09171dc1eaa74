// SPDX-License-Identifier: BSD-2-Clause
/* What is behind the header of a message of netlink: a struct by its type, whose members are tables, and attributes. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "netlink_part.h"

WORDS_OF(hardware, "ARPHRD_", "NETROM ETHER EETHER AX25 =32 INFINIBAND =256 SLIP =512 PPP =768 TUNNEL TUNNEL6 =772 "
			      "LOOPBACK =776 SIT =778 IPGRE =801 IEEE80211 =823 IP6GRE =65534 NONE");
WORDS_OF(link_flags, "IFF_", "UP BROADCAST DEBUG LOOPBACK POINTOPOINT NOTRAILERS RUNNING NOARP PROMISC ALLMULTI MASTER "
			     "SLAVE MULTICAST PORTSEL AUTOMEDIA DYNAMIC LOWER_UP DORMANT ECHO");
WORDS_OF(scopes, "RT_SCOPE_", "UNIVERSE =200 SITE =253 LINK HOST NOWHERE");
WORDS_OF(route_kinds, "RTN_", "UNSPEC UNICAST LOCAL BROADCAST ANYCAST MULTICAST BLACKHOLE UNREACHABLE PROHIBIT THROW "
			      "NAT XRESOLVE");
WORDS_OF(route_flags, "RTM_F_", "!RTNH_F_DEAD !RTNH_F_PERVASIVE !RTNH_F_ONLINK !RTNH_F_OFFLOAD !RTNH_F_LINKDOWN "
				"!RTNH_F_UNRESOLVED =0x100 NOTIFY CLONED EQUALIZE PREFIX LOOKUP_TABLE FIB_MATCH "
				"OFFLOAD TRAP");
WORDS_OF(neighbour_states, "NUD_", "INCOMPLETE REACHABLE STALE DELAY PROBE FAILED NOARP PERMANENT");
WORDS_OF(neighbour_flags, "NTF_", "USE SELF MASTER PROXY EXT_LEARNED OFFLOADED STICKY ROUTER");
WORDS_OF(rule_actions, "FR_ACT_", "UNSPEC TO_TBL GOTO NOP =6 BLACKHOLE UNREACHABLE PROHIBIT");
#define TCP_STATES "- ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING"
WORDS_OF(states, "TCP_", TCP_STATES);
WORDS_OF(state_bits, "1<<TCP_", TCP_STATES);
WORDS_OF(unix_shows, "UDIAG_SHOW_", "NAME VFS PEER ICONS RQLEN MEMINFO UID");
WORDS_OF(socket_kinds, "SOCK_", "=1 STREAM DGRAM RAW RDM SEQPACKET DCCP =10 PACKET");
WORDS_OF(rule_flags, "FIB_RULE_", "PERMANENT INVERT UNRESOLVED IIF_DETACHED OIF_DETACHED");
WORDS_OF(hop_flags, "RTNH_F_", "DEAD PERVASIVE ONLINK OFFLOAD LINKDOWN UNRESOLVED TRAP");
WORDS_OF(extensions, "1<<INET_DIAG_", "!1<<(INET_DIAG_MEMINFO-1) !1<<(INET_DIAG_INFO-1) !1<<(INET_DIAG_VEGASINFO-1) "
				      "!1<<(INET_DIAG_CONG-1) !1<<(INET_DIAG_TOS-1) !1<<(INET_DIAG_TCLASS-1) "
				      "!1<<(INET_DIAG_SKMEMINFO-1) !1<<(INET_DIAG_SHUTDOWN-1)");
WORDS_OF(netlinks, "NETLINK_", "ROUTE UNUSED USERSOCK FIREWALL SOCK_DIAG NFLOG XFRM SELINUX ISCSI AUDIT FIB_LOOKUP CONNECTOR "
			       "NETFILTER IP6_FW DNRTMSG KOBJECT_UEVENT GENERIC =18 SCSITRANSPORT ECRYPTFS RDMA CRYPTO SMC "
			       "=255 !NDIAG_PROTO_ALL");
WORDS_OF(netlink_shows, "NDIAG_SHOW_", "MEMINFO GROUPS RING_CFG FLAGS");
WORDS_OF(packet_shows, "PACKET_SHOW_", "INFO MCLIST RING_CFG FANOUT MEMINFO FILTER");

/* A member: a number, in hex, a word, bits, an interface, a state, a socket's ends or its cookie: u, x, w, b, i, n, E, c. */
struct member {
	const char *name;
	unsigned char at, size;
	char how;
	const struct strace_words *words;
};

/* The first member of each struct is a byte: an address family. */
struct payload {
	const char *family;
	size_t size;
	const struct netlink_attributes *attributes;
	const struct member *members; /* one without a name ends them */
};

static const struct payload
	links = { "ifi_family", 16, &netlink_links, (const struct member[]){ { "ifi_type", 2, 2, 'w', &hardware }, { "ifi_index", 4, 4, 'i' }, { "ifi_flags", 8, 4, 'b', &link_flags }, { "ifi_change", 12, 4, 'b', &link_flags }, {} } },
	address = { "ifa_family", 8, &netlink_addresses, (const struct member[]){ { "ifa_prefixlen", 1, 1, 'u' }, { "ifa_flags", 2, 1, 'b', &netlink_address_flags }, { "ifa_scope", 3, 1, 'w', &scopes }, { "ifa_index", 4, 4, 'i' }, {} } },
	route = { "rtm_family", 12, &netlink_routes, (const struct member[]){ { "rtm_dst_len", 1, 1, 'u' }, { "rtm_src_len", 2, 1, 'u' }, { "rtm_tos", 3, 1, 'x' }, { "rtm_table", 4, 1, 'w', &netlink_route_tables }, { "rtm_protocol", 5, 1, 'w', &netlink_route_protocols }, { "rtm_scope", 6, 1, 'w', &scopes }, { "rtm_type", 7, 1, 'w', &route_kinds }, { "rtm_flags", 8, 4, 'b', &route_flags }, {} } },
	neighbour = { "ndm_family", 12, &netlink_neighbours, (const struct member[]){ { "ndm_ifindex", 4, 4, 'i' }, { "ndm_state", 8, 2, 'n', &neighbour_states }, { "ndm_flags", 10, 1, 'b', &neighbour_flags }, { "ndm_type", 11, 1, 'w', &route_kinds }, {} } },
	rule = { "family", 12, &netlink_rules, (const struct member[]){ { "dst_len", 1, 1, 'u' }, { "src_len", 2, 1, 'u' }, { "tos", 3, 1, 'x' }, { "table", 4, 1, 'w', &netlink_route_tables }, { "action", 7, 1, 'w', &rule_actions }, { "flags", 8, 4, 'b', &rule_flags }, {} } },
	traffic = { "tcm_family", 20, &netlink_traffic, (const struct member[]){ { "tcm_ifindex", 4, 4, 'i' }, { "tcm_handle", 8, 4, 'u' }, { "tcm_parent", 12, 4, 'u' }, { "tcm_info", 16, 4, 'u' }, {} } },
	label = { "ifal_family", 12, &netlink_labels, (const struct member[]){ { "ifal_prefixlen", 2, 1, 'u' }, { "ifal_flags", 3, 1, 'u' }, { "ifal_index", 4, 4, 'i' }, { "ifal_seq", 8, 4, 'u' }, {} } },
	hop = { "nh_family", 8, &netlink_hops, (const struct member[]){ { "nh_scope", 1, 1, 'w', &scopes }, { "nh_protocol", 2, 1, 'w', &netlink_route_protocols }, { "nh_flags", 4, 4, 'b', &hop_flags }, {} } },
	conf = { "ncm_family", 1, &netlink_confs }, neighbour_table = { "ndtm_family", 1, &netlink_tables }, space = { "rtgen_family", 1, &netlink_spaces };

static const struct payload
	inet_request = { "sdiag_family", 56, &netlink_inet, (const struct member[]){ { "sdiag_protocol", 1, 1, 'w', &netlink_ip_protocols }, { "idiag_ext", 2, 1, 'b', &extensions }, { "idiag_states", 4, 4, 'b', &state_bits }, { "id", 8, 48, 'E' }, {} } },
	inet_old_request = { "idiag_family", 60, &netlink_inet, (const struct member[]){ { "idiag_src_len", 1, 1, 'u' }, { "idiag_dst_len", 2, 1, 'u' }, { "idiag_ext", 3, 1, 'b', &extensions }, { "id", 4, 48, 'E' }, { "idiag_states", 52, 4, 'b', &state_bits }, { "idiag_dbs", 56, 4, 'u' }, {} } },
	inet_socket = { "idiag_family", 72, &netlink_inet, (const struct member[]){ { "idiag_state", 1, 1, 'w', &states }, { "idiag_timer", 2, 1, 'u' }, { "idiag_retrans", 3, 1, 'u' }, { "id", 4, 48, 'E' }, { "idiag_expires", 52, 4, 'u' }, { "idiag_rqueue", 56, 4, 'u' }, { "idiag_wqueue", 60, 4, 'u' }, { "idiag_uid", 64, 4, 'u' }, { "idiag_inode", 68, 4, 'u' }, {} } },
	unix_request = { "sdiag_family", 24, &netlink_unix, (const struct member[]){ { "sdiag_protocol", 1, 1, 'u' }, { "udiag_states", 4, 4, 'b', &state_bits }, { "udiag_ino", 8, 4, 'u' }, { "udiag_show", 12, 4, 'b', &unix_shows }, { "udiag_cookie", 16, 8, 'c' }, {} } },
	unix_socket = { "udiag_family", 16, &netlink_unix, (const struct member[]){ { "udiag_type", 1, 1, 'w', &socket_kinds }, { "udiag_state", 2, 1, 'w', &states }, { "udiag_ino", 4, 4, 'u' }, { "udiag_cookie", 8, 8, 'c' }, {} } },
	netlink_request = { "sdiag_family", 20, &netlink_netlink, (const struct member[]){ { "sdiag_protocol", 1, 1, 'w', &netlinks }, { "ndiag_ino", 4, 4, 'u' }, { "ndiag_show", 8, 4, 'b', &netlink_shows }, { "ndiag_cookie", 12, 8, 'c' }, {} } },
	netlink_socket = { "ndiag_family", 28, &netlink_netlink, (const struct member[]){ { "ndiag_type", 1, 1, 'w', &socket_kinds }, { "ndiag_protocol", 2, 1, 'w', &netlinks }, { "ndiag_state", 3, 1, 'w', &states }, { "ndiag_portid", 4, 4, 'u' }, { "ndiag_dst_portid", 8, 4, 'u' }, { "ndiag_dst_group", 12, 4, 'u' }, { "ndiag_ino", 16, 4, 'u' }, { "ndiag_cookie", 20, 8, 'c' }, {} } },
	packet_request = { "sdiag_family", 20, NULL, (const struct member[]){ { "sdiag_protocol", 1, 1, 'u' }, { "pdiag_ino", 4, 4, 'u' }, { "pdiag_show", 8, 4, 'b', &packet_shows }, { "pdiag_cookie", 12, 8, 'c' }, {} } };

/* The ends of a socket: struct inet_diag_sockid, whose 48 bytes are there. */
static void add_ends(struct strace_line *line, unsigned int family, struct netlink_bytes id)
{
	struct str *out = line->out;
	char text[2][INET6_ADDRSTRLEN] = {};
	bool wide = family == AF_INET6;

	str_addf(out, "{idiag_sport=htons(%u), idiag_dport=htons(%u), ", ntohs(netlink_number(id, 0, 2)),
		 ntohs(netlink_number(id, 2, 2)));
	for (int i = 0; i < 2; i++)
		inet_ntop(wide ? AF_INET6 : AF_INET, id.v + 4 + i * 16, text[i], sizeof(text[i]));
	str_addf(out,
		 wide ? "inet_pton(AF_INET6, \"%s\", &idiag_src), inet_pton(AF_INET6, \"%s\", &idiag_dst), idiag_if="
		      : "idiag_src=inet_addr(\"%s\"), idiag_dst=inet_addr(\"%s\"), idiag_if=",
		 text[0], text[1]);
	netlink_add_interface(line, netlink_number(id, 36, 4));
	str_addf(out, ", idiag_cookie=[%u, %u]}", (unsigned int)netlink_number(id, 40, 4),
		 (unsigned int)netlink_number(id, 44, 4));
}

/* The struct is there, and so are its members. */
static void add_member(struct strace_line *line, const struct member *member, struct netlink_bytes bytes)
{
	struct str *out = line->out;
	uint64_t value = netlink_number(bytes, member->at, member->size);

	str_addf(out, ", %s=", member->name);
	if (member->how == 'w')
		strace_word(out, member->words, value);
	else if (member->how == 'n' && !value)
		str_add(out, "NUD_NONE");
	else if (member->how == 'b' || member->how == 'n')
		strace_bits(out, member->words, value);
	else if (member->how == 'i')
		netlink_add_interface(line, value);
	else if (member->how == 'E')
		add_ends(line, bytes.v[0], netlink_skip(bytes, member->at));
	else if (member->how == 'c')
		str_addf(out, "[%u, %u]", (unsigned int)value, (unsigned int)(value >> 32));
	else
		str_addf(out, member->how == 'x' ? "%#x" : "%u", (unsigned int)value);
}

static const struct payload *route_payload(unsigned int type, unsigned int family)
{
	static const struct {
		unsigned int type; /* the first of four */
		const struct payload *payload;
	} payloads[] = {
		{ RTM_NEWLINK, &links },
		{ RTM_NEWADDR, &address },
		{ RTM_NEWROUTE, &route },
		{ RTM_NEWNEIGH, &neighbour },
		{ RTM_NEWRULE, &rule },
		{ RTM_NEWQDISC, &traffic },
		{ RTM_NEWTCLASS, &traffic },
		{ RTM_NEWTFILTER, &traffic },
		{ RTM_GETMULTICAST - 2, &address },
		{ RTM_NEWNEIGHTBL, &neighbour_table },
		{ RTM_NEWADDRLABEL, &label },
		{ RTM_NEWNETCONF, &conf },
		{ RTM_NEWNSID, &space },
		{ RTM_NEWNEXTHOP, &hop },
	};

	if (type == RTM_GETNEIGH && family == AF_BRIDGE)
		return &links;
	for (size_t i = 0; i < ARRAY_SIZE(payloads); i++)
		if (type >= payloads[i].type && type < payloads[i].type + 4)
			return payloads[i].payload;
	return NULL;
}

static const struct payload *diag_payload(unsigned int type, bool is_request, unsigned int family)
{
	bool is_old = type < SOCK_DIAG_BY_FAMILY;

	if (family == AF_INET || family == AF_INET6)
		return !is_request ? &inet_socket : is_old ? &inet_old_request
							   : &inet_request;
	if (is_old)
		return NULL;
	if (family == AF_UNIX)
		return is_request ? &unix_request : &unix_socket;
	if (family == AF_NETLINK)
		return is_request ? &netlink_request : &netlink_socket;
	return family == AF_PACKET && is_request ? &packet_request : NULL;
}

/* Of a message whose struct is not known. */
static void add_unknown(struct strace_line *line, struct netlink_bytes bytes)
{
	str_add(line->out, "{family=");
	strace_choice(line->out, &strace_address_families, bytes.v[0]);
	if (bytes.n > 1) {
		str_add(line->out, ", data=");
		netlink_add_hex(line, netlink_skip(bytes, 1));
	}
	str_addc(line->out, '}');
}

void netlink_add_payload(struct strace_line *line, int protocol, unsigned int type, bool is_request,
			 struct netlink_bytes bytes)
{
	const struct payload *payload = protocol == NETLINK_ROUTE ? route_payload(type, bytes.v[0])
								  : diag_payload(type, is_request, bytes.v[0]);
	struct netlink_bytes rest;

	if (!payload || (protocol != NETLINK_ROUTE && bytes.n == 1)) {
		add_unknown(line, bytes);
		return;
	}
	str_addf(line->out, "{%s=", payload->family);
	strace_choice(line->out, &strace_address_families, bytes.v[0]);
	if (bytes.n < payload->size) {
		str_add(line->out, ", ...}");
		return;
	}
	for (size_t i = 0; payload->members && payload->members[i].name; i++)
		add_member(line, &payload->members[i], bytes);
	str_addc(line->out, '}');
	rest = netlink_skip(bytes, netlink_aligned(payload->size));
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	if (payload->attributes)
		netlink_add_attributes(line, payload->attributes, bytes.v[0], rest);
	else
		netlink_add_hex(line, rest);
}
