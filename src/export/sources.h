/* SPDX-License-Identifier: BSD-2-Clause */
/* All sources of a configuration: made together, checked against each other, opened, and exchanged at a reload. */
#ifndef SONDE_EXPORT_SOURCES_H
#define SONDE_EXPORT_SOURCES_H

#include "source.h"

/* Initialise with {}. */
struct sources {
	vec(struct source *);
};

/*
 * Makes the sources of a configuration, whose lines it moves. Nothing is attached. A source of `running` that is up,
 * and whose line means the same, is shared by both, and has the place of the new line; running NULL: there are none.
 * Returns 0, or -errno with err, which names the wrong line; `sources` is empty then.
 */
int sources_make(struct sources *sources, struct config *config, const struct sources *running, struct err *err);
/* Undoes sources_make(): frees what `running` does not have, and gives the others their places back. */
void sources_give_up(struct sources *sources, struct config *config, const struct sources *running);
/*
 * Opens those that are down. One that cannot be attached is reported, and stays down. Returns 0, or -errno with err:
 * -EINVAL, a line is wrong whatever the kernel; -EINTR, somebody wants to stop.
 */
int sources_open(struct sources *sources, const struct source_host *host, struct err *err);
/*
 * Returns 0, or -EINVAL with err if two sources, or a source and the page, have a family of one name. To be called when
 * they are open: options may decide about the families.
 */
int sources_check_families(struct sources *sources, const struct metrics *page, struct err *err);
/* Closes and frees all but those that `kept` has too; kept NULL: all. */
void sources_release(struct sources *sources, const struct sources *kept);
/* Returns how many are up. */
size_t sources_up(const struct sources *sources);

#endif
