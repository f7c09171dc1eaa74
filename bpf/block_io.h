/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disk requests and who made them. Shared by both sides. Include bpf/block.h, bpf/event.h and bpf/pending.h first.
 */
#ifndef SONDE_BPF_BLOCK_IO_H
#define SONDE_BPF_BLOCK_IO_H

/* Where a tool's table of probes has those of BLOCK_IO_PROBES (src/engines/block.h). */
enum block_io_probe {
	BLOCK_IO_COMPLETED,
	BLOCK_IO_MERGED,
	BLOCK_IO_ISSUED,
	BLOCK_IO_START,	   /* a tracepoint since 6.5, before that a function with changing names */
	BLOCK_IO_FUNCTION, /* since 5.14 */
	BLOCK_IO_OLD_FUNCTION,
	BLOCK_IO_INSERTED, /* nothing shows who makes requests: who inserts them into a queue */
};

#define BLOCK_IO_DISK_LEN 32

/* A request, as it was when it was issued: what completes may be less at a time. */
struct block_io {
	struct event event; /* who made it, and when it completed */
	unsigned long long sector, bytes;
	unsigned long long queued; /* ns until it was issued */
	unsigned long long took;   /* ns from then on */
	unsigned int flags;	   /* the operation, and enum block_flag (bpf/block.h) */
	unsigned char issued;
	char pattern[3]; /* "S": it begins where the last one of its disk ended; "R": elsewhere; "": not known */
	char disk[BLOCK_IO_DISK_LEN];
};
_Static_assert(sizeof(struct block_io) == 112, "as on the other side");

/* An entry of the pending table. It starts when the request is made, and again when it is issued. */
struct block_io_entry {
	struct pending pending;
	struct block_io io;
};
_Static_assert(sizeof(struct block_io_entry) == 128, "as on the other side");

/* What of all requests the user wants. */
struct block_io_config {
	struct block_wanted wanted;
	unsigned char pattern; /* find block_io.pattern, by the map block_io_ends */
};
_Static_assert(sizeof(struct block_io_config) == 16, "as on the other side");

#endif
