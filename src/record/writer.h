/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the file of a recording (layout.h), section by section, so that it is readable whatever ends us. For one
 * thread at a time.
 *
 *	writer_open(), writer_host(), writer_clocks(), writer_ring(), writer_kind() for each, writer_task() for each
 *	writer_chunk() as the ring gives runs; writer_text() and the like at any time
 *	writer_clocks(), writer_close()
 *
 * The first failure (a full disk) cuts the file back to its last whole section; the functions do nothing from then on
 * and return the same error. Nothing is printed here.
 */
#ifndef SONDE_RECORD_WRITER_H
#define SONDE_RECORD_WRITER_H

#include "base/base.h"
#include "layout.h"

struct writer;

/*
 * Creates the file, 0600, and writes its header. force: removes a regular file that exists; otherwise that is
 * -EEXIST. Returns NULL with err set. The name stays the caller's until writer_close().
 */
struct writer *writer_open(const char *name, bool force, struct err *err);
/* The same into a descriptor that can be truncated, which writer_close() closes. */
struct writer *writer_open_fd(int fd, const char *name, struct err *err);

/* Each returns 0 or the writer's -errno. Texts and arrays are copied; texts are cut at LAYOUT_TEXT_MAX. */
int writer_host(struct writer *w, const struct layout_host *host);
int writer_clocks(struct writer *w); /* reads the clocks now */
int writer_ring(struct writer *w, const struct layout_ring *ring);
int writer_kind(struct writer *w, const struct layout_kind *kind);
int writer_note(struct writer *w, const char *text);
int writer_calls_form(struct writer *w, uint64_t form, uint64_t text); /* text: the most bytes of each */
int writer_missed(struct writer *w, uint64_t missed); /* in all until now */

/*
 * These are collected, and become sections when many have come, before the next chunk, or by writer_flush(). An id may
 * be written again: the last text counts.
 */
int writer_task(struct writer *w, const struct layout_task *task);
int writer_text(struct writer *w, enum layout_space space, uint64_t id, const char *text);
/* A record of a call with its arguments, and how many were lost before the next; 0: nothing is written. */
int writer_call(struct writer *w, const void *record, size_t n);
int writer_calls_lost(struct writer *w, uint64_t lost);
int writer_flush(struct writer *w);

/*
 * Writes a run of whole records of one ring: `first` is the number of the first, not wrapped, and `lost` how many the
 * ring lost before it (since its last chunk). bytes may be 0, with lost records behind the last. A run longer than
 * LAYOUT_CHUNK_MAX becomes several chunks; only then are record headers looked at. For it writer_ring() must have been
 * called.
 */
int writer_chunk(struct writer *w, uint32_t cpu, uint32_t lane, uint64_t first, uint64_t lost, const void *records,
		 size_t bytes);

uint64_t writer_bytes(const struct writer *w); /* of the file so far, for --size limits and the last line */
/* Why the writer failed, or 0. */
int writer_error(const struct writer *w);
/*
 * Writes the END (NULL: none, for a recording that failed), closes the file and frees the writer. Returns 0 or the
 * first error with err set: "cannot write sonde.trace: No space left on device: it ends after 12 MB".
 */
int writer_close(struct writer *w, const struct layout_end *end, struct err *err);

#endif
