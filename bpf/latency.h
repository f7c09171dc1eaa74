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

/*
 * The patch site PATCH_LATENCY_GO is 1 in copies for Go functions. Go moves stacks while functions run, and moves
 * goroutines between threads. Constant are the goroutine and the distance of the frame from the upper end of its
 * stack. Returns are probed at the return instructions, where the return address is still on the stack.
 */

#endif
