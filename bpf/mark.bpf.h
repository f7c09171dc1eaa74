/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_constant(): a number that user space writes into each copy of a program before it is loaded. */
#ifndef SONDE_MARK_BPF_H
#define SONDE_MARK_BPF_H

/* volatile: the compiler must not fold the mark into anything user space would not find */
#define mark_constant(mark) \
	({ \
		__u64 _value; \
		asm volatile("%0 = %1 ll" \
			     : "=r"(_value) \
			     : "i"(mark)); \
		_value; \
	})

#endif
