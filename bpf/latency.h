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
 * PATCH_LATENCY_GO tells a copy that it serves functions of Go. Go moves stacks while functions run, and runs them in one thread and
 * then in another. What stays is the goroutine, and how far from the upper end of its stack the frame is. These functions are probed at
 * their return instructions: the return address is still there.
 */

#endif
