/* SPDX-License-Identifier: BSD-2-Clause */
/* Within recorder/: the state of a recording, and the probes of the user's. */
#ifndef SONDE_RECORDER_RECORD_PART_H
#define SONDE_RECORDER_RECORD_PART_H

#include "bpf/record.h"
#include "engine/probes.h"
#include "engine/progs_life.h"
#include "engine/ring.h"
#include "record/layout.h"
#include "record_kinds.h"

struct strace_capture;
struct writer;

struct record_settings {
	const char *output;
	bool force, fail_on_loss;
	uint64_t buffer_size, flight;
	const char *snapshot_on;
	struct probes_settings probes;
};

/* The probes of the user's: their targets and links. */
struct record_probes {
	struct opt_list specs; /* the arguments that are no sets */
	struct target_set set;
	struct image entry, ret, trace;
	uint32_t *targets; /* those at entries and places, those at returns, tracepoints with their records */
	size_t n_entries, n_returns, n_traces;
	struct attach *attach;	       /* of entries and returns; NULL: there are none */
	struct attach *records;	       /* of tracepoints with their records; NULL: there are none */
	vec(struct layout_kind) kinds; /* of tracepoints */
	struct pool pool;
};

/* `sonde mark`. */
struct record_marks {
	struct target_set set;
	struct image image;
	struct attach *attach; /* NULL: it could not be resolved */
};

/* --flight. Initialise descriptors with -1. */
struct record_flight {
	int signals; /* SIGUSR2 */
	int rows;    /* of the tool of --snapshot-on */
	pid_t tool;  /* 0: there is none */
	const char *why;
	uint64_t at; /* when to take a snapshot; 0: nobody has asked */
	bool last;   /* and then to end */
	unsigned int snapshots;
};

struct recorder {
	struct engine_instance *instance;
	struct record_sets sets;
	struct record_config config;
	struct progs progs;
	struct record_probes probes;
	struct record_marks marks;
	struct record_flight flight;
	struct ring_set *ring;
	struct strace_capture *capture; /* of the set `strace`; NULL: it is off */
	struct writer *writer;
	uint64_t passed, lost;	 /* records that were written, and those that the rings lost before */
	uint64_t missed;	 /* hits that the kernel skipped */
	uint64_t missed_returns; /* as far as they are not among these: attach_missed_returns() */
	bool knows_missed;
	bool armed;
	size_t unattached; /* targets of the user's probes */
};

/* The name of the file. */
const char *record_output(const struct recorder *recorder);
/* Creates a file and describes the machine, the kinds and the probes. Returns 0, or -errno with err. */
int record_file_open(struct recorder *recorder, const char *name, struct err *err);
/* Writes the clocks as they are when the recording begins, and the tasks that exist then. */
int record_file_tasks(struct recorder *recorder, const char *name, struct err *err);
/* For ring_read() and the like, with the recorder as ctx: writes a run. Returns 0, or the writer's -errno. */
int record_file_run(const struct ring_run *run, void *ctx);
/* Ends the file, and says what is in it, or why it could not be written: then it returns -errno. */
int record_file_close(struct recorder *recorder, const char *name);

/* Resolves the user's probes, if there are any; the object is open and not prepared. */
int record_probes_resolve(struct recorder *recorder, struct err *err);
/* Finds out what the records of tracepoints contain; the object is open and not prepared. */
int record_tracepoints_find(struct recorder *recorder, struct err *err);
/* Whether a tracepoint is recorded with its record. */
bool record_tracepoints_has(const struct record_probes *probes, const struct target *target);
/* Describes them. Returns 0, or the writer's -errno. */
int record_tracepoints_write(struct recorder *recorder);
/* Detaches the user's probes, so that nothing is recorded any more. */
void record_probes_pause(struct recorder *recorder, const char *why);
/* Makes images of their programs; the object is prepared. */
int record_probes_prepare(struct recorder *recorder, struct err *err);
int record_probes_attach(struct recorder *recorder, struct err *err);
/* Writes their names. Returns 0, or the writer's -errno. */
int record_probes_write(struct recorder *recorder);
/* Returns how many targets are not attached; says which, and why. */
size_t record_probes_say(struct recorder *recorder);
/* Returns how many of their hits the kernel skipped. */
uint64_t record_probes_missed(struct recorder *recorder);
void record_probes_release(struct recorder *recorder);

/* The same for marks. That they cannot be attached is no failure of a recording. */
int record_marks_prepare(struct recorder *recorder, struct err *err);
int record_marks_attach(struct recorder *recorder, struct err *err);
void record_marks_release(struct recorder *recorder);

/* Begins to wait for reasons to take a snapshot. */
int record_flight_start(struct recorder *recorder, struct err *err);
/* The recording ends, and nothing is recorded any more: takes the last snapshot, if there is a reason. */
void record_flight_end(struct recorder *recorder);
void record_flight_release(struct record_flight *flight);

#endif
