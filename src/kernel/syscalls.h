/* SPDX-License-Identifier: BSD-2-Clause */
/* Syscalls by name and by number. */
#ifndef SONDE_SYSCALLS_H
#define SONDE_SYSCALLS_H

/*
 * The number of a syscall as the kernel's tracepoints call it ("openat", "newfstat") on this architecture,
 * or -ENOENT where the headers that we were built with do not know it.
 */
int syscall_number(const char *name);
/* As user space calls it, NULL where nothing is known of the number. */
const char *syscall_name(int number);

#endif
