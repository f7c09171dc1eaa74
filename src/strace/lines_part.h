/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by lines.c, which orders records, print.c and its kin, which print them, and named.c, which knows of whom they
 * are to be.
 */
#ifndef SONDE_STRACE_LINES_PART_H
#define SONDE_STRACE_LINES_PART_H

#include <stdio.h>

#include "base/lookup.h"
#include "strace_part.h"

#define ERRORS_MAX 4095

/* Where lines go: all to one place or, with -ff, those of each thread to a file of its own. */
struct sink {
	FILE *file;	  /* NULL: the output of all */
	uint32_t unended; /* the thread whose call stands unended in the last line; 0: none */
	size_t shown;	  /* bytes of that line */
	bool dirty;	  /* the file's buffer has lines */
	bool opened;	  /* its file has been made: the same number goes on in it, after exec in a thread */
	bool failed;	  /* its file cannot be written, which has been said */
};

struct task {
	uint32_t tid, pid;
	struct held *open;	      /* the begin of a call whose end has not been seen; a printed one belongs to the task */
	struct strace_record *beside; /* of the call whose end comes; NULL: none came */
	bool alive, has_nr;
	uint32_t own, space;		      /* in its own pid namespace, and which that is; 0: not known */
	char comm[STRACE_COMM_LEN];	      /* its name at the last line of it; "": not known */
	const char *before;		      /* the last call that has ended; NULL: not known */
	uint64_t seen;			      /* the time of its newest record */
	uint32_t nr;			      /* of the call before, if has_nr; for -n */
	struct sink sink;		      /* with -ff */
	struct task *exec_next, *exec_before; /* of those that are in an exec */
};

struct strace_lines {
	const struct strace_settings *settings;
	struct strace_settings unabridged; /* the same, but all members of structs are printed */
	struct output *out;
	uint32_t command; /* the command's first thread; 0: none */
	struct named {
		uint32_t id;
		bool ended;
		bool left;	  /* it has executed a program, with -b */
		bool gone;	  /* a thread: it was not there when it was last asked for, and may have executed a program */
		uint32_t process; /* a thread: it has executed a program, and goes on with this number; 0: as far as is known not */
	} * named;		  /* processes of -p; or a thread */
	bool names_thread;
	size_t n_named, n_named_alive;
	uint64_t hints; /* strace_lines_hints() */
	bool begun;	/* the command executes its program: what its process did before is ours */
	bool ended;
	vec(struct task *) tasks;
	struct lookup by_tid;
	size_t alive, tasks_kept; /* tasks_kept: when tasks were last forgotten */
	struct task *execs;	  /* the first that is in an exec */
	struct held *first, *last;
	size_t n_held, most; /* most: how many wait at most; 0: all */
	struct str line;
	size_t shown;			  /* bytes of the same line that are written already */
	struct sink all, *sink;		  /* sink: of the line that is being printed */
	struct task *task;		  /* whose line that is; NULL: nobody's */
	struct stacks *stacks;		  /* of -k */
	uint64_t stack;			  /* of the call that is being printed; 0: none */
	const struct strace_beside *says; /* of calls that failed; NULL: nobody does */
	void *says_state;
	const struct strace_record *beside; /* of the call that is being printed; NULL: none */
	const char *interrupted;	    /* the call before it; NULL: not known */
	uint64_t last_time;		    /* of the line before, for -r */
	uint32_t space;			    /* our own pid namespace; 0: not known */
	uint64_t armed;			    /* before this time begins were missed */
	uint64_t said_lost;
	uint64_t unended;			   /* calls whose thread has gone on without their end */
	bool failed;				   /* some lines could not be written */
	struct strace_call *guessed[STRACE_CALLS]; /* of calls that are not in the table, when they were met */
};

/* The name of the call; NULL: not known. */
const char *strace_name_of_call(const struct strace_record *record);
/* Whether the record is of a call that does not return. */
bool strace_is_exit(const struct strace_record *record);
/* The same of rt_sigreturn and sigreturn; and the number of the first in such a program. */
bool strace_is_restore(const struct strace_record *record);
unsigned int strace_restore_of(const struct strace_record *record);

/* Whether it is of execve or execveat; whether the task is in one. */
bool strace_is_exec(const struct strace_record *record);
bool strace_is_in_exec(const struct task *task);

/* The process of -p, or the thread, whose record it is; NULL: it is of none of them. Whether it has been left, by -b. */
struct named *strace_named_of(const struct strace_lines *lines, const struct strace_record *record);
bool strace_has_left(const struct strace_lines *lines, const struct strace_record *record);
void strace_end_named(struct strace_lines *lines, struct named *named);
/*
 * A thread has ended: perhaps what the user has named, too. If only first threads are traced, the last record of a
 * process comes before its other threads end, and one of them may execute a program and go on as the first.
 */
void strace_end_by(struct strace_lines *lines, const struct strace_record *record);
/* A thread begins an exec; with the end of one it has got the number of its process. */
void strace_begin_exec(struct strace_lines *lines, const struct task *task);
void strace_replace_named(struct strace_lines *lines, uint32_t tid, uint32_t process);
/* Whether a record waits that says that the thread has ended. */
bool strace_has_end(const struct strace_lines *lines, uint32_t tid);

/* Returns a thread by its id as we see it; NULL: it has made no record. */
struct task *strace_find_task(const struct strace_lines *lines, uint32_t tid);

/* Keeps what the record says of its thread: the name, and the ids. */
void strace_pids_learn(struct strace_lines *lines, const struct strace_record *record);
/* Appends <name> of the record's thread, with -Y. */
void strace_pids_name(struct strace_lines *lines, const struct strace_record *record);

/*
 * Adds arguments from number `from` on. Returns the first that is not printed, since the call has not ended. A call
 * without a line in the table has its registers.
 */
unsigned int strace_print_args(struct strace_line *line, unsigned int from, unsigned int nr);
/* Adds the result of a call that has ended; the name of a record's call. */
void strace_print_result(struct strace_line *line);
void strace_print_name(struct str *out, const struct strace_record *record);

/* The next line is of this task. */
void strace_print_of(struct strace_lines *lines, struct task *task);
/* A call with both ends; enter NULL: its begin is not known. */
void strace_print_whole(struct strace_lines *lines, const struct strace_record *enter,
			const struct strace_record *exit);
/* A call that lasts, later its end, or the end of its thread. exit: of an exec that ends in another thread, or NULL. */
void strace_print_begin(struct strace_lines *lines, const struct strace_record *enter,
			const struct strace_record *exit);
void strace_print_end(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit);
void strace_print_killed(struct strace_lines *lines, const struct strace_record *enter,
			 const struct strace_record *end);
/* A call of which only the name is known. */
void strace_print_unended(struct strace_lines *lines, const struct strace_record *record);
void strace_print_signal(struct strace_lines *lines, const struct strace_record *record);
/* by: the thread whose exec has ended it; 0: it has ended by itself. */
void strace_print_ended(struct strace_lines *lines, const struct strace_record *record, uint32_t by);
/* A line of our own. */
void strace_print_note(struct strace_lines *lines, const char *text);
/* Writes what is buffered for the file of one thread. */
void strace_print_flush(struct sink *sink);
/* Ends the line that stands open, and closes the file if it is of one thread. */
void strace_print_close(struct strace_lines *lines, struct sink *sink);

#endif
