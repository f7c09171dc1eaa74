/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target is one place to attach to; a slot is what is counted and shown. Several
 * targets may share a slot (the places of one USDT probe). Specs are resolved into a
 * set without duplicates: the same place asked for twice is one target.
 */
#ifndef SONDE_TARGET_H
#define SONDE_TARGET_H

#include <sys/types.h>

#include "base/base.h"
#include "base/pool.h"
#include "spec.h"

enum target_kind {
	TARGET_KERNEL,	   /* kernel function; object: module or NULL */
	TARGET_TRACEPOINT, /* object: system, NULL where only BTF knows the name */
	TARGET_USER,	   /* function or USDT probe in a binary; object: path that opens it */
};

/* What was resolved. Whether it is attached, and how, only attach knows. */
struct target {
	enum target_kind kind;
	enum mech mech; /* what the spec asks for, else MECH_AUTO */
	bool ret;
	bool usdt;   /* TARGET_USER: a USDT probe, not a function */
	bool one_of; /* TARGET_USER: all of this object with this label are counted together */
	bool unique; /* TARGET_KERNEL: the only function of this name */
	uint32_t slot;
	uint64_t addr;		 /* kernel address (0: hidden, or left to the kernel), or offset in the file; includes offset */
	uint64_t offset;	 /* beyond the function's start */
	const char *no_return;	 /* why nothing may be put at its return, NULL where it may */
	bool go;		 /* its stack moves: the current goroutine and the depth of its stack tell calls apart */
	const uint64_t *returns; /* offsets in the file of its return instructions, which are probed instead of the return */
	size_t n_returns;	 /* 0: the return itself */
	uint64_t ref_ctr;	 /* USDT: file offset of the semaphore, 0 none */
	uint32_t syscall;	 /* TARGET_TRACEPOINT: the number of sys_enter_X's X + 1, 0 none or unknown */
	const char *name;	 /* kernel symbol, tracepoint, user symbol (mangled, with its offset) or USDT probe */
	const char *object;
	int file;	   /* TARGET_USER: a descriptor of the file that was read, the set's: its path may lead elsewhere by now */
	const char *label; /* what its row is called; made unique when all are resolved */
};

/* Of a tracepoint of a syscall: at its end. */
static inline bool target_is_sys_exit(const struct target *target)
{
	return target->syscall && !strncmp(target->name, "sys_exit_", strlen("sys_exit_"));
}

/* It is probed at its return, by way of the address to which that goes. */
static inline bool target_takes_return(const struct target *target)
{
	return target->ret && !target->n_returns;
}

/* What was asked for and is left out, and why. */
struct target_note {
	const char *name;
	const char *reason;
};

/* Every string of a set is in its pool. Initialise with {}. */
struct target_set {
	struct target *v;
	size_t n, cap;
	const char **slots;   /* the name of each slot, unique within the set */
	const char **symbols; /* of each slot: the name that its target goes by for linker and kernel */
	size_t n_slots;
	struct target_notes {
		struct target_note *v;
		size_t n, cap;
	} notes;
	struct {
		const char **v;
		size_t n, cap;
	} refused; /* files that would have had more symbols and were not read: a line each, also on error */
	struct {
		int *v;
		size_t n, cap;
	} files; /* descriptors of binaries, each once */
	struct pool pool;
};

struct target_options {
	bool regex;
	bool mangled; /* C++ and Rust functions are labelled by their symbols, not as people wrote them */
	bool force;   /* also where a probe may break the traced program */
	bool both;    /* functions are going to be probed at both ends */
	pid_t pid;    /* whose libraries and mount namespace: 0 our own */
};

/*
 * Resolves all specs into set. A spec that does not parse, or matches nothing, is an
 * error: *bad is its index, err->at points into its text or is -1, and the nearest name is suggested.
 */
int target_resolve(const char *const *specs, size_t n, const struct target_options *options,
		   struct target_set *set, size_t *bad, struct err *err);
void target_set_release(struct target_set *set);

#endif
