// SPDX-License-Identifier: BSD-2-Clause
/* Formats addresses as inet_ntop(3) does. */
#include <arpa/inet.h>

#include "address.h"

void address_add(struct str *s, unsigned int version, const void *address)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(version == 6 ? AF_INET6 : AF_INET, address, text, sizeof(text));
	str_add(s, text);
}
