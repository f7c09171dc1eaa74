/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of biolatency's programs. Include bpf/block.h first. */
#ifndef SONDE_TOOLS_BIOLATENCY_H
#define SONDE_TOOLS_BIOLATENCY_H

enum biolatency_by {
	BIOLATENCY_DISK,
	BIOLATENCY_FLAGS,
};

struct biolatency_config {
	struct block_wanted wanted;
	unsigned char queued; /* from the queue on */
};
_Static_assert(sizeof(struct biolatency_config) == 16, "as on the other side");

#endif
