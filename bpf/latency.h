/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The id of a call that is pending (bpf/pending.h). Shared by both sides.
 *
 * A frame on the stack belongs to one call as long as that runs, whatever else runs, wherever it migrates and however
 * deep it nests. So the frame is the id, together with the function (one that is jumped to at another's end has the
 * other's frame) and, for user functions, the process.
 */
#ifndef SONDE_LATENCY_H
#define SONDE_LATENCY_H

/*
 * Stands where a program asks how a call's frame is told: becomes 1 for functions of Go. Their stacks are moved while they run,
 * and they run now in this thread and now in that: what stays is the goroutine, and how far from its stack's upper
 * end the frame is. They are probed at their return instructions: the return address is still there.
 */
#define LATENCY_MARK_GO 0x736f6e64654c676fULL

/* Stand where a program calls the kernel's functions of a session; user space puts their numbers there. */
#define LATENCY_CALL_IS_RETURN 0x736f4c72
#define LATENCY_CALL_COOKIE    0x736f4c63

#endif
