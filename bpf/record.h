/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `sonde record` writes into its ring: the kinds of records and their words. Shared by both sides, and the
 * contract with whoever reads a recording. A record in the ring is a header of 8 bytes (bpf/ring.h) and one of the
 * structs below, in words of 8 bytes, as the recording machine has them.
 *
 * - Times are ns of CLOCK_MONOTONIC, as bpf_ktime_get_ns().
 * - `pid` and `tgid` are the kernel's: a thread and its process, as the host numbers them. 0 is an idle processor.
 * - The processor is that of the ring, so it is in no record.
 * - A record may be shorter than its struct: the fields behind its end are absent, which is not the same as 0. New
 *   fields are only ever added at the end, and a number of a kind is never used again for something else.
 * - A text goes from its field to the end of the record, padded with NULs; it has no NUL if it fills the last word.
 */
#ifndef SONDE_BPF_RECORD_H
#define SONDE_BPF_RECORD_H

enum record_kind {
	RECORD_NONE,	       /* no kind: 0 is what memory that nobody has written to contains */
	RECORD_SWITCH,	       /* struct record_switch */
	RECORD_WAKING,	       /* struct record_waking */
	RECORD_MIGRATE,	       /* struct record_migrate */
	RECORD_FORK,	       /* struct record_fork */
	RECORD_EXEC,	       /* struct record_exec */
	RECORD_COMM,	       /* struct record_comm */
	RECORD_EXIT,	       /* struct record_exit */
	RECORD_SYS_ENTER,      /* struct record_sys_enter */
	RECORD_SYS_EXIT,       /* struct record_sys_exit */
	RECORD_BLOCK_ISSUE,    /* struct record_block: a request goes to the device */
	RECORD_BLOCK_COMPLETE, /* struct record_block: the device has done it, or a part of it */
	RECORD_PROBE,	       /* struct record_probe: a probe of the user's */
	RECORD_MARK,	       /* struct record_mark */
	RECORD_WAIT,	       /* struct record_wait */
	RECORD_FUNCTION,       /* struct record_function */
	RECORD_REQUEST,	       /* struct record_request */
	RECORD_KINDS,
};

#define RECORD_CALLS	512 /* calls with greater numbers have all arguments */
#define RECORD_COMM_LEN 16
#define RECORD_ARGS	6
#define RECORD_REQUEST_ASKED 8
#define RECORD_TEXT_MAX 256 /* longer texts are cut; a multiple of 8 */
#define RECORD_NO_CALL	(-1)
#define RECORD_CALL_32	0x20000000 /* added to the number of a call of a 32-bit task, whose numbers are others */

/* record_switch.state: what ftrace's event sched_switch reports of prev. */
enum record_state {
	RECORD_STATE_RUNNING = 0,
	RECORD_STATE_SLEEPS = 1,	  /* S */
	RECORD_STATE_UNINTERRUPTIBLE = 2, /* D */
	RECORD_STATE_STOPPED = 4,	  /* T */
	RECORD_STATE_TRACED = 8,	  /* t */
	RECORD_STATE_DEAD = 0x10,	  /* X */
	RECORD_STATE_ZOMBIE = 0x20,	  /* Z */
	RECORD_STATE_PARKED = 0x40,	  /* P */
	RECORD_STATE_IDLE = 0x80,	  /* I: asleep, and not part of the load */
	RECORD_STATE_PREEMPTED = 0x100,	  /* R+: could go on running */
};

/*
 * prev leaves the processor and next gets it. The record has call, iowait and argument only if prev waits for
 * something: its state is not R, R+, X or Z.
 */
struct record_switch {
	unsigned long long time;
	unsigned int prev, next;	     /* thread ids */
	unsigned short state;		     /* of prev: a set of enum record_state, mostly one of them */
	unsigned short passes;		     /* 1: the filters pass prev; 0: only next */
	unsigned short prev_prio, next_prio; /* the kernel's: 120 is nice 0, less is more urgent */
	int call;			     /* the call that prev is in; -1: none: a page fault, a kernel thread */
	unsigned int iowait;		     /* 1: prev waits for a disk, as the kernel sees it */
	unsigned long long argument;	     /* the call's first */
};
_Static_assert(sizeof(struct record_switch) == 40, "as on the other side");

/* The words of a record_switch whose prev does not wait. */
#define RECORD_SWITCH_SHORT 3

/* A task is about to be woken. It is recorded on the processor of the waker, which is the current task. */
struct record_waking {
	unsigned long long time;
	unsigned int pid, waker; /* 0: an idle processor's interrupt; another may be interrupted, too */
	unsigned short cpu;	 /* where the task ran last */
	unsigned short prio;
	unsigned int flags; /* 0 so far */
};
_Static_assert(sizeof(struct record_waking) == 24, "as on the other side");

struct record_migrate {
	unsigned long long time;
	unsigned int pid;
	unsigned short prio, unused;
	unsigned int from, to; /* processors */
};
_Static_assert(sizeof(struct record_migrate) == 24, "as on the other side");

/* A new thread, or a new process if its tgid is its pid. comm: the child's. */
struct record_fork {
	unsigned long long time;
	unsigned int parent, parent_tgid;
	unsigned int child, child_tgid;
	char comm[RECORD_COMM_LEN];
};
_Static_assert(sizeof(struct record_fork) == 40, "as on the other side");

/* A process executes a file. All its threads have ended but this one, whose pid is that of the process now. */
struct record_exec {
	unsigned long long time;
	unsigned int pid, old_pid; /* they differ if not the first thread of the process executes */
	char comm[RECORD_COMM_LEN];
	char file[RECORD_TEXT_MAX]; /* a text: the name as it was given */
};
_Static_assert(sizeof(struct record_exec) == 288, "as on the other side");

/* A thread has got another name, not by exec. */
struct record_comm {
	unsigned long long time;
	unsigned int pid, tgid;
	char comm[RECORD_COMM_LEN];
};
_Static_assert(sizeof(struct record_comm) == 32, "as on the other side");

struct record_exit {
	unsigned long long time;
	unsigned int pid, tgid;
	unsigned int status; /* as wait() gives it */
	unsigned int last;   /* 1: it is the last thread of its process */
	char comm[RECORD_COMM_LEN];
};
_Static_assert(sizeof(struct record_exit) == 40, "as on the other side");

/* A record has only as many args as the call takes. Calls without a number in our table have all. */
struct record_sys_enter {
	unsigned long long time;
	unsigned int pid;
	int call;
	unsigned long long args[RECORD_ARGS];
};
_Static_assert(sizeof(struct record_sys_enter) == 64, "as on the other side");

struct record_sys_exit {
	unsigned long long time;
	unsigned int pid;
	int call;
	long long ret;
};
_Static_assert(sizeof(struct record_sys_exit) == 24, "as on the other side");

struct record_block {
	unsigned long long time;
	unsigned int device; /* as dev_t in the kernel: major << 20 | minor; 0: the request has no disk */
	unsigned int bytes;
	unsigned long long sector;  /* of 512 bytes */
	unsigned long long request; /* the same in both records of a request */
	unsigned int how;	    /* the operation and flags, as in bpf/block.h */
	unsigned int pid;	    /* the current task: at the issue often who wants it */
	int error;		    /* at the completion: 0 or -errno */
	unsigned int unused;
};
_Static_assert(sizeof(struct record_block) == 48, "as on the other side");

/* The words of a RECORD_BLOCK_ISSUE. */
#define RECORD_BLOCK_ISSUE_WORDS 5

#define RECORD_AT_RETURN 0x80000000U

struct record_probe {
	unsigned long long time;
	unsigned int pid;
	unsigned int probe; /* its number, and RECORD_AT_RETURN; the recording has the names */
	/*
	 * Of a function the first arguments, whole registers: what they mean, only the user knows. At a return there is
	 * one, the value; of a tracepoint there are none.
	 */
	unsigned long long args[RECORD_ARGS];
};
_Static_assert(sizeof(struct record_probe) == 64, "as on the other side");

#define RECORD_PROBE_SHORT  2
#define RECORD_RETURN_WORDS 3

/*
 * Of a tracepoint: its record as perf has it, behind the words that all of them have in common. Its kind is
 * RECORD_TRACEPOINTS plus the number of the probe, and the recording has its fields. Behind the fields is what its
 * __data_loc fields refer to; the last of them refers to the end.
 */
#define RECORD_TRACEPOINTS	64
#define RECORD_TRACEPOINTS_MAX	192 /* those with greater numbers are a struct record_probe */
#define RECORD_TRACEPOINT_WORDS 128 /* longer records are cut */

struct record_tracepoint {
	unsigned long long time;
	unsigned int pid;
	unsigned int probe;
	unsigned long long record[RECORD_TRACEPOINT_WORDS];
};
_Static_assert(sizeof(struct record_tracepoint) == 1040, "as on the other side");

#define RECORD_TRACEPOINT_SHORT 2

/* Of a tracepoint of the user's. Set by user space before the load. */
struct record_shape {
	unsigned char words; /* of the fields */
	unsigned char loc;   /* where its last __data_loc field is in perf's record, in 4 bytes; 0: it has none */
};
_Static_assert(sizeof(struct record_shape) == 2, "as on the other side");

/* The user's, by `sonde mark TEXT`. */
struct record_mark {
	unsigned long long time;
	unsigned int pid, tgid;
	char text[RECORD_TEXT_MAX]; /* a text */
};
_Static_assert(sizeof(struct record_mark) == 272, "as on the other side");

/*
 * A sleep that is over or, at the end of a recording, lasts: what for, and who ended it. No program writes it: sonde
 * why knows it when the thread comes back.
 */
struct record_wait {
	unsigned long long time;
	unsigned int pid, waker;  /* waker 0: an interrupt, a timer; not known */
	unsigned long long woken; /* when; 0: not yet */
	unsigned int text;	  /* number of a text: "pipe: sort" */
	unsigned int disk;	  /* 1: for a disk or a file */
};
_Static_assert(sizeof(struct record_wait) == 32, "as on the other side");

#define RECORD_RESULT_LEN    40
#define RECORD_FUNCTION_TEXT 512

/* A call of a function that was traced. No program writes it: sonde graph knows it when its tree is complete. */
struct record_function {
	unsigned long long time;
	unsigned int pid, function; /* the number of its text */
	unsigned long long took;    /* ns */
	long long ret;
	unsigned int depth;	       /* in how many other traced calls it is */
	unsigned char ended, returned; /* 0: took, and ret, are not known */
	unsigned char user;	       /* a function of the program, not of the kernel */
	unsigned char unused;
	unsigned int track; /* number of a text: the track of calls that belong to no thread; 0: its own */
	unsigned int unused2;
	char result[RECORD_RESULT_LEN];	 /* what it returned by its type; "": nothing is known of that */
	char args[RECORD_FUNCTION_TEXT]; /* a text: dfd=-100, filename="file" */
};
_Static_assert(sizeof(struct record_function) == 600, "as on the other side");

enum record_request_part {
	RECORD_REQUEST_WHOLE = 1,
	RECORD_REQUEST_BEHIND, /* the same, of one that a request at another server has asked for */
	RECORD_REQUEST_STEP,   /* of the one before of this connection: what it was in */
	RECORD_REQUEST_THREAD, /* what a thread did for it */
};

/*
 * A request of a server that is over. No program writes it, as above. A whole one is followed by its steps, which
 * follow each other and are within it.
 */
struct record_request {
	unsigned long long time;
	unsigned long long begin, lasted; /* ns */
	unsigned long long number;	  /* of the request */
	unsigned int pid, part;		  /* who answered, or did it; enum record_request_part */
	unsigned int connection;
	unsigned int text;	     /* a number of a text: of a step; of a request, the name of its track */
	unsigned int client, server; /* numbers of texts: who asks, and where */
	/* of RECORD_REQUEST_THREAD: the numbers of requests at other servers that it asked for meanwhile */
	unsigned long long asked[RECORD_REQUEST_ASKED];
};
_Static_assert(sizeof(struct record_request) == 120, "as on the other side");

/* The words of one that asks nobody. */
#define RECORD_REQUEST_SHORT 7

/* The words of the longest record, without its header. */
#define RECORD_WORDS_MAX (sizeof(struct record_tracepoint) / 8)

/* Set by user space before the load. */
struct record_config {
	unsigned int own; /* not 0: our own process on the host, whose calls and requests are left out */
};
_Static_assert(sizeof(struct record_config) == 4, "as on the other side");

#endif
