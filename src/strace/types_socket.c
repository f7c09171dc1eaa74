// SPDX-License-Identifier: BSD-2-Clause
/* Sockets: families, protocols, and where addresses stand. */
#include <arpa/inet.h>
#include <sys/socket.h>

#include "strace_part.h"
#include "types.h"

STRACE_FAMILY(strace_netlink_families, "NETLINK_???", { "NETLINK_ROUTE", 0 }, { "NETLINK_UNUSED", 1 }, { "NETLINK_USERSOCK", 2 }, { "NETLINK_FIREWALL", 3 }, { "NETLINK_SOCK_DIAG", 4 }, { "NETLINK_NFLOG", 5 }, { "NETLINK_XFRM", 6 }, { "NETLINK_SELINUX", 7 }, { "NETLINK_ISCSI", 8 }, { "NETLINK_AUDIT", 9 }, { "NETLINK_FIB_LOOKUP", 10 }, { "NETLINK_CONNECTOR", 11 }, { "NETLINK_NETFILTER", 12 }, { "NETLINK_IP6_FW", 13 }, { "NETLINK_DNRTMSG", 14 }, { "NETLINK_KOBJECT_UEVENT", 15 }, { "NETLINK_GENERIC", 16 }, { "NETLINK_SCSITRANSPORT", 18 }, { "NETLINK_ECRYPTFS", 19 }, { "NETLINK_RDMA", 20 }, { "NETLINK_CRYPTO", 21 }, { "NETLINK_SMC", 22 });
STRACE_FAMILY(strace_address_families, "AF_???", { "AF_UNSPEC", 0 }, { "AF_UNIX", 1 }, { "AF_INET", 2 }, { "AF_AX25", 3 }, { "AF_IPX", 4 }, { "AF_APPLETALK", 5 }, { "AF_NETROM", 6 }, { "AF_BRIDGE", 7 }, { "AF_ATMPVC", 8 }, { "AF_X25", 9 }, { "AF_INET6", 10 }, { "AF_ROSE", 11 }, { "AF_DECnet", 12 }, { "AF_NETBEUI", 13 }, { "AF_SECURITY", 14 }, { "AF_KEY", 15 }, { "AF_NETLINK", 16 }, { "AF_PACKET", 17 }, { "AF_ASH", 18 }, { "AF_ECONET", 19 }, { "AF_ATMSVC", 20 }, { "AF_RDS", 21 }, { "AF_SNA", 22 }, { "AF_IRDA", 23 }, { "AF_PPPOX", 24 }, { "AF_WANPIPE", 25 }, { "AF_LLC", 26 }, { "AF_IB", 27 }, { "AF_MPLS", 28 }, { "AF_CAN", 29 }, { "AF_TIPC", 30 }, { "AF_BLUETOOTH", 31 }, { "AF_IUCV", 32 }, { "AF_RXRPC", 33 }, { "AF_ISDN", 34 }, { "AF_PHONET", 35 }, { "AF_IEEE802154", 36 }, { "AF_CAIF", 37 }, { "AF_ALG", 38 }, { "AF_NFC", 39 }, { "AF_VSOCK", 40 }, { "AF_KCM", 41 }, { "AF_QIPCRTR", 42 }, { "AF_SMC", 43 }, { "AF_XDP", 44 }, { "AF_MCTP", 45 });
CHOICE(t_domain, strace_address_families);

static STRACE_FAMILY(socket_flags, "SOCK_???", { "SOCK_CLOEXEC", SOCK_CLOEXEC }, { "SOCK_NONBLOCK", SOCK_NONBLOCK });
FLAGS(t_accept_flags, socket_flags);

static void print_socket_type(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(types, "SOCK_???", N(SOCK_STREAM), N(SOCK_DGRAM), N(SOCK_RAW), N(SOCK_RDM), N(SOCK_SEQPACKET),
			     N(SOCK_DCCP), N(SOCK_PACKET));
	unsigned int type = strace_arg(line, arg), kind = type & 0xf;

	if (!strace_name_of(&types, kind)) {
		strace_flags(line->out, &socket_flags, type);
		return;
	}
	strace_choice(line->out, &types, kind);
	if (type != kind) {
		str_addc(line->out, '|');
		strace_flags(line->out, &socket_flags, type - kind);
	}
}
const struct strace_type t_socket_type = { print_socket_type };

void strace_ethernet(struct str *out, unsigned int protocol, bool is_number)
{
	static const struct strace_words protocols = {
		"ETH_P_",
		"- 802_3 AX25 ALL 802_2 SNAP DDCMP WAN_PPP PPP_MP LOCALTALK - - CAN CANFD CANXL - PPPTALK TR_802_2 "
		"=21 MOBITEX CONTROL IRDA ECONET HDLC ARCNET DSA TRAILER =96 LOOP =245 PHONET IEEE802154 CAIF XDSA "
		"MAP MCTP =512 PUP PUPAT =1536 802_3_MIN =2048 IP =2053 X25 ARP =2303 BPQ =2560 IEEEPUP IEEEPUPAT "
		"=8939 ERSPAN2 =8944 TSN =17157 BATMAN =24576 DEC DNA_DL DNA_RC DNA_RT LAT DIAG CUST SCA =25944 TEB "
		"=32821 RARP =32923 ATALK =33011 AARP =33024 8021Q =33079 IPX =34525 IPV6 =34824 PAUSE SLOW =34878 "
		"WCCP =34887 MPLS_UC MPLS_MC =34892 ATMMPOA =34915 PPP_DISC PPP_SES =34924 LINK_CTL =34948 ATMFATE "
		"=34958 PAE =34969 REALTEK =34978 AOE =34984 8021AD =34997 802_EX1 =35006 ERSPAN =35015 PREAUTH - - "
		"TIPC - LLDP =35043 MRP - MACSEC - 8021AH =35061 MVRP - 1588 NCSI - - PRP =35074 CFM =35078 FCOE "
		"=35085 TDLS =35092 FIP IBOE - 80221 =35119 HSR =35151 NSH =36864 LOOPBACK =37120 QINQ1 =37376 QINQ2 "
		"=37632 QINQ3 =56026 EDSA DSA_8021Q =57345 DSA_A5PSW =60734 IFE =64507 AF_IUCV"
	};

	const enum strace_style style = strace_style();
	struct str name __str = {}, number __str = {};
	unsigned short swapped = protocol;

	if (is_number) {
		str_add(out, "htons(");
		strace_word(out, &protocols, ntohs(protocol));
		str_addc(out, ')');
		return;
	}
	strace_set_style(STRACE_NAMES);
	strace_word(&name, &protocols, ntohs(protocol));
	strace_set_style(style);
	strace_quoted(&number, &swapped, sizeof(swapped));
	strace_named(out, number.data, "htons(%s)", name.data);
}

#define INET_PROTOCOLS \
	"IP ICMP IGMP - IPIP - TCP - EGP =12 PUP =17 UDP =22 IDP =29 TP =33 DCCP =41 IPV6 - ROUTING FRAGMENT " \
	"- RSVP GRE - - ESP AH =58 ICMPV6 NONE DSTOPTS =92 MTP - BEETPH =98 ENCAP =103 PIM =108 COMP =115 " \
	"L2TP =132 SCTP - - MH UDPLITE MPLS =143 ETHERNET AGGFRAG =255 RAW =262 MPTCP "

#define CAN_PROTOCOLS "- RAW BCM TP16 TP20 MCNET ISOTP J1939"

/* What a protocol is of a family. */
static const struct {
	unsigned short family;
	struct strace_words names;
} protocols[] = {
	{ AF_INET, { "IPPROTO_", INET_PROTOCOLS } },
	{ AF_INET6, { "IPPROTO_", INET_PROTOCOLS } },
	{ AF_NETLINK, { "NETLINK_", "ROUTE UNUSED USERSOCK FIREWALL SOCK_DIAG NFLOG XFRM SELINUX ISCSI AUDIT FIB_LOOKUP CONNECTOR "
				    "NETFILTER IP6_FW DNRTMSG KOBJECT_UEVENT GENERIC - SCSITRANSPORT ECRYPTFS RDMA CRYPTO SMC" } },
	{ AF_IRDA, { "CAN_", CAN_PROTOCOLS } }, /* as strace has it */
	{ AF_CAN, { "CAN_", CAN_PROTOCOLS } },
	{ AF_BLUETOOTH, { "BTPROTO_", "L2CAP HCI SCO RFCOMM BNEP CMTP HIDP AVDTP ISO" } },
	{ AF_ISDN, { "ISDN_P_", "BASE TE_S0 NT_S0 TE_E1 NT_E1 =16 LAPD_TE LAPD_NT =33 B_RAW B_HDLC B_X75SLP B_L2DTMF B_L2DSP B_L2DSPHDLC" } },
	{ AF_PHONET, { "PN_PROTO_", "TRANSPORT PHONET PIPE" } },
	{ AF_CAIF, { "CAIFPROTO_", "AT DATAGRAM DATAGRAM_LOOP UTIL RFM DEBUG" } },
	{ AF_NFC, { "NFC_SOCKPROTO_", "RAW LLCP" } },
	{ AF_KCM, { "KCMPROTO_", "CONNECTED" } },
	{ AF_SMC, { "SMCPROTO_", "SMC SMC6" } },
};

static void print_protocol(struct strace_line *line, unsigned int arg)
{
	/* here with the number, and the name as a comment */
	static const struct strace_words ax25 = { "AX25_P_", "- ROSE =6 VJCOMP VJUNCOMP SEGMENT =195 TEXNET LQ =202 ATALK ATALK_ARP IP ARP FLEXNET NETROM =240 "
							     "TEXT" };
	unsigned int domain = strace_arg(line, 0), protocol = strace_arg(line, arg);
	unsigned long long all = strace_arg(line, arg); /* what has no names is shown with all its bits */

	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++)
		if (protocols[i].family == domain) {
			if (!strace_word_constant(line->out, &protocols[i].names, protocol))
				strace_word(line->out, &protocols[i].names, protocol);
			return;
		}
	if (domain == AF_PACKET) {
		strace_ethernet(line->out, protocol, true);
	} else if (domain == AF_RXRPC) {
		strace_choice(line->out, &strace_address_families, protocol);
	} else if (domain == AF_AX25) {
		str_addf(line->out, "%#llx /* ", all);
		if (!strace_word_if(line->out, &ax25, all))
			str_add(line->out, "AX25_P_???");
		str_add(line->out, " */");
	} else {
		str_add_u64(line->out, all);
	}
}
const struct strace_type t_protocol = { print_protocol };

/* --- addresses --- */

static void print_sockaddr(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);

	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD || blob->n < 2 ||
	    (int)strace_arg(line, arg + 1) < 0)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_sockaddr(line, strace_bytes(blob), blob->n);
}
const struct strace_type t_sockaddr = {
	print_sockaddr,
	.steps = { STEP_ARRAY(NEXT(1), 1, 128) },
};

const int *strace_socklen(struct strace_line *line, unsigned int arg, bool before)
{
	struct strace_line at = *line;
	const struct strace_blob *blob;

	if (before)
		at.exit = NULL;
	if (!at.enter && !at.exit)
		return NULL;
	blob = strace_blob(&at, arg, 0, 0);
	return blob && blob->n >= sizeof(int) && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
}

static void print_sockaddr_out(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;
	const int *room = strace_socklen(line, arg + 1, true), *length = strace_socklen(line, arg + 1, false);
	int n = length ? *length : 0;

	if (room && *room < n)
		n = *room;
	if (!strace_arg(line, arg) || !blob || blob->status == STRACE_UNREAD || n < 2)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_sockaddr(line, strace_bytes(blob), (size_t)n < blob->n ? (size_t)n : blob->n);
}
const struct strace_type t_sockaddr_out = { print_sockaddr_out, .steps = {
									STEP_WRITES(128),
									STEP_WRITES(16),
								} };

static void print_socklen(struct strace_line *line, unsigned int arg)
{
	const int *was = strace_socklen(line, arg, true), *is = strace_socklen(line, arg, false);

	/* without room for the address nobody asks how long it is */
	bool unasked = line->call->args[arg] == &t_socklen && !strace_arg(line, arg - 1);

	if (!strace_arg(line, arg) || unasked || (!was && !is)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	if (was && is && *was != *is && strace_ok(line))
		str_addf(line->out, "[%d => %d]", *was, *is);
	else
		str_addf(line->out, "[%d]", was ? *was : *is);
}
const struct strace_type t_socklen = { print_socklen, .both = true, .steps = { STEP_READS(4) } };

void strace_credentials(struct strace_line *line, const int *v)
{
	str_add(line->out, "{pid=");
	strace_pid(line, v[0]);
	str_addf(line->out, ", uid=%d, gid=%d}", v[1], v[2]);
}
