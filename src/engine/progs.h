/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tool says of its own BPF programs: the object they are in, where each is attached, what they are configured with and
 * what they keep. Every engine takes it whose tools have programs of their own.
 *
 *	static const struct progs_probe probes[] = {
 *		{ .program = "done", .system = "block", .name = "block_rq_complete", .raw = true },
 *	};
 *	.progs = { PROGS(NAME), PROGS_PROBES(probes), PROGS_CONFIG(config), .what = "block device I/O" },
 */
#ifndef SONDE_PROGS_H
#define SONDE_PROGS_H

#include "engine.h"

/* One place, or the places that a spec matches. A program learns from context_probe() which probe of its table was hit. */
struct progs_probe {
	const char *program; /* of the tool's object */
	/*
	 * One of: a tracepoint; the end of a syscall; the entry of a kernel function, whose arguments context_arg() gives; a probe as
	 * a user writes it, which configure() may have made up.
	 */
	const char *system, *name;
	const char *syscall;
	const char *function;
	const char *const *spec;
	const bool *when; /* only where this is set; NULL: always */
	bool optional;	  /* some kernels or machines have no such thing */
	bool raw;	  /* a raw tracepoint on every kernel: the program runs only where nothing preempts it */
	bool covered;	  /* another probe sees what the kernel skips here: no loss */
};

/* A map of the tool's own, whose size depends on the options. */
struct progs_map {
	const char *name;
	const uint32_t *entries; /* 0: not used, and not created */
};

/*
 * Of a tool whose arguments are functions, which are probed at both ends: its programs. A program learns from slot_number() which
 * function was hit, and keeps calls in the pending table.
 */
struct progs_pairs {
	const char *entry, *ret, *session;
	const bool *regex, *mangled, *force;
};

/* What programs keep that has begun and not ended (bpf/pending.bpf.h). */
struct progs_pending {
	const char *what;	 /* "tasks waiting at a time", for messages; NULL: they keep nothing */
	uint32_t entries;	 /* room for so many */
	const uint32_t *instead; /* the option for another number, 0 while it is not used; NULL: none */
	size_t size;		 /* bytes of one, a power of two; 0: a struct pending */
};

struct progs_source {
	const void *(*object)(size_t *size); /* the ELF file */
	const struct progs_probe *probes;
	size_t n_probes;
	const struct progs_pairs *pairs; /* instead of probes */
	/* What the programs read of the options: becomes .rodata.config. */
	const void *config;
	size_t config_size;
	const struct progs_map *maps;
	size_t n_maps;
	struct progs_pending pending;
	/* Checks the options and completes config, before anything is loaded. -EINVAL: wrong usage. May be NULL. */
	int (*configure)(struct engine_instance *instance, struct err *err);
	/* "new programs", for "Tracing new programs..." */
	const char *what;
	/*
	 * The current task of a hit is a bystander, an interrupted one say: no filter by task. With a command everything is shown that
	 * happens while that runs. Such a tool has PROGS_LACKS_TASK() in its LACKS().
	 */
	bool no_task;
};

#define PROGS(NAME)	    .object = NAME##_bpf__elf_bytes
#define PROGS_PROBES(table) .probes = table, .n_probes = ARRAY_SIZE(table)
#define PROGS_MAPS(table)   .maps = table, .n_maps = ARRAY_SIZE(table)
#define PROGS_CONFIG(value) .config = &(value), .config_size = sizeof(value)
#define PROGS_LACKS_TASK(why) \
	{ \
		"pid tid cgroup comm uid", why \
	}

#endif
