/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a recording (sonde.trace): what lies where. A container of our own; every other format is a
 * converter over recording.h. writer.h writes it, recording.h reads it; who describes kinds needs it, too.
 *
 *	header		struct layout_header, 64 bytes
 *	sections	each a struct layout_section (16 bytes) and its body, padded with zeros to whole words of 8 bytes
 *
 * All numbers are little-endian. Bodies consist of 64-bit words; a text is a word with its length in bytes, then the
 * bytes, padded to a whole word. A reader skips sections of types that it does not know, and entries may only grow at
 * the end of a body, so old readers read new files of the same version. A file may end anywhere (kill -9, a full disk):
 * what counts are the whole sections before. Order: HOST, CLOCKS, RING and KINDs come before the first CHUNK; the rest
 * may come anywhere, and END is last.
 *
 *	HOST		release, machine ("x86_64"), node, boot id, sonde's version, command line (6 texts); cpus, pid of the
 *			command (-1: none)
 *	CLOCKS		a moment: ns of CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME; begin, end, or more
 *	RING		how the header word of a record is made: struct layout_ring, a word for each member
 *	KIND		id, name, number of fields; for each: name, is, word, bit, bits
 *	TASKS		entries: struct layout_task, a word for each number, then the texts
 *	TEXTS		entries: space, id, text
 *	CHUNK		cpu, lane, number of the first record, lost before it; then records as they were in the ring
 *	NOTE		text: a line for the user, such as what could not be attached
 *	END		recorded, lost, missed, not attached, exit status of the command
 *	CALLS_FORM	how records of calls with their arguments are made: a number that only the same table has;
 *			the most bytes of a text in them. Only if there may be CALLS
 *	CALLS		entries: bytes of a record, then it, padded; or 0, then how many records were lost here
 *	MISSED		how many hits the kernel had skipped when the records of the next CHUNK were read, if that has
 *			grown. END has the last number; a file that was cut off has only these
 */
#ifndef SONDE_RECORD_LAYOUT_H
#define SONDE_RECORD_LAYOUT_H

#include <stdint.h>

#define LAYOUT_MAGIC   "sonde\r\n\x1a" /* 8 bytes, without the NUL; a transfer as text damages it visibly */
#define LAYOUT_VERSION 1
#define LAYOUT_ENDIAN  0x01020304u

struct layout_header {
	char magic[8];
	uint32_t endian, version;
	uint32_t header_bytes; /* 64 */
	uint32_t machine;      /* ELF's number of the architecture, EM_X86_64 */
	uint64_t reserved[5];  /* zeros */
};
_Static_assert(sizeof(struct layout_header) == 64, "as in the file");

struct layout_section {
	uint32_t type;	/* enum layout_type */
	uint32_t check; /* crc32 of type, bytes and the body with its padding, in this order */
	uint64_t bytes; /* of the body, without padding */
};
_Static_assert(sizeof(struct layout_section) == 16, "as in the file");

enum layout_type {
	LAYOUT_HOST = 1,
	LAYOUT_CLOCKS,
	LAYOUT_RING,
	LAYOUT_KIND,
	LAYOUT_TASKS,
	LAYOUT_TEXTS,
	LAYOUT_CHUNK = 9,
	LAYOUT_NOTE,
	LAYOUT_END,
	LAYOUT_MISSED,
	LAYOUT_CALLS_FORM,
	LAYOUT_CALLS,
};

/* Limits, so that a reader knows what memory a file can take. The writer splits what is longer. */
#define LAYOUT_BODY_MAX	  (1u << 20) /* bytes of a section */
#define LAYOUT_CHUNK_HEAD 32	     /* bytes of a CHUNK in front of the records */
#define LAYOUT_CHUNK_MAX  (LAYOUT_BODY_MAX - LAYOUT_CHUNK_HEAD)
#define LAYOUT_TEXT_MAX	  65536
#define LAYOUT_FIELDS_MAX 32
#define LAYOUT_KINDS_MAX  256

/* What a field is. The type says how it is shown and what consumers may do with it. */
enum layout_is {
	LAYOUT_NUMBER = 1, /* unsigned */
	LAYOUT_SIGNED,
	LAYOUT_HEX,
	LAYOUT_DURATION,   /* ns */
	LAYOUT_TIME,	   /* ns, CLOCK_MONOTONIC */
	LAYOUT_BYTES,	   /* a size */
	LAYOUT_TASK,	   /* signed: a thread's id; 0: idle, -1: none (an interrupt) */
	LAYOUT_PROCESS,	   /* signed: a process's id (tgid) */
	LAYOUT_CPU,	   /* signed; -1: none */
	LAYOUT_PRIO,	   /* the kernel's: 120 is nice 0 */
	LAYOUT_STATE,	   /* prev_state of sched_switch: TASK_* bits, 0 is runnable; 0x100: preempted */
	LAYOUT_SYSCALL,	   /* signed: its number, a text of LAYOUT_SPACE_SYSCALLS; -1: none */
	LAYOUT_RETURN,	   /* signed: a result; -1 to -4095 are errors */
	LAYOUT_ERROR,	   /* signed: 0 or an error, either sign */
	LAYOUT_ADDRESS,	   /* a symbol may be a text of LAYOUT_SPACE_SYMBOLS */
	LAYOUT_DEVICE,	   /* the kernel's dev_t: major << 20 | minor; a text of LAYOUT_SPACE_DEVICES */
	LAYOUT_SECTOR,	   /* of 512 bytes */
	LAYOUT_TEXT,	   /* a text of LAYOUT_SPACE_STRINGS */
	LAYOUT_PROBE,	   /* a text of LAYOUT_SPACE_PROBES: the spec as the user knows it */
	LAYOUT_CHARS = 21, /* text in the record: `bits` bytes, or up to the record's end if that is 0; NULs end it */
	LAYOUT_WORDS,	   /* numbers: the words from here to the end of the record; shown in hex */
	LAYOUT_OP,	   /* kind of a block request: bpf/block.h */
	LAYOUT_PROBE_SITE, /* 0: entry or a place, 1: return */
	LAYOUT_LOC,	   /* text elsewhere: 16 bits, its first byte, counted from word `bits`; 16 bits, its length */
};

/*
 * A field of a record: `bits` bits from bit `bit` of word `word`; word 0 is the first behind the header, which is the
 * time of every kind and has no field. A field whose word is behind the end of a record is absent in it.
 */
struct layout_field {
	const char *name;	 /* "prev_prio"; known.h has the names that reports and converters look for */
	uint8_t is;		 /* enum layout_is */
	uint8_t word, bit, bits; /* bits 0: 64; LAYOUT_CHARS: bytes; LAYOUT_LOC: a word */
};

struct layout_kind {
	uint32_t id; /* as in the header of the record */
	const char *name;
	const struct layout_field *fields;
	uint32_t n;
};

/*
 * The header word of a record: members are the lowest bit and how many bits. Its length in words, with the header
 * itself, is the words' field + words_extra. The number counts the records of the ring (it wraps).
 */
struct layout_ring {
	uint8_t number_at, number_bits;
	uint8_t kind_at, kind_bits;
	uint8_t words_at, words_bits, words_extra;
};

/* A task as it is known at some moment: at the start from /proc, later when it is born or ends. */
enum {
	LAYOUT_TASK_EXISTED = 1, /* before the recording began: read from /proc */
	LAYOUT_TASK_KERNEL = 2,	 /* a kernel thread */
	LAYOUT_TASK_COMMAND = 4, /* the command that sonde ran */
	LAYOUT_TASK_PASSES = 8,	 /* the filters pass it, as far as they were asked: what it does is recorded */
};

struct layout_task {
	int32_t tid, tgid, ppid;
	uint32_t flags;
	uint64_t began;	  /* ns, CLOCK_MONOTONIC; 0: unknown */
	int64_t state;	  /* at the start, of those that existed: the letter of /proc (R, S, D ...); 0: unknown */
	const char *comm; /* "" unknown */
	const char *line; /* command line, words separated by spaces; "" unknown */
};

/* What ids of texts are ids of. */
enum layout_space {
	LAYOUT_SPACE_STRINGS = 1, /* paths, names: whatever a record refers to by number */
	LAYOUT_SPACE_SYSCALLS,	  /* numbers of calls on the recorded machine */
	LAYOUT_SPACE_SYMBOLS,	  /* addresses; kernel symbols, user symbols where unique */
	LAYOUT_SPACE_PROBES,
	LAYOUT_SPACE_DEVICES,
	LAYOUT_SPACE_PROCESSES, /* tgid: the executable's path */
};

struct layout_host {
	const char *release, *machine, *node, *boot_id, *version, *line;
	uint32_t cpus;
	int32_t command_pid; /* -1: no command */
};

struct layout_clocks {
	uint64_t monotonic, boot, wall;
};

struct layout_end {
	uint64_t recorded; /* records in the file */
	uint64_t lost;	   /* overwritten before they were read, in all chunks and behind the last ones */
	uint64_t missed;   /* hits that the kernel skipped */
	uint64_t unattached;
	int64_t exit_status; /* of the command as of wait(2); -1: none, or it lives */
};

#endif
