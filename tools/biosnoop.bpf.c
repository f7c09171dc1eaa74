// SPDX-License-Identifier: BSD-2-Clause
/* Reports disk requests as they complete. */
#include "bpf/block_io.bpf.h"

SEC("raw_tp")
int completed(void *ctx)
{
	struct block_io io, *e;

	if (!block_io_completed(ctx, &io) || !(e = event_new_of(sizeof(*e), &io.event)))
		return 0;
	io.event.time = e->event.time;
	*e = io;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
