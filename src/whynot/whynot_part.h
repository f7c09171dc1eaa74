/* SPDX-License-Identifier: BSD-2-Clause */
/* For files of whynot only: which functions are watched, who of them decided, and what that means. */
#ifndef SONDE_WHYNOT_WHYNOT_PART_H
#define SONDE_WHYNOT_WHYNOT_PART_H

#include "base/str.h"
#include "bpf/event.h"
#include "bpf/pending.h"
#include "bpf/graph.h"
#include "bpf/path.h"
#include "bpf/strace.h"
#include "bpf/whynot.h"
#include "graph/prototype.h"
#include "probe/target.h"
#include "whynot.h"

/* The functions that are watched, by slot. */
struct whynot_functions {
	struct target_set set; /* entries, then returns */
	struct prototypes *prototypes;
	const struct decider **known; /* NULL: nothing is known but its name */
	const char **names;	      /* without the compiler's suffixes */
	size_t n;
};

/* What a failure of a function means. */
enum decider_what {
	WHAT_TEXT,	 /* just the text */
	WHAT_CAPABILITY, /* argument `number` is a capability, argument 1 a user namespace */
	WHAT_LIMIT,	 /* the limit `number` of the process */
	WHAT_OVER,	 /* the same if argument `argument` is over it; otherwise it is the text */
	WHAT_COUNT,	 /* argument `number` is a kind of what a user may have in a user namespace */
	WHAT_CGROUP,	 /* text: a file of the cgroup, whose value is the limit */
	WHAT_SYSCTL,	 /* text: a file of /proc/sys, whose value is the limit */
	WHAT_PERMISSION, /* the bits of a file's mode, or its access list */
	WHAT_SECCOMP,
	WHAT_LSM, /* text: the LSM; "": any */
};

/* decider.flags */
#define DECIDER_FEW   1	 /* also watched where each function costs milliseconds */
#define DECIDER_ASIDE 2	 /* it only answers a question: whoever has asked decides */
#define DECIDER_LAST  4	 /* what it calls fails for reasons of its own */
#define DECIDER_BEGIN 8	 /* the name is the begin of names */
#define DECIDER_MAY   16 /* there are other reasons, and which one it is was not compared */
#define DECIDER_WIDE  32 /* the result is a pointer or a long */

struct decider {
	const char *name;    /* without underscores before it */
	const char *error;   /* only if the call fails with this error: "EPERM"; NULL: any */
	unsigned char fails; /* WHYNOT_ZERO, WHYNOT_NONZERO, in addition to errors; of a bool this alone */
	unsigned char flags;
	enum decider_what what;
	int number, argument;
	const char *text; /* NULL: nothing is known but that it decides */
};

extern const char *const whynot_wide[];
extern const char *const whynot_hot;	       /* these are not watched */
extern const struct decider whynot_deciders[]; /* a name NULL ends it */

/* Returns what is known of a function without its suffixes; NULL: nothing. */
const struct decider *whynot_known(const char *name);
/* The entry for this error, of several that a function has; NULL: none. */
const struct decider *whynot_known_error(const char *name, int error);

/*
 * Finds the functions to watch: few of them if each costs milliseconds. Returns 0, or -errno with err. The caller
 * releases it, also after an error.
 */
int whynot_functions_find(struct whynot_functions *functions, bool few, struct err *err);
void whynot_functions_release(struct whynot_functions *functions);
/* For programs: what they need to know of the functions, WHYNOT_SLOTS of them. */
void whynot_functions_fill(struct whynot_functions *functions, struct whynot_function *to);

/* Who decided. */
struct whynot_verdict {
	/* the innermost function that failed with the call's error; NULL: the call's own */
	const struct whynot_failure *decider;
	/* the last failure in it, with another error, or of one that only answers; NULL: none */
	const struct whynot_failure *cause;
	/* from the outermost to the decider */
	const struct whynot_failure *chain[WHYNOT_DEPTH];
	size_t n;
	bool seccomp; /* a seccomp filter has stopped the call: the decider, which returned -1 */
};

struct whynot_verdict whynot_judge(const struct whynot_functions *functions, const struct whynot_facts *facts,
				   long long ret);

/* What an error of a call means by itself: words, or a limit (RLIMIT_) that may be reached where `text` is NULL. */
struct whynot_meaning {
	const char *text;
	int limit;
};

/* call: its name, NULL: not known; error: as errno. NULL: nothing is known. */
const struct whynot_meaning *whynot_meaning_of(const char *call, int error);

/* The name of a capability, CAP_SYS_ADMIN; NULL: it has none. */
const char *whynot_capability(uint64_t number);
/*
 * Appends what the verdict means, a line each without its newline between separators; nothing if nothing is known.
 * call: the record of the call's end; name: of the call; begun: its begin was seen.
 */
void whynot_explain(struct str *out, const struct whynot_functions *functions, const struct whynot_facts *facts,
		    const struct whynot_verdict *verdict, const struct strace_record *call, const char *name,
		    const char *separator);

#endif
