/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a system call failed: what the functions in it returned that was a failure. Shared by both sides. Include
 * bpf/graph.h (texts of arguments) and bpf/strace.h (records) first.
 */
#ifndef SONDE_BPF_WHYNOT_H
#define SONDE_BPF_WHYNOT_H

/* So many calls of functions may be in each other; deeper ones are not looked at. A power of two. */
#define WHYNOT_DEPTH 64
/* Failures of a system call that are kept: the last ones. A power of two. */
#define WHYNOT_FAILURES 64
/* Programs know something about the functions of the first so many slots: a power of two. */
#define WHYNOT_SLOTS 16384
/* Threads at a time; one more has no answers, which is counted. */
#define WHYNOT_THREADS 512
#define WHYNOT_LIMITS  16 /* RLIM_NLIMITS */

/* Which results of a function are failures, and how wide its results are. */
#define WHYNOT_ERROR   1 /* a negative number of an error */
#define WHYNOT_ZERO    2 /* 0, NULL, false */
#define WHYNOT_NONZERO 4 /* anything else */
#define WHYNOT_8       16
#define WHYNOT_32      32
#define WHYNOT_64      64

/* What an argument of a function leads to: its number in the lower bits, an enum whynot_object above. */
#define WHYNOT_OBJECT_OF(argument, object) ((argument) | (object) << 4)
#define WHYNOT_OBJECT_ARGUMENT(about)	   ((about)&7)
#define WHYNOT_OBJECT_KIND(about)	   ((about) >> 4 & 7)

enum whynot_object {
	WHYNOT_NOTHING,
	WHYNOT_INODE,
	WHYNOT_DENTRY,
	WHYNOT_PATH,
	WHYNOT_FILE,
	WHYNOT_USER_NS,
};

struct whynot_function {
	unsigned char fails;  /* WHYNOT_ERROR and so on; 0: the slot has none */
	unsigned char text;   /* an argument that stands for a text: GRAPH_TEXT_OF() */
	unsigned char object; /* WHYNOT_OBJECT_OF() */
	unsigned char unused;
};
_Static_assert(sizeof(struct whynot_function) == 4, "as on the other side");

/* What an argument leads to, as it was when the function returned. */
struct whynot_seen {
	unsigned int inode_flags; /* i_flags of the inode */
	unsigned int mode;	  /* 0: there is no inode */
	unsigned int uid, gid;
	unsigned int mount_flags; /* of struct vfsmount; 0 also if it is not known */
	unsigned int level;	  /* of a user namespace: 0, the first one */
	unsigned long long super_flags, magic;
};
_Static_assert(sizeof(struct whynot_seen) == 40, "as on the other side");

/* A function that returned a failure. */
struct whynot_failure {
	unsigned int slot, number; /* number: of the failures of this call, from 0 */
	unsigned int begin, end; /* when it was entered and left, in a count of such events of this system call */
	long long ret;
	unsigned long long args[GRAPH_ARGS];
	char text[GRAPH_TEXT];
	struct whynot_seen seen;
};
_Static_assert(sizeof(struct whynot_failure) == 152, "as on the other side");

/* whynot_facts.flags */
#define WHYNOT_BEGUN	    1 /* the call's begin was seen: it got past seccomp */
#define WHYNOT_NO_NEW_PRIVS 2

/*
 * Behind the struct strace_record of kind STRACE_BESIDE, which comes before that of the call's end. The n failures
 * are those of the numbers `first` to first + n - 1, each at its number modulo WHYNOT_FAILURES. One whose number is
 * another has been overwritten, by one that was taken back.
 */
struct whynot_facts {
	unsigned int n, first;
	unsigned int flags;
	unsigned int uid, euid, fsuid, gid;
	unsigned int seccomp;			      /* 0: off, 1: strict, 2: a filter */
	unsigned long long capabilities;	      /* the effective ones */
	unsigned int level;			      /* of the task's user namespace */
	unsigned int deep;			      /* calls that were too deep */
	unsigned long long cgroup;		      /* the id of its cgroup (version 2) */
	unsigned long long limits[2 * WHYNOT_LIMITS]; /* of the process: soft, hard */
	struct whynot_failure failures[WHYNOT_FAILURES];
};
_Static_assert(sizeof(struct whynot_facts) == 312 + WHYNOT_FAILURES * 152, "as on the other side");

/* Why there may be no answers. */
enum whynot_loss {
	WHYNOT_NO_ROOM, /* too many threads */
	WHYNOT_DROPPED, /* the buffer of records was full */
	WHYNOT_LOSSES,
};

struct whynot_config {
	unsigned int error; /* only calls that fail with this one; 0: all */
	unsigned int pidns; /* ids are of the reader's pid namespace with this inode; 0: the host's */
};
_Static_assert(sizeof(struct whynot_config) == 8, "as on the other side");

#endif
