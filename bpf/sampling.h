/* SPDX-License-Identifier: BSD-2-Clause */
/* The sampling word (bpf/sampling.bpf.h), the log2 of the ratio. Shared by both sides. */
#ifndef SONDE_BPF_SAMPLING_H
#define SONDE_BPF_SAMPLING_H

/* The bits that a stamp and a value have for it. */
#define SAMPLING_BITS 2
#define SAMPLING_MASK ((1 << SAMPLING_BITS) - 1)
/* The greatest word: one of 8. */
#define SAMPLING_SHIFT_MAX 3

#endif
