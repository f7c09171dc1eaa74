/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the file of a recording (layout.h): everything that is not an event at once, then the events of all rings in
 * the order of time. Files are foreign: nothing in them is trusted, and its size bounds the memory. For one thread.
 *
 *	struct recording *r = recording_open("sonde.trace", &err);
 *	struct recording_event event;
 *	while ((ret = recording_next(r, &event)) > 0)
 *		if (!event.kind)
 *			...		event.lost records were lost here
 *		else if (event.kind->known == KNOWN_SWITCH)
 *			... recording_known(&event, KNOWN_F_PREV, -1) ...
 */
#ifndef SONDE_RECORD_RECORDING_H
#define SONDE_RECORD_RECORDING_H

#include "base/str.h"
#include "known.h"
#include "layout.h"

struct recording;

/*
 * How many ids of threads a reader knows, which bounds what it and its callers remember. An event of one more comes as a
 * loss.
 */
#define RECORDING_TASKS_MAX (1 << 18)

struct recording_kind {
	uint32_t id;
	const char *name;
	int known; /* enum known_kind; -1: none of them */
	struct recording_field {
		const char *name;
		int known; /* enum known_field; -1: none of them */
		uint8_t is, word, bit, bits;
	} * fields;
	uint32_t n;
	int8_t at[KNOWN_FIELDS_N]; /* index of a known field; -1: the kind lacks it */
};

/* A task as it is where the reader is: fork, exec and comm events keep it up to date. */
struct recording_task {
	int32_t tid, tgid, ppid; /* tgid, ppid 0: unknown */
	uint32_t flags;		 /* LAYOUT_TASK_* */
	uint64_t began;		 /* 0: unknown */
	int64_t state;
	const char *comm, *line; /* "": unknown; valid as long as the recording */
};

/* Words are valid until the next call of recording_next(). */
struct recording_event {
	uint64_t time; /* ns, CLOCK_MONOTONIC; of a loss: that of the first record behind it, or of the last one before */
	uint32_t cpu, lane;
	int32_t task; /* who caused it: the record's own `task` or who runs on the processor; 0: idle, -1: unknown */
	uint64_t number;
	const struct recording_kind *kind; /* NULL: a loss */
	const uint64_t *words;		   /* the first is the time */
	uint32_t n;
	uint64_t lost;	/* of a loss: how many records */
	uint64_t since; /* of a loss: time of the last record before in this ring; 0: none */
};

/* Returns NULL with err set, in one line: no recording, of another version, damaged at its start. */
struct recording *recording_open(const char *path, struct err *err);
/* The same from a descriptor, which recording_close() closes. name: for messages. */
struct recording *recording_open_fd(int fd, const char *name, struct err *err);
void recording_close(struct recording *r);

/* Returns 1 and the next event, 0 at the end, or -errno with recording_error(): the file cannot be read any more. */
int recording_next(struct recording *r, struct recording_event *event);
const struct err *recording_error(const struct recording *r);
/* Something in it cannot be what sonde has written. recording_info()->cut says so then. */
void recording_note_damage(struct recording *r);

/* A record of a call with its arguments, or a loss. */
struct recording_call {
	const void *bytes; /* n bytes, aligned to 8, valid until the next call; NULL: `lost` records were lost here */
	size_t n;
	uint64_t lost;
};

/* The next of these, in the order in which they were written; they are not among the events. The same results. */
int recording_next_call(struct recording *r, struct recording_call *call);
/* Back to the first event, and call; tasks are as at the start. */
void recording_rewind(struct recording *r);
/* Reads at most n bytes of the file itself from `at` on. Returns how many; 0: it ends there; or -errno. */
ssize_t recording_bytes(const struct recording *r, uint64_t at, void *to, size_t n);

/* --- what else is in the file; valid until recording_close() --- */

struct recording_info {
	struct layout_host host;
	uint32_t machine;		 /* EM_* */
	struct layout_clocks start, end; /* end: zeros if it was cut off */
	struct layout_end totals;	 /* if it was cut off: only what the kernel had missed */
	bool ended;			 /* has an END */
	const char *cut;		 /* why not everything could be read, for a note to the user; NULL: all was */
	uint64_t left_out;		 /* events so far that came as losses: of more threads than RECORDING_TASKS_MAX */
	uint64_t bytes, chunks;		 /* of the file, chunks in it */
	uint32_t rings, cpus;		 /* cpus: the highest in a chunk + 1, or the host's */
	const struct recording_kind *const *kinds;
	size_t n_kinds;
	const char *const *notes;
	size_t n_notes;
	bool has_calls;	     /* there may be records for recording_next_call() */
	uint64_t calls_form; /* how they are made: whoever wrote the same number knows it */
	uint64_t calls_text; /* the most bytes of each text in them */
};

const struct recording_info *recording_info(const struct recording *r);
/* ns to add to a time of CLOCK_MONOTONIC for wall time (1970), as the clocks were at the start. */
int64_t recording_wall_offset(const struct recording *r);

/* A task as it is now; NULL: never heard of. */
const struct recording_task *recording_task(const struct recording *r, int32_t tid);
/* Its name, or "?" (0: "idle", as others call it "swapper"). */
const char *recording_comm(const struct recording *r, int32_t tid);
/* Tasks in the order in which they were first seen; index < recording_tasks(). For process lists at the end. */
size_t recording_tasks(const struct recording *r);
const struct recording_task *recording_task_at(const struct recording *r, size_t index);

/* The text of an id, or NULL. */
const char *recording_text(const struct recording *r, enum layout_space space, uint64_t id);

/* --- fields of an event --- */

/* False if the record is too short for it. */
bool recording_has(const struct recording_event *event, const struct recording_field *field);
/* The value, with its sign if it has one; 0 if it is absent, or a text. */
uint64_t recording_value(const struct recording_event *event, const struct recording_field *field);
/* The same of a known field; `otherwise` if kind or record lack it. */
int64_t recording_known(const struct recording_event *event, enum known_field field, int64_t otherwise);
/* The field of the kind, or NULL; event may be a loss. */
const struct recording_field *recording_field(const struct recording_event *event, enum known_field field);
/* LAYOUT_CHARS, LAYOUT_LOC or LAYOUT_TEXT: the bytes and their number, not NUL-terminated; NULL if there are none. */
const char *recording_chars(const struct recording *r, const struct recording_event *event,
			    const struct recording_field *field, size_t *len);
/* The end of a call of fork's in the child, which has begun none. */
bool recording_is_birth(const struct recording *r, const struct recording_event *event);
/* LAYOUT_WORDS: the words and their number. */
const uint64_t *recording_words(const struct recording_event *event, const struct recording_field *field, size_t *n);
/* Appends the value as people read it, without its name, escaped for terminals: "openat", "-ENOENT", "vda". */
void recording_show(struct str *s, const struct recording *r, const struct recording_event *event,
		    const struct recording_field *field);
/* The same of a value that is in no event. is: LAYOUT_*, what it is. */
void recording_show_value(struct str *s, const struct recording *r, uint8_t is, uint64_t value);

#endif
