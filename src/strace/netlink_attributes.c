// SPDX-License-Identifier: BSD-2-Clause
/* Attributes of messages of netlink: tables of their names, and of how each one's value is printed. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include "netlink_part.h"

#define TYPE_MASK 0x3fff

/* --- names of attributes, and the kinds of their values, which `simples` and what is below have --- */

const struct netlink_attributes netlink_links = {
	{ "IFLA_",
	  "UNSPEC ADDRESS BROADCAST IFNAME MTU LINK QDISC STATS COST PRIORITY MASTER WIRELESS PROTINFO TXQLEN MAP WEIGHT "
	  "OPERSTATE LINKMODE LINKINFO NET_NS_PID IFALIAS NUM_VF VFINFO_LIST STATS64 VF_PORTS PORT_SELF AF_SPEC GROUP "
	  "NET_NS_FD EXT_MASK PROMISCUITY NUM_TX_QUEUES NUM_RX_QUEUES CARRIER PHYS_PORT_ID CARRIER_CHANGES "
	  "PHYS_SWITCH_ID LINK_NETNSID PHYS_PORT_NAME PROTO_DOWN GSO_MAX_SEGS GSO_MAX_SIZE PAD XDP EVENT NEW_NETNSID "
	  "IF_NETNSID CARRIER_UP_COUNT CARRIER_DOWN_COUNT NEW_IFINDEX MIN_MTU MAX_MTU PROP_LIST ALT_IFNAME "
	  "PERM_ADDRESS PROTO_DOWN_REASON PARENT_DEV_NAME PARENT_DEV_BUS_NAME GRO_MAX_SIZE TSO_MAX_SIZE TSO_MAX_SEGS "
	  "ALLMULTI" },
	"IFLA_???",
	"?llsuus0??u?Ou?ubbLusu?1???uuEuuub?u?dsbuu?K?ddddiuuRsl?ssuuuu",
};
const struct netlink_attributes netlink_addresses = {
	{ "IFA_", "UNSPEC ADDRESS LOCAL LABEL BROADCAST ANYCAST CACHEINFO MULTICAST FLAGS RT_PRIORITY TARGET_NETNSID PROTO" },
	"IFA_???",
	"?aasaa2aFud?",
};
const struct netlink_attributes netlink_routes = {
	{ "RTA_", "UNSPEC DST SRC IIF OIF GATEWAY PRIORITY PREFSRC METRICS MULTIPATH PROTOINFO FLOW CACHEINFO SESSION MP_ALGO "
		  "TABLE MARK MFC_STATS VIA NEWDST PREF ENCAP_TYPE ENCAP EXPIRES PAD UID TTL_PROPAGATE IP_PROTO SPORT DPORT "
		  "NH_ID" },
	"RTA_???",
	"?aaiiauamH?u3??Tu??abw???ub???u",
};
const struct netlink_attributes netlink_neighbours = {
	{ "NDA_", "UNSPEC DST LLADDR CACHEINFO PROBES VLAN PORT VNI IFINDEX MASTER LINK_NETNSID SRC_VNI PROTOCOL NH_ID "
		  "FDB_EXT_ATTRS FLAGS_EXT" },
	"NDA_???",
	"?al4uwhuiiuuPu?v",
};
const struct netlink_attributes netlink_rules = {
	{ "FRA_", "UNSPEC DST SRC IIFNAME GOTO UNUSED2 PRIORITY UNUSED3 UNUSED4 UNUSED5 FWMARK FLOW TUN_ID SUPPRESS_IFGROUP "
		  "SUPPRESS_PREFIXLEN TABLE FWMASK OIFNAME PAD L3MDEV UID_RANGE PROTOCOL IP_PROTO SPORT_RANGE DPORT_RANGE" },
	"FRA_???",
	"?aasu?u???uuBuuTus?bUPIpp",
};
const struct netlink_attributes netlink_inet = {
	{ "INET_DIAG_", "NONE MEMINFO INFO VEGASINFO CONG TOS TCLASS SKMEMINFO SHUTDOWN DCTCPINFO PROTOCOL SKV6ONLY LOCALS PEERS "
			"PAD MARK BBRINFO CLASS_ID MD5SIG ULP_INFO SK_BPF_STORAGES CGROUP_ID SOCKOPT" },
	"INET_DIAG_???",
	"?5??sbbMb?bb???uDu???qo",
};
const struct netlink_attributes netlink_unix = {
	{ "UNIX_DIAG_", "NAME VFS PEER ICONS RQLEN MEMINFO SHUTDOWN UID" },
	"UNIX_DIAG_???",
	"N?u?7Mbu",
};
const struct netlink_attributes netlink_netlink = { { "NETLINK_DIAG_", "MEMINFO GROUPS RX_RING TX_RING FLAGS" },
						    "NETLINK_DIAG_???",
						    "M????" };
const struct netlink_attributes netlink_traffic = {
	{ "TCA_", "UNSPEC KIND OPTIONS STATS XSTATS RATE FCNT STATS2 STAB PAD DUMP_INVISIBLE CHAIN HW_OFFLOAD INGRESS_BLOCK "
		  "EGRESS_BLOCK DUMP_FLAGS" },
	"TCA_???",
	"?s?S???e???ubuu?",
};
const struct netlink_attributes netlink_labels = { { "IFAL_", "- ADDRESS LABEL" }, "IFAL_???", "?au" };
const struct netlink_attributes netlink_confs = {
	{ "NETCONFA_", "UNSPEC IFINDEX FORWARDING RP_FILTER MC_FORWARDING PROXY_NEIGH IGNORE_ROUTES_WITH_LINKDOWN INPUT "
		       "BC_FORWARDING" },
	"NETCONFA_???",
	"?iddddddd",
};
const struct netlink_attributes netlink_tables = {
	{ "NDTA_", "UNSPEC NAME THRESH1 THRESH2 THRESH3 CONFIG PARMS STATS GC_INTERVAL" },
	"NDTA_???",
	"?suuu???q",
};
const struct netlink_attributes netlink_spaces = { { "NETNSA_", "NONE NSID PID FD TARGET_NSID CURRENT_NSID" },
						   "NETNSA_???",
						   "?duudd" };
const struct netlink_attributes netlink_hops = {
	{ "NHA_", "UNSPEC ID GROUP GROUP_TYPE BLACKHOLE OIF GATEWAY ENCAP_TYPE ENCAP GROUPS MASTER FDB RES_GROUP RES_BUCKET" },
	"NHA_???",
	"?u?w?iaw??i???",
};
const struct netlink_attributes netlink_errors = { { "NLMSGERR_ATTR_", "UNUSED MSG OFFS COOKIE POLICY" },
						   "NLMSGERR_ATTR_???",
						   "?suc?" };

/* Within other attributes; none of these is within itself. */
static const struct netlink_attributes link_info = {
	{ "IFLA_INFO_", "UNSPEC KIND DATA XSTATS SLAVE_KIND SLAVE_DATA" },
	"IFLA_INFO_???",
	"?s??s?",
};
static const struct netlink_attributes link_xdp = {
	{ "IFLA_XDP_", "UNSPEC FD ATTACHED FLAGS PROG_ID DRV_PROG_ID SKB_PROG_ID HW_PROG_ID" },
	"IFLA_XDP_???",
	"?dX?uuuu",
};
static const struct netlink_attributes link_properties = { { "IFLA_", "=53 ALT_IFNAME" }, "IFLA_???", "" };
static const struct netlink_attributes link_inet6 = {
	{ "IFLA_INET6_", "UNSPEC FLAGS CONF STATS MCAST CACHEINFO ICMP6STATS TOKEN ADDR_GEN_MODE RA_MTU" },
	"IFLA_INET6_???",
	"?GCY?8Z6Wu",
};
static const struct netlink_attributes metrics = {
	{ "RTAX_", "UNSPEC LOCK MTU WINDOW RTT RTTVAR SSTHRESH CWND ADVMSS REORDERING HOPLIMIT INITCWND FEATURES RTO_MIN "
		   "INITRWND QUICKACK CC_ALGO FASTOPEN_NO_COOKIE" },
	"RTAX_???",
	"??uuuuuuuuuu?uuus?",
};
static const struct netlink_attributes traffic_stats = {
	{ "TCA_STATS_", "UNSPEC BASIC RATE_EST QUEUE APP RATE_EST64 PAD BASIC_HW PKT64" },
	"TCA_STATS_???",
	"?9?Q???9?",
};

static const struct {
	char kind;
	const struct netlink_attributes *attributes;
} nested[] = {
	{ 'L', &link_info },
	{ 'K', &link_xdp },
	{ 'R', &link_properties },
	{ 'm', &metrics },
	{ 'e', &traffic_stats },
};

/* --- numbers and words --- */

const struct strace_words netlink_address_flags = { "IFA_F_", "SECONDARY NODAD OPTIMISTIC DADFAILED HOMEADDRESS DEPRECATED TENTATIVE PERMANENT "
							      "MANAGETEMPADDR NOPREFIXROUTE MCAUTOJOIN STABLE_PRIVACY" };
const struct strace_words netlink_route_tables = { "RT_TABLE_", "UNSPEC =252 COMPAT DEFAULT MAIN LOCAL" };
const struct strace_words netlink_route_protocols = { "RTPROT_", "UNSPEC REDIRECT KERNEL BOOT STATIC =8 GATED RA MRT ZEBRA BIRD DNROUTED XORP NTK DHCP "
								 "MROUTED =42 BABEL =186 BGP ISIS OSPF RIP =192 EIGRP" };
const struct strace_words netlink_ip_protocols = { "IPPROTO_", "IP ICMP =6 TCP =17 UDP =33 DCCP =58 ICMPV6 =132 SCTP =136 UDPLITE =255 RAW =262 "
							       "MPTCP" };
WORDS_OF(filters, "RTEXT_FILTER_", "VF BRVLAN BRVLAN_COMPRESSED SKIP_STATS MRP CFM_CONFIG CFM_STATUS MST");
WORDS_OF(xdp_modes, "XDP_ATTACHED_", "NONE DRV SKB HW MULTI");
WORDS_OF(inet6_flags, "IF_", "=0x10 RS_SENT RA_RCVD RA_MANAGED RA_OTHERCONF =0x80000000 READY");
WORDS_OF(neighbour_more, "NTF_EXT_", "MANAGED LOCKED");
WORDS_OF(generation, "IN6_ADDR_GEN_MODE_", "EUI64 NONE STABLE_PRIVACY RANDOM");

static const struct simple {
	char kind;
	unsigned char size;
	char how; /* a letter of add_number(), or w, b: words, bits */
	const struct strace_words *words;
} simples[] = {
	{ 'u', 4, 'u' },
	{ 'd', 4, 'd' },
	{ 'b', 1, 'u' },
	{ 'w', 2, 'u' },
	{ 'q', 8, 'u' },
	{ 'h', 2, 'h' },
	{ 'B', 8, 'B' },
	{ 'i', 4, 'i' },
	{ 'T', 4, 't', &netlink_route_tables },
	{ 'P', 1, 'w', &netlink_route_protocols },
	{ 'I', 1, 'w', &netlink_ip_protocols },
	{ 'X', 1, 'w', &xdp_modes },
	{ 'W', 1, 'w', &generation },
	{ 'F', 4, 'b', &netlink_address_flags },
	{ 'E', 4, 'b', &filters },
	{ 'G', 4, 'b', &inet6_flags },
	{ 'v', 4, 'b', &neighbour_more },
};

#define STATS "rx_packets tx_packets rx_bytes tx_bytes rx_errors tx_errors rx_dropped tx_dropped multicast collisions " \
	      "rx_length_errors rx_over_errors rx_crc_errors rx_frame_errors rx_fifo_errors rx_missed_errors " \
	      "tx_aborted_errors tx_carrier_errors tx_fifo_errors tx_heartbeat_errors tx_window_errors rx_compressed " \
	      "tx_compressed rx_nohandler rx_otherhost_dropped"

/* Structs of numbers: the first one, and the others; the first `least` members are always there. */
static const struct numbers {
	char kind;
	unsigned char first, size, least;
	const char *members;
} structs[] = {
	{ '0', 4, 4, 23, STATS },
	{ '1', 8, 8, 23, STATS },
	{ '2', 4, 4, 4, "ifa_prefered ifa_valid cstamp tstamp" },
	{ '3', 4, 4, 8, "rta_clntref rta_lastuse rta_expires rta_error rta_used rta_id rta_ts rta_tsage" },
	{ '4', 4, 4, 4, "ndm_confirmed ndm_used ndm_updated ndm_refcnt" },
	{ '5', 4, 4, 4, "idiag_rmem idiag_wmem idiag_fmem idiag_tmem" },
	{ 'D', 4, 4, 5, "bbr_bw_lo bbr_bw_hi bbr_min_rtt bbr_pacing_gain bbr_cwnd_gain" },
	{ '7', 4, 4, 2, "udiag_rqueue udiag_wqueue" },
	{ '8', 4, 4, 4, "max_reasm_len tstamp reachable_time retrans_time" },
	{ '9', 8, 4, 2, "bytes packets" },
	{ 'Q', 4, 4, 5, "qlen backlog drops requeues overlimits" },
	{ 'S', 8, 4, 8, "bytes packets drops overlimits bps pps qlen backlog" },
	{ 'U', 4, 4, 2, "start end" },
	{ 'p', 2, 2, 2, "start end" },
};

/* Arrays of numbers whose indices have names. */
static const struct list {
	char kind;
	unsigned char size;
	bool is_signed;
	struct strace_words names;
} lists[] = {
	{ 'M', 4, false, { "SK_MEMINFO_", "RMEM_ALLOC RCVBUF WMEM_ALLOC SNDBUF FWD_ALLOC WMEM_QUEUED OPTMEM BACKLOG DROPS" } },
	{ 'C', 4, true, { "DEVCONF_", "FORWARDING HOPLIMIT MTU6 ACCEPT_RA ACCEPT_REDIRECTS AUTOCONF DAD_TRANSMITS RTR_SOLICITS "
				      "RTR_SOLICIT_INTERVAL RTR_SOLICIT_DELAY USE_TEMPADDR TEMP_VALID_LFT TEMP_PREFERED_LFT "
				      "REGEN_MAX_RETRY MAX_DESYNC_FACTOR MAX_ADDRESSES FORCE_MLD_VERSION ACCEPT_RA_DEFRTR "
				      "ACCEPT_RA_PINFO ACCEPT_RA_RTR_PREF RTR_PROBE_INTERVAL ACCEPT_RA_RT_INFO_MAX_PLEN PROXY_NDP "
				      "OPTIMISTIC_DAD ACCEPT_SOURCE_ROUTE MC_FORWARDING DISABLE_IPV6 ACCEPT_DAD FORCE_TLLAO "
				      "NDISC_NOTIFY MLDV1_UNSOLICITED_REPORT_INTERVAL MLDV2_UNSOLICITED_REPORT_INTERVAL "
				      "SUPPRESS_FRAG_NDISC ACCEPT_RA_FROM_LOCAL USE_OPTIMISTIC ACCEPT_RA_MTU STABLE_SECRET "
				      "USE_OIF_ADDRS_ONLY ACCEPT_RA_MIN_HOP_LIMIT IGNORE_ROUTES_WITH_LINKDOWN "
				      "DROP_UNICAST_IN_L2_MULTICAST DROP_UNSOLICITED_NA KEEP_ADDR_ON_DOWN RTR_SOLICIT_MAX_INTERVAL "
				      "SEG6_ENABLED SEG6_REQUIRE_HMAC ENHANCED_DAD ADDR_GEN_MODE DISABLE_POLICY "
				      "ACCEPT_RA_RT_INFO_MIN_PLEN NDISC_TCLASS RPL_SEG_ENABLED RA_DEFRTR_METRIC IOAM6_ENABLED IOAM6_ID "
				      "IOAM6_ID_WIDE NDISC_EVICT_NOCARRIER ACCEPT_UNTRACKED_NA" } },
	{ 'Y', 8, false, { "IPSTATS_MIB_", "NUM INPKTS INOCTETS INDELIVERS OUTFORWDATAGRAMS OUTPKTS OUTOCTETS INHDRERRORS INTOOBIGERRORS "
					   "INNOROUTES INADDRERRORS INUNKNOWNPROTOS INTRUNCATEDPKTS INDISCARDS OUTDISCARDS OUTNOROUTES "
					   "REASMTIMEOUT REASMREQDS REASMOKS REASMFAILS FRAGOKS FRAGFAILS FRAGCREATES INMCASTPKTS "
					   "OUTMCASTPKTS INBCASTPKTS OUTBCASTPKTS INMCASTOCTETS OUTMCASTOCTETS INBCASTOCTETS OUTBCASTOCTETS "
					   "CSUMERRORS NOECTPKTS ECT1PKTS ECT0PKTS CEPKTS REASM_OVERLAPS" } },
	{ 'Z', 8, false, { "ICMP6_MIB_", "NUM INMSGS INERRORS OUTMSGS OUTERRORS CSUMERRORS" } },
};

void netlink_add_hex(struct strace_line *line, struct netlink_bytes bytes)
{
	size_t n = bytes.n < line->settings->size ? bytes.n : line->settings->size;

	str_addc(line->out, '"');
	for (size_t i = 0; i < n; i++)
		str_addf(line->out, "\\x%02x", bytes.v[i]);
	str_add(line->out, n < bytes.n ? "\"..." : "\"");
}

void netlink_add_interface(struct strace_line *line, unsigned int index)
{
	char name[IF_NAMESIZE];

	if (index && !line->settings->elsewhere && if_indextoname(index, name))
		str_addf(line->out, "if_nametoindex(\"%s\")", name);
	else
		str_addf(line->out, "%u", index);
}

static void add_number(struct strace_line *line, char how, uint64_t value)
{
	struct str *out = line->out;

	if (how == 'i')
		netlink_add_interface(line, value);
	else if (how == 'd')
		str_addf(out, "%d", (int)value);
	else if (how == 'h')
		str_addf(out, "htons(%u)", ntohs(value));
	else if (how == 'B')
		str_addf(out, "htobe64(%llu)", (unsigned long long)be64toh(value));
	else
		str_addf(out, "%llu", (unsigned long long)value);
}

static bool add_simple(struct strace_line *line, char kind, struct netlink_bytes bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(simples); i++) {
		const struct simple *value = &simples[i];
		uint64_t number = netlink_number(bytes, 0, value->size);

		if (value->kind != kind || bytes.n < value->size)
			continue;
		if (value->how == 'w')
			strace_word(line->out, value->words, number);
		else if (value->how == 't' && !strace_word_if(line->out, value->words, number))
			str_addf(line->out, "%#x", (unsigned int)number);
		else if (value->how == 'b')
			strace_bits(line->out, value->words, number);
		else if (value->how != 't')
			add_number(line, value->how, number);
		return true;
	}
	return false;
}

static void add_members(struct strace_line *line, const struct numbers *numbers, struct netlink_bytes bytes)
{
	const char *name = numbers->members;
	size_t size = numbers->first;

	for (size_t i = 0; *name && bytes.n >= size; i++) {
		int n = strcspn(name, " ");

		str_addf(line->out, "%s%.*s=%llu", i ? ", " : "{", n, name,
			 (unsigned long long)netlink_number(bytes, 0, size));
		name += n + (name[n] == ' ');
		bytes = netlink_skip(bytes, size);
		size = numbers->size;
	}
	str_addc(line->out, '}');
}

static bool add_struct(struct strace_line *line, char kind, struct netlink_bytes bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(structs); i++)
		if (structs[i].kind == kind &&
		    bytes.n >= structs[i].first + (structs[i].least - 1U) * (size_t)structs[i].size) {
			add_members(line, &structs[i], bytes);
			return true;
		}
	return false;
}

static void add_elements(struct strace_line *line, const struct list *list, struct netlink_bytes bytes)
{
	str_addc(line->out, '[');
	for (size_t i = 0; i < bytes.n / list->size; i++) {
		uint64_t value = netlink_number(bytes, i * list->size, list->size);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		str_addc(line->out, '[');
		if (!strace_word_if(line->out, &list->names, i))
			str_addf(line->out, "%zu /* %s??? */", i, list->names.prefix);
		str_add(line->out, "]=");
		add_number(line, list->is_signed ? 'd' : 'u', value);
	}
	str_addc(line->out, ']');
}

static bool add_list(struct strace_line *line, char kind, struct netlink_bytes bytes)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].kind == kind && bytes.n >= lists[i].size) {
			add_elements(line, &lists[i], bytes);
			return true;
		}
	return false;
}

/* --- other values --- */

static void add_socket_options(struct strace_line *line, unsigned int bits)
{
	static const char *const names[] = { "recverr", "is_icsk", "freebind", "hdrincl", "mc_loop", "transparent", "mc_all",
					     "nodefrag", "bind_address_no_port", "recverr_rfc4884", "defer_connect" };
	const char *separator = "";

	str_addc(line->out, '{');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bits >> i & 1) {
			str_addf(line->out, "%s%s=1", separator, names[i]);
			separator = ", ";
		}
	str_addc(line->out, '}');
}

static bool add_address(struct strace_line *line, unsigned int family, struct netlink_bytes bytes)
{
	char text[INET6_ADDRSTRLEN];

	if (family == AF_INET && bytes.n >= 4 && inet_ntop(AF_INET, bytes.v, text, sizeof(text)))
		str_addf(line->out, "inet_addr(\"%s\")", text);
	else if (family == AF_INET6 && bytes.n >= 16 && inet_ntop(AF_INET6, bytes.v, text, sizeof(text)))
		str_addf(line->out, "inet_pton(AF_INET6, \"%s\")", text);
	else
		return false;
	return true;
}

static void add_bytes(struct strace_line *line, const char *format, struct netlink_bytes bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		str_addf(line->out, i ? format : format + 1 + (format[1] == ' '), bytes.v[i]);
}

/* A text with its NUL; one without goes on. */
static void add_text(struct strace_line *line, struct netlink_bytes bytes)
{
	size_t most = line->settings->size;
	bool ends = !bytes.v[bytes.n - 1];

	if (bytes.n - ends > most)
		strace_text(line, (const char *)bytes.v, most, true);
	else
		strace_text(line, (const char *)bytes.v, bytes.n - ends, !ends);
}

/* A text up to its NUL, as unix sockets have it: one of no file begins with a NUL. */
static void add_name(struct strace_line *line, struct netlink_bytes bytes)
{
	if (!*bytes.v) {
		str_addc(line->out, '@');
		bytes = netlink_skip(bytes, 1);
	}
	strace_text(line, (const char *)bytes.v, strnlen((const char *)bytes.v, bytes.n), false);
}

/* The gateways of a route: struct rtnexthop, with attributes of routes that have no gateways. */
static void add_gateways(struct strace_line *line, unsigned int family, struct netlink_bytes bytes)
{
	struct netlink_attributes gateway = netlink_routes;
	bool many = netlink_aligned(netlink_number(bytes, 0, 2)) < bytes.n;

	gateway.kinds = "?aaiiaua";
	str_add(line->out, many ? "[" : "");
	for (size_t i = 0; bytes.n >= 8; i++) {
		size_t len = netlink_number(bytes, 0, 2);
		struct netlink_bytes rest = netlink_skip(netlink_first(bytes, len), 8);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		str_addf(line->out, "%s{rtnh_len=%u, rtnh_flags=", rest.n ? "[" : "", (unsigned int)len);
		strace_bits(line->out, &(const struct strace_words){ "RTNH_F_", "DEAD PERVASIVE ONLINK OFFLOAD LINKDOWN UNRESOLVED TRAP" }, bytes.v[2]);
		str_addf(line->out, ", rtnh_hops=%u, rtnh_ifindex=", bytes.v[3]);
		netlink_add_interface(line, netlink_number(bytes, 4, 4));
		str_add(line->out, rest.n ? "}, " : "}");
		if (rest.n) {
			netlink_add_attributes(line, &gateway, family, rest);
			str_addc(line->out, ']');
		}
		if (len < 8)
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
	str_add(line->out, many ? "]" : "");
}

static const struct netlink_attributes *nested_in(char kind, unsigned int family)
{
	if (kind == 'O')
		return family == AF_INET6 ? &link_inet6 : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(nested); i++)
		if (nested[i].kind == kind)
			return nested[i].attributes;
	return NULL;
}

/* There is at least a byte. */
static void add_value(struct strace_line *line, char kind, unsigned int family, struct netlink_bytes bytes)
{
	const struct netlink_attributes *within = nested_in(kind, family);

	if (within && bytes.n >= sizeof(struct nlattr)) {
		netlink_add_attributes(line, within, family, bytes);
		return;
	}
	if (add_simple(line, kind, bytes) || add_struct(line, kind, bytes) || add_list(line, kind, bytes))
		return;
	if (kind == 's') {
		add_text(line, bytes);
	} else if (kind == 'N') {
		add_name(line, bytes);
	} else if (kind == 'l') {
		add_bytes(line, ":%02x", bytes);
	} else if (kind == 'c') {
		str_addc(line->out, '[');
		add_bytes(line, ", %u", bytes);
		str_addc(line->out, ']');
	} else if (kind == 'o' && bytes.n >= 2) {
		add_socket_options(line, netlink_number(bytes, 0, 2));
	} else if (kind == 'H' && bytes.n >= 8) {
		add_gateways(line, family, bytes);
	} else if (!(kind == 'a' && add_address(line, family, bytes)) && !(kind == '6' && add_address(line, AF_INET6, bytes))) {
		netlink_add_hex(line, bytes);
	}
}

static void add_type(struct str *out, const struct netlink_attributes *attributes, unsigned int type)
{
	if (type & NLA_F_NESTED)
		str_add(out, "NLA_F_NESTED|");
	if (type & NLA_F_NET_BYTEORDER)
		str_add(out, "NLA_F_NET_BYTEORDER|");
	if (!strace_word_if(out, &attributes->names, type & TYPE_MASK))
		str_addf(out, "%#x /* %s */", type & TYPE_MASK, attributes->unknown);
}

static char kind_of(const struct netlink_attributes *attributes, unsigned int type)
{
	/* a long table with one attribute */
	if (attributes == &link_properties)
		return type == 53 ? 's' : '?';
	return type < strlen(attributes->kinds) ? attributes->kinds[type] : '?';
}

/* An attribute says how long it is, and has no more bytes than are there. */
static void add_attribute(struct strace_line *line, const struct netlink_attributes *attributes, unsigned int family,
			  struct netlink_bytes bytes)
{
	unsigned int len = netlink_number(bytes, 0, 2), type = netlink_number(bytes, 2, 2);
	struct netlink_bytes value = netlink_skip(netlink_first(bytes, len), sizeof(struct nlattr));

	str_addf(line->out, "%s{nla_len=%u, nla_type=", value.n ? "[" : "", len);
	add_type(line->out, attributes, type);
	str_addc(line->out, '}');
	if (!value.n)
		return;
	str_add(line->out, ", ");
	add_value(line, kind_of(attributes, type & TYPE_MASK), family, value);
	str_addc(line->out, ']');
}

void netlink_add_attributes(struct strace_line *line, const struct netlink_attributes *attributes, unsigned int family,
			    struct netlink_bytes bytes)
{
	unsigned int first = netlink_number(bytes, 0, 2);
	bool many = first >= sizeof(struct nlattr) && netlink_aligned(first) < bytes.n;

	if (bytes.n < sizeof(struct nlattr)) {
		netlink_add_hex(line, bytes);
		return;
	}
	if (many)
		str_addc(line->out, '[');
	for (size_t i = 0; bytes.n; i++) {
		unsigned int len = netlink_number(bytes, 0, 2);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		if (bytes.n < sizeof(struct nlattr)) {
			netlink_add_hex(line, bytes);
			break;
		}
		add_attribute(line, attributes, family, bytes);
		if (len < sizeof(struct nlattr))
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
	if (many)
		str_addc(line->out, ']');
}
