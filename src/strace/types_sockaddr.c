// SPDX-License-Identifier: BSD-2-Clause
/* Addresses of sockets: {sa_family=AF_INET, ...}. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "strace_part.h"
#include "types.h"

#define AF_MCTP_FAMILY 45

/* The bytes of an address, with zeros behind them. */
struct address {
	unsigned char v[sizeof(struct sockaddr_storage)];
	size_t n;
};

static unsigned int short_at(const struct address *a, size_t at)
{
	uint16_t number;

	memcpy(&number, a->v + at, sizeof(number));
	return number;
}

static unsigned int word_at(const struct address *a, size_t at)
{
	uint32_t number;

	memcpy(&number, a->v + at, sizeof(number));
	return number;
}

/* 00 and 0x1 */
static void add_byte(struct str *out, unsigned int byte)
{
	str_addf(out, "%#02x", byte);
}

/* A text of so many bytes, which may have no end. */
static void add_text(struct strace_line *line, const unsigned char *bytes, size_t n)
{
	size_t len = strnlen((const char *)bytes, n);

	strace_text(line, bytes, len < n ? len : n - 1, len == n);
}

/* A number that may be a special one, or bits. */
static void add_word(struct strace_line *line, const char *name, const char *prefix, const char *names, unsigned int value)
{
	str_addf(line->out, ", %s=", name);
	if (!strace_word_constant(line->out, &(const struct strace_words){ prefix, names }, value))
		str_addf(line->out, "%#x", value);
}

static void add_bits(struct strace_line *line, const char *name, const char *prefix, const char *names, unsigned int value)
{
	str_addf(line->out, ", %s=", name);
	strace_bits(line->out, &(const struct strace_words){ prefix, names }, value);
}

static void add_unix(struct strace_line *line, const struct address *a)
{
	size_t len = (a->n < sizeof(struct sockaddr_un) ? a->n : sizeof(struct sockaddr_un)) - 2;
	const unsigned char *path = a->v + 2;

	str_add(line->out, ", sun_path=");
	if (!*path) {
		str_addc(line->out, '@');
		strace_text(line, path + 1, len - 1, false);
	} else {
		strace_text(line, path, strnlen((const char *)path, len), false);
	}
}

static void add_inet(struct strace_line *line, const struct address *a)
{
	str_add(line->out, ", sin_port=");
	strace_swapped(line->out, a->v + 2, 2, false);
	str_add(line->out, ", sin_addr=");
	strace_in_address(line->out, false, a->v + 4, 4);
}

static void add_inet6(struct strace_line *line, const struct address *a)
{
	str_add(line->out, ", sin6_port=");
	strace_swapped(line->out, a->v + 2, 2, false);
	str_add(line->out, ", sin6_flowinfo=");
	strace_swapped(line->out, a->v + 4, 4, false);
	str_add(line->out, ", ");
	strace_in6_member(line->out, "sin6_addr", a->v + 8);
	if (a->n > 24)
		str_addf(line->out, ", sin6_scope_id=%u", word_at(a, 24));
}

static void add_netlink(struct strace_line *line, const struct address *a)
{
	if (short_at(a, 2))
		str_addf(line->out, ", nl_pad=%#x", short_at(a, 2));
	str_addf(line->out, ", nl_pid=%d, nl_groups=%#08x", word_at(a, 4), word_at(a, 8));
}

static void add_packet(struct strace_line *line, const struct address *a)
{
	static const struct strace_words kinds = { "PACKET_", "HOST BROADCAST MULTICAST OTHERHOST OUTGOING LOOPBACK USER "
							      "KERNEL" };
	static const struct strace_words hardware = {
		"ARPHRD_",
		"NETROM ETHER EETHER AX25 PRONET CHAOS IEEE802 ARCNET APPLETLK =15 DLCI =19 ATM =23 METRICOM IEEE1394 - - "
		"EUI64 =32 INFINIBAND =256 SLIP CSLIP SLIP6 CSLIP6 RSRVD =264 ADAPT =270 ROSE X25 HWX25 =280 CAN =290 MCTP "
		"=512 PPP CISCO - - LAPB DDCMP RAWHDLC RAWIP =768 TUNNEL TUNNEL6 FRAD SKIP LOOPBACK LOCALTLK FDDI BIF SIT "
		"IPDDP IPGRE PIMREG HIPPI ASH ECONET IRDA FCPP FCAL FCPL FCFABRIC =800 IEEE802_TR IEEE80211 "
		"IEEE80211_PRISM IEEE80211_RADIOTAP IEEE802154 IEEE802154_MONITOR =820 PHONET PHONET_PIPE CAIF IP6GRE "
		"NETLINK 6LOWPAN VSOCKMON =65534 NONE VOID"
	};
	struct str *out = line->out;
	unsigned int has = a->n - 12, len = a->v[11];

	str_add(out, ", sll_protocol=");
	strace_ethernet(out, short_at(a, 2), false);
	str_add(out, ", sll_ifindex=");
	strace_interface(line, word_at(a, 4), true);
	str_add(out, ", sll_hatype=");
	strace_word(out, &hardware, short_at(a, 8));
	str_add(out, ", sll_pkttype=");
	strace_word(out, &kinds, a->v[10]);
	str_addf(out, ", sll_halen=%u", len);
	if (!len)
		return;
	str_add(out, ", sll_addr=[");
	for (unsigned int i = 0; i < len && i < has; i++) {
		str_add(out, i ? ", " : "");
		add_byte(out, a->v[12 + i]);
	}
	str_add(out, len > has ? ", ...]" : "]");
}

static void add_ipx(struct strace_line *line, const struct address *a)
{
	str_addf(line->out, ", sipx_port=htons(%u), sipx_network=htonl(%#x), sipx_node=[", ntohs(short_at(a, 2)),
		 ntohl(word_at(a, 4)));
	for (int i = 0; i < 6; i++) {
		str_add(line->out, i ? ", " : "");
		add_byte(line->out, a->v[8 + i]);
	}
	str_add(line->out, "], sipx_type=");
	add_byte(line->out, a->v[14]);
	if (a->v[15])
		str_addf(line->out, ", sipx_zero=%#x", a->v[15]);
}

static void add_x25(struct strace_line *line, const struct address *a)
{
	str_add(line->out, ", sx25_addr={x25_addr=");
	add_text(line, a->v + 2, 16);
	str_addc(line->out, '}');
}

static void add_l2cap(struct strace_line *line, const struct address *a)
{
	static const struct strace_words ports = { "L2CAP_PSM_", "- SDP - RFCOMM =0x21 3DSP - IPSP" };
	static const struct strace_words channels = { "L2CAP_CID_",
						      "- SIGNALING CONN_LESS A2MP ATT LE_SIGNALING SMP SMP_BREDR" };
	struct str *out = line->out;
	unsigned int port = short_at(a, 2), channel = short_at(a, 10);

	str_add(out, ", l2_psm=htobs(");
	if (port >= 0x1001)
		str_add(out, "L2CAP_PSM_DYN_START");
	else if (port >= 0x80 && port <= 0xff)
		str_add(out, "L2CAP_PSM_LE_DYN_START");
	else
		strace_word(out, &ports, port);
	if (port > 0x1001 || (port > 0x80 && port <= 0xff))
		str_addf(out, "+%u", port - (port > 0x1001 ? 0x1001 : 0x80));
	str_add(out, "), l2_bdaddr=");
	strace_mac(out, a->v + 4, 6, 6);
	str_add(out, ", l2_cid=htobs(");
	if (channel >= 0x40)
		str_add(out, "L2CAP_CID_DYN_START");
	else
		strace_word(out, &channels, channel);
	if (channel > 0x40)
		str_addf(out, "+%u", channel - 0x40);
	str_addc(out, ')');
	if (a->n == 14) {
		str_add(out, ", l2_bdaddr_type=");
		strace_word(out, &(const struct strace_words){ "BDADDR_", "BREDR LE_PUBLIC LE_RANDOM" }, a->v[12]);
	}
}

/* Whose protocol it is can be seen by how long it is. */
static void add_bluetooth(struct strace_line *line, const struct address *a)
{
	static const struct strace_words channels = { "HCI_CHANNEL_", "RAW USER MONITOR CONTROL LOGGING" };
	struct str *out = line->out;

	if (a->n < 8) {
		str_addf(out, ", hci_dev=htobs(%u)", short_at(a, 2));
		if (a->n < 6)
			return;
		str_add(out, ", hci_channel=");
		strace_word(out, &channels, short_at(a, 4));
	} else if (a->n < 12) {
		str_add(out, a->n == 8 ? ", sco_bdaddr=" : ", rc_bdaddr=");
		strace_mac(out, a->v + 2, 6, 6);
		if (a->n == 10)
			str_addf(out, ", rc_channel=%u", a->v[8]);
	} else {
		add_l2cap(line, a);
	}
}

static void add_ieee802154(struct strace_line *line, const struct address *a)
{
	static const struct strace_words kinds = { "IEEE802154_ADDR_", "NONE - SHORT LONG" };
	unsigned int kind = word_at(a, 4);

	str_addf(line->out, ", addr={addr_type=%#x /* ", kind);
	if (!strace_word_if(line->out, &kinds, kind))
		str_add(line->out, "IEEE802154_ADDR_???");
	str_addf(line->out, " */, pan_id=%#x", short_at(a, 8));
	if (kind == 2) {
		str_addf(line->out, ", short_addr=%#x", short_at(a, 10));
	} else if (kind) {
		str_add(line->out, ", hwaddr=");
		strace_mac(line->out, a->v + 10, 8, 8);
	}
	str_addc(line->out, '}');
}

static void add_alg_mask(struct strace_line *line, const char *name, unsigned int value)
{
	str_addf(line->out, ", %s=%#x", name, value);
	if (!value)
		return;
	str_add(line->out, " /* ");
	if (value & 0x1000)
		str_add(line->out, "CRYPTO_ALG_KERN_DRIVER_ONLY");
	if (value & 0x1000 && value != 0x1000)
		str_addf(line->out, "|%#x", value & ~0x1000U);
	str_add(line->out, value & 0x1000 ? " */" : "CRYPTO_ALG_??? */");
}

static void add_alg(struct strace_line *line, const struct address *a)
{
	str_add(line->out, ", salg_type=");
	add_text(line, a->v + 2, 14);
	add_alg_mask(line, "salg_feat", word_at(a, 16));
	add_alg_mask(line, "salg_mask", word_at(a, 20));
	str_add(line->out, ", salg_name=");
	add_text(line, a->v + 24, a->n - 24);
}

static void add_nfc(struct strace_line *line, const struct address *a)
{
	static const struct strace_words protocols = {
		"NFC_PROTO_", "- JEWEL MIFARE FELICA ISO14443 NFC_DEP ISO14443_B ISO15693"
	};
	unsigned long long len;

	str_addf(line->out, ", dev_idx=%d, target_idx=%#x, nfc_protocol=", word_at(a, 4), word_at(a, 8));
	strace_word(line->out, &protocols, word_at(a, 12));
	if (a->n == 16)
		return;
	if (a->n < 96) {
		str_add(line->out, ", ...");
		return;
	}
	memcpy(&len, a->v + 88, sizeof(len));
	str_addf(line->out, ", dsap=%#x, ssap=%#x, service_name=", a->v[16], a->v[17]);
	strace_text(line, a->v + 18, len < 63 ? len : 63, false);
	str_addf(line->out, ", service_name_len=%llu", len);
}

static void add_vsock(struct strace_line *line, const struct address *a)
{
	static const unsigned char zeros[3];

	if (short_at(a, 2))
		str_addf(line->out, ", svm_reserved1=%#x", short_at(a, 2));
	add_word(line, "svm_cid", "VMADDR_CID_", "HYPERVISOR LOCAL HOST =0xffffffff ANY", word_at(a, 8));
	add_word(line, "svm_port", "VMADDR_PORT_", "=0xffffffff ANY", word_at(a, 4));
	add_bits(line, "svm_flags", "VMADDR_FLAG_", "TO_HOST", a->v[12]);
	if (memcmp(a->v + 13, zeros, sizeof(zeros))) {
		str_add(line->out, ", svm_zero=");
		strace_quoted(line->out, a->v + 13, 3);
	}
}

static void add_qipcrtr(struct strace_line *line, const struct address *a)
{
	str_addf(line->out, ", sq_node=%#x, sq_port=%#x", word_at(a, 4), word_at(a, 8));
}

static void add_xdp(struct strace_line *line, const struct address *a)
{
	unsigned int flags = short_at(a, 2), fd = word_at(a, 12);

	add_bits(line, "sxdp_flags", "XDP_", "SHARED_UMEM COPY ZEROCOPY USE_NEED_WAKEUP USE_SG", flags);
	str_add(line->out, ", sxdp_ifindex=");
	strace_interface(line, word_at(a, 4), true);
	str_addf(line->out, ", sxdp_queue_id=%u", word_at(a, 8));
	if (flags & 1)
		str_addf(line->out, ", sxdp_shared_umem_fd=%d", (int)fd);
	else if (fd)
		str_addf(line->out, ", sxdp_shared_umem_fd=%#x", fd);
}

static void add_mctp(struct strace_line *line, const struct address *a)
{
	if (short_at(a, 2))
		str_addf(line->out, ", __smctp_pad0=%#x", short_at(a, 2));
	add_word(line, "smctp_network", "MCTP_NET_", "ANY", word_at(a, 4));
	add_word(line, "smctp_addr={s_addr", "MCTP_ADDR_", "NULL =255 ANY", a->v[8]);
	str_addf(line->out, "}, smctp_type=%#x, smctp_tag=%#x", a->v[9], a->v[10]);
	if (a->v[11])
		str_addf(line->out, ", __smctp_pad1=%#x", a->v[11]);
}

/* least: bytes that an address must have; those of others are a text. */
static const struct {
	unsigned char family, least;
	void (*add)(struct strace_line *line, const struct address *a);
} families[] = {
	{ AF_UNIX, 3, add_unix },
	{ AF_INET, sizeof(struct sockaddr_in), add_inet },
	{ AF_INET6, sizeof(struct sockaddr_in6) - 4, add_inet6 },
	{ AF_NETLINK, sizeof(struct sockaddr_nl), add_netlink },
	{ AF_PACKET, sizeof(struct sockaddr_ll), add_packet },
	{ AF_IPX, 16, add_ipx },
	{ AF_X25, 18, add_x25 },
	{ AF_BLUETOOTH, 4, add_bluetooth },
	{ AF_IEEE802154, 20, add_ieee802154 },
	{ AF_ALG, 26, add_alg },
	{ AF_NFC, 16, add_nfc },
	{ AF_VSOCK, sizeof(struct sockaddr_vm), add_vsock },
	{ AF_QIPCRTR, 12, add_qipcrtr },
	{ AF_XDP, 16, add_xdp },
	{ AF_MCTP_FAMILY, 12, add_mctp },
};

static bool is_known(unsigned int family, size_t n, size_t least)
{
	if (family == AF_BLUETOOTH)
		return n == 4 || n == 6 || n == 8 || n == 10 || n == 12 || n == 14;
	return n >= least;
}

void strace_sockaddr(struct strace_line *line, const void *bytes, size_t n)
{
	struct address address = { .n = n < sizeof(address.v) ? n : sizeof(address.v) };
	unsigned int family;

	memcpy(address.v, bytes, address.n);
	family = short_at(&address, 0);
	str_add(line->out, "{sa_family=");
	strace_choice(line->out, &strace_address_families, family);
	for (size_t i = 0; i < ARRAY_SIZE(families) && n > 2; i++)
		if (families[i].family == family && is_known(family, n, families[i].least)) {
			families[i].add(line, &address);
			str_addc(line->out, '}');
			return;
		}
	if (n > 2) {
		str_add(line->out, ", sa_data=");
		strace_text(line, address.v + 2, address.n - 2, false);
	}
	str_addc(line->out, '}');
}
