/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the probe that sees lines as GNU readline gives them to a program. */
#ifndef SONDE_PROBE_READLINE_H
#define SONDE_PROBE_READLINE_H

#include <sys/types.h>

#include "base/base.h"

struct readline_probe {
	char *spec;  /* of a return probe */
	bool linked; /* it is in the libreadline that the object is linked to, which other programs use, too */
};

/*
 * object, pid: as library_find() takes them. *probe begins with {}, and what it holds lasts until exit. -errno with err if neither
 * the object nor a libreadline that it is linked to has the functions.
 */
int readline_find(const char *object, pid_t pid, struct readline_probe *probe, struct err *err);

#endif
