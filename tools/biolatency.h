/* SPDX-License-Identifier: BSD-2-Clause */
/* What biolatency's programs are told. */
#ifndef SONDE_BIOLATENCY_H
#define SONDE_BIOLATENCY_H

enum biolatency_by {
	BIOLATENCY_DISK,
	BIOLATENCY_FLAGS,
};

struct biolatency_config {
	unsigned char one_disk;
	unsigned char queued; /* from the queue on */
	unsigned int major, minor;
};

#endif
