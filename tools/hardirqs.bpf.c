// SPDX-License-Identifier: BSD-2-Clause
/* Measures or counts interrupts by the name of their handler. */
#include "bpf/irqs.bpf.h"

static __always_inline void irqs_add(void *ctx, __u64 value)
{
	struct irqaction *action = (void *)context_word(ctx, 1);
	union dist_key key = {};

	bpf_probe_read_kernel_str(key.name, sizeof(key.name), BPF_CORE_READ(action, name));
	dist_add_key(&key, NULL, value);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
