/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the BPF programs that trace, each with everything it is attached to, as far as the kernel reports it.
 * (holders.h finds the processes that hold them.) The kernel does not report the targets of perf events before
 * 6.6, except through BPF_TASK_FD_QUERY on their descriptors, nor those of trampolines before 5.13.
 */
#ifndef SONDE_TRACES_PROGRAMS_H
#define SONDE_TRACES_PROGRAMS_H

#include "base/pool.h"
#include "holders.h"

struct bpf_target {
	const char *name; /* function, tracepoint, or path of a file; NULL: unknown, or not looked up yet */
	uint64_t addr;	  /* of the kernel function, or file offset */
	bool user;
	uint32_t btf_object, btf_id; /* of a trampoline's function, until the name is looked up */
};

struct bpf_program {
	uint32_t id;
	uint32_t type; /* enum bpf_prog_type */
	const char *name;
	const char *kind; /* such as "kprobe.multi"; for a program that is not attached, by its type */
	bool attached;
	pid_t holder; /* a process whose mount namespace has the file of a user target, 0 if there is none */
	vec(struct bpf_target) targets;
	vec(uint32_t) links;
	vec(uint32_t) maps;
	uint64_t memory;       /* bytes, of the program and its maps; a shared map counts in each of its programs */
	uint64_t missed;       /* hits at which the kernel did not run the program */
	uint64_t runs, run_ns; /* counted only while the kernel's BPF statistics are on */
};

struct programs {
	vec(struct bpf_program); /* sorted by id */
	struct pool strings;
};

/*
 * Reads programs and links; the names of targets need programs_name_targets() after it. Returns 0, or -errno if
 * the kernel does not let us list them; what was read until then is valid. Free programs with programs_release()
 * in both cases.
 */
int programs_read(struct programs *programs, const struct holders *holders);
void programs_release(struct programs *programs);
/* Returns NULL if no tracing program has this id. */
struct bpf_program *programs_find(const struct programs *programs, uint32_t id);

/* True if the kernel counts the runs of programs now (sysctl kernel.bpf_stats_enabled). */
bool programs_are_counted(void);

/*
 * Looks up the names of targets that are known only by an address or a number. Reads kallsyms, BTF and ELF files,
 * each only if needed.
 */
void programs_name_targets(struct programs *programs);

#endif
