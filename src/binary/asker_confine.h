/* SPDX-License-Identifier: BSD-2-Clause */
/* Within binary/: what keeps the asker's process from doing anything but its work. */
#ifndef SONDE_ASKER_CONFINE_H
#define SONDE_ASKER_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * For a new child of parent, before it executes a program: no privileges, and a filter of system calls that lets a loader
 * map files and read them, and nothing else. System calls only, for the parent may have threads. False: it must not go on.
 */
bool asker_confine(pid_t parent);

#endif
