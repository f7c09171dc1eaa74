// SPDX-License-Identifier: BSD-2-Clause
/* Attributes of messages of netlink, by the tables of src/strace/netlink.txt, which says what a value is. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include "netlink_part.h"
#include "types_shape.h"

#define TYPE_MASK 0x3fff

#define MOST_DEPTH 16

/* Where an attribute is: what the values of those within it depend on. */
struct place {
	unsigned int family, depth;
	const char *kind; /* of the link that is told about */
	size_t kind_n;
};

static void add_attributes(struct strace_line *line, const char *table, struct place *place, struct netlink_bytes bytes);

void netlink_add_hex(struct strace_line *line, struct netlink_bytes bytes)
{
	size_t n = bytes.n < line->settings->size ? bytes.n : line->settings->size;

	if (netlink_is_cut(bytes, n)) {
		strace_address(line->out, bytes.address);
		return;
	}
	str_addc(line->out, '"');
	for (size_t i = 0; i < n; i++)
		str_addf(line->out, "\\x%02x", bytes.v[i]);
	str_add(line->out, n < bytes.n ? "\"..." : "\"");
}

void netlink_add_end(struct strace_line *line, struct netlink_bytes bytes, size_t index)
{
	if (index)
		str_addf(line->out, "... /* %#llx */", (unsigned long long)bytes.address);
	else
		strace_address(line->out, bytes.address);
}

/* --- values --- */

static bool add_address(struct strace_line *line, unsigned int family, struct netlink_bytes bytes)
{
	const char *shape = family == AF_INET ? "%A4" : "%A16";

	return (family == AF_INET || family == AF_INET6) &&
	       strace_shape(line, shape, strlen(shape), bytes.v, bytes.have, bytes.have);
}

/* A text with its NUL; one without, one that is longer than is shown, and one in hex goes on. */
static void add_text(struct strace_line *line, struct netlink_bytes bytes)
{
	size_t n = bytes.n < line->settings->size ? bytes.n : line->settings->size;
	bool ends = n && !bytes.v[n - 1] && !strace_hex(line->settings);

	strace_text(line, (const char *)bytes.v, n - ends, !ends);
}

/*
 * An address of hardware: not more bytes than such an address has. strace takes the family that the message is about for
 * the kind of hardware, and so do we.
 */
static void add_hardware(struct strace_line *line, unsigned int family, struct netlink_bytes bytes)
{
	static const unsigned char sizes[] = { [0] = 7, [1] = 6, [3] = 7, [6] = 6, [7] = 1, [15] = 2, [24] = 16, [27] = 8, [32] = 20 };

	strace_mac(line->out, bytes.v, bytes.n,
		   family < ARRAY_SIZE(sizes) && sizes[family] ? netlink_first(bytes, sizes[family]).n : bytes.n);
}

/* Attributes within an attribute. */
static void add_nested(struct strace_line *line, const char *table, const struct place *place, struct netlink_bytes bytes)
{
	struct place within = *place;

	within.depth++;
	add_attributes(line, table, &within, bytes);
}

/* The gateways of a route: struct rtnexthop, with attributes of routes that have no gateways. */
static void add_gateways(struct strace_line *line, const struct place *place, struct netlink_bytes bytes)
{
	static const char shape[] = "{rtnh_len=%u2, rtnh_flags=%b1(RTNH_F_:DEAD PERVASIVE ONLINK OFFLOAD LINKDOWN UNRESOLVED TRAP), "
				    "rtnh_hops=%u1, rtnh_ifindex=%I4}";
	bool many = netlink_aligned(netlink_number(bytes, 0, 2)) < bytes.n;

	str_add(line->out, many ? "[" : "");
	for (size_t i = 0; bytes.n >= 8; i++) {
		size_t len = netlink_number(bytes, 0, 2);
		struct netlink_bytes rest = netlink_skip(netlink_first(bytes, len), 8);

		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		if (netlink_is_cut(bytes, 8)) {
			netlink_add_end(line, bytes, i);
			break;
		}
		str_add(line->out, rest.n ? "[" : "");
		strace_shape(line, shape, sizeof(shape) - 1, bytes.v, bytes.have, bytes.have);
		if (rest.n) {
			str_add(line->out, ", ");
			add_nested(line, "rtnh", place, rest);
			str_addc(line->out, ']');
		}
		if (len < 8)
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
	str_add(line->out, many ? "]" : "");
}

/* An address of a family at the end of a struct, if there is one. */
static void add_last_address(struct strace_line *line, unsigned int family, const char *name, struct netlink_bytes bytes)
{
	char text[INET6_ADDRSTRLEN];

	if (family == AF_INET6 && bytes.have >= 16 && inet_ntop(AF_INET6, bytes.v, text, sizeof(text))) {
		str_addf(line->out, ", inet_pton(AF_INET6, \"%s\", &%s)", text, name);
	} else if (bytes.n) {
		str_addf(line->out, ", %s=", name);
		if (family != AF_INET || !add_address(line, family, bytes))
			netlink_add_hex(line, bytes);
	}
}

/* struct rtvia: an address, and the family that it is of. */
static void add_via(struct strace_line *line, struct netlink_bytes bytes)
{
	str_add(line->out, "{rtvia_family=");
	strace_choice(line->out, &strace_address_families, netlink_number(bytes, 0, 2));
	add_last_address(line, netlink_number(bytes, 0, 2), "rtvia_addr", netlink_skip(bytes, 2));
	str_addc(line->out, '}');
}

/* struct inet_diag_bc_op, and what its code takes. */
static void add_bytecode(struct strace_line *line, struct netlink_bytes bytes)
{
	static const char operation[] = "{code=%e1(INET_DIAG_BC_:NOP JMP S_GE S_LE D_GE D_LE AUTO S_COND D_COND DEV_COND "
					"MARK_COND S_EQ D_EQ CGROUP_COND), yes=%u1, no=%u2}";
	static const char host[] = "{family=%f1, prefix_len=%u1, port=%.2%u4", mark[] = "{mark=%u4, mask=%u4}";
	static const struct {
		const char *shape;
		unsigned char first, last;
	} operands[] = { { operation, 2, 5 }, { host, 7, 8 }, { "%I4", 9, 9 }, { mark, 10, 10 } };
	struct netlink_bytes rest = netlink_skip(bytes, 4);

	strace_shape(line, operation, sizeof(operation) - 1, bytes.v, bytes.have, bytes.have);
	if (!rest.n)
		return;
	str_add(line->out, ", ");
	for (size_t i = 0; i < ARRAY_SIZE(operands); i++) {
		const char *shape = operands[i].shape;

		if (bytes.v[0] < operands[i].first || bytes.v[0] > operands[i].last ||
		    !strace_shape(line, shape, strlen(shape), rest.v, rest.have, rest.have))
			continue;
		if (shape == host) {
			add_last_address(line, rest.v[0], "addr", netlink_skip(rest, 8));
			str_addc(line->out, '}');
		}
		return;
	}
	netlink_add_hex(line, rest);
}

static void add_socket_options(struct strace_line *line, struct netlink_bytes bytes)
{
	static const char *const names[] = { "recverr", "is_icsk", "freebind", "hdrincl", "mc_loop", "transparent", "mc_all",
					     "nodefrag", "bind_address_no_port", "recverr_rfc4884", "defer_connect" };
	unsigned int bits = netlink_number(bytes, 0, 2);
	const char *separator = "";

	str_addc(line->out, '{');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bits >> i & 1 || line->settings->whole) {
			str_addf(line->out, "%s%s=%u", separator, names[i], bits >> i & 1);
			separator = ", ";
		}
	if (bits >> ARRAY_SIZE(names) || line->settings->whole)
		str_addf(line->out, "%sunused=%#x /* bits 3..8 */", separator, bits >> ARRAY_SIZE(names));
	str_addc(line->out, '}');
	bytes = netlink_skip(bytes, 2);
	for (size_t i = 0; i < bytes.n; i++)
		if (bytes.v[i]) {
			str_addf(line->out, ", /* bytes 2..%zu */ ", bytes.n + 1);
			netlink_add_hex(line, bytes);
			break;
		}
}

/* As many elements of a shape as there are bytes for. "#N(NAMES)": numbers whose indices have names. */
static bool add_elements(struct strace_line *line, const char *shape, size_t shape_n, size_t size, struct netlink_bytes bytes)
{
	bool is_named = shape[0] == '(';
	const char *close = is_named ? memchr(shape, ')', shape_n) : shape;
	char names[1536];
	struct strace_words words = { .prefix = names };

	if (bytes.have < size || !close)
		return false;
	if (is_named) {
		snprintf(names, sizeof(names), "%.*s", (int)(close - shape - 1), shape + 1);
		words.names = names + strcspn(names, ":") + 1;
		names[strcspn(names, ":")] = '\0';
		shape_n -= close + 1 - shape;
		shape = close + 1;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; i < bytes.n / size; i++) {
		str_add(line->out, i ? ", " : "");
		if (i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		if ((i + 1) * size > bytes.have) {
			netlink_add_end(line, netlink_skip(bytes, i * size), i);
			break;
		}
		if (is_named) {
			str_addc(line->out, '[');
			if (strace_style() == STRACE_NUMBERS || !strace_word_constant(line->out, &words, i))
				str_addf(line->out, strace_style() == STRACE_NUMBERS ? "%#zx" : "%zu /* %s??? */", i, words.prefix);
			str_add(line->out, "]=");
		}
		strace_shape(line, shape, shape_n, bytes.v + i * size, size, size);
	}
	str_addc(line->out, ']');
	return true;
}

/* Values that have a function of their own: a letter. There is at least a byte. */
static bool add_own(struct strace_line *line, char kind, struct place *place, struct netlink_bytes bytes)
{
	if (netlink_is_cut(bytes, strchr("a6HVB", kind) ? 0 : strchr("ks", kind) ? line->settings->size
										 : bytes.n))
		return false;
	switch (kind) {
	case 'k':
		place->kind = (const char *)bytes.v;
		place->kind_n = strnlen(place->kind, bytes.have);
		if (place->kind_n < bytes.have)
			bytes = netlink_first(bytes, place->kind_n + 1);
		add_text(line, bytes);
		return true;
	case 'B':
		if (bytes.have < 4)
			return false;
		add_bytecode(line, bytes);
		return true;
	case 's':
		add_text(line, bytes);
		return true;
	case 'f':
		if (bytes.n < 8)
			return false;
		strace_filter_bytes(line, bytes.v, bytes.have, bytes.address);
		return true;
	case 'l':
	case 'L':
		/* the kernel's addresses are not longer */
		if (bytes.n > 32)
			return false;
		add_hardware(line, kind == 'L' ? AF_INET : place->family, bytes);
		return true;
	case 'a':
		return add_address(line, place->family, bytes);
	case '6':
		return add_address(line, AF_INET6, bytes);
	case 'H':
		if (bytes.have < 8)
			return false;
		add_gateways(line, place, bytes);
		return true;
	case 'V':
	case 'o':
		if (bytes.have < 2)
			return false;
		(kind == 'o' ? add_socket_options : add_via)(line, bytes);
		return true;
	default:
		return false;
	}
}

/* "NAME." is the table of the address family if it has one, else NAME; "NAME.k" that of the kind of link. */
static bool add_within(struct strace_line *line, const char *name, size_t n, const struct place *place,
		       struct netlink_bytes bytes)
{
	char table[NETLINK_TABLE];

	if (n > 2 && name[n - 1] == 'k' && name[n - 2] == '.')
		snprintf(table, sizeof(table), "%.*s%.*s", (int)n - 1, name, (int)place->kind_n, place->kind ?: "");
	else if (name[n - 1] == '.')
		snprintf(table, sizeof(table), "%.*s%u", (int)n, name, place->family);
	else
		snprintf(table, sizeof(table), "%.*s", (int)n, name);
	if (name[n - 1] == '.' && !netlink_has_table(table))
		snprintf(table, sizeof(table), "%.*s", (int)n - 1, name);
	if (bytes.n < sizeof(struct nlattr) || !netlink_has_table(table))
		return false;
	add_nested(line, table, place, bytes);
	return true;
}

/* What stands behind a struct: attributes, or bytes. */
static void add_rest(struct strace_line *line, const struct netlink_attribute *attribute, const struct place *place,
		     struct netlink_bytes bytes)
{
	char *end;
	size_t size = strtoul(attribute->rest, &end, 10);

	bytes = netlink_skip(bytes, size);
	if (!attribute->rest_n || !bytes.n)
		return;
	str_add(line->out, ", ");
	if (*end != '@' || !add_within(line, end + 1, attribute->rest + attribute->rest_n - end - 1, place, bytes))
		netlink_add_hex(line, bytes);
}

static bool add_value(struct strace_line *line, const struct netlink_attribute *attribute, struct place *place,
		      struct netlink_bytes bytes)
{
	const char *shape = attribute->value;
	size_t n = attribute->value_n;
	uint64_t wide = netlink_number(bytes, 0, bytes.n <= sizeof(uint64_t) ? bytes.n : 0);
	char *end;
	size_t size;

	if (!n)
		return false;
	if (*shape == '@')
		return add_within(line, shape + 1, n - 1, place, bytes);
	if (*shape == '*') {
		size = strtoul(shape + 1, &end, 10);
		return size && add_elements(line, end, shape + n - end, size, bytes);
	}
	if (*shape == '<' || *shape == '+' || *shape == '^') {
		/* numbers of 8 bytes at most */
		if (bytes.n > sizeof(wide) || (*shape != '<' && netlink_is_cut(bytes, bytes.n)))
			return false;
		if (*shape == '^' && bytes.n & (bytes.n - 1))
			return false;
		if (*shape != '<')
			bytes = (struct netlink_bytes){ (const unsigned char *)&wide, sizeof(wide), sizeof(wide), 0 };
		return strace_shape(line, shape + 1, n - 1, bytes.v, bytes.have, bytes.have);
	}
	if (n == 1)
		return add_own(line, *shape, place, bytes);
	if (!strace_shape(line, shape, n, bytes.v, bytes.have, bytes.have))
		return false;
	add_rest(line, attribute, place, bytes);
	return true;
}

void netlink_add_name(struct str *out, const struct netlink_attribute *attribute, unsigned int type)
{
	char number[16];

	snprintf(number, sizeof(number), "%#x", type);
	if (!attribute->name && (strace_style() == STRACE_NUMBERS || (!attribute->unknown_n && !attribute->prefix[0])))
		str_add(out, number);
	else if (!attribute->name && attribute->unknown_n)
		str_addf(out, "%s /* %.*s */", number, (int)attribute->unknown_n, attribute->unknown);
	else if (!attribute->name)
		str_addf(out, "%s /* %s??? */", number, attribute->prefix);
	else if (*attribute->name == '!')
		strace_named(out, number, "%.*s", (int)attribute->name_n - 1, attribute->name + 1);
	else
		strace_named(out, number, "%s%.*s", attribute->prefix, (int)attribute->name_n, attribute->name);
}

static void add_type(struct str *out, const struct netlink_attribute *attribute, unsigned int type)
{
	if (type & NLA_F_NESTED) {
		strace_constant(out, "0x8000", "NLA_F_NESTED");
		str_addc(out, '|');
	}
	if (type & NLA_F_NET_BYTEORDER) {
		strace_constant(out, "0x4000", "NLA_F_NET_BYTEORDER");
		str_addc(out, '|');
	}
	netlink_add_name(out, attribute, type & TYPE_MASK);
}

/* An attribute says how long it is, and has no more bytes than are there. */
static void add_attribute(struct strace_line *line, const char *table, struct place *place, struct netlink_bytes bytes)
{
	unsigned int len = netlink_number(bytes, 0, 2), type = netlink_number(bytes, 2, 2);
	struct netlink_bytes value = netlink_skip(netlink_first(bytes, len), sizeof(struct nlattr));
	struct netlink_attribute attribute;

	netlink_find_attribute(table, type & TYPE_MASK, &attribute);
	str_addf(line->out, "%s{nla_len=%u, nla_type=", value.n ? "[" : "", len);
	add_type(line->out, &attribute, type);
	str_addc(line->out, '}');
	if (!value.n)
		return;
	str_add(line->out, ", ");
	if (!add_value(line, &attribute, place, value)) {
		if (attribute.value_n && netlink_is_cut(value, value.n))
			strace_address(line->out, value.address);
		else
			netlink_add_hex(line, value);
	}
	str_addc(line->out, ']');
}

static void add_attributes(struct strace_line *line, const char *table, struct place *place, struct netlink_bytes bytes)
{
	unsigned int first = netlink_number(bytes, 0, 2);
	bool many = first >= sizeof(struct nlattr) && netlink_aligned(first) < bytes.n;

	if (bytes.n < sizeof(struct nlattr) || netlink_is_cut(bytes, sizeof(struct nlattr)) || place->depth > MOST_DEPTH) {
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
		if (netlink_is_cut(bytes, sizeof(struct nlattr))) {
			netlink_add_end(line, bytes, i);
			break;
		}
		add_attribute(line, table, place, bytes);
		if (len < sizeof(struct nlattr))
			break;
		bytes = netlink_skip(bytes, netlink_aligned(len));
	}
	if (many)
		str_addc(line->out, ']');
}

void netlink_add_attributes(struct strace_line *line, const char *table, unsigned int family, struct netlink_bytes bytes)
{
	add_attributes(line, table, &(struct place){ .family = family }, bytes);
}
