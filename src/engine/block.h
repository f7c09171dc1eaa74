/* SPDX-License-Identifier: BSD-2-Clause */
/* What tools that show requests to disks have in common. */
#ifndef SONDE_BLOCK_TOOLS_H
#define SONDE_BLOCK_TOOLS_H

#include "base/base.h"
#include "base/str.h"
#include "bpf/block.h"

/*
 * Wants the requests of this disk alone: "sda", "/dev/sda". -ENODEV: there is no such disk; -EINVAL: it is a partition, whose
 * requests are the disk's.
 */
int block_find_disk(struct block_wanted *wanted, const char *name, struct err *err);
/* The names of all disks, for an option's .offers. */
void block_offer_disks(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

/* The operation and flags in bcc's words: "Sync-Write". A flag that has no word is not shown. */
void block_describe(struct str *s, uint64_t flags);
/* The operation in a letter, as in biosnoop's column T: "R", "W"; NULL: one that we do not know. Static. */
const char *block_letter(uint64_t flags);

#endif
