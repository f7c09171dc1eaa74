/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the BPF objects that are pinned in a bpffs, in all that are mounted in our mount namespace; those in
 * other mount namespaces are not visible. Opening a pin runs no code. An iterator would run when it is read, so
 * none is read.
 */
#ifndef SONDE_TRACES_PINS_H
#define SONDE_TRACES_PINS_H

#include "base/pool.h"
#include "owner.h"

enum bpf_object_kind {
	BPF_OBJECT_PROGRAM,
	BPF_OBJECT_MAP,
	BPF_OBJECT_LINK,
};

struct trace_pin {
	const char *path;  /* the mount point and the path of the pin */
	const char *mount; /* its first part: the mount point of its bpffs */
	enum bpf_object_kind kind;
	uint32_t id;
	const char *name;  /* the object's own name, cut off by the kernel; "" if it has none, as a link */
	const char *type;  /* libbpf's word, such as "kprobe" or "hash"; NULL if libbpf does not know the type */
	const char *owner; /* from the path, see owner_of_pin(); NULL: none */
	/* -errno: the pin, or the directory of this path, cannot be opened, and kind means nothing; else 0 */
	int error;
};

struct trace_pins {
	vec(struct trace_pin); /* sorted by path */
	struct pool strings;
};

/*
 * Reads all pins; without a bpffs there are none. The kernel's own files (maps.debug, progs.debug) are skipped.
 * Free pins with pins_release().
 */
void pins_read(struct trace_pins *pins);
void pins_release(struct trace_pins *pins);

/* Finds out what kind of BPF object a descriptor refers to. -EINVAL: none. */
int pins_kind(int fd, enum bpf_object_kind *kind);
/* "program", "map", "link" */
const char *bpf_object_kind_name(enum bpf_object_kind kind);

#endif
