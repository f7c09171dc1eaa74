/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tools that show requests to disks. */
#ifndef SONDE_ENGINES_BLOCK_H
#define SONDE_ENGINES_BLOCK_H

#include "base/base.h"
#include "base/str.h"
#include "bpf/block.h"
#include "bpf/pending.h"
#include "bpf/slot.h" /* skeletons name its structs */
#include "event.h"
#include "bpf/block_io.h"

/*
 * Selects the requests of one disk: "sda", "/dev/sda". Returns 0, or with err -ENODEV: there is no such disk, or
 * -EINVAL: it is a partition, whose requests belong to the disk.
 */
int block_find_disk(struct block_wanted *wanted, const char *name, struct err *err);
/* Lists the names of all disks, for an option's .offers. */
void block_offer_disks(const char *word, void (*fn)(const char *name, void *ctx), void *ctx);

/* The option for block_find_disk(). */
#define BLOCK_DISK(STRUCT, MEMBER) \
	OPT(OPT_STRING, STRUCT, MEMBER, 'd', "disk", "DISK", "only this disk: sda, /dev/sda", \
	    .offers = block_offer_disks)

/* Appends the operation and flags in bcc's words: "Sync-Write". A flag without a word is not shown. */
void block_describe(struct str *s, uint64_t flags);

/*
 * The begin of the table of probes of a tool whose programs use bpf/block_io.bpf.h. Requests are made, issued, maybe
 * merged, and completed; as always the ends are attached first.
 */
#define BLOCK_IO_TRACEPOINT(PROGRAM, NAME, ...) \
	{ \
		.program = PROGRAM, .system = "block", .name = NAME, .raw = true, ##__VA_ARGS__ \
	}
#define BLOCK_IO_BY_FUNCTION(NAME) \
	{ \
		.program = "made", .function = NAME, .optional = true, .otherwise = true \
	}
#define BLOCK_IO_PROBES \
	[BLOCK_IO_COMPLETED] = BLOCK_IO_TRACEPOINT("completed", "block_rq_complete"), \
	[BLOCK_IO_MERGED] = BLOCK_IO_TRACEPOINT("merged", "block_rq_merge", .optional = true), \
	[BLOCK_IO_ISSUED] = BLOCK_IO_TRACEPOINT("issued", "block_rq_issue"), \
	[BLOCK_IO_START] = BLOCK_IO_TRACEPOINT("made", "block_io_start", .optional = true), \
	[BLOCK_IO_FUNCTION] = BLOCK_IO_BY_FUNCTION("__blk_account_io_start"), \
	[BLOCK_IO_OLD_FUNCTION] = BLOCK_IO_BY_FUNCTION("blk_account_io_start"), \
	[BLOCK_IO_INSERTED] = BLOCK_IO_TRACEPOINT("made", "block_rq_insert", .optional = true, .otherwise = true, \
						  .note = BLOCK_IO_NO_MAKER)
#define BLOCK_IO_NO_MAKER \
	"this kernel does not show who makes a request: the task is the one that inserts it into a queue or issues it"

/* Fields of a row that begins with a struct block_io. */
#define BLOCK_IO_TYPE  TEXT_GET(FIELD_STR, block_io_get_type, "T", -1)
#define BLOCK_IO_FLAGS DATA_GET(FIELD_STR, block_io_get_flags, "flags")
/* SHOWN: as in struct field. */
#define BLOCK_IO_PATTERN(SHOWN) \
	FIELD(FIELD_CHARS, struct block_io, pattern, "pattern", "P", -1, .shown = SHOWN, \
	      .known = offsetof(struct block_io, pattern), .known_size = 1)
#define BLOCK_IO_QUEUED(SHOWN) \
	FIELD(FIELD_DURATION, struct block_io, queued, "queued_ns", "QUE(ms)", 7, .unit = UNIT_MS, .decimals = 2, \
	      .shown = SHOWN)
#define BLOCK_IO_TOOK \
	FIELD(FIELD_DURATION, struct block_io, took, "latency_ns", "LAT(ms)", 7, .unit = UNIT_MS, .decimals = 2)
void block_io_get_type(struct value *to, const void *row, const void *ctx);
void block_io_get_flags(struct value *to, const void *row, const void *ctx);

#endif
