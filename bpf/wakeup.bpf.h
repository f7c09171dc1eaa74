/* SPDX-License-Identifier: BSD-2-Clause */
/* When a program that writes into a ring buffer wakes its reader. */
#ifndef SONDE_BPF_WAKEUP_BPF_H
#define SONDE_BPF_WAKEUP_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>

/* The reader comes now and then by itself; a record that makes the buffer a quarter full wakes it. */
static __always_inline __u64 wakeup_flags(void *buffer, __u64 size)
{
	__u64 quarter = bpf_ringbuf_query(buffer, BPF_RB_RING_SIZE) / 4;
	__u64 waiting = bpf_ringbuf_query(buffer, BPF_RB_AVAIL_DATA);

	return waiting < quarter && waiting + size >= quarter ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

#endif
