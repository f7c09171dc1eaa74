/* SPDX-License-Identifier: BSD-2-Clause */
/* For asker.c: limits what the asker's process may do. */
#ifndef SONDE_BINARY_ASKER_CONFINE_H
#define SONDE_BINARY_ASKER_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Called in a new child of process parent before it executes a program: drops all privileges and installs a filter
 * that lets a loader map and read files and nothing else. Safe after fork() of a process with threads. False: the
 * child is not confined and must exit.
 */
bool asker_confine(pid_t parent);

#endif
