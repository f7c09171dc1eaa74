/* SPDX-License-Identifier: BSD-2-Clause */
/* patch_constant(): a number that user space writes into each copy of a program before it loads the copy. */
#ifndef SONDE_BPF_PATCH_BPF_H
#define SONDE_BPF_PATCH_BPF_H

#include "bpf/patch.h"

/* volatile: the compiler must not fold the constant into something that user space would not find */
#define patch_constant(patch) \
	({ \
		__u64 _value; \
		asm volatile("%0 = %1 ll" \
			     : "=r"(_value) \
			     : "i"(patch)); \
		_value; \
	})

#endif
