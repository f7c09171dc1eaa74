/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings: one for each processor, in memory that both sides map. Programs write records into the ring of their
 * processor, over the oldest ones; nobody waits for a reader. Shared by both sides, and by whoever reads records from a
 * file: they are stored as they lie in the ring.
 *
 * A record is 2 to RING_WORDS words of 64 bits: a header, the time (ns, CLOCK_MONOTONIC, as bpf_ktime_get_ns()), and
 * what its kind says. Records follow each other without gaps, also in number. The header is written last: as long as it
 * does not name its own place, the record is not complete.
 *
 * The head of a ring is the place at which the next record begins, counted in words since ever (40 bits), below the
 * number of records before it (24 bits). One atomic add reserves room and counts the record.
 */
#ifndef SONDE_BPF_RING_H
#define SONDE_BPF_RING_H

/* The most words of a record, with its header. */
#define RING_WORDS 255
/* What a word of a record is; the words of its kind follow. */
#define RING_TIME 1
#define RING_BODY 2

/* The head, from the lowest bit: the place in words, then the number. A carry out of the place counts as a record. */
#define RING_PLACE_BITS	 40
#define RING_PLACE_MASK	 ((1ULL << RING_PLACE_BITS) - 1)
#define RING_ONE	 (1ULL << RING_PLACE_BITS) /* one record more */
#define RING_NUMBER_MASK (~0ULL >> RING_PLACE_BITS)

/* A header, from the lowest bit: kind (8 bits), words (8), the low 48 bits of the head before it: place and number. */
#define RING_HEADER_BITS 16
#define RING_HEADER(head, kind, words) \
	((unsigned long long)(head) << RING_HEADER_BITS | (unsigned long long)(words) << 8 | (kind))

static inline unsigned int ring_header_kind(unsigned long long header)
{
	return header & 0xff;
}

/* With the header; a value below 2 is none. */
static inline unsigned int ring_header_words(unsigned long long header)
{
	return header >> 8 & 0xff;
}

/*
 * A page is 512 words of a ring (4 KB). When a record reaches or passes the end of a page, its program notes the head
 * after it: there a reader that was too slow finds the begin of a record, and its number.
 */
#define RING_PAGE_SHIFT 9
#define RING_PAGE	(1ULL << RING_PAGE_SHIFT)

/* Bytes behind the words of a block, for a record that begins in its last word. */
#define RING_SLACK (RING_WORDS * 8 + 8)

/*
 * The state of a ring, a cache line. The programs write it, but the last two words, which the reader writes.
 *
 * Without BPF_FETCH (RING_PLAIN) a processor has RING_LANES rings: a program takes that of how many others it has
 * interrupted, so a ring has one writer at a time. `depth` and `missed` are those of the first one.
 */
struct ring_state {
	unsigned long long head;
	unsigned long long complete; /* how many records are complete, with the carries out of the place */
	unsigned long long number;   /* of a record in the last page: all bits, of which the head has 24 */
	unsigned long long late;     /* the head when a record was completed that was already overwritten; 0: never */
	unsigned long long depth;    /* programs on this processor that have interrupted each other */
	unsigned long long missed;   /* records without a ring, since too many programs interrupted each other */
	unsigned long long tail;     /* the place up to which the reader has read */
	unsigned long long rung;     /* 1: the reader was woken since */
};
_Static_assert(sizeof(struct ring_state) == 64, "as on the other side");

#define RING_LANES 4

/* What the kernel can do; the value of PATCH_RING_HOW. */
enum ring_how {
	RING_DIRECT, /* one value of an array has room for all rings */
	RING_BLOCKS, /* elements of an array, which have to be looked up */
	RING_PLAIN,  /* the same without BPF_FETCH */
};

/* Set by user space before the load. */
struct ring_setup {
	unsigned long long wake_at; /* wake the reader when so many words are unread; 0: there is none */
};
_Static_assert(sizeof(struct ring_setup) == 8, "as on the other side");

#endif
