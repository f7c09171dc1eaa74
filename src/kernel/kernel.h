/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel says about itself: its symbols, which of them ftrace can trace, tracepoints from tracefs or BTF,
 * names in BTF.
 */
#ifndef SONDE_KERNEL_KERNEL_H
#define SONDE_KERNEL_KERNEL_H

#include "base/base.h"

/*
 * For tests: the kernel's files are looked for under this directory, kept by pointer. Call it before anything is
 * read.
 */
void kernel_set_root(const char *dir);

/*
 * A session: what the kernel says about its own symbols. They are read when they are asked for, kept, and freed
 * with the session. Modules that are loaded later are not in it.
 */
struct kernel;

struct kernel *kernel_new(void);
void kernel_free(struct kernel *kernel);
static inline void kernel_freep(struct kernel **kernel)
{
	kernel_free(*kernel);
}

struct ksym {
	uint64_t addr;	    /* 0 where kptr_restrict hides it */
	const char *name;   /* valid during the call */
	const char *module; /* NULL for the kernel proper */
};

/* Stops and returns what fn returned when that is not 0. */
typedef int (*ksym_fn)(const struct ksym *sym, void *ctx);

/*
 * All functions (types t T w W of nm(1)), the kernel's own by address. -errno with err: the symbols cannot be read.
 */
int kernel_each_symbol(struct kernel *kernel, ksym_fn fn, void *ctx, struct err *err);
/* The functions that have a name: static functions of several files may share it. */
int kernel_each_named(struct kernel *kernel, const char *name, ksym_fn fn, void *ctx, struct err *err);

#define KSYM_NAME_MAX 512 /* bytes with the NUL, as in the kernel */

/* A function as an address has found it. */
struct ksym_place {
	char name[KSYM_NAME_MAX];
	const char *module; /* the session's; NULL: the kernel proper */
	uint64_t start;
	uint64_t end; /* where the next symbol or the end of its module's code is; 0: not known */
};

/*
 * The function that an address is in; of several names of one address the first in the kernel's order. 0; -ENOENT:
 * the address is in no function that is known; -EPERM: the kernel hides addresses; else as kernel_each_symbol().
 */
int kernel_symbol_at(struct kernel *kernel, uint64_t addr, struct ksym_place *place);
/* An address, and the function that it is in. */
struct ksym_wanted {
	uint64_t addr;
	int ret; /* out: as of kernel_symbol_at(); if it is 0: */
	uint64_t start;
	const char *name, *module;
};

/*
 * As kernel_symbol_at() for n addresses, which are sorted. The strings belong to `strings`. Where the symbols have to be
 * read as text, that is read once for all and not kept: it would take 6 MB.
 */
struct pool;
void kernel_find_symbols(struct kernel *kernel, struct ksym_wanted *v, size_t n, struct pool *strings);
/*
 * Reads the names of the code that the kernel has made for BPF programs: the programs and their trampolines.
 * kernel_symbol_at() finds them from then on, as functions of the module "bpf", even when the kernel has freed them. May
 * be called again. Returns 0, or -errno if the kernel's memory cannot be read.
 */
int kernel_read_bpf(struct kernel *kernel);

/* Of a symbol of any type, also of a variable. Of one that each processor has, it is an offset on x86. */
struct kernel_address {
	const char *name;
	bool found;	/* out, false before; of several symbols the first */
	uint64_t addr;	/* out */
};

/* Finds n of them in /proc/kallsyms. -ENOENT: not all are there; -EPERM: the kernel hides addresses; else -errno. */
int kernel_find_addresses(struct kernel_address *v, size_t n);
/* Calls fn for each symbol of /proc/kallsyms. Stops and returns what fn returned when that is not 0. */
int kernel_each_address(ksym_fn fn, void *ctx);

/*
 * Where ftrace can trace: the addresses in its records, in no order, copied out of the kernel's memory, for the
 * kernel takes long to print the names. 0: fn got all of them; -errno: what it got is of no use.
 */
int kernel_each_record(struct kernel *kernel, void (*fn)(uint64_t addr, void *ctx), void *ctx);

/*
 * The functions that ftrace can trace, as it lists them. *has_addr: whether addresses are wanted, which take the
 * kernel twice as long; set to whether there are any, for before 6.5 the kernel lists names only. Without, addr is 0.
 */
int kernel_each_traceable(ksym_fn fn, void *ctx, bool *has_addr, struct err *err);
bool kernel_module_loaded(const char *name_glob);
/* Calls fn for each loaded module. Stops and returns what fn returned when that is not 0. */
int kernel_each_module(int (*fn)(const char *name, void *ctx), void *ctx);
/* Does exactly one function have this name? Also false where the kernel does not say. */
bool kernel_symbol_unique(const char *name);

struct ktracepoint {
	const char *system; /* NULL where only BTF knows it */
	const char *name;
};

typedef int (*ktracepoint_fn)(const struct ktracepoint *tp, void *ctx);

/* From tracefs, else from BTF. */
int kernel_each_tracepoint(ktracepoint_fn fn, void *ctx, struct err *err);
/* Is tracefs readable? BTF knows neither systems nor the tracepoints of syscalls. */
bool kernel_lists_tracepoints(void);
/*
 * Adds the text of a tracepoint's format file, which describes its fields (Documentation/trace/events.rst), to text. 0
 * or -errno.
 */
struct str;
int kernel_tracepoint_format(const char *system, const char *name, struct str *text);
/* The id for perf_event_open, or -errno. */
int kernel_tracepoint_id(const char *system, const char *name);

/*
 * A directory fd of tracefs: where it is mounted, else a mount of our own that is in no mount namespace and ends with
 * the fd. -errno where there is none. Kept open; the caller must not close it.
 */
int kernel_tracefs(void);

/* Why the kernel lets nobody look into it: text that names lockdown; NULL: it is not locked down so far. */
const char *kernel_locked_down(void);

/*
 * The kernel's BTF, read from front to back without building an index: 1 ms where libbpf's own reading takes 5. fn
 * gets the name and type id of each FUNC or each TYPEDEF (tracepoints are "btf_trace_NAME").
 */
typedef int (*kernel_btf_fn)(const char *name, uint32_t id, void *ctx);
int kernel_each_btf_func(kernel_btf_fn fn, void *ctx, struct err *err);
int kernel_each_btf_typedef(kernel_btf_fn fn, void *ctx, struct err *err);
/* The same for the functions of a loaded module. -ENOENT with err: it has no BTF, as no module has before Linux 5.11. */
int kernel_each_btf_func_of(const char *module, kernel_btf_fn fn, void *ctx, struct err *err);
/* Whether the kernel's own BTF describes a function of this name; false also if it cannot be read. */
bool kernel_btf_has_func(const char *name);
/*
 * The kernel numbers all BTF that it holds; opening it takes CAP_SYS_ADMIN. The name of one of its own: "vmlinux" or a
 * module's. False: it belongs to a program, does not exist, or cannot be opened.
 */
bool kernel_btf_object_name(uint32_t object, char *name, size_t size);
/* The number of a module's BTF; 0: it has none, or it cannot be opened. */
uint32_t kernel_btf_object(const char *module);

#endif
