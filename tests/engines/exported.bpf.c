// SPDX-License-Identifier: BSD-2-Clause
/* The key and the value that a function is called with, as a distribution by key. */
#include "bpf/context.bpf.h"
#include "bpf/dist.bpf.h"

SEC("kprobe")
int called(void *ctx)
{
	union dist_key key = { .number = context_arg(ctx, 0) };

	dist_add_key(&key, NULL, context_arg(ctx, 1));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
