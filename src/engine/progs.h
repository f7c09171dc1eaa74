/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a tool describes its own BPF programs: their object, where each one is attached, their configuration, and what
 * they store. All engines whose tools have their own programs use it.
 *
 *	static const struct progs_probe probes[] = {
 *		{ .program = "done", .system = "block", .name = "block_rq_complete", .raw = true },
 *	};
 *	.progs = { PROGS(NAME), PROGS_PROBES(probes), PROGS_CONFIG(struct settings, config), .what = "block device I/O" },
 *
 * What options decide is a SETTING() of the tool's settings (options/setting.h); of an engine whose programs are its own,
 * of the struct that its struct progs names (progs_life.h).
 */
#ifndef SONDE_ENGINE_PROGS_H
#define SONDE_ENGINE_PROGS_H

#include "engine.h"
#include "probes.h"

/* Points in time at a fixed distance, on each processor that is online. */
struct progs_clock {
	uint64_t period;  /* ns */
	bool idle;	  /* also while the processor is idle */
	const bool *cpus; /* only those whose number has true; NULL: all */
};

/* One place, or the places that a spec matches. context_probe() tells a program the index of the probe that was hit. */
struct progs_probe {
	const char *program; /* in the tool's object */
	/*
	 * One of: a tracepoint; the end of a syscall; the entry of a kernel function, whose arguments context_arg()
	 * returns; a probe as a user writes it, which configure() may have made; points in time.
	 */
	const char *system, *name;
	const char *syscall;
	const char *function;
	size_t spec;   /* SETTING(const char *, ...) */
	size_t clock;  /* SETTING(struct progs_clock, ...) */
	size_t when;   /* SETTING(bool, ...): attach only if it is set; 0: always */
	bool optional; /* some kernels or machines do not have it */
	/* A fallback: attach only if no probe above it that has the same program is attached. Not for a program's first probe. */
	bool otherwise;
	const char *note; /* tells the user what differs where this probe is attached; NULL: nothing */
	bool raw;	  /* a raw tracepoint on every kernel: the program runs only where nothing preempts it */
	bool covered;	  /* another probe sees the hits that the kernel skips here: no loss */
};

/* A map of the tool whose size depends on the options. */
struct progs_map {
	const char *name;
	size_t entries; /* SETTING(uint32_t, ...), whose value 0 says: the map is not used and not created */
};

/*
 * The programs of a tool whose arguments are functions, which are probed at both ends. slot_number() tells a program
 * which function was hit. Calls are in the pending table.
 */
struct progs_pairs {
	const char *entry, *ret, *session;
	/* at the raw tracepoint sched_process_free: calls need not return, and functions may never. NULL: they must */
	const char *freed;
	size_t settings; /* SETTING(struct probes_settings, ...) */
};

/* The program of a tool whose arguments are probes as a user writes them; all are attached to it. */
struct progs_specs {
	const char *program;
	size_t settings;  /* SETTING(struct probes_settings, ...) */
	const char *what; /* "count", for "nothing to count" */
	bool registers;	  /* the program reads registers and arguments of functions: no trampolines */
};

/* The pending table of the programs (bpf/pending.bpf.h). */
struct progs_pending {
	const char *what; /* "tasks waiting at a time", for messages; NULL: there is no table */
	uint32_t entries; /* the most that may be pending */
	size_t instead;	  /* SETTING(uint32_t, ...): an option that replaces entries, if it is not 0 */
	size_t size;	  /* bytes of an entry, a power of two; 0: those of struct pending */
	bool fixed;	  /* no option of the tool changes entries */
};

struct progs_source {
	const void *(*object)(size_t *size); /* the ELF file */
	const struct progs_probe *probes;
	size_t n_probes;
	const struct progs_pairs *pairs; /* instead of probes */
	const struct progs_specs *specs; /* instead of probes */
	/* The configuration that the programs read, .rodata.config: PROGS_CONFIG(). */
	size_t config;
	size_t config_size;
	const struct progs_map *maps;
	size_t n_maps;
	struct progs_pending pending;
	/*
	 * Checks the options and completes the tool's settings before anything is loaded. own is the instance's copy of
	 * this struct, which it may change. Returns -EINVAL for wrong usage. May be NULL.
	 */
	int (*configure)(struct engine_instance *instance, struct progs_source *own, struct err *err);
	/* "new programs", for "Tracing new programs..." */
	const char *what;
	/*
	 * The current task of a hit is a bystander, for example an interrupted task: there are no filters by task. With
	 * a command, the tool shows everything that happens while the command runs. Put PROGS_LACKS_TASK() into LACKS().
	 */
	bool no_task;
};

#define PROGS(NAME)	    .object = NAME##_bpf__elf_bytes
#define PROGS_PROBES(table) .probes = table, .n_probes = ARRAY_SIZE(table)
#define PROGS_MAPS(table)   .maps = table, .n_maps = ARRAY_SIZE(table)
/* The struct that the programs know as `config` is a member of the settings. */
#define PROGS_CONFIG(STRUCT, MEMBER) \
	.config = offsetof(STRUCT, MEMBER) + 1, .config_size = sizeof(((STRUCT *)0)->MEMBER)
/* An option for progs_pending.instead. */
#define PROGS_MAX_PENDING(STRUCT, MEMBER) \
	OPT(OPT_U32, STRUCT, MEMBER, 0, "max-pending", "N", "at most N pending at a time", .min = 1, .max = 1000000)
#define PROGS_LACKS_TASK(why) \
	{ \
		"pid tid cgroup comm uid", why \
	}

#endif
