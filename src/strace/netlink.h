/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of netlink. */
#ifndef SONDE_STRACE_NETLINK_H
#define SONDE_STRACE_NETLINK_H

#include "type.h"

/*
 * Appends the messages in `len` bytes as strace prints them; the blob has what of them has been copied. Returns false, and
 * appends nothing, if they are no messages, or of NETLINK_KOBJECT_UEVENT, whose messages are texts.
 */
bool strace_netlink(struct strace_line *line, int protocol, const struct strace_blob *blob, uint64_t address, uint64_t len);
/* Of the child that asks the kernel for families: it may end late. */
void strace_netlink_reap(void);
/* Asks the kernel for the numbers of generic families, unless it was asked before: else the first one that is met does. */
void strace_netlink_ask(void);

#endif
