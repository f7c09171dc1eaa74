/* SPDX-License-Identifier: BSD-2-Clause */
/* For recording*.c only: what a reader keeps. */
#ifndef SONDE_RECORD_RECORDING_PART_H
#define SONDE_RECORD_RECORDING_PART_H

#include "base/pool.h"
#include "base/set.h"
#include "recording.h"

/* Limits for foreign files. */
#define RECORDING_NAMES_MAX  (256u << 20) /* bytes of all bodies that are no chunks */
#define RECORDING_RINGS_MAX  16384
#define RECORDING_CHUNKS_MAX (2ull << 30) /* bytes of one chunk of each ring: so much is in memory at a time */
#define RECORDING_CPUS_MAX   8192
#define RECORDING_RECORD_MAX 1024 /* words of a record */
#define RECORDING_FORKS_MAX  8	  /* fork, vfork, clone and clone3, each with two numbers */

/* A chunk of the file, unread. */
struct recording_chunk {
	uint64_t at;	/* of the section's header */
	uint64_t bytes; /* of records */
	uint64_t first, lost;
};

/* A record, or a loss, of the chunk that is in memory. */
struct recording_entry {
	uint64_t time;
	uint64_t number; /* or how many were lost */
	uint32_t at;	 /* its header's word in the buffer; RECORDING_LOSS: none */
	uint32_t order;	 /* keeps equal times in the order of the ring */
};
#define RECORDING_LOSS UINT32_MAX

struct recording_ring {
	uint32_t cpu, lane;
	struct recording_chunks {
		struct recording_chunk *v;
		size_t n, cap;
	} chunks;
	size_t next_chunk;
	uint64_t largest;     /* bytes of a chunk */
	uint64_t next_number; /* of the record behind those that were read */
	bool has_number;
	uint64_t last_time; /* the highest so far; 0: none */
	uint64_t passed;    /* time of the last record that was passed on */

	uint64_t *words; /* records of the entries */
	size_t cap_words;
	struct {
		struct recording_entry *v;
		size_t n, cap;
	} entries;
	size_t at; /* the entries before it were passed on */
};

/* A section of records of calls, unread. */
struct recording_calls {
	uint64_t at, bytes; /* of the section's header; of its body */
};

struct recording {
	int fd;
	char *name;
	uint64_t size;
	struct err err;
	struct recording_info info;
	uint64_t names_bytes;
	uint64_t largest; /* the sum over the rings */
	uint64_t damaged; /* sections whose check is wrong */
	char cut[160];	  /* info.cut */
	uint64_t whole;	  /* where the whole sections end */
	struct pool pool;

	bool has_ring, has_host, has_clocks;
	struct layout_ring ring;
	struct recording_kind *by_id[LAYOUT_KINDS_MAX];
	struct {
		const struct recording_kind **v;
		size_t n, cap;
	} kinds;
	struct {
		const char **v;
		size_t n, cap;
	} notes;

	struct set text_ids; /* struct recording_text_id */
	struct {
		const char **v;
		size_t n, cap;
	} texts;
	int64_t forks[RECORDING_FORKS_MAX]; /* numbers of calls that return twice */
	uint32_t n_forks;

	/* tasks: as at the start, and now */
	struct recording_task_list {
		struct recording_task *v;
		size_t n, cap;
	} first, tasks;
	struct set tids, names;
	unsigned char *named; /* a bit for each id */
	uint32_t n_named;

	struct set ring_ids; /* cpu, lane */
	struct {
		struct recording_ring *v;
		size_t n, cap;
	} rings;
	struct recording_ring **heap; /* those that have entries left; the earliest is first */
	size_t n_heap;
	struct recording_ring *taken; /* its entry was passed on last */
	bool begun;
	int32_t *current; /* by processor */

	struct {
		struct recording_calls *v;
		size_t n, cap;
	} calls;
	size_t next_calls;
	uint64_t *call_words; /* the body that is in memory: call_n words, those before call_at were passed on */
	size_t call_n, call_at;
};

struct recording_text_id {
	uint64_t space, id;
};

/* recording_sections.c: keeps what a body says. Returns false if it is damaged. */
bool recording_section(struct recording *r, uint32_t type, const void *body, size_t bytes);
/* A kind for records of an id that the file does not describe. */
struct recording_kind *recording_unknown_kind(struct recording *r, uint32_t id);

/* recording_file.c */
/* Reads exactly n bytes. 0 or -errno; -ENODATA: the file has become shorter. */
int recording_read(struct recording *r, uint64_t at, void *to, size_t n);
/* True if a section's check is that of its body, padding included. */
bool recording_check(const struct layout_section *section, const void *head, size_t head_bytes, const void *body,
		     size_t n);

/* recording_chunks.c */
/* Reads chunks of the ring until enough entries are in memory. 0 or -errno. */
int recording_fill(struct recording *r, struct recording_ring *ring);
void recording_ring_reset(struct recording_ring *ring);

/* recording_calls.c */
void recording_note_calls(struct recording *r, uint64_t at, const struct layout_section *section);
void recording_calls_rewind(struct recording *r);

/* recording_tasks.c */
void recording_tasks_begin(struct recording *r); /* as at the start */
/* Learns from an event: who runs, who is new, what it is called. Sets event->task. */
void recording_tasks_event(struct recording *r, struct recording_event *event);
/* False: there is no room for it. */
bool recording_add_task(struct recording *r, const struct recording_task *task);
/* Whether there is room for all threads that an event names. */
bool recording_tasks_fit(struct recording *r, const struct recording_event *event);

#endif
