/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of waits share: see waits.c. */
#ifndef SONDE_TESTS_PROGRAMS_WAITS_H
#define SONDE_TESTS_PROGRAMS_WAITS_H

#include "did.h"
#include "workload.h"

struct cause {
	const char *name;
	void (*wait)(void);
};

/* Each ends with an element without a name. */
extern const struct cause on_descriptors[], on_threads[], on_processes[];

extern int times, ms;
extern const char *name; /* of the cause */
extern long long waited;
extern pid_t waiter; /* whoever waited, if it is not this process: a child that is not reaped yet */

/* Sleeps for MS milliseconds. */
void nap(void);

/* Naps, and ends the process. */
int after_nap(void *arg);

/* The other end of a wait: a process that acts after MS milliseconds, TIMES times. */
struct other {
	int go;
	pid_t pid;
};

/* Runs act(arg) in a child. go: one byte for each wait; the child naps after it has read it. */
struct other start(void (*act)(void *), void *arg);
void go(const struct other *other);
void end(struct other *other);

/* SIGUSR1 to *pid. */
void send_signal(void *pid);

/* Writes a byte into *fd. */
void put_byte(void *fd);

/* Adds the time of a call. */
#define MEASURE(call) \
	do { \
		long long _began = did_ns(CLOCK_MONOTONIC); \
		if ((call) < 0) \
			err(1, "%s", name); \
		waited += did_ns(CLOCK_MONOTONIC) - _began; \
	} while (0)

/* Waits TIMES times in call, which the other ends by act(arg). */
#define WITH_OTHER(act, arg, call) \
	do { \
		struct other _other = start(act, arg); \
		for (int _i = 0; _i < times; _i++) { \
			go(&_other); \
			MEASURE(call); \
		} \
		end(&_other); \
	} while (0)

#endif
