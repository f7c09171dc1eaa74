// SPDX-License-Identifier: BSD-2-Clause
/* Options and columns of tools that show TCP connections. */
#include "options/opt.h"
#include "output/address.h"
#include "tcp.h"

static int only(struct tcp_wanted *wanted, unsigned char version, struct err *err)
{
	if (wanted->version && wanted->version != version)
		return err_set(err, -EINVAL, "-4 and -6 exclude each other; without both, all connections are shown");
	wanted->version = version;
	return 0;
}

int tcp_only_ipv4(void *wanted, const char *arg, struct err *err)
{
	return only(wanted, 4, err);
}

int tcp_only_ipv6(void *wanted, const char *arg, struct err *err)
{
	return only(wanted, 6, err);
}

int tcp_add_ports(void *dest, const char *arg, struct err *err)
{
	struct tcp_ports *ports = dest;

	for (const char *at = arg, *end;; at = end + 1) {
		__free char *text = NULL;
		uint64_t port;

		end = strchrnul(at, ',');
		text = base_strndup(at, end - at);
		if (opt_u64(text, &port) || !port || port > 65535)
			return err_set(err, -EINVAL, "'%s' is not a port: ports are 1 to 65535, separated by commas",
				       text);
		ports->any = 1;
		ports->bits[port / 8] |= 1 << port % 8;
		if (!*end)
			return 0;
	}
}

void tcp_get_laddr(struct value *to, const void *row, const void *ctx)
{
	const struct tcp_ends *ends = &((const struct tcp_event *)row)->ends;

	value_set_address(to, ends->version, ends->laddr);
}

void tcp_get_raddr(struct value *to, const void *row, const void *ctx)
{
	const struct tcp_ends *ends = &((const struct tcp_event *)row)->ends;

	value_set_address(to, ends->version, ends->raddr);
}

static void set_end(struct value *to, const struct tcp_ends *ends, const unsigned char *address, unsigned int port)
{
	address_add(to->room, ends->version, address);
	str_addf(to->room, ":%u", port);
	value_set_made(to);
}

void tcp_get_local(struct value *to, const void *row, const void *ctx)
{
	const struct tcp_ends *ends = &((const struct tcp_event *)row)->ends;

	set_end(to, ends, ends->laddr, ends->lport);
}

void tcp_get_remote(struct value *to, const void *row, const void *ctx)
{
	const struct tcp_ends *ends = &((const struct tcp_event *)row)->ends;

	set_end(to, ends, ends->raddr, ends->rport);
}

void tcp_get_retransmit(struct value *to, const void *segment, const void *ctx)
{
	value_set_text(to, *(const unsigned int *)segment ? "R" : "L");
	to->more = ">";
}

void tcp_get_state(struct value *to, const void *state, const void *ctx)
{
	/* include/net/tcp_states.h */
	static const char *const names[] = {
		NULL,
		"ESTABLISHED",
		"SYN_SENT",
		"SYN_RECV",
		"FIN_WAIT1",
		"FIN_WAIT2",
		"TIME_WAIT",
		"CLOSE",
		"CLOSE_WAIT",
		"LAST_ACK",
		"LISTEN",
		"CLOSING",
		"NEW_SYN_RECV",
	};
	unsigned int number = *(const unsigned int *)state;

	value_set_text(to, number < ARRAY_SIZE(names) ? names[number] : NULL);
}
