/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF objects that are kept by a name in a bpffs, in all of those that are mounted where we see them. What lives in another
 * mount namespace alone is not seen. Opening a pin runs nothing; an iterator would run when it is read, and is not.
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
	const char *path;  /* where it is mounted, to the pin's name */
	const char *mount; /* the begin of it: where its bpffs is mounted */
	enum bpf_object_kind kind;
	uint32_t id;
	const char *name;  /* as its maker called it, cut by the kernel; "" for a link and where there is none */
	const char *type;  /* libbpf's word for it, "kprobe", "hash"; NULL: one that it does not know */
	const char *owner; /* by its path, see owner_of_pin(); NULL nobody */
	int error;	   /* -errno: it (or the directory of this name) cannot be opened, and the kind says nothing; 0 none */
};

struct trace_pins {
	struct trace_pin *v; /* by path */
	size_t n, cap;
	struct pool strings;
};

/* Without a bpffs there are none. The kernel's own (maps.debug, progs.debug) are not among them. */
void pins_read(struct trace_pins *pins);
void pins_release(struct trace_pins *pins);

/* "program", "map", "link" */
const char *bpf_object_kind_name(enum bpf_object_kind kind);

#endif
