// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes messages of netlink that programs send and get. The first byte says which protocol's they are, and whether
 * they go on, and whether that is behind the end of the memory.
 */
#include <linux/netlink.h>

#include "fuzz.h"
#include "strace/netlink.h"
#include "strace/strace_part.h"

/* A byte of an attribute becomes some characters, and no length makes more of them. */
#define MOST_TEXT_OF(N) (1000 + 100 * (N))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int protocols[] = { NETLINK_ROUTE, NETLINK_SOCK_DIAG, NETLINK_GENERIC, NETLINK_NETFILTER };
	static const struct strace_settings settings = { .size = 32, .elsewhere = true };
	__str struct str out = {};
	struct strace_line line = { .out = &out, .settings = &settings };
	struct strace_blob *copy;

	if (!size)
		return 0;
	copy = base_alloc(sizeof(*copy) + size - 1); /* of exactly that size */
	copy->n = size - 1;
	copy->status = data[0] & 0x40 ? STRACE_EDGE : STRACE_SHORT;
	memcpy(copy + 1, data + 1, size - 1);
	strace_netlink(&line, protocols[data[0] % ARRAY_SIZE(protocols)], copy, 0x1000, size - 1 + (data[0] & 0x80));
	if (out.len > MOST_TEXT_OF(size))
		abort();
	free(copy);
	return 0;
}
