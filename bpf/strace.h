/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of `sonde strace`: a call begins or ends, a signal is delivered, a thread ends. Shared by both sides.
 *
 * A record is a struct strace_record and, behind it, blobs: what the steps of the call's plan have copied from the
 * memory of the task. A blob is a struct strace_blob and its bytes, padded to 8.
 */
#ifndef SONDE_BPF_STRACE_H
#define SONDE_BPF_STRACE_H

#define STRACE_CALLS	    512		       /* calls with greater numbers have one plan */
#define STRACE_PLANS	    (STRACE_CALLS + 2) /* of this architecture; behind them are as many of 32-bit programs */
#define STRACE_STEPS	    2048
#define STRACE_RET_TAG	    30	 /* the tag of a blob of the result */
#define STRACE_NETLINK_TAG  31	 /* of a blob of STRACE_NETLINK */
#define STRACE_NETLINK_MOST 6144 /* bytes of messages of netlink, whatever -s says */
#define STRACE_BLOBS	    16	 /* the most steps of a plan at one end of a call */
#define STRACE_ARGS	    6
#define STRACE_ROOM	    8192 /* bytes for the blobs of a record, a power of two */
/*
 * Records that a processor can make at once: newer kernels let other tasks run in the middle of a program. A record
 * that finds no place is lost, which is counted.
 */
#define STRACE_LANES	     4
#define STRACE_STRINGS_WHOLE 128 /* with -v: the most texts of an array; STRACE_STRINGS takes it as its scale */
#define STRACE_MESSAGES_MAX  8	 /* of an array of messages */
#define STRACE_MESSAGE_SIZE  64	 /* struct mmsghdr; of a 32-bit program half of it */
#define STRACE_VECTOR	     32	 /* the most elements of an array whose elements point elsewhere */
#define STRACE_COMM_LEN	     16

enum strace_kind {
	STRACE_ENTER,
	STRACE_EXIT,
	STRACE_SIGNAL, /* one blob: the siginfo, of STRACE_SIGINFO bytes; nr: the signal */
	STRACE_ENDED,  /* a thread has ended; ret: as wait(2) gives it */
	STRACE_STACK,  /* of a call that has just begun; ret: the id of the stack */
	/* A call whose end the kernel has skipped; of its registers nothing is known. */
	STRACE_UNENDED,
	STRACE_BESIDE, /* what other programs know of the call whose end comes next: size bytes of theirs, no blobs */
};

#define STRACE_SIGINFO 48

#define STRACE_RETURN_32 173 /* rt_sigreturn of 32-bit programs, on both architectures */

/* strace_record.flags */
#define STRACE_COMPAT 1 /* a 32-bit call, with another number */
#define STRACE_LAST   4 /* STRACE_ENDED: it was the last thread of its process */
#define STRACE_ASKED  8 /* STRACE_ENTER: user space has asked what the thread waits in; the begin was not seen */

/*
 * A call that ends before its thread leaves the processor has one record, at its end. If the thread leaves the
 * processor within the call, it has a record of its begin, too, from that moment. So has one whose begin is copied
 * (strace_plan).
 */
struct strace_record {
	unsigned long long time; /* when it was made, ns since boot */
	/* when the call began; of an end 0: its begin has a record of its own, or was not seen; of no call: 0 */
	unsigned long long began;
	unsigned int pid, tid; /* in the reader's pid namespace */
	unsigned short kind, flags;
	unsigned int nr;		      /* STRACE_EXIT: -1: that number, or one of STRACE_RESTORE: its begin has it */
	unsigned int size;		      /* of the blobs */
	unsigned int own;		      /* STRACE_HOW_SPACE: the thread in its own pid namespace; 0: not known */
	unsigned int space, unused;	      /* the same: the inode of that namespace */
	long long ret;			      /* STRACE_EXIT */
	unsigned long long args[STRACE_ARGS]; /* registers */
	union {
		char comm[STRACE_COMM_LEN];
		unsigned long long ip; /* with -i: where the program goes on */
	};
};
_Static_assert(sizeof(struct strace_record) == 120, "as on the other side");

/* Where a program makes its record, which it then sends. */
struct strace_scratch {
	unsigned long long busy;
	unsigned int entries;		 /* entries of a directory counted so far */
	unsigned int netlink;		 /* the call is on a socket of netlink */
	unsigned long long offset;	 /* where the next one is */
	unsigned long long left;	 /* bytes that a call has filled in, of those not yet copied of an array's elements */
	unsigned short at[STRACE_BLOBS]; /* where the bytes of each step are; 0: nowhere */
	struct strace_record record;
	/* room for a blob that begins near the end of STRACE_ROOM */
	char data[2 * STRACE_ROOM];
};
_Static_assert(sizeof(struct strace_scratch) == 184 + 2 * STRACE_ROOM, "as on the other side");

/* strace_blob.status */
enum strace_status {
	STRACE_WHOLE,
	STRACE_SHORT,  /* there is more than `most` bytes, or than there was room for */
	STRACE_UNREAD, /* the memory could not be read */
	STRACE_EDGE,   /* the memory ends in the middle of it */
};

struct strace_blob {
	unsigned char tag; /* strace_step.tag */
	unsigned char status;
	unsigned short n; /* bytes */
	unsigned int all; /* how many it would be without a limit; 0: not known */
};
_Static_assert(sizeof(struct strace_blob) == 8, "as on the other side");

enum strace_op {
	STRACE_NOTHING,
	/* of the memory that a pointer points to */
	STRACE_STRING,	/* a text that ends with a NUL, which is copied too if there is room */
	STRACE_BYTES,	/* a number of bytes */
	STRACE_STRINGS, /* an array of pointers to texts, which a NULL ends: a blob each */
	STRACE_COUNT,	/* how many pointers are there before a NULL: in strace_blob.all */
	STRACE_ENTRIES, /* how many struct linux_dirent64 there are in so many bytes: in strace_blob.all */
	STRACE_OF_POINTER = STRACE_ENTRIES,
	/* others */
	/* the memory that each struct iovec of another step's blob points to: a blob each; with a scale: each pointer */
	STRACE_VECTORS,
	STRACE_FILE,	 /* what a descriptor is open on: a struct strace_file */
	STRACE_FILES,	 /* the same of the descriptors in another step's blob, the first 32, or bits of the first 64: scale */
	STRACE_MESSAGES, /* of an array of struct mmsghdr, another step's blob: name, control, vectors, their memory, a blob each */
	STRACE_NETLINK,	 /* the protocol of a descriptor that is a socket of netlink: 4 bytes; of others no blob */
	STRACE_PROGRAM,	 /* the arguments of the program that now runs: one block of texts, and what was executed */
};

/* Where a step takes a pointer or a number from: an argument (0 to 5), or one of these. */
#define STRACE_FROM_RET	 6
#define STRACE_FROM_NONE 7
#define STRACE_FROM_BLOB 16 /* plus the number of an earlier step of this plan and end: from its bytes */

/* strace_step.when */
#define STRACE_IF_OK	 1 /* only if the call has not failed */
#define STRACE_IF_FAILED 2
#define STRACE_IF_WHOLE	 4  /* only with -v; the plan has no such step without */
#define STRACE_NARROW	 16 /* of a 32-bit program: a pointer in a blob has 4 bytes, a struct iovec 8 */
#define STRACE_TO_EDGE	 32 /* STRACE_BYTES: if the next page cannot be read, those before it: STRACE_EDGE */
#define STRACE_MESSAGE	 8  /* behind a step of STRACE_NETLINK with a blob: `most` is STRACE_NETLINK_MOST */

/* strace_step.scale of STRACE_FILES: an array of struct pollfd, or a set of bits */
#define STRACE_FILES_POLL 8
#define STRACE_FILES_BITS 1

/* strace_step.wide, beside 0 and 1: the number is what a request of ioctl says of the size of its argument. */
#define STRACE_OF_REQUEST 2
/* The number has 2 bytes. */
#define STRACE_OF_SHORT 3

/*
 * The bytes of the argument: most requests have them in their number. Those that do not are older, and of small
 * structs, but for disks, consoles and loop devices.
 */
static inline unsigned int strace_size_of_request(unsigned int request)
{
	unsigned int size = request >> 16 & 0x3fff;

	return size ? size : request < 0x5400 ? 520
					      : 64;
}

/* First arguments of a call, which say what it is to do; last 0: all. */
struct strace_range {
	unsigned short first, last;
};
_Static_assert(sizeof(struct strace_range) == 4, "as on the other side");

struct strace_step {
	unsigned char op, tag;
	unsigned char from, at; /* the pointer; at: its place in a blob */
	/* STRACE_BYTES, STRACE_VECTORS: the number, times scale; none: scale alone. wide: of 8 bytes in a blob, else 4. */
	unsigned char count_from, count_at, wide, when;
	unsigned short scale;
	unsigned short most;	/* bytes; of each blob if there are several */
	struct strace_range of; /* only in such calls */
};
_Static_assert(sizeof(struct strace_step) == 16, "as on the other side");

/* The magic numbers of the file systems of sockets (SOCKFS_MAGIC) and pipes. */
#define STRACE_SOCKETS 0x534f434b
#define STRACE_PIPES   0x50495045

/* The bytes of a blob of STRACE_FILE. */
struct strace_file {
	unsigned long long inode;
	unsigned long long peer_inode; /* unix: of the other end, netlink: its address; 0: none */
	unsigned int device;	       /* of a device: its number as the kernel has it, major << 20 | minor */
	unsigned int magic;	       /* of its file system */
	unsigned short mode;
	unsigned char unlinked; /* it has no name any more */
	unsigned char unused;
	/* of a socket; addresses and ports of IPv4 and IPv6, the latter in the host's order */
	unsigned short family, type, protocol, state;
	unsigned short own_port, peer_port;
	unsigned char own[16], peer[16];
	unsigned int name_size; /* unix: bytes of the name, which is cut */
	char name[108];
	unsigned int pid; /* of a pidfd, in the reader's pid namespace; 0: it is none */
	unsigned int unused_too;
	struct path_record path; /* directories: the names from the innermost out, each with a NUL */
};
_Static_assert(sizeof(struct strace_file) == 200, "as on the other side");

enum strace_call_kind {
	STRACE_PLAIN,
	STRACE_FORK,	/* it ends with 0 in the new task, too */
	STRACE_EXEC,	/* the command begins with it; it may end with another number, that of a program of the other kind */
	STRACE_RESTORE, /* it restores all registers: at its end, its number is -1 */
};

/* strace_plan.wanted */
#define STRACE_WANTED	   1 /* by the user, or since it shows where the command begins */
#define STRACE_WANTED_ELSE 2 /* of a plan for 64-bit programs: the call that has this number in 32-bit ones is wanted */

/* Steps of a call: indices of strace_steps. The first plan is for -1, the one of number n is n + 1. */
struct strace_plan {
	unsigned short enter, exit;
	unsigned char n_enter, n_exit;
	unsigned char wanted;
	unsigned char kind;		/* enum strace_call_kind */
	unsigned char early;		/* its begin is sent when it happens */
	unsigned char brief;		/* enum strace_brief */
	struct strace_step only, other; /* of its end, if it is brief */
	struct strace_range early_of;
	unsigned short unused;
};
_Static_assert(sizeof(struct strace_plan) == 48, "as on the other side");

/* A call whose end has one or two small steps, of arguments' pointers, is copied right into the buffer of records. */
enum strace_brief {
	STRACE_LONG,
	STRACE_BRIEF_BYTES,  /* STRACE_BYTES_ROOM bytes at most */
	STRACE_BRIEF_TEXT,   /* STRACE_TEXT_ROOM bytes at most; a text that is longer is long */
	STRACE_BRIEF_STRUCT, /* STRACE_STRUCT_ROOM bytes at most */
	STRACE_BRIEF_BOTH,   /* a text, then a struct or bytes */
};

#define STRACE_BYTES_ROOM  32
#define STRACE_TEXT_ROOM   64
#define STRACE_STRUCT_ROOM 144

/* Set by user space before the load. */
struct strace_config {
	unsigned int how; /* STRACE_HOW_* */
	unsigned int tid;
	unsigned int command; /* its first thread: calls before its program begins do not count; 0: none */
	unsigned int unused;
	unsigned long long slower; /* only calls that take so many ns; 0: all */
};
_Static_assert(sizeof(struct strace_config) == 24, "as on the other side");

/* Bits of one word: a program loads it once, and the verifier removes what is off. */
#define STRACE_HOW_ONE		   0x2	  /* only the thread `tid` */
#define STRACE_HOW_ALONE	   0x4	  /* that one, and no other filter matters */
#define STRACE_HOW_MEMBERS	   0x8	  /* no filter matters but that on members */
#define STRACE_HOW_FILES	   0x10	  /* there are steps of STRACE_FILE */
#define STRACE_HOW_COUNT	   0x20	  /* calls are counted */
#define STRACE_HOW_NO_RECORDS	   0x40	  /* no records of calls and signals */
#define STRACE_HOW_WALL		   0x80	  /* count what passes, and not the time on a processor */
#define STRACE_HOW_COMM		   0x100  /* records have the name of the thread */
#define STRACE_HOW_IP		   0x200  /* records have the instruction pointer */
#define STRACE_HOW_DETACH	   0x400  /* a process that executes another program is a member no more */
#define STRACE_HOW_EARLY	   0x800  /* all begins are sent when they happen */
#define STRACE_HOW_UNTIMED	   0x1000 /* nobody wants to know when a call began; there is one thread */
#define STRACE_HOW_SKIP_FAILED	   0x2000 /* calls that end so are not wanted */
#define STRACE_HOW_SKIP_SUCCESSFUL 0x4000
#define STRACE_HOW_SLOWER	   0x8000
#define STRACE_HOW_PIDNS	   0x10000 /* ids are of the reader's pid namespace, which may not see all tasks */
#define STRACE_HOW_SPACE	   0x40000 /* records say in which pid namespace the thread is */
#define STRACE_HOW_FIRST	   0x80000 /* only the first thread of each process */
#define STRACE_HOW_KEEP		   0x20000 /* a filter may leave a task out within a call: keep begins */

/*
 * A call that has begun, in the pending table (bpf/pending.h), until it ends or its task leaves the processor; with
 * STRACE_HOW_KEEP until it ends.
 */
struct strace_pending {
	unsigned long long key, start; /* start: STRACE_NOW: not known, and not wanted */
	unsigned long long regs;       /* the address of its registers; 0: it is being filled in, or has been taken */
	unsigned int nr, flags;
};
_Static_assert(sizeof(struct strace_pending) == 32, "as on the other side");

/* strace_pending.flags, beside STRACE_COMPAT. */
#define STRACE_SENT  0x100 /* the begin has a record of its own */
#define STRACE_OTHER 0x200 /* it may end with another number */

#define STRACE_NOW 1 /* a begin: when the record is made */

/* The counts of a call, on one processor. */
struct strace_count {
	unsigned long long calls, errors;
	unsigned long long untimed; /* of the calls: their begin was not seen */
	unsigned long long ns, least, most;
};
_Static_assert(sizeof(struct strace_count) == 48, "as on the other side");

/* The counts: of each call, then of all with greater numbers, then of 32-bit ones. */
#define STRACE_COUNT_OTHER  STRACE_CALLS
#define STRACE_COUNT_COMPAT (STRACE_CALLS + 1)
#define STRACE_COUNTS	    (STRACE_COUNT_COMPAT + STRACE_CALLS)
#define STRACE_OPENS	    32768 /* calls that last at a time, whose begins are kept to their ends */

#endif
