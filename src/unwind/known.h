/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the hash "unwind_files", in which BPF programs find the table of a file that a process maps of
 * which nothing is known yet. Knows no process.
 */
#ifndef SONDE_UNWIND_KNOWN_H
#define SONDE_UNWIND_KNOWN_H

#include "modules.h"

/* Files that the hash has room for. One process and its children map fewer. */
#define KNOWN_MAX     4096
#define KNOWN_MAX_ONE 1024

struct known {
	struct blocks *blocks;
	struct shares *shares;
	struct blocks_part part;
	int fd; /* the hash "unwind_files" */
	/* What programs do not see yet. */
	vec(struct known_new {
		struct unwind_file_key key;
		struct unwind_file value;
	});
};

/* Creates the hash, for n_max files. Returns 0 or -errno. The blocks and shares must outlive known. */
int known_init(struct known *known, struct blocks *blocks, struct shares *shares, uint32_t n_max);
void known_release(struct known *known);

/*
 * Adds a module by the numbers that the kernel has of its file, if it is not there. A module that finds no room is left
 * out: then programs do not know the file of a process before user space has read of the process.
 */
void known_add(struct known *known, struct module *module, const struct file_id *id);
/* Shows what was added to BPF programs. Before it, module_tables_show() has shown the tables. Returns 0 or -errno. */
int known_publish(struct known *known);

#endif
