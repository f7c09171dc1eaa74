/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that get the stacks of a run besides the table on stdout: folded, pprof, speedscope, a flame graph. Rows of all
 * tables add up, by any schema that has stack fields; the files are written at the end, whatever ended the run.
 *
 *	files_add(&files, &file_folded, "out.folded", false, &err)	before tracing: refuses what cannot work
 *	files_row(&files, schema, &row, ctx)				for each row, printed or not
 *	vec_each(file, &files)						at the end, while names of frames are valid
 *		if (files_write(&files, file, &err))
 *			report
 *
 * A stack begins with the task's name, then come user frames, then kernel frames: the lines of a stacked schema
 * (field.h) from the bottom to the top. Of a schema that is a table, its first task name, then its stack fields from
 * the last to the first.
 */
#ifndef SONDE_OUTPUT_FILES_H
#define SONDE_OUTPUT_FILES_H

#include "field.h"
#include "tree.h"

/* What the rows mean, for viewers; to be set before files_write(). Strings stay the caller's. */
struct files_about {
	const char *title;  /* the command line: "sonde profile -F 99" */
	const char *counts; /* what a row's counter counts, plural: "samples", "calls" */
	const char *times;  /* what its duration is, as pprof calls it: "cpu", "delay"; NULL: there are no times */
	uint64_t period_ns; /* the time of one count, for rows without a duration; 0: none */
	bool by_time;	    /* folded, speedscope and the flame graph show microseconds instead of counts */
	uint64_t began_ns;  /* wall time when tracing began, ns since 1970 */
	uint64_t lasted_ns; /* how long */
	const char *note;   /* what is not in the files, such as lost samples; NULL: nothing */
};

/* What a row's field of ROLE_TASK says: texts are numbers of files->strings. */
struct files_label {
	uint32_t key, text; /* text 0: a number */
	uint64_t number;
};

struct files {
	struct file {
		const struct file_format *format;
		const char *name; /* as the user typed it; "-": stdout */
		bool force;
		int dir;	  /* descriptor of its directory */
		const char *base; /* name without the directory */
	} * v;
	size_t n, cap;
	struct files_about about;

	/* what printers read */
	struct tree tree;     /* merged by names; finished before they are called */
	bool annotated;	      /* folded: kernel frames end with _[k] */
	struct tree old;      /* a profile to compare with, of baseline_read(); finished */
	const char *compared; /* the name of its file, the caller's; NULL: nothing is compared */

	/* stacks by address, and by the task's labels; only if a format needs them */
	bool has_samples;
	struct tree exact;
	struct {
		struct files_sample {
			uint32_t node;	 /* of exact: the innermost frame */
			uint32_t labels; /* the member of label_set: an array of struct files_label */
			struct tree_sum sum;
		} * v;
		size_t n, cap;
	} samples;
	struct set sample_set, label_set;
	struct set strings; /* NUL-terminated; member 0 is "" */
};

/* Initialise with {}; files_release() closes what is open and writes nothing. */
void files_release(struct files *files);
/*
 * Adds a file, created by files_write(). name "-": stdout, one at most. force: replaces an existing file. The name
 * stays the caller's. Returns 0 or -errno with err set: the file exists, is no regular file, its directory cannot be
 * written; -EINVAL: wrong usage (no name of a file, the same name twice, two files for stdout, binary to a terminal).
 */
int files_add(struct files *files, const struct file_format *format, const char *name, bool force, struct err *err);
/* True if one goes to stdout: then no table may go there. */
bool files_use_stdout(const struct files *files);
/* Adds a row. ctx: for getters. Rows of a schema without stack fields are ignored. */
void files_row(struct files *files, const struct schema *schema, const void *row, const void *ctx);
/*
 * Writes one file, 0600 and complete, or not at all. Returns 0 or -errno with err set. If something else has taken the
 * name meanwhile, the data are kept under the name that err reports.
 */
int files_write(struct files *files, const struct file *file, struct err *err);

/*
 * For what is too large for memory, or takes long: file_begin() creates a file of our own beside the place, or takes
 * stdout; the caller writes to part.fd; file_end() closes it and gives it its name, or removes it if error is not 0.
 * Return 0 or -errno with err set; file_end() returns `error`, if it is given one.
 */
struct file_part {
	int fd;
	char own[64];
};
int file_begin(const struct file *file, struct file_part *part, struct err *err);
int file_end(const struct file *file, struct file_part *part, int error, struct err *err);
/*
 * Opens a file without a name in a directory, -1: /tmp, or memory where a file system has none. It is gone with its
 * last descriptor. Returns -1 with errno.
 */
int file_open_temporary(int dir);

/* --- for printers --- */

struct file_format {
	const char *name; /* "folded" */
	bool binary;	  /* not for terminals */
	bool samples;	  /* add() reads files->samples */
	/* Appends the whole file. files->tree is finished, and has node 0 at least. */
	void (*add)(struct str *s, const struct files *files);
};

extern const struct file_format file_folded, file_flame, file_pprof, file_speedscope;

/* Returns the time of a sum, or of its counts if rows have no durations; in ns. */
uint64_t files_time(const struct files *files, const struct tree_sum *sum);
/* Returns what to show of a sum: microseconds or the count. */
uint64_t files_weight(const struct files *files, const struct tree_sum *sum);
/* "microseconds", or files->about.counts */
const char *files_unit(const struct files *files);

#endif
