/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target is one place to attach to; a slot is what is counted and shown. Several
 * targets may share a slot (the places of one USDT mark). Specs are
 * resolved into a set without duplicates: the same place asked for twice is one target.
 */
#ifndef SONDE_TARGET_H
#define SONDE_TARGET_H

#include <sys/types.h>

#include "base/base.h"
#include "spec.h"

enum target_kind {
	TARGET_KERNEL,	   /* kernel function; object: module or NULL */
	TARGET_TRACEPOINT, /* object: system or NULL where only BTF knows the name */
	TARGET_USER,	   /* function or mark in a binary; object: path that opens it */
};

struct target {
	enum target_kind kind;
	enum mech mech;	    /* asked for in the spec, else MECH_AUTO */
	bool ret;
	bool unique;	    /* TARGET_KERNEL: no other function has this name, so that it may be attached by name (fentry) */
	bool ftrace;	    /* TARGET_KERNEL: listed as traceable by ftrace; false also where that was not asked */
	uint32_t slot;
	uint64_t addr;	    /* kernel address (0: hidden, attach by name), or offset in the file; includes offset */
	uint64_t offset;    /* beyond the function's start */
	uint64_t ref_ctr;   /* USDT: file offset of the semaphore, 0 none */
	uint32_t tp_id;	    /* tracefs id of the tracepoint, 0 not known */
	const char *name;   /* kernel symbol, tracepoint, user symbol or mark */
	const char *object;
	const char *failed; /* why it is not attached, NULL if it is or nobody has tried */
};

struct slot {
	const char *name; /* unique within the set: "vfs_read", "t_next@ffffffff81234560", "sched:sched_switch" */
};

struct target_set {
	struct target *v;
	size_t n, cap;
	struct slot *slots;
	size_t n_slots, cap_slots;
	struct pool *pool; /* owns every string of the set */
	struct note *notes; /* what was left out when resolving, by rule or for a reason */
	size_t n_notes, cap_notes;
};

struct note {
	const char *name;
	const char *reason;
};

struct resolve_options {
	bool regex;
	pid_t pid;	 /* -p: whose libraries and mount namespace; 0 none */
	enum mech mech;	 /* --mechanism */
};

/*
 * Resolves all specs into set (initialised with {}). A spec that matches nothing is an error
 * that names the nearest name; err->at points into that spec's text, *bad is its index.
 */
int target_resolve(const char *const *specs, size_t n, const struct resolve_options *options,
		   struct target_set *set, size_t *bad, struct err *err);
void target_set_release(struct target_set *set);

#endif
