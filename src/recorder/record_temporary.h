/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within recorder/, why/ and graph/: a recording in a file that has no name. At the end converters make files of it
 * (convert_format_of()).
 *
 *	record_temporary_open()		before tracing
 *	record_temporary_also()		for each file but the first
 *	record_temporary_begin()	when the probes are armed
 *	record_temporary_add()		for each record; behind the last one of a run, record_temporary_run()
 *	record_temporary_write()	at the end
 */
#ifndef SONDE_RECORDER_RECORD_TEMPORARY_H
#define SONDE_RECORDER_RECORD_TEMPORARY_H

#include "output/files.h"
#include "record_kinds.h"

struct filter;

#define RECORD_TEMPORARY_FILES 3

/* Initialise with {}. All functions but record_temporary_open() do nothing without a writer. */
struct record_temporary {
	struct writer *writer; /* for texts, too; NULL: there is no recording */
	const struct file *files[RECORD_TEMPORARY_FILES];
	size_t n_files;
	int fd;		       /* of the writer's file */
	struct str words;      /* of a run, while it is made */
	uint64_t fresh;	       /* records in it */
	uint64_t recorded;     /* records before it */
	vec(uint64_t) numbers; /* of each ring, the number of its next record */
};

/*
 * Begins a recording that becomes this file, which stays the caller's and in its place until record_temporary_write().
 * line, command: as of record_host_write(). Returns 0, or -errno with err.
 */
int record_temporary_open(struct record_temporary *recording, const struct file *file, const char *line, pid_t command,
			  const struct record_sets *sets, struct err *err);
/* Another file, of another format. */
void record_temporary_also(struct record_temporary *recording, const struct file *file);
/* As record_tasks_begin(), with err. */
int record_temporary_begin(struct record_temporary *recording, pid_t command, const struct filter *filter,
			   struct err *err);
/* Adds a record of enum record_kind to the run: whole words. */
void record_temporary_add(struct record_temporary *recording, uint32_t kind, const void *record, size_t bytes);
/* Writes the run of a ring, which lost some records before it. What fails is said by record_temporary_write(). */
void record_temporary_run(struct record_temporary *recording, uint32_t cpu, uint32_t lane, uint64_t lost);
/* Ends the recording and writes the files. lost: in all. Returns 0, or -errno with err of the first that has failed. */
int record_temporary_write(struct record_temporary *recording, uint64_t lost, struct err *err);
void record_temporary_release(struct record_temporary *recording);

#endif
