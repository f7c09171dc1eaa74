/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a program calls that for which a thread waits. The kernel knows a futex, a semaphore of System V or a condition;
 * the functions that wait know a row lock or the interpreter's lock.
 */
#ifndef SONDE_WHY_LOCKS_H
#define SONDE_WHY_LOCKS_H

#include "base/base.h"
#include "output/frame.h"

struct locks;

/*
 * Makes the table: the lines of `file`, which come first, and those that sonde knows. file: NULL, or the path of a text
 * whose lines are "MODULE FUNCTION NAME": each is the begin of what it is compared with ("*": any module; in the kernel
 * the module is "[kernel]"), and the name is the rest of the line. Empty lines and those that begin with # are comments.
 * Returns 0, or -errno with err, which names the line. The caller frees *locks with locks_free().
 */
int locks_new(struct locks **locks, const char *file, struct err *err);
void locks_free(struct locks *locks);

/*
 * The name of what the innermost functions of a stack wait for; NULL: none of them is in the table. Valid until
 * locks_free(). The innermost frame that is in the table counts, of the user part first.
 */
const char *locks_name(const struct locks *locks, const struct frame_stack *user, const struct frame_stack *kernel);

/* Whether what has this name, of locks_name(), is held by a thread, which ends the waits for it. */
bool locks_has_holder(const struct locks *locks, const char *name);

#endif
