/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The id of a call that is pending (bpf/pending.h). Shared by both sides.
 *
 * A frame on the stack belongs to one call as long as the call runs, also if it recurses, migrates or is
 * interrupted. So the frame is the id, together with the function (a function that is reached by a tail call has
 * the frame of its caller) and, for user functions or with a filter, the process.
 */
#ifndef SONDE_BPF_LATENCY_H
#define SONDE_BPF_LATENCY_H

/* What a copy is for: the patch site PATCH_LATENCY. */
enum latency_calls {
	LATENCY_RETURN, /* the end is a return probe: the return address has been popped */
	/*
	 * The ends are instructions of the function, mostly its return instructions: the return address is still on the
	 * stack.
	 */
	LATENCY_ENDS,
	/*
	 * The same for Go, which moves stacks while functions run, and moves goroutines between threads. Constant are the
	 * goroutine and the distance of the frame from the upper end of its stack.
	 */
	LATENCY_GO,
};

#endif
