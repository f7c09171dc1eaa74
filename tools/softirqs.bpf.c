// SPDX-License-Identifier: BSD-2-Clause
/* Measures or counts soft interrupts by their number. */
#include "bpf/irqs.bpf.h"
#include "tools/softirqs.h"

static __always_inline void irqs_add(void *ctx, __u64 value)
{
	__u64 number = context_word(ctx, 0);

	if (number < SOFTIRQS)
		dist_add(number, value);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
