/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls with their arguments, into a recording: the records of the programs, as they are. replay.h prints them. */
#ifndef SONDE_STRACE_CAPTURE_H
#define SONDE_STRACE_CAPTURE_H

#include "engine/engine.h"

struct object;
struct strace_capture;
struct writer;

/* Says in a recording how its calls are recorded. Returns 0, or the writer's -errno. */
int strace_capture_describe(struct writer *writer);
/*
 * Loads the programs, for an instance whose intake is open. members: its object that follows the command. The writer
 * stays the caller's, and outlives the capture. Returns 0, or -errno with err; then *capture is NULL.
 */
int strace_capture_open(struct strace_capture **capture, struct engine_instance *instance, const struct object *members,
			struct writer *writer, struct err *err);
/* Arms the programs. Returns 0, or -errno with err. */
int strace_capture_arm(struct strace_capture *capture, struct err *err);
/* Detaches the programs, and writes what is left; why: for probes that are asked for later. */
void strace_capture_end(struct strace_capture *capture, const char *why);
/* Returns how many records were written. */
uint64_t strace_capture_calls(const struct strace_capture *capture);
/* Returns how many hits at begins or ends of calls the kernel has skipped. Known after the end. */
uint64_t strace_capture_missed(const struct strace_capture *capture);
/* Says what was lost, and returns whether something was. */
bool strace_capture_losses(const struct strace_capture *capture);
void strace_capture_free(struct strace_capture *capture);

#endif
