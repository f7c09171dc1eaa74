/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracee.c needs to know of an architecture's registers and breakpoints. */
#ifndef SONDE_TRACEE_REGS_H
#define SONDE_TRACEE_REGS_H

#include "tracee.h"

/* 0 or -errno, of the stopped process pid. */
int tracee_regs_get(pid_t pid, struct user_regs_struct *regs);
int tracee_regs_set(pid_t pid, const struct user_regs_struct *regs);
int tracee_regs_peek(pid_t pid, uint64_t addr, uint64_t *word);
/* Writes a breakpoint instruction. */
int tracee_regs_break(pid_t pid, uint64_t addr);
/* The address of the breakpoint that was hit. */
uint64_t tracee_regs_at_break(const struct user_regs_struct *regs);
uint64_t tracee_regs_pc(const struct user_regs_struct *regs);
uint64_t tracee_regs_result(const struct user_regs_struct *regs);
/* Changes regs (the caller sets them): a return from a function's first instruction. */
int tracee_regs_return(pid_t pid, struct user_regs_struct *regs);
/* Changes regs and the stack: a call of the IFUNC resolver at addr that returns to address 0. */
int tracee_regs_call(pid_t pid, struct user_regs_struct *regs, uint64_t addr);

#endif
