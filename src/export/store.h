/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where descriptors outlive us: the service manager's store, or pins in a file system of type bpf. Knows which belong
 * to which line, by their names: the line's name (keep_name()), '_', a letter for the kind and the kernel's number,
 * "3c6ef372fe94f82a_m17". What they are is attach/keep.h's business.
 */
#ifndef SONDE_EXPORT_STORE_H
#define SONDE_EXPORT_STORE_H

#include "attach/keep.h"
#include "run/systemd.h"

struct store;

/*
 * Takes what the manager has kept of ours out of systemd->v. pins: also pin, in this directory, which is made if need
 * be; NULL: do not. systemd must outlive the store. Returns NULL with err if the pins cannot be used: there is no file
 * system for them, or another process of ours has them.
 */
struct store *store_new(struct systemd *systemd, const char *pins, struct err *err);
/* Closes what is here. What is stored stays so. */
void store_free(struct store *store);
/* False: nothing outlives us. Also with NULL. */
bool store_is_active(const struct store *store);

/* As keep_offer(), with what is stored for the line. */
int store_offer(struct store *store, struct keep *keep, struct keep_history *history);
/*
 * Stores what the line has now, and removes from the store what it has no more; links are closed then. Returns 0, or
 * -errno with err: the line starts anew after the next start, and nothing of it is stored.
 */
int store_put(struct store *store, struct keep *keep, const struct keep_history *history, struct err *err);
/* Removes the line from the store. What this process has open stays open. */
void store_drop(struct store *store, const struct keep *keep);
/* Removes what no line has asked for by store_offer(). */
void store_drop_unclaimed(struct store *store);
/* From now on nothing is changed: what is stored is for the next start. */
void store_seal(struct store *store);

#endif
