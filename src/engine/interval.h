/* SPDX-License-Identifier: BSD-2-Clause */
/* For engines: the arguments of tools that print a table at each interval, as in bcc: [INTERVAL [COUNT]]. */
#ifndef SONDE_ENGINE_INTERVAL_H
#define SONDE_ENGINE_INTERVAL_H

#include "engine.h"

/*
 * Parses the instance's arguments: seconds, which may have a fraction, and a number of tables. Sets the interval and
 * the duration of the context; what is not given stays as --interval and --duration have set it. Returns 0, or
 * -EINVAL with err set: an argument is wrong, or is given by an option too.
 */
int interval_parse(struct engine_instance *instance, struct err *err);
/* The same for tools whose only argument is [DURATION]. */
int interval_parse_duration(struct engine_instance *instance, struct err *err);

#endif
