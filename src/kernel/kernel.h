/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel tells of its own symbols: /proc/kallsyms, what ftrace can trace,
 * tracepoints from tracefs or from BTF. Read as streams; the caller keeps what it wants.
 */
#ifndef SONDE_SYMBOLS_KERNEL_H
#define SONDE_SYMBOLS_KERNEL_H

#include "base/base.h"

/*
 * For tests: the files below are looked for under this directory, kept by pointer. To be called before anything is
 * read.
 */
void kernel_set_root(const char *dir);

struct ksym {
	uint64_t addr;	    /* 0 where kptr_restrict hides it */
	const char *name;   /* valid during the call */
	const char *module; /* NULL for the kernel proper */
};

/* Stops and returns what fn returned when that is not 0. */
typedef int (*ksym_fn)(const struct ksym *sym, void *ctx);

/* Where ftrace's records are, from one call to the other. To be released even after an error. */
struct kernel_records {
	uint64_t at; /* 0 where the kernel does not tell */
	struct memory *memory;
};

void kernel_records_release(struct kernel_records *records);

/* Functions (types t T w W), in the kernel's order. records: NULL, or one that is {}, for kernel_each_record(). */
int kernel_each_symbol(ksym_fn fn, void *ctx, struct kernel_records *records, struct err *err);
/*
 * What ftrace can trace, as it lists it. *has_addr: whether addresses are wanted, which take the kernel twice as
 * long, and then whether there are any: before 6.5 the kernel lists names only. Without, addr is 0.
 */
int kernel_each_traceable(ksym_fn fn, void *ctx, bool *has_addr, struct err *err);
/*
 * The same from ftrace's own records, which BPF can read: their addresses, in no order, without the names that take
 * the kernel long. All of them, or an error, and then nothing that fn got is of use.
 */
int kernel_each_record(const struct kernel_records *records, void (*fn)(uint64_t addr, void *ctx), void *ctx, struct err *err);
bool kernel_module_loaded(const char *name_glob);
/* True: the kernel says that one function has this name. False: several, none, or it does not say. */
bool kernel_symbol_unique(const char *name);

struct ktracepoint {
	const char *system; /* NULL where only BTF knows it */
	const char *name;
};

typedef int (*ktracepoint_fn)(const struct ktracepoint *tp, void *ctx);

/* From tracefs, else from BTF. */
int kernel_each_tracepoint(ktracepoint_fn fn, void *ctx, struct err *err);
/* Whether that is tracefs: BTF knows neither systems nor the tracepoints of syscalls. */
bool kernel_lists_tracepoints(void);
/* The id for perf_event_open, or -errno. */
int kernel_tracepoint_id(const char *system, const char *name);

/*
 * A directory fd of tracefs: where it is mounted, else a mount of our own that has no place in any
 * namespace and goes with the fd. -errno where there is none. Kept open; not the caller's to close.
 */
int kernel_tracefs(void);

/* Such a mount of any of the kernel's own file systems: a directory fd, the caller's, or -errno. */
int kernel_mount(const char *filesystem);

/*
 * The kernel's BTF, read once from front to back without building an index: 1 ms where libbpf's
 * own reading of it takes 5. fn gets each FUNC's or each TYPEDEF's (the tracepoints are "btf_trace_NAME") name and
 * type id.
 */
typedef int (*kernel_btf_fn)(const char *name, uint32_t id, void *ctx);
int kernel_each_btf_func(kernel_btf_fn fn, void *ctx, struct err *err);
int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err);

#endif
