/* SPDX-License-Identifier: BSD-2-Clause */
/* What a caller asks of the compiler (lang.h): what the kernel can do, parameters, limits. */
#ifndef SONDE_LANG_PROGRAM_OPTIONS_H
#define SONDE_LANG_PROGRAM_OPTIONS_H

#include "base/base.h"
#include "probe/regex.h"

struct kernel;

/* What this kernel can do, asked by the caller (attach/quirks.h). All false: 5.10. */
struct lang_features {
	bool large_keys;       /* keys of maps over 512 bytes, 5.11 */
	bool fetching_atomics; /* 5.12 */
	bool for_each;	       /* bpf_for_each_map_elem, 5.13 */
	bool cookies;	       /* 5.15 */
	bool func_args;	       /* bpf_get_func_arg(), 5.17 */
	bool loop;	       /* bpf_loop, 5.17 */
	bool strncmp;	       /* bpf_strncmp, 5.17 */
	bool percpu_lookup;    /* bpf_map_lookup_percpu_elem, 5.19 */
	bool tai;	       /* bpf_ktime_get_tai_ns, 6.1 */
	bool task_regs;	       /* bpf_task_pt_regs, 5.15 */
	bool trace_vprintk;    /* bpf_trace_vprintk, 5.16 */
	bool btf;	       /* the kernel has BTF */
};

/* Memory behind an argument of a system call, which the call reads. */
struct lang_memory {
	unsigned int arg;  /* the pointer's number */
	bool is_text;	   /* it ends with a NUL */
	unsigned int size; /* else bytes, at most */
	int count;	   /* the number of the argument that says how many bytes; -1: all */
};
#define LANG_MEMORIES 6

struct lang_options {
	struct lang_features features;
	struct kernel *kernel;	       /* a session, the caller's */
	const char *const *positional; /* $1 ... */
	size_t n_positional;
	const char *const *named; /* "--name=value", "--flag" after "--" */
	size_t n_named;
	bool named_are_known; /* the caller has checked their names; probes that are missing ask for none of theirs */
	const char *const *include_dirs;
	size_t n_include_dirs;
	const char *const *includes; /* --include: files, as if the program began with #include */
	size_t n_includes;
	bool force;	  /* user functions are probed even if that may break the program */
	bool is_unsafe;	  /* --unsafe: system(), signal(), override(), write_user() */
	bool host_ids;	  /* `pid` and `tid` are the host's: no pid namespace is asked */
	bool is_filtered; /* the run has a filter: each program asks lang_wanted() first */
	bool test, bench; /* --test, --bench: which probes count */
	/* --probe-filter: only probes whose name it matches, and begin and end; NULL: all */
	const struct regex_option *probe_filter;
	bool reports_faults; /* -k */
	bool clears;	     /* the caller clears the maps, as clear() would */
	bool compat;	     /* --compat: variables live as long as their probe's block, as before bpftrace 0.22 */
	pid_t pid;	     /* -p, 0: none */
	pid_t command;	     /* of -c: cpid, 0: none */
	uint32_t n_cpus;     /* possible processors */
	uint32_t n_shards;   /* shards, a power of two, not less than the number of processors */
	/*
	 * The totals are exported: maps of totals have at most so many keys, further ones are added to one more value
	 * (lang_map.has_others), and histograms have sums. 0: nobody exports.
	 */
	uint32_t max_keys;
	const char *(*getenv)(const char *name); /* BPFTRACE_*; NULL: getenv(3) */
	/*
	 * What print(args) at the begin of a system call copies besides the registers, by the call's number: fills in v and
	 * returns how many. NULL: nobody decodes calls, and print(args) is a record as anywhere else.
	 */
	size_t (*call_memory)(int call, struct lang_memory v[LANG_MEMORIES]);
};

#endif
