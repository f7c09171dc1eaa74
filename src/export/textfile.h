/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page as a file, for node-exporter's textfile collector. A reader finds the old page or the new one, never a part:
 * each page is written to another name in the same directory, and renamed. Nobody waits for the disk, so after a crash
 * of the machine the file may be empty until the exporter writes it again.
 *
 * The file is removed at the end. The collector goes on to export a file whose writer is gone, so a stopped exporter
 * would show its last numbers for ever. What SIGKILL leaves behind is to be seen in node_textfile_mtime_seconds.
 */
#ifndef SONDE_EXPORT_TEXTFILE_H
#define SONDE_EXPORT_TEXTFILE_H

#include <sys/types.h>
#include <time.h>

#include "base/str.h"

struct textfile {
	char *path, *unfinished; /* DIR/NAME.prom and DIR/.NAME.prom.new, which the collector ignores */
	int error;		 /* of the last page: 0 or -errno */
	ino_t ino;		 /* the file of the last page that was written; 0: none */
	struct timespec written; /* and its time: numbers of files are used again */
};

/* What the user should hear of after a page. */
enum textfile_news {
	TEXTFILE_NONE,	 /* it is as it was with the last page */
	TEXTFILE_FAILED, /* it could not be written, for another reason than the last page; the old file is whole */
	TEXTFILE_WORKS,	 /* it was written, and the last page was not */
};

/*
 * Sets where pages go. The name must end with ".prom", as the collector wants it, and the directory must let us create
 * files now. path is copied. Returns 0 or -errno with err set.
 */
int textfile_init(struct textfile *textfile, const char *path, struct err *err);
/* Removes the file if it is ours still, and frees what textfile_init() has allocated. */
void textfile_release(struct textfile *textfile);
/* Replaces the file, mode 0644. err is set for TEXTFILE_FAILED. */
enum textfile_news textfile_write(struct textfile *textfile, const struct str *page, struct err *err);

#endif
