/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves specs into targets. A target is one place to attach to; a slot is what is counted and shown as one.
 * Several targets may share a slot (the places of one USDT probe). A set has no duplicates: a place that two specs
 * match is one target.
 */
#ifndef SONDE_PROBE_TARGET_H
#define SONDE_PROBE_TARGET_H

#include <sys/types.h>

#include "base/base.h"
#include "base/pool.h"
#include "binary/binary_code.h"
#include "spec.h"

enum target_kind {
	TARGET_KERNEL,	   /* kernel function; object: module or NULL */
	TARGET_TRACEPOINT, /* object: system; NULL if the name comes from BTF */
	TARGET_USER,	   /* function or USDT probe in a binary; object: path that opens it */
	TARGET_EVENT,	   /* no place, but every so many of perf's events; event: which */
};

/*
 * An event that perf counts on each processor that is online: points in time, page faults, cache misses. With
 * attach_options.pid a breakpoint is that process's.
 */
struct target_event {
	uint32_t type;	   /* PERF_TYPE_SOFTWARE, PERF_TYPE_HARDWARE, PERF_TYPE_BREAKPOINT */
	uint64_t config;   /* PERF_COUNT_...; breakpoint: 0 */
	uint64_t period;   /* the program runs once in so many events; of PERF_COUNT_SW_CPU_CLOCK: ns */
	bool exclude_idle; /* not while the processor is idle */
	const bool *cpus;  /* only on those whose number has true; they outlive the target. NULL: on all */
	/* Breakpoint: */
	uint64_t address; /* of the process, or without one of the kernel */
	uint32_t length;  /* bytes: 1, 2, 4, 8 */
	uint32_t access;  /* a set of enum target_access */
};

/* As in linux/hw_breakpoint.h. */
enum target_access {
	TARGET_READ = 1,
	TARGET_WRITE = 2,
	TARGET_EXECUTE = 4,
};

/* What was resolved. Attach records elsewhere whether and how it is attached. The set owns all that is pointed to. */
struct target {
	enum target_kind kind;
	enum mech mech; /* the mechanism that the spec demands, else MECH_AUTO */
	bool ret;	/* at return */
	bool usdt;	/* TARGET_USER: a USDT probe, not a function */
	bool one_of;	/* TARGET_USER: shares a slot with all targets of the same object and label */
	bool unique;	/* TARGET_KERNEL: the only function of this name in its module, or in the kernel proper */
	bool alone;	/* TARGET_KERNEL: the only function of this name at all, or the kernel proper's own */
	uint32_t slot;
	uint64_t addr;		       /* kernel address (0: unknown) or place in the file; includes offset */
	uint64_t offset;	       /* from the begin of the function, in bytes */
	const char *no_return;	       /* why its return may not be probed; NULL: it may be */
	uint32_t calls;		       /* TARGET_USER: how calls are matched with their ends, an enum latency_calls */
	const struct binary_end *ends; /* the places where its calls end, to be probed in place of the return */
	size_t n_ends;		       /* 0: probe the return itself */
	bool endless;		       /* pairs: its calls never return, so there is no return to attach to */
	bool leaves;		       /* as of struct binary_ends; with target_options.value without those ends */
	uint64_t ref_ctr;	       /* USDT: file offset of the semaphore; 0: none */
	const char *usdt_args;	       /* USDT: where its arguments are, the note's own text; NULL: not USDT */
	uint32_t syscall;	       /* TARGET_TRACEPOINT: number of the syscall + 1; 0: none or unknown */
	/*
	 * Added to the address, or to the number of the syscall, by which programs find the slot. It differs between
	 * sets that share one table (bpf/slot.h) and have the same places.
	 */
	uint64_t key;
	const char *name; /* kernel symbol, tracepoint, user symbol (mangled, with its offset) or USDT probe */
	const char *object;
	const struct target_event *event;
	int file;	   /* TARGET_USER: descriptor of the file that was read; its path may lead elsewhere by now */
	const char *label; /* shown to the user; target_set_finish() makes it unique for each slot */
};

/* Whether it is the tracepoint at the end of a syscall. */
static inline bool target_is_sys_exit(const struct target *target)
{
	return target->syscall && !strncmp(target->name, "sys_exit_", strlen("sys_exit_"));
}

/* Whether it needs a return probe proper, which replaces the return address. */
static inline bool target_takes_return(const struct target *target)
{
	return target->ret && !target->n_ends;
}

/* Something that a spec matches but that is left out, and why. */
struct target_note {
	const char *name;
	const char *reason;
};

/* Initialise with {}. The pool owns all strings. */
struct target_set {
	vec(struct target);
	const char **slots;   /* the label of each slot, unique in the set */
	const char **symbols; /* the name of the first target of each slot: a symbol, not demangled */
	size_t n_slots;
	struct target_notes {
		vec(struct target_note);
	} notes;
	vec(const char *) refused; /* see binary_refused(); one line for each file, filled in also on error */
	vec(const char *) unseen;  /* a line for each spec whose functions have calls or ends that the probes do not see */
	vec(int) files;		   /* one descriptor for each binary, owned by the set */
	struct pool pool;
};

struct target_options {
	struct kernel *kernel; /* the caller's session; NULL: one of its own, if symbols are needed */
	bool regex;
	bool mangled; /* label C++ and Rust functions by their symbols, not demangled */
	bool force;   /* allow probes that may break the traced program */
	bool both;    /* the caller will probe functions at both ends */
	bool value;   /* the caller reads what user functions return: ends where that is not known are left out */
	bool learn;   /* with value: jumps by pointers are not left out, for the caller calls attach_learn() */
	pid_t pid;    /* the process whose libraries and mount namespace count; 0: our own */
};

/*
 * Resolves n specs, whose texts must outlive the call, into set. The caller releases set, also after an error.
 * -EINVAL: a spec cannot be parsed. -ENOENT: a spec matches nothing; err suggests the nearest name. Else -errno.
 * *bad: index of the bad spec; err->at: offset of the fault in its text, or -1.
 */
int target_resolve(const char *const *specs, size_t n, const struct target_options *options,
		   struct target_set *set, size_t *bad, struct err *err);
void target_set_release(struct target_set *set);

#endif
