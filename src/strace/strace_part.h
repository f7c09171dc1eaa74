/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of strace only: settings, plans, and the way from records to lines. */
#ifndef SONDE_STRACE_STRACE_PART_H
#define SONDE_STRACE_STRACE_PART_H

#include "base/base.h"
#include "bpf/path.h"
#include "bpf/strace.h"
#include "engine/engine.h"
#include "engine/progs_life.h"
#include "engine/stacks.h"
#include "strace.h"
#include "type.h"

/* What -P names, without symbolic links; NULL: it does not exist. */
struct strace_paths {
	vec(char *);
};

#define STRACE_SET_SIZE (2 * STRACE_CALLS)

/* A set of system calls: a byte for each number of 64-bit programs, and behind them for each of 32-bit programs. */
struct strace_set {
	bool any; /* the user has chosen; else all are in it */
	unsigned char v[STRACE_SET_SIZE];
};

/* A set of descriptors. */
struct strace_fds {
	bool any, others; /* it has some; those with greater numbers are in it */
	unsigned char v[1024];
};

/* Bits of settings.status, .hushed and .details, in the order in which expr.c names them. */
#define STRACE_FAILED	  1
#define STRACE_SUCCESSFUL 2
#define STRACE_UNFINISHED 4

#define STRACE_Q_ATTACH 1
#define STRACE_Q_EXIT	2
#define STRACE_Q_PATH	4

#define STRACE_PATHS   1
#define STRACE_DEVICES 2
#define STRACE_SOCKS   4
#define STRACE_PIDFDS  8

/* Bits of settings.pids. */
#define STRACE_PID_NAMES 1
#define STRACE_PID_SPACE 2

/* The time in front of each line. */
struct strace_clock {
	enum {
		STRACE_CLOCK_NONE,
		STRACE_CLOCK_TIME,
		STRACE_CLOCK_UNIX
	} form;
	uint32_t digits; /* of a second */
};

/* How names of constants are printed: -X. */
enum strace_style {
	STRACE_NAMES,
	STRACE_NUMBERS,
	STRACE_BOTH,
};

/* settings.hex: octal escapes in hex */
#define STRACE_HEX_CHARS 3

struct strace_settings {
	uint64_t buffer_size;
	uint64_t slower; /* ns */
	uint32_t size;	 /* -s */
	uint32_t column; /* -a */
	uint32_t times;	 /* -t, -tt, -ttt; open() makes clock of it */
	struct strace_clock clock;
	uint32_t relative_digits, took_digits; /* of a second, and one more; 0: no such times */
	uint32_t hex;			       /* -x, -xx; STRACE_HEX_CHARS */
	uint32_t quiet;			       /* -q, -qq; open() makes hushed of it */
	uint32_t files;			       /* -y, -yy; open() makes details of it */
	uint32_t follow;		       /* -f, -ff */
	bool separate;			       /* --output-separately */
	bool names;			       /* -Y; open() makes pids of it */
	bool numbers;			       /* -n */
	bool ip;			       /* -i */
	bool stack;			       /* -k */
	struct stacks_settings stacks;
	bool relative, took, failed, ok, whole, append, fail_on_loss;
	bool summary, both;		      /* -c, -C */
	bool wall;			      /* -w */
	bool detach;			      /* -b execve */
	bool elsewhere;			      /* a recording: the calls were perhaps made on another machine */
	const char *order, *columns;	      /* -S, -U; NULL: as usual */
	const char *interruptible, *overhead; /* -I, -O: without a meaning */
	uint32_t apart;			      /* -D, -DD: the same */
	bool seccomp;			      /* the same */
	const char *output;
	struct opt_list events;	   /* -e; open() makes the following of it */
	struct strace_set trace;   /* which calls */
	struct strace_set raw;	   /* those printed as registers; not any: none */
	struct strace_set verbose; /* those whose structs are printed */
	struct strace_set abbrev;  /* those whose structs are printed without some members */
	struct strace_fds dump_read, dump_written;
	uint64_t hidden;	      /* signals that are not printed, a bit for each */
	uint32_t status;	      /* which results */
	uint32_t hushed;	      /* which messages are not printed */
	uint32_t details;	      /* of descriptors */
	uint32_t pids;		      /* what is printed beside ids of processes: -Y */
	uint32_t style;		      /* enum strace_style */
	struct opt_list paths;	      /* -P: only calls that concern one of them */
	struct strace_paths resolved; /* the same paths; open() fills it in */
	uint32_t error;		      /* only calls that fail with it; 0: all */
};

/* Whether calls are counted, for -c or -C. */
static inline bool strace_counts(const struct strace_settings *settings)
{
	return settings->summary || settings->both;
}

/* Whether bytes that are not printable are in hex, and with them all of their text: -x, -xx. */
static inline bool strace_hex(const struct strace_settings *settings)
{
	return settings->hex && settings->hex != STRACE_HEX_CHARS;
}

/* Whether each thread has a file of its own. */
static inline bool strace_is_separate(const struct strace_settings *settings)
{
	return settings->output && (settings->separate || settings->follow > 1);
}

/* Whether the programs are to look what descriptors are open on. */
static inline bool strace_wants_files(const struct strace_settings *settings)
{
	return settings->details || settings->paths.n;
}

/*
 * Adds to a set what follows "trace=": names, %classes, /regex, with ! the others, with @64 or @32 of such programs
 * only. Returns 0, or -EINVAL with err.
 */
int strace_set_parse(struct strace_set *set, const char *text, struct err *err);

/* compat: of 32-bit programs. */
static inline bool strace_set_has(const struct strace_set *set, unsigned int number, bool compat)
{
	return !set->any || (number < STRACE_CALLS && set->v[compat ? STRACE_CALLS + number : number]);
}

/* Takes one -e. Returns 0, or -EINVAL with err. */
int strace_expr_parse(struct strace_settings *settings, const char *text, struct err *err);
/* For tables of options: the sets of -e. dest: the member of the settings. Return 0, or -EINVAL with err. */
int strace_expr_status(void *dest, const char *text, struct err *err);
int strace_expr_quiet(void *dest, const char *text, struct err *err);
int strace_expr_files(void *dest, const char *text, struct err *err);
int strace_expr_pids(void *dest, const char *text, struct err *err);
int strace_expr_style(void *dest, const char *text, struct err *err);
int strace_expr_signals(void *dest, const char *text, struct err *err);
int strace_expr_fds(void *dest, const char *text, struct err *err);
int strace_expr_calls(void *dest, const char *text, struct err *err);
int strace_expr_refuse(void *dest, const char *text, struct err *err);

int strace_expr_hex(void *dest, const char *text, struct err *err);
/* For tables of options: precisions, as uint32_t, and struct strace_clock. The same. */
int strace_times_precision(void *dest, const char *text, struct err *err);
int strace_times_clock(void *dest, const char *text, struct err *err);
/* The times in front of a line, and how long a call took. *before: of the line before, which is set; 0: none. */
void strace_times_add(struct str *out, const struct strace_settings *settings, uint64_t time, uint64_t *before);
void strace_times_took(struct str *out, const struct strace_settings *settings, uint64_t ns);

/* Returns how a call is printed, by its number; NULL: nothing is known but its number of arguments. */
const struct strace_call *strace_call_of(int number);
/* The same by its name, also if this architecture has no number for it. */
const struct strace_call *strace_call_named(const char *name);
/* The same of the call of a 32-bit program, and the number that the call has here; -ENOENT: there is no such call. */
const struct strace_call *strace_call_of_32(int number);
int strace_number_32(int number);
/* The name that the call has in 64-bit programs, or would have if this architecture had it; NULL: they have none. */
const char *strace_base_of_32(int number);
/* The result as the 32-bit program sees it: half of the register. */
int64_t strace_result_32(int64_t ret);
/* How many arguments are printed of a call that has no such line. */
unsigned int strace_arguments_32(int number);
/* The same for a call that strace_call_of() does not know, from the kernel's declaration. The caller frees it. */
struct strace_call *strace_guess(int number);

struct strace_plans {
	struct strace_plan plans[2][STRACE_PLANS]; /* of 64-bit programs, and of 32-bit ones */
	struct strace_step steps[STRACE_STEPS];
	size_t n;
};

/*
 * Makes the plans of all calls of the set; all others are not wanted. has_command: execve is, since it shows where the
 * command begins.
 */
void strace_plans_make(struct strace_plans *plans, const struct strace_settings *settings,
		       const struct strace_set *set, bool has_command);

/* The siginfo of a record of STRACE_SIGNAL, the line's only one: {si_signo=SIGINT, ...}. */
void strace_siginfo(struct strace_line *line);

/* How the constants of the next line are printed: lines are printed one after the other. */
void strace_set_style(enum strace_style style);
enum strace_style strace_style(void);

/* --- -k --- */

/* Appends a line for each frame of the user stack. id 0, stacks NULL: nothing. */
void strace_stack(struct str *out, struct stacks *stacks, uint64_t id);

/* --- -P --- */

/* Finds what the paths are without symbolic links, and says it unless quiet. The caller releases it. */
void strace_paths_resolve(const struct opt_list *paths, struct strace_paths *resolved, bool quiet);
void strace_paths_release(struct strace_paths *resolved);
/* Whether the call concerns one of the paths, or there are none. Before its end, what it names may not be known. */
bool strace_paths_pass(const struct strace_line *line);

/* --- -e read= and -e write= --- */

/* Appends the lines below a call that has ended: what it has read or written, if that is wanted. */
void strace_dump(struct strace_line *line);
/* Appends n bytes of `all`, 16 a line. */
void strace_dump_bytes(struct str *out, const void *bytes, size_t n, uint64_t all);

/* --- the table of -c --- */

/* Its columns, and its orders. */
enum strace_column {
	STRACE_BY_PERCENT, /* no order of its own */
	STRACE_BY_TIME,
	STRACE_BY_LEAST,
	STRACE_BY_MOST,
	STRACE_BY_AVERAGE,
	STRACE_BY_CALLS,
	STRACE_BY_ERRORS,
	STRACE_BY_NAME,
	STRACE_BY_NUMBER, /* an order, and no column */
};

struct strace_table {
	enum strace_column order;
	unsigned int columns[STRACE_BY_NUMBER + 1]; /* enum strace_column */
	size_t n;
};

/* A row; name NULL: the sum of all. */
struct strace_total {
	const char *name;
	uint32_t number;
	uint64_t calls, errors;
	uint64_t ns, least, most;
};

/* What -U and -S say. Return 0, or -EINVAL with err. */
int strace_summary_columns(struct strace_table *table, const char *text, struct err *err);
int strace_summary_order(struct strace_table *table, const char *word, struct err *err);
/* Sorts the totals, and adds them as a table, with their sum; nothing if n is 0. */
void strace_summary(struct str *out, const struct strace_table *table, struct strace_total *totals, size_t n);

/* Prints what the programs have counted; fd: of their map. */
void strace_counts_print(struct output *out, int fd, const struct strace_table *table, const struct strace_set *set);

/* --- lines --- */

struct strace_lines;

/* command: its first thread; 0: there is none. */
struct strace_lines *strace_lines_new(const struct strace_settings *settings, struct output *out, uint32_t command);
/* The processes of -p, of which there are n; or a thread. */
void strace_lines_set_processes(struct strace_lines *lines, const uint32_t *pids, size_t n);
void strace_lines_set_thread(struct strace_lines *lines, uint32_t tid);
/* Where the stacks of calls are, for -k. */
void strace_lines_set_stacks(struct strace_lines *lines, struct stacks *stacks);
/* The most records that wait: beyond it the oldest is printed as if it had waited long enough. */
void strace_lines_set_most(struct strace_lines *lines, size_t most);
/* What another room says of calls that failed. */
void strace_lines_set_beside(struct strace_lines *lines, const struct strace_beside *beside, void *state);
void strace_lines_free(struct strace_lines *lines);
/*
 * From when on (since boot) ends of calls have lines whose begins were not seen: until all programs are attached they
 * are missed. UINT64_MAX: not yet. Without a call it is 0.
 */
void strace_lines_set_armed(struct strace_lines *lines, uint64_t armed);
/*
 * How many records have said that what is named may have ended, or may soon, where no record need say that it has: its
 * first thread has ended, a thread executes a program, or one of its children has ended.
 */
uint64_t strace_lines_hints(const struct strace_lines *lines);
/* Asks the kernel which of them have ended. Tells the user of a thread that is gone because it has executed a program. */
void strace_lines_ask(struct strace_lines *lines);
/* Whether the thread's last record says that it is in a call, or is newer than a time in ns since boot. */
bool strace_lines_is_in_call(const struct strace_lines *lines, uint32_t tid, uint64_t since);
/* Takes a record, in order of time. */
void strace_lines_add(struct strace_lines *lines, const struct strace_record *record, size_t size);
/*
 * Prints what can be printed: a call is printed when it ends, or unfinished if it lasts longer than some milliseconds.
 * Returns in how many ms it wants to be called again; -1: any time.
 */
int strace_lines_print(struct strace_lines *lines, uint64_t now, bool last);
/* Says that records were lost, once for each number, behind the lines of those that came before. */
void strace_lines_lost(struct strace_lines *lines, uint64_t lost);
/* Returns how many calls have not ended, though their thread has gone on: their end was skipped, or lost. */
uint64_t strace_lines_unended(const struct strace_lines *lines);
/* Tells the user, if there are any. */
void strace_lines_say_unended(const struct strace_lines *lines);
/* Whether the command's first thread, or each process of -p, has ended; of their children it says nothing. */
bool strace_lines_ended(const struct strace_lines *lines);
/* Whether a line could not be written to its file, which has been said. */
bool strace_lines_failed(const struct strace_lines *lines);

#endif
