/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and numbers of syscalls. */
#ifndef SONDE_KERNEL_SYSCALLS_H
#define SONDE_KERNEL_SYSCALLS_H

/*
 * The number on this architecture of a syscall, named as user space or as the kernel's tracepoints name it
 * ("fstat", "newfstat"). -ENOENT: unknown.
 */
int syscall_number(const char *name);
/* The name that user space uses for a syscall, a constant string; NULL: unknown number. */
const char *syscall_name(int number);

/* The same of a call of a 32-bit program on this architecture. NULL: unknown, or there are no such programs. */
const char *syscall_name_32(int number);

/* The most arguments that a syscall can take, and how many one takes; the most if that is not known. */
#define SYSCALL_ARGUMENTS 6
int syscall_arguments(int number);

#endif
