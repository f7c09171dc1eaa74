// SPDX-License-Identifier: BSD-2-Clause
/* frames, with libraries: stacks go through several files. */
#include "frames.c"
