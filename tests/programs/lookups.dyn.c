// SPDX-License-Identifier: BSD-2-Clause
/*
 * lookups FUNCTION HOST [FUNCTION HOST]...
 *
 * Looks each HOST up with this FUNCTION of the C library: getaddrinfo, gethostbyname or gethostbyname2. Prints for each
 * "did FUNCTION HOST USECS PID", where USECS is how long the call took.
 */
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "did.h"

static void look_up(const char *function, const char *host)
{
	struct addrinfo *found = NULL;

	if (!strcmp(function, "getaddrinfo")) {
		getaddrinfo(host, NULL, NULL, &found);
		if (found)
			freeaddrinfo(found);
	} else if (!strcmp(function, "gethostbyname")) {
		gethostbyname(host);
	} else {
		gethostbyname2(host, AF_INET);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		long long began = did_ns(CLOCK_MONOTONIC);

		look_up(argv[i], argv[i + 1]);
		printf("did %s %s %lld %d\n", argv[i], argv[i + 1], (did_ns(CLOCK_MONOTONIC) - began) / 1000, getpid());
	}
	return 0;
}
