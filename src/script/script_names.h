/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: names that a program's values get in user space: of addresses and stacks, users, cgroups, errors,
 * system calls, probes, points in time.
 */
#ifndef SONDE_SCRIPT_SCRIPT_NAMES_H
#define SONDE_SCRIPT_SCRIPT_NAMES_H

#include "kernel/kernel.h"
#include "lang/program/program.h"
#include "script_usym.h"

struct stacks;

/* Initialise with the first members; the rest is filled in as names are asked for. */
struct script_names {
	const struct lang_program *program;
	struct kernel *kernel; /* the caller's; NULL: addresses have no names */
	struct stacks *stacks; /* the caller's; NULL: the program takes no stacks */
	bool for_terminal;     /* control characters of foreign texts are escaped, but \n and \t */
	struct script_usyms usyms;
	/* of username: id and name, as they were when they were asked for first */
	struct {
		struct script_user {
			uint32_t id;
			char *name;
		} * v;
		size_t n, cap;
	} users;
};
void script_names_release(struct script_names *names);

/* Appends foreign bytes to text that people or programs read. */
void script_names_add_foreign(struct str *to, const struct script_names *names, const char *text, size_t n);

/* Each appends a name; where there is none, what bpftrace prints in its place. */
void script_names_add_ksym(struct str *to, struct script_names *names, uint64_t addr);
void script_names_add_usym(struct str *to, struct script_names *names, const struct lang_usym *usym);
/* type: TYPE_KSTACK or TYPE_USTACK, which says how the frames are printed; id: of bpf/stack.h. */
void script_names_add_stack(struct str *to, struct script_names *names, const struct type *type, uint64_t id);
void script_names_add_user(struct str *to, struct script_names *names, uint32_t uid);
void script_names_add_place(struct str *to, const struct script_names *names, enum type_kind kind, uint32_t place);
void script_names_add_cgroup(struct str *to, const char *filter, uint64_t id);
/* strftime(3) of a point in time, with %f for microseconds. */
void script_names_add_time(struct str *to, const char *format, const struct lang_time *time);
void script_names_add_wall(struct str *to, const char *format, uint64_t wall_ns);

#endif
