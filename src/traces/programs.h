/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF programs that trace, each with all that it is attached to, as the kernel tells it. Who holds them is holders.h.
 * What the kernel does not tell (targets of perf events before 6.6 but for what BPF_TASK_FD_QUERY says of their
 * descriptors, of trampolines before 5.13) is left out.
 */
#ifndef SONDE_TRACES_PROGRAMS_H
#define SONDE_TRACES_PROGRAMS_H

#include "base/pool.h"
#include "holders.h"

struct bpf_target {
	const char *name; /* function, tracepoint, path of a file; NULL not known, or not yet */
	uint64_t addr;	  /* of the kernel function, or offset in the file */
	bool user;
	uint32_t btf_object, btf_id; /* of a trampoline's function until the name is known */
};

struct bpf_program {
	uint32_t id;
	uint32_t type; /* enum bpf_prog_type */
	const char *name;
	const char *kind; /* "kprobe.multi"; of one that is not attached what it could be */
	bool attached;
	pid_t holder; /* a process that has the file of a user target in its mount namespace, 0 none */
	struct {
		struct bpf_target *v;
		size_t n, cap;
	} targets;
	struct {
		uint32_t *v;
		size_t n, cap;
	} links;
	struct {
		uint32_t *v;
		size_t n, cap;
	} maps;
	uint64_t memory;       /* bytes, of the program and its maps; those that programs share count in each */
	uint64_t missed;       /* hits that the kernel did not give to it */
	uint64_t runs, run_ns; /* while the kernel's BPF statistics are on */
};

struct programs {
	struct bpf_program *v; /* by id */
	size_t n, cap;
	struct pool strings;
};

/* 0, or -errno where the kernel does not let us list them; what was read until then is there. */
int programs_read(struct programs *programs, const struct holders *holders);
void programs_release(struct programs *programs);
/* NULL: no tracing program has this id. */
struct bpf_program *programs_find(const struct programs *programs, uint32_t id);

/* Whether the kernel counts runs of programs now. */
bool programs_are_counted(void);

/* Looks up the names of what is known by an address or a number only: reads kallsyms, BTF and ELF files, each if needed. */
void programs_name_targets(struct programs *programs);

#endif
