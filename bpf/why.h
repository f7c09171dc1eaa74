/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the time of threads goes: what the programs keep of each thread and of each object that threads wait for, and
 * what they send. Shared by both sides.
 *
 * At each moment a thread runs, waits for a processor, or sleeps. The programs add the time of each state to a cell of
 * the thread, so the sum of its cells is its life. A sleep belongs to a class, by the system call in progress.
 */
#ifndef SONDE_BPF_WHY_H
#define SONDE_BPF_WHY_H

enum why_class {
	WHY_UNKNOWN,   /* the kernel did not show how a state ended */
	WHY_RUNNING,   /* on a processor, interrupts included */
	WHY_PROCESSOR, /* ready to run, waits for a processor */
	WHY_DISK,      /* a file, or anything in iowait */
	WHY_PIPE,
	WHY_NETWORK, /* IPv4, IPv6 */
	WHY_SOCKET,  /* unix and other local sockets */
	WHY_TTY,
	WHY_POLL,      /* poll, select, epoll_wait */
	WHY_LOCK,      /* in memory */
	WHY_FLOCK,     /* of a file: flock(2), fcntl(2) */
	WHY_CONDITION, /* a futex that is no lock: a condition variable, a semaphore, a parked thread */
	WHY_CHILD,     /* a process or thread that is to end, or vfork's child that is to execute */
	WHY_SLEEP,
	WHY_FAULT,	/* a page of memory */
	WHY_ALLOCATION, /* free memory: the thread reclaims or compacts some, or is held up for what its cgroup has */
	WHY_STOPPED,
	WHY_SIGNAL,    /* pause, sigwait */
	WHY_EVENT,     /* eventfd, timerfd, inotify and other devices */
	WHY_AIO,       /* io_uring, io_getevents */
	WHY_IPC,       /* System V and POSIX queues and semaphores */
	WHY_KERNEL,    /* any other system call */
	WHY_THROTTLED, /* ready to run, but its cgroup has used up its share of the processor */
	WHY_EXIT,      /* the end of a thread: other threads, memory, files */
	/* of a recording: a call on a file that it does not know */
	WHY_DESCRIPTOR,
	WHY_BEFORE, /* a sleep that began before tracing; user space finds the class */
	WHY_CLASSES,
};

/* How many classes there can be, each has a bit in a word; a power of two. All else grows with WHY_CLASSES. */
#define WHY_MOST_CLASSES 64
_Static_assert(WHY_CLASSES <= WHY_MOST_CLASSES, "there is no room for another class");

/* What .rodata.calls has for a system call: a class, or how the class is found. */
#define WHY_BY_FD	  64 /* by the file of the descriptor that is the first argument */
#define WHY_BY_FUTEX	  65
#define WHY_BY_FLOCK	  66 /* a lock of a file, the first argument */
#define WHY_BY_SOCKETCALL 67
#define WHY_BY_PATH	  68 /* by the file where the thread is on its way along a path */
#define WHY_CALLS	  512
#define WHY_NO_CALL	  0xffff
#define WHY_COMPAT_CALL	  0x8000 /* a bit of why_thread.call: the number is of the 32-bit calls */
enum why_abi {
	WHY_NATIVE,
	WHY_COMPAT, /* of 32-bit programs */
	WHY_ABIS,
};

enum why_state {
	WHY_IS_RUNNING = 1,
	WHY_IS_READY,
	WHY_IS_ASLEEP,
};

/* Records in the ring buffer "why_records" begin with one of these. */
enum why_record {
	WHY_PART = 1, /* a struct why_thread whose thread executes another program: the rest is in another record */
	WHY_END,      /* a struct why_thread whose thread has ended */
	WHY_WAIT,     /* a struct why_wait */
};

/*
 * What threads wait for, with its class. a and b:
 *	file: inode and device; network: see why_object.peer; event: name of the file; kernel: 0
 *	lock: address, and process << 32 | holder's tid (0: unknown)
 *	flock: inode, and device << 32 | holder's process (0: unknown)
 *	all others: the name of the task that woke the thread, or of the one that had the processor before; 0: not known
 */
#define WHY_INTERRUPT 1 /* in place of the name's first byte: no task, a timer or the network */
#define WHY_NOBODY    2 /* and: the thread still sleeps */
struct why_key {
	unsigned long long a, b;
	unsigned int class;
	unsigned int call; /* number of the system call, where it tells more: kernel, disk without a file */
};
_Static_assert(sizeof(struct why_key) == 24, "as on the other side");

#define WHY_NAMES     8
#define WHY_NAME_SIZE 32

struct why_object {
	unsigned long long ns, count, max;
	/* of a file: the names of its path from the innermost out; the last is "/" where the path is whole */
	char names[WHY_NAMES][WHY_NAME_SIZE];
	/* network; the ports as the kernel has them, 0: any */
	unsigned char peer[16];
	unsigned short family, peer_port /* network order */, own_port, unused;
};
_Static_assert(sizeof(struct why_object) == 24 + 256 + 24, "as on the other side");

/*
 * A thread, in .data.why_threads, or in the hash "why_more" if its places there are taken. Times in ns of the monotonic
 * clock.
 */
struct why_thread {
	unsigned int record;	 /* enum why_record, once it is sent */
	unsigned int busy;	 /* not 0 while somebody claims this element */
	unsigned long long task; /* its address; 0: the element is free */
	unsigned int tid, tgid;
	unsigned long long began; /* what the cells cover, until since */
	unsigned long long since; /* when the present state began; in a record: when it was sent */
	unsigned char state, class;
	unsigned char worker;  /* of io_uring: makes no system calls */
	unsigned char adopted; /* existed before it was seen */
	unsigned short call;
	unsigned char throttled;	/* what it is ready for is its cgroup's next share */
	unsigned char file_class;	/* of `file` */
	struct why_key key;		/* the object of the sleep in progress; class 0: its waker will tell */
	unsigned long long stack;	/* where it sleeps; 0: not taken */
	unsigned long long waker_stack; /* where the waker was, of a long wait; 0: not taken. Of waker_tid */
	/* of a wait that timers cut into pieces: those before, together, and what ns[WHY_RUNNING] is at most at the next one */
	unsigned long long before, until;
	/* an object whose time is not yet in the map "why_objects" */
	struct why_key held;
	unsigned long long held_ns, held_max;
	/* the file of the last call on a descriptor, and a and b of its key */
	unsigned long long file, file_a, file_b;
	unsigned long long woken;   /* when it was last woken; 0: not since it ran */
	unsigned long long delayed; /* its waits for processors in the kernel's own account, until it last ran */
	unsigned long long here;    /* how much of the last one was in the queue of the processor to which it came */
	/* in the kernel's own account: at the begin; in a record: since then */
	unsigned long long ran, user, system;
	char comm[16];
	char waker[16];
	unsigned int waker_tid, waker_tgid;
	unsigned long long long_ones; /* classes that had a long wait last time */
	unsigned long long seen_ones; /* classes that had a wait */
	unsigned long long known;     /* places whose waits are short: the last four numbers */
	/* 12 bytes for each class; the size is any multiple of 8 */
	unsigned long long ns[WHY_CLASSES];
	unsigned int count[WHY_CLASSES];
	unsigned int held_count;
	unsigned short place; /* where the sleep in progress is: a number of the stack's depth, the object, and the class */
	unsigned short news;  /* how many places have become known */
	unsigned short again; /* the place of the pieces in `before` */
};
_Static_assert(sizeof(struct why_thread) == (290 + 12 * WHY_CLASSES + 7) / 8 * 8, "as on the other side");

/* How many elements "why_threads" has, a power of two; and the most entries of "why_more" and "why_objects". */
#define WHY_THREADS 4096
#define WHY_MORE    2048
#define WHY_OBJECTS 4096

/* A wait of at least why_longest.least. */
struct why_wait {
	unsigned int record; /* WHY_WAIT */
	unsigned int tid, tgid;
	unsigned int waker_tid, waker_tgid;
	unsigned short call;
	unsigned short unused;
	unsigned long long ns;
	unsigned long long before; /* how much of it was in a record of its own, as a timer ended that piece */
	struct why_key key;
	unsigned long long stack, waker_stack;
	char comm[16];
	char waker[16]; /* "": not known */
};
_Static_assert(sizeof(struct why_wait) == 112, "as on the other side");

struct why_config {
	unsigned char stacks;	     /* take stacks of waits that may be long */
	unsigned char links;	     /* write who woke whom (bpf/why_link.h) */
	unsigned char drawn;	     /* take stacks of all waits, and count by them; key.slot: the class */
	unsigned char switches;	     /* with links: write the switches, too */
	unsigned char one_port;	     /* of requests: the port is given, those at which the threads listen do not matter */
	unsigned char link_stacks;   /* with links: write the stacks of the waits, also of those for work */
	unsigned char chain;	     /* of requests: measure servers behind, too */
	unsigned char sums;	     /* of threads and objects: somebody reads them */
	unsigned char samples;	     /* of requests, without counts: write where threads run */
	unsigned char wakers;	     /* take where those are that end long waits */
	unsigned char turns;	     /* note who had a processor for longest lately */
	unsigned long long by_waker; /* a bit for each class: whoever wakes the thread is its object */
	unsigned long long for_work; /* a bit for each class: if an interrupt ends it, no wait is among the longest */
	unsigned long long behind;   /* ns: whoever had the processor is noted for waits of at least this */
	unsigned long long is_long;  /* ns: the next wait at this place gets a stack */
};
_Static_assert(sizeof(struct why_config) == 48, "as on the other side");

/* .data.why_processors: two processors that share an element mix their turns. */
#define WHY_PROCESSORS 1024
struct why_processor {
	unsigned long long since; /* the current turn */
	/* the longest turn lately, and how long the last one was; 0: nobody's */
	unsigned long long ended, ns, last;
	unsigned int tid, tgid;
	char comm[16];
};
_Static_assert(sizeof(struct why_processor) == 56, "as on the other side");

/* .data.why_shared: written by both sides. */
struct why_shared {
	unsigned long long armed;		  /* when measuring began; 0: not yet. User space sets it */
	unsigned long long least;		  /* ns: shorter waits send no record. User space raises it */
	unsigned long long hashed;		  /* threads in "why_more" */
	unsigned long long lost_threads, lost_ns; /* records of threads that found no room, and their lives */
	unsigned long long lost_waits;
	unsigned long long lost_objects; /* waits that are not in "why_objects" */
	unsigned long long no_room;	 /* threads that are not measured */
};
_Static_assert(sizeof(struct why_shared) == 64, "as on the other side");

#endif
