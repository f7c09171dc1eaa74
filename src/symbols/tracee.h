/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process of a foreign program that is run under ptrace for a moment, to call functions in
 * it, and never outlives its use. Knows registers; knows no ELF. All calls of one
 * tracee come from the thread that started it, as ptrace wants.
 */
#ifndef SONDE_TRACEE_H
#define SONDE_TRACEE_H

#include <sys/types.h>
#include <sys/user.h>

#include "base/base.h"

struct tracee {
	pid_t pid;
	struct user_regs_struct home; /* where it stood at the last stop of tracee_run_to() */
};

struct tracee_options {
	const char *const
		*argv;	  /* argv[0] is the path of the program below root; environment: none */
	const char *root; /* NULL: ours */
	bool change_user; /* become uid and gid, without other groups and capabilities */
	uid_t uid;
	gid_t gid;
};

/* Stopped right after exec. Errors in words, -ENOTSUP where it is not permitted or cannot run. */
int tracee_start(struct tracee *t, const struct tracee_options *options, struct err *err);
/* Kills and reaps; harmless when never started or already ended. */
void tracee_end(struct tracee *t);

/* Plants a breakpoint that stays. */
int tracee_break_at(struct tracee *t, uint64_t addr);
/* Runs to the breakpoint at addr. -EFAULT: it faulted or ended first; -ETIMEDOUT: it takes too
 * long. */
int tracee_run_to(struct tracee *t, uint64_t addr);
/* Reads a word of its memory. */
int tracee_peek(struct tracee *t, uint64_t addr, uint64_t *word);
/* At a breakpoint on a function's first instruction: as if the function had returned. */
int tracee_return(struct tracee *t);
/*
 * Calls the IFUNC resolver at addr, with the arguments that this architecture's loader gives
 * it, on the stack below home. Errors of tracee_run_to(); after -EFAULT others can be called.
 */
int tracee_call_resolver(struct tracee *t, uint64_t addr, uint64_t *result);

#endif
