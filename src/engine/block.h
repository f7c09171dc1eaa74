/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tools that show requests to disks. */
#ifndef SONDE_ENGINE_BLOCK_H
#define SONDE_ENGINE_BLOCK_H

#include "base/base.h"
#include "base/str.h"
#include "bpf/block.h"

/*
 * Selects the requests of one disk: "sda", "/dev/sda". Returns 0, or with err -ENODEV: there is no such disk, or
 * -EINVAL: it is a partition, whose requests belong to the disk.
 */
int block_find_disk(struct block_wanted *wanted, const char *name, struct err *err);
/* Lists the names of all disks, for an option's .offers. */
void block_offer_disks(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

/* Appends the operation and flags in bcc's words: "Sync-Write". A flag without a word is not shown. */
void block_describe(struct str *s, uint64_t flags);
/* Returns the operation's letter, as in biosnoop's column T: "R", "W"; NULL: unknown. The string is static. */
const char *block_letter(uint64_t flags);

#endif
