/* SPDX-License-Identifier: BSD-2-Clause */
/* A call in a graph of calls, and the configuration of the programs. Include bpf/event.h and bpf/pending.h first. */
#ifndef SONDE_BPF_GRAPH_H
#define SONDE_BPF_GRAPH_H

/* Arguments of a call that are kept, and bytes of the text that one of them stands for, with its NUL. */
#define GRAPH_ARGS 6
#define GRAPH_TEXT 40

/* Threads of which something is known: an entry is taken from one that has no call now. */
#define GRAPH_THREADS	  16384
#define GRAPH_THREAD_WAYS 4
/* The first of the GRAPH_THREAD_WAYS entries that a thread may have. */
#define GRAPH_THREAD_AT(key) (((key)*0x9e3779b97f4a7c15ULL >> 52) * GRAPH_THREAD_WAYS)
_Static_assert(GRAPH_THREADS == (1 << (64 - 52)) * GRAPH_THREAD_WAYS, "an entry for each set of upper bits");

/* Programs know something about the functions of the first so many slots: a power of two. */
#define GRAPH_SLOTS 16384

/*
 * What is known of a function: a byte for each slot. GRAPH_ROOT: with graph_config.under, a tree may begin with it. Of
 * an argument that stands for a text: its number, and an enum graph_text.
 */
#define GRAPH_ROOT		      1
#define GRAPH_TEXT_OF(argument, text) ((argument) << 1 | (text) << 4)
#define GRAPH_TEXT_ARGUMENT(about)    ((about) >> 1 & 7)
#define GRAPH_TEXT_KIND(about)	      ((about) >> 4 & 7)
/* Whether a text could not be read: an empty one has two zeros. */
#define GRAPH_TEXT_UNREAD(text) (!(text)[0] && (text)[1])

enum graph_text {
	GRAPH_NO_TEXT,
	GRAPH_CHARS,	/* char *, of the kernel or of the process */
	GRAPH_FILENAME, /* struct filename *: a path that a system call has read */
	GRAPH_DENTRY,	/* struct dentry *, path * and file *: the last part of the path */
	GRAPH_PATH,
	GRAPH_FILE,
};

/*
 * A thread, or a goroutine that calls functions of Go. Calls of the two are in trees of their own. The lower bits are the
 * thread's id on the host, 0 for a goroutine and for idle tasks; the upper ones are of the address of its task, which is
 * aligned to 64 bytes, or of a goroutine a mix of its own and its process.
 */
#define GRAPH_TID_BITS	       22 /* the kernel has 4,194,304 ids at most */
#define GRAPH_KEY(task, tid)   ((task) >> 6 << GRAPH_TID_BITS | (tid))
#define GRAPH_KEY_NO_TASK(mix) ((mix) << GRAPH_TID_BITS)
#define GRAPH_KEY_TID(key)     ((key) & ((1 << GRAPH_TID_BITS) - 1))

/* Whose an entry is and how many calls have begun and not returned, in one word, so that both can be swapped at once. */
#define GRAPH_STATE(key, depth)	      ((key) >> GRAPH_TID_BITS << 32 | (depth))
#define GRAPH_STATE_IS_OF(state, key) (!(((state) ^ (key) << (32 - GRAPH_TID_BITS)) >> 32))

/* User space reads whose calls have not returned at the end. A cache line. */
struct graph_thread {
	unsigned long long key;	  /* 0: the entry is free */
	unsigned long long frame; /* of its outermost call */
	union {
		unsigned long long stack; /* with stacks: of the kernel, as that call began; 0: none */
		unsigned long long sent;  /* else: 1: a record has said who it is */
	};
	union {
		unsigned long long state; /* GRAPH_STATE(); its owner alone changes one that has a depth */
		unsigned int depth;
	};
	/* as it was when its first call began; comm: when a record last said it; "": this is being filled in */
	unsigned int pid, tid, ppid, uid;
	char comm[EVENT_COMM_LEN];
};
_Static_assert(sizeof(struct graph_thread) == 64, "as on the other side");

/* What is called: the slot of the function, and how many traced calls it is in, with flags of records. */
#define GRAPH_CALL(slot, depth) ((slot) | (unsigned long long)(depth) << 32)
#define GRAPH_CALL_SLOT(what)	((unsigned int)(what))
#define GRAPH_CALL_DEPTH(what)	((unsigned int)((what) >> 32) & (GRAPH_GONE - 1))
#define GRAPH_LEFT		(1U << 31) /* the function jumped to another one, so its result is not known */
#define GRAPH_NAMED		(1U << 30) /* a struct graph_who follows */
/*
 * No call: the thread has ended in as many calls as the depth says, which are in the pending table. The record has no
 * arguments.
 */
#define GRAPH_GONE (1U << 29)

/* A call that has not returned. */
struct graph_call {
	struct pending pending;
	unsigned long long thread; /* whose call it is: a key; 0: the call has returned */
	unsigned long long what;   /* GRAPH_CALL() */
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
	unsigned long long unused;
};
_Static_assert(sizeof(struct graph_call) == 128, "as on the other side");

/* A record in a ring, from its time on, which is the end of the call. */
struct graph_event {
	unsigned long long time;   /* ns, CLOCK_MONOTONIC */
	unsigned long long thread; /* a key */
	unsigned long long what;   /* GRAPH_CALL() and flags */
	unsigned long long ns;
	long long ret;
	/* only with graph_config.args: */
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_event) == 128, "as on the other side");

/*
 * Who the thread is. Follows the record of an outermost call, the first time and when the name has changed; with stacks
 * each time.
 */
struct graph_who {
	unsigned long long stack; /* of the kernel; 0: none */
	unsigned int pid, tid, ppid, uid;
	char comm[EVENT_COMM_LEN];
};
_Static_assert(sizeof(struct graph_who) == 40, "as on the other side");

/* The entry of a function (graph_flat). */
struct graph_entry {
	struct event event;
	unsigned long long caller; /* where the call came from */
	unsigned long long function;
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_entry) == 144, "as on the other side");

struct graph_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned int depth;	  /* calls in so many traced calls, or more, are not shown */
	unsigned char args;	  /* read arguments */
	unsigned char under;	  /* only calls in one with GRAPH_ROOT, and that one */
	unsigned char limited;	  /* there is a limit of the depth */
};
_Static_assert(sizeof(struct graph_config) == 16, "as on the other side");

#endif
