/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the begin of a call is kept until it returns. Shared by both sides.
 *
 * A frame on the stack belongs to one call as long as that runs, whatever else runs, wherever it migrates and however
 * deep it nests. So the frame is the key, together with the function (one that is jumped to at another's end has the
 * other's frame) and, for user functions, the process. The cells are one open table: a key may be in one of a few.
 */
#ifndef SONDE_LATENCY_H
#define SONDE_LATENCY_H

struct latency_cell {
	unsigned long long key; /* 0: free */
	unsigned long long start;
#ifdef LATENCY_ARGS /* of a tool that wants to know what the function was called with */
	unsigned long long args[LATENCY_ARGS];
#endif
};

/* How many cells a key may be in: a cache line. */
#define LATENCY_WAYS 4

/* Which bits of a key say where it is, and the mark that becomes a mask of these: bytes of the table, whole cache lines. */
#define LATENCY_SHIFT	  38
#define LATENCY_MARK_MASK 0x736f4c6d

/*
 * Stands where a program asks how a call's frame is told: becomes 1 for functions of Go. Their stacks are moved while they run,
 * and they run now in this thread and now in that: what stays is the goroutine, and how far from its stack's upper
 * end the frame is. They are probed at their return instructions: the return address is still there.
 */
#define LATENCY_MARK_GO 0x736f6e64654c676fULL

/* Why a call was not measured: the places in latency_losses. */
enum latency_loss {
	LATENCY_NO_RETURN,    /* another call began in its frame */
	LATENCY_NO_GOROUTINE, /* Go: the register does not hold the current one */
	LATENCY_NO_CELL,      /* others needed the cell: more at a time than there is room for */
	LATENCY_LOSSES,
};

/* Stand where a program calls the kernel's functions of a session; user space puts their numbers there. */
#define LATENCY_CALL_IS_RETURN 0x736f4c72
#define LATENCY_CALL_COOKIE    0x736f4c63

#endif
