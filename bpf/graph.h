/* SPDX-License-Identifier: BSD-2-Clause */
/* A call in a graph of calls, and the configuration of the programs. Include bpf/event.h and bpf/pending.h first. */
#ifndef SONDE_BPF_GRAPH_H
#define SONDE_BPF_GRAPH_H

/* Arguments of a call that are kept, and bytes of the text that one of them stands for, with its NUL. */
#define GRAPH_ARGS 6
#define GRAPH_TEXT 40

/* As many threads as are known at a time; those whose calls are longest ago are forgotten first. */
#define GRAPH_THREADS 16384

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
 * A thread, or a goroutine that calls functions of Go. Calls of the two are in trees of their own. User space reads whose
 * calls have not returned at the end.
 */
struct graph_thread_key {
	unsigned long long task; /* the address of the task_struct, or of the goroutine with its process */
	unsigned long long tid;	 /* on the host; of a goroutine 0 */
};

_Static_assert(sizeof(struct graph_thread_key) == 16, "as on the other side");

struct graph_thread {
	struct event who;	  /* as it was when its first call began */
	unsigned long long frame; /* of that call */
	unsigned long long stack; /* of the kernel, as that call began; 0: none */
	unsigned int depth;	  /* how many calls have begun and not returned */
	unsigned int unused;
};
_Static_assert(sizeof(struct graph_thread) == 64, "as on the other side");

/* A call that has not returned. */
struct graph_call {
	struct pending pending;
	unsigned long long args[GRAPH_ARGS];
	struct graph_thread_key thread; /* whose call it is; task 0: the call has returned */
	unsigned int function;		/* its slot */
	unsigned int depth;		/* how many traced calls it is in */
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_call) == 128, "as on the other side");

struct graph_event {
	/* At its end. Who did it is filled in only where depth is 0; the calls in it have the same thread. */
	struct event event;
	unsigned long long start, ns; /* start: since boot */
	struct graph_thread_key thread;
	long long ret; /* of graph_flat: where the call came from */
	unsigned int function, depth;
	unsigned int returned; /* 0: the function jumped to another one, and ret is not known */
	unsigned int unused;
	unsigned long long stack; /* as of the thread; filled in where depth is 0 */
	/* only with graph_config.args: */
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_event) == 192, "as on the other side");

struct graph_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned int depth;	  /* calls in so many traced calls, or more, are not shown */
	unsigned char args;	  /* read arguments */
	unsigned char under;	  /* only calls in one with GRAPH_ROOT, and that one */
};
_Static_assert(sizeof(struct graph_config) == 16, "as on the other side");

#endif
