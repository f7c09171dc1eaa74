// SPDX-License-Identifier: BSD-2-Clause
/* Parses options for ports and versions, and prints addresses. */
#include <arpa/inet.h>
#include <criterion/criterion.h>

#include "engines/tcp.h"
#include "output/address.h"

static bool has(const struct tcp_ports *ports, unsigned int port)
{
	return ports->bits[port / 8] >> port % 8 & 1;
}

Test(tcp, ports)
{
	struct tcp_ports ports = {};
	unsigned int n = 0;

	cr_expect_eq(tcp_add_ports(&ports, "80,443,80", NULL), 0);
	cr_expect_eq(tcp_add_ports(&ports, "1,65535", NULL), 0);
	cr_expect_eq(tcp_add_ports(&ports, "0x1f90", NULL), 0);
	for (unsigned int port = 0; port < 65536; port++)
		n += has(&ports, port);
	cr_expect_eq(n, 5);
	cr_expect(has(&ports, 80) && has(&ports, 443) && has(&ports, 1) && has(&ports, 65535) && has(&ports, 8080));
	cr_expect(ports.any);
}

Test(tcp, no_ports)
{
	static const char *const bad[] = { "", ",", "80,", ",80", "80,,443", "0",
					   "65536", "http", "80-90", " 80", "-1", "99999999999999999999" };
	struct tcp_ports ports = {};
	struct err err = {};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_eq(tcp_add_ports(&ports, bad[i], NULL), -EINVAL, "'%s'", bad[i]);
	tcp_add_ports(&ports, "80,http,443", &err);
	cr_expect(strstr(err.text, "'http' is not a port"), "%s", err.text);
}

Test(tcp, versions)
{
	struct tcp_wanted wanted = {};

	cr_expect_eq(tcp_only_ipv4(&wanted, NULL, NULL), 0);
	cr_expect_eq(tcp_only_ipv4(&wanted, NULL, NULL), 0);
	cr_expect_eq(wanted.version, 4);
	cr_expect_eq(tcp_only_ipv6(&wanted, NULL, NULL), -EINVAL);
	wanted.version = 0;
	cr_expect_eq(tcp_only_ipv6(&wanted, NULL, NULL), 0);
	cr_expect_eq(wanted.version, 6);
}

static void expect_address(unsigned int version, const char *text)
{
	unsigned char address[16] = {};
	struct str s __str = {};

	cr_assert_eq(inet_pton(version == 6 ? AF_INET6 : AF_INET, text, address), 1);
	address_add(&s, version, address);
	cr_expect_str_eq(s.data, text);
}

Test(tcp, addresses)
{
	expect_address(4, "0.0.0.0");
	expect_address(4, "192.168.100.255");
	expect_address(6, "::");
	expect_address(6, "::1");
	expect_address(6, "::ffff:127.0.0.1");
	expect_address(6, "2001:db8:1111:2222:3333:4444:5555:6666");
}
