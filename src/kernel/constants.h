/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants of the kernel's headers for programs. They are #defines, so the kernel's BTF does not have them. */
#ifndef SONDE_KERNEL_CONSTANTS_H
#define SONDE_KERNEL_CONSTANTS_H

#include "base/base.h"

struct constant {
	char header[48]; /* "linux/if_ether.h": one that defines it */
	int64_t value;
	bool is_unsigned; /* value is a uint64_t above INT64_MAX */
};

/* Returns false if there is no such constant. */
bool constant_find(const char *name, struct constant *constant);
/* Whether constants of this header are known: "linux/if_ether.h". */
bool constant_has_header(const char *header);

#endif
