/* SPDX-License-Identifier: BSD-2-Clause */
/* Forgets a pending request that is merged, for tools that keep requests in the pending table by their address. */
#ifndef SONDE_BPF_BLOCK_MERGED_BPF_H
#define SONDE_BPF_BLOCK_MERGED_BPF_H

#include "bpf/block.bpf.h"
#include "bpf/pending.bpf.h"

/* The request became part of another one and will never complete itself. */
SEC("raw_tp")
int merged(void *ctx)
{
	__u64 began;

	pending_end((__u64)block_request(ctx), &began);
	return 0;
}

#endif
