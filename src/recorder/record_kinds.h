/* SPDX-License-Identifier: BSD-2-Clause */
/* Within recorder/ and why/: describes the kinds of records (bpf/record.h) in a recording. */
#ifndef SONDE_RECORD_KINDS_H
#define SONDE_RECORD_KINDS_H

struct record_sets;
struct writer;

/* Writes those that may be recorded, and how records lie in the ring. Returns 0, or the writer's -errno. */
int record_kinds_write(struct writer *writer, const struct record_sets *sets);

#endif
