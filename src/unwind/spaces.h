/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the mappings of processes, in blocks and in the hash "unwind_spaces". Changes are
 * collected, and published together. Knows neither files nor where changes come from.
 */
#ifndef SONDE_UNWIND_SPACES_H
#define SONDE_UNWIND_SPACES_H

#include <sys/types.h>

#include "blocks.h"
#include "users.h"

/* Sizes of runs: 8, 16, 32 ... 512 mappings, and a whole block. */
#define SPACES_CLASSES 8
#define SPACES_BUCKETS 1024
/* Runs get half of the blocks, so that files always find room for their tables. */
#define SPACES_BLOCKS (UNWIND_BLOCKS_MAX / 2)
/* Bytes of runs that a process may take in a second: 6,000 changes of a small one, 64 of the largest. More must wait. */
#define SPACES_RATE (64 * UNWIND_BLOCK_SIZE)

struct spaces_run;

/* The interpreter of a process. */
struct space_runtime {
	const struct runtime *of; /* NULL: none */
	uint64_t state;		  /* the address of its state */
	uint32_t plan;		  /* its number; 0: none */
};

struct space {
	struct space *next; /* of the bucket */
	pid_t pid;
	uid_t uid;	/* whose process it is */
	bool refused;	/* it was counted as one without room */
	uint64_t since; /* what is known is of this time, or newer; in ns of CLOCK_MONOTONIC */
	uint64_t vdso;	/* its address, 0: none */
	struct space_runtime runtime;
	int keys;		/* of its C library; 0: not known */
	struct spaces_run *run; /* what programs see; NULL: nothing */
	uint64_t second;	/* when its second began, in which it may take SPACES_RATE bytes; ns of CLOCK_MONOTONIC */
	size_t taken;		/* bytes of runs in that second */
	/* While it changes: the mappings, sorted; they replace the run. */
	vec(struct unwind_mapping);
	bool changed;
};

struct spaces {
	struct blocks *blocks;
	struct shares *shares;
	struct blocks_part part;
	int fd; /* the hash "unwind_spaces" */
	uint32_t n, n_max;
	struct space *buckets[SPACES_BUCKETS];
	struct spaces_changed {
		vec(struct space *);
	} changed;
	struct spaces_run *free[SPACES_CLASSES];
	struct spaces_run *waiting, **waiting_end; /* freed a short time ago, the oldest first */
	size_t n_blocks;			   /* blocks that hold runs */
	/* For the report. */
	uint64_t refused;  /* processes without room */
	uint64_t too_many; /* mappings of processes that have more than a run can hold */
};

/* Creates the hash, for n_max processes. Returns 0 or -errno. The blocks and shares must outlive spaces. */
int spaces_init(struct spaces *spaces, struct blocks *blocks, struct shares *shares, uint32_t n_max);
void spaces_release(struct spaces *spaces);

/* NULL: the process is not known. */
struct space *spaces_find(const struct spaces *spaces, pid_t pid);
/* Finds the process or adds it, without mappings. It is uid's. NULL: there is no room; it is counted. */
struct space *spaces_add(struct spaces *spaces, pid_t pid, uid_t uid);
/* Adds a process that has the mappings and the owner of its parent, as fork does. Replaces a process with the same pid. */
void spaces_fork(struct spaces *spaces, const struct space *parent, pid_t pid, uint64_t since);
void spaces_remove(struct spaces *spaces, pid_t pid);
/* Removes the processes of which nothing is known since a time. */
void spaces_remove_older(struct spaces *spaces, uint64_t than);

/* Forgets the mappings of a process. */
void spaces_clear(struct spaces *spaces, struct space *space);
/* Adds a mapping, in place of what was mapped there. */
void spaces_map(struct spaces *spaces, struct space *space, const struct unwind_mapping *mapping);
/* Says which interpreter a process has, with a mapping of it. The first one that it maps counts. */
void spaces_set_runtime(struct space *space, const struct space_runtime *runtime);
/*
 * Shows the changes to BPF programs. Before it, blocks_show() has shown what mappings refer to. Changes that find no
 * room, or come too often, wait for the next call: until then programs see what the process had. Returns 0 or -errno of
 * other errors, after which the processes concerned keep what they had.
 */
int spaces_publish(struct spaces *spaces);

#endif
