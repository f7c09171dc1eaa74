/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of a program, in a record whose last member is `char data[]`. Shared by both sides. */
#ifndef SONDE_BPF_ARGS_H
#define SONDE_BPF_ARGS_H

struct args_record {
	unsigned int total; /* bytes of all arguments, as far as known */
	unsigned int size;  /* bytes of arguments that are in data */
	unsigned int at;    /* their offset in data; each argument ends with a NUL */
};
_Static_assert(sizeof(struct args_record) == 12, "as on the other side");

#endif
