/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record engine: everything that happens, in order, into a file (record/layout.h). Its arguments are sets of events
 * and probes as a user writes them. Programs write records into rings (ring.h); the reader writes them to the file as
 * they are. Nothing is decoded while it records.
 *
 * There are no rows: the file is the result, and a line on stderr says what is in it.
 */
#ifndef SONDE_RECORDER_RECORD_H
#define SONDE_RECORDER_RECORD_H

#include "engine/engine.h"

extern const struct engine record_engine;

/* For .offers: the names of the sets. */
void record_offer(const char *word, void (*fn)(const char *text, void *ctx), void *ctx);

#define RECORD_ENGINE .engine = &record_engine

#endif
