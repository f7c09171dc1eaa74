/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an engine waits for, behind one descriptor: the buffers that its programs fill, and whatever else it reads. When
 * one of them has something, all are taken, in the order of enum intake_turn.
 *
 *	intake_watch(intake, fd, err)		each descriptor
 *	intake_add(intake, turn, take, ctx)	what reads them
 *	intake_take(intake)			when intake_fd() is readable, at the latest when the last call asked for it
 *
 * intake_fd() is readable once for each wake-up, not as long as a buffer has data: programs that find a reader at work
 * do not wake it. So a source reads all that is there, or asks for another call soon.
 */
#ifndef SONDE_ENGINE_INTAKE_H
#define SONDE_ENGINE_INTAKE_H

#include "base/base.h"

/* In which order sources are taken. Each turn has one source at most. */
enum intake_turn {
	/*
	 * Stacks come first. Until the mappings of a process that called exec() are read, its user stacks are unknown,
	 * and records would take their time before that. A record that comes before its frames does no harm:
	 * stacks_find() reads them.
	 */
	INTAKE_STACKS,
	/* What the engine reads itself. It may run programs, whose records the stream then has already. */
	INTAKE_OWN,
	/* The stream comes last: what it passes on is printed, which takes longest. */
	INTAKE_STREAM,
	INTAKE_TURNS,
};

struct intake;

/* Reads all that a source has. Returns in how many ms it wants to be called again at the latest. */
typedef int (*intake_fn)(void *ctx);

/* engine_open() makes one for each engine that has take(): instance->intake. */
struct intake *intake_new(void);
void intake_free(struct intake *intake);

/* Wakes the reader when fd, which stays the caller's, becomes readable; -1: nothing. Returns 0, or -errno with err. */
int intake_watch(struct intake *intake, int fd, struct err *err);
/* Ends that. Returns whether fd was watched. */
bool intake_ignore(struct intake *intake, int fd);
void intake_add(struct intake *intake, enum intake_turn turn, intake_fn take, void *ctx);

/* Returns a descriptor that is readable if intake_take() should be called earlier than it asked. Of NULL: -1. */
int intake_fd(const struct intake *intake);
/* Takes all sources. Returns in how many ms the most urgent of them wants to be called again. */
int intake_take(struct intake *intake);

#endif
