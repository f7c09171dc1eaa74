/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For files in unwind only: the files that processes map, each with a number and, once for all processes, its table
 * in blocks. Knows no process beyond the one that a file is opened through.
 */
#ifndef SONDE_UNWIND_MODULES_H
#define SONDE_UNWIND_MODULES_H

#include "base/lookup.h"
#include "functions.h"
#include "module_file.h"
#include "module_table.h"
#include "unwind.h"

struct module {
	struct unwind_module shown;
	struct module_file_id id;
	bool opened;	  /* the file could be opened once: id is valid, and all that it says is known */
	uint32_t checked; /* the round in which its mtime was looked at last */
	struct module_table table;
	struct functions functions; /* read when somebody asks */
	bool functions_read;
	uint32_t plan; /* the number of shown.runtime's plan */
	int keys;      /* thread_keys_read() */
	struct module_listed {
		struct file_id id;	  /* the numbers by which it was listed last */
		struct unwind_file value; /* n 0: never */
	} listed; /* known.h */
};

struct modules {
	vec(struct module *); /* by number - 1 */
	struct modules_keys {
		vec(struct modules_key);
		struct lookup lookup;
	} keys;
	struct module *vdso;
	struct module_tables tables;
	bool want_tables;
	void (*long_work)(void *ctx, bool begins); /* of struct unwind_options */
	void *ctx;
	uint32_t round;
	uint64_t reading;      /* ns that it has taken to read files */
	size_t held, held_max; /* descriptors of modules */
	struct modules_served {
		dev_t dev;
		uint32_t round;
		bool is; /* module_file_is_served() */
	} served;	 /* what was asked last */
	int plans_fd;	 /* the array "interp_plans" */
	struct modules_plans {
		vec(struct interp_plan);
	} plans; /* by number - 1 */
	/* For the report. */
	uint64_t refused; /* mappings of files that got no number */
};

/* The blocks and shares must outlive modules. want_tables false: modules have names only. */
void modules_init(struct modules *modules, struct blocks *blocks, struct shares *shares, bool want_tables);
void modules_release(struct modules *modules);

/* Begins a round: files are asked again whether they have changed. */
void modules_begin_round(struct modules *modules);
/*
 * Finds the module of a mapping, or makes it, with its table. The process should still live. NULL: the mapping is of
 * no file, or of a file that is not ELF (memory of a JIT).
 */
struct module *modules_find(struct modules *modules, pid_t pid, const struct mapping *mapping);
/* Finds or makes the module of a file in our own root. NULL: it cannot be opened, or is not ELF. */
struct module *modules_find_path(struct modules *modules, const char *path);
/* NULL: there is none of this number. */
struct module *modules_get(const struct modules *modules, uint16_t number);
/* The function that contains a file offset, by .eh_frame. NULL: none does. */
const struct functions_one *modules_function(struct module *module, uint64_t offset);

#endif
