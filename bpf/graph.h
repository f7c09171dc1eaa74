/* SPDX-License-Identifier: BSD-2-Clause */
/* A call in a graph of calls, and the configuration of the programs. Include bpf/event.h and bpf/pending.h first. */
#ifndef SONDE_BPF_GRAPH_H
#define SONDE_BPF_GRAPH_H

/* Arguments of a call that are kept, and bytes of the text that one of them stands for, with its NUL. */
#define GRAPH_ARGS 6
#define GRAPH_TEXT 40

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

enum graph_text {
	GRAPH_NO_TEXT,
	GRAPH_CHARS,	/* char *, of the kernel or of the process */
	GRAPH_FILENAME, /* struct filename *: a path that a system call has read */
	GRAPH_DENTRY,	/* struct dentry *, path * and file *: the last part of the path */
	GRAPH_PATH,
	GRAPH_FILE,
};

/*
 * A call that has not returned. An entry with the key of a thread says how many of its calls have not, in `depth`; it
 * exists while there is one.
 */
struct graph_call {
	struct pending pending;
	unsigned long long args[GRAPH_ARGS];
	unsigned long long task; /* whose call it is: the address of its task_struct; 0: the call has returned */
	unsigned int pid, tid;
	unsigned int function; /* its slot */
	unsigned int depth;    /* how many traced calls it is in */
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_call) == 128, "as on the other side");

struct graph_event {
	/* At its end. Who did it is filled in only where depth is 0; the calls in it have the same thread. */
	struct event event;
	unsigned long long start, ns; /* start: since boot */
	unsigned long long task;
	long long ret;
	unsigned int function, depth;
	unsigned int returned; /* 0: the function jumped to another one, and ret is not known */
	unsigned int thread;   /* its id on the host */
	/* only with graph_config.args: */
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
};
_Static_assert(sizeof(struct graph_event) == 176, "as on the other side");

struct graph_config {
	unsigned long long least; /* ns: calls that take less are not shown */
	unsigned int depth;	  /* calls in so many traced calls, or more, are not shown */
	unsigned char args;	  /* read arguments */
	unsigned char under;	  /* only calls in one with GRAPH_ROOT, and that one */
};
_Static_assert(sizeof(struct graph_config) == 16, "as on the other side");

#endif
