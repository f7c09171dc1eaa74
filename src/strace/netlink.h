/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of netlink. */
#ifndef SONDE_STRACE_NETLINK_H
#define SONDE_STRACE_NETLINK_H

#include "type.h"

/*
 * Appends the messages in n bytes as strace prints them; cut: there are more bytes than these. Returns false, and appends
 * nothing, if they are no messages, or of a protocol (NETLINK_*) that is printed as a text.
 */
bool strace_netlink(struct strace_line *line, int protocol, const void *data, size_t n, bool cut);

#endif
