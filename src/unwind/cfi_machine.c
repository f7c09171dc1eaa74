// SPDX-License-Identifier: BSD-2-Clause
/* The registers of both architectures. */
#include "cfi.h"

const struct cfi_machine cfi_x86_64 = {
	.sp = 7,
	.fp = 6,
	.ra = 16,
	.places = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0 },
	.n_places = 16,
};
const struct cfi_machine cfi_aarch64 = {
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.has_lr = true,
	.places = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
	.n_places = 32,
};
