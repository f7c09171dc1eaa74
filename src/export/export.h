/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The exporter: sources side by side, one thread, one poll loop. It wakes up for requests, signals, events of sources
 * and what is due at a time, and sleeps otherwise.
 */
#ifndef SONDE_EXPORT_EXPORT_H
#define SONDE_EXPORT_EXPORT_H

#include "run/run.h"

#define LISTEN_DEFAULT "127.0.0.1:9435"
#define EXPORT_PINS    "/sys/fs/bpf/sonde"

struct export_options {
	const char *budget;   /* a share of the machine, "0.5%"; NULL: none */
	const char *listen;   /* see server_listen(); NULL: sockets of the service manager, or else LISTEN_DEFAULT */
	const char *textfile; /* DIR/NAME.prom; NULL: none. Without listen, nothing listens then */
	uint64_t every;	      /* ns between two pages of it; 0: 15 s */
	bool pin;	      /* what is attached goes on after our end, held by pins in EXPORT_PINS */
	bool check, strict, families;
};

/*
 * Runs until a signal ends it; run->args are the files and lines. Returns the exit status, after a message, or -errno
 * with err. For struct tool's act().
 */
int export_run(struct run *run, const struct export_options *options, struct err *err);

#endif
