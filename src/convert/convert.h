/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a recording as files of other tools: Perfetto's for its UI and trace processor, trace.dat for trace-cmd and
 * KernelShark. A converter reads the recording from its first event to its last, once or twice, and needs memory for
 * tasks and texts but not for events. Losses stand where they happened.
 *
 *	files_add(&files, &convert_perfetto.file, "out.pftrace", false, &err)	before anything takes long
 *	convert_write(&convert_perfetto, recording, file, &err)
 */
#ifndef SONDE_CONVERT_CONVERT_H
#define SONDE_CONVERT_CONVERT_H

#include "output/files.h"
#include "record/recording.h"

/* Collects what is written to a descriptor. */
struct sink {
	struct str data;
	int fd, error; /* 0 or -errno of the first write that failed; nothing is written from then on */
	bool is_file;  /* an empty file of ours, in which the data begin: a converter may also write elsewhere in it */
};

struct convert_format {
	struct file_format file; /* for files_add() */
	/* Appends the whole file. Returns 0 or -errno with err set. */
	int (*write)(struct recording *r, struct sink *sink, struct err *err);
};

/* convert_recording: the recording itself. */
extern const struct convert_format convert_perfetto, convert_trace_dat, convert_recording;

/* The format of a file that is one of these; NULL: it is none. */
const struct convert_format *convert_format_of(const struct file *file);

/* Rewinds the recording and writes the file. Returns 0 or -errno with err set; there is no file then. */
int convert_write(const struct convert_format *format, struct recording *r, const struct file *file, struct err *err);

/* --- for converters --- */

/* Writes what has been added to sink->data, if it is much. */
void sink_flush(struct sink *sink);

#endif
