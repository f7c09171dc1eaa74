/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what everything in the tree means: types, variables, maps, probes, and whether it can work on this kernel.
 * What it accepts, the verifier accepts. It repeats until no type of a map or variable changes.
 */
#ifndef SONDE_LANG_CHECK_CHECK_H
#define SONDE_LANG_CHECK_CHECK_H

#include "lang/program/options.h"
#include "lang/program/program.h"
#include "lang/tree/ast.h"

/* A block of the program together with the places that it serves; see struct lang_probe. */
struct checked_probe {
	struct ast_probe *ast;	  /* a copy of its own where one block serves several, for types differ */
	struct lang_probe *probe; /* in program->probes; stays valid: checked_program.probes are in the same order */
	struct lang_arguments arguments;
	const struct lang_usdt_argument *usdt; /* n_usdt of them */
	size_t n_usdt;
};

struct checked_program {
	struct {
		struct checked_probe *v;
		size_t n, cap;
	} probes;
};

/*
 * Fills program: config, maps, sites, places, probes with their targets (not their code). False: there are errors in
 * program->messages. checked.probes.v is the caller's to free.
 */
bool lang_check(struct lang_program *program, struct ast_program *ast, const struct lang_options *options,
		struct checked_program *checked);

/* A name that stands for a value: pid, comm, nsecs ...; the table is in builtins.c. */
struct builtin {
	const char *name;
	uint32_t id; /* enum builtin_id */
	/* What kinds of probes have it: a set of 1 << enum lang_probe_kind; 0: all. */
	uint32_t probes;
};
/* A function: str(), printf() ...; the table is in functions.c. */
struct function {
	const char *name;
	uint32_t id; /* enum function_id */
	uint8_t min_args, max_args;
	bool is_unsafe, is_statement;
	uint32_t probes;
};
const struct builtin *builtin_find(const char *name);
const struct function *function_find(const char *name);
/* What does here what a function of another tracer does; NULL: the name is not known. */
const char *function_hint(const char *name);
/* Offers all names to nearest.h. */
struct nearest;
void builtin_offer(struct nearest *nearest);
void function_offer(struct nearest *nearest);

/*
 * The type that both sides of an operator are converted to before it is applied: a division, a remainder or a
 * comparison is signed if this type is. Pointers are unsigned.
 */
const struct type *lang_operand_type(const struct type *left, const struct type *right);

enum builtin_id {
	BUILTIN_PID,
	BUILTIN_TID,
	BUILTIN_UID,
	BUILTIN_GID,
	BUILTIN_COMM,
	BUILTIN_PCOMM,
	BUILTIN_PPID,
	BUILTIN_NSECS,
	BUILTIN_ELAPSED,
	BUILTIN_CPU,
	BUILTIN_NCPUS,
	BUILTIN_NUMAID,
	BUILTIN_RAND,
	BUILTIN_CGROUP,
	BUILTIN_CURTASK,
	BUILTIN_CTX,
	BUILTIN_ARGS,
	BUILTIN_ARG, /* arg0 ... arg9: name.name says which */
	BUILTIN_SARG,
	BUILTIN_RETVAL,
	BUILTIN_FUNC,
	BUILTIN_PROBE,
	BUILTIN_PROBETYPE,
	BUILTIN_KSTACK,
	BUILTIN_USTACK,
	BUILTIN_USERNAME,
	BUILTIN_CPID,
	BUILTIN_HAS_CPID,
	BUILTIN_JIFFIES,
	BUILTIN_USERMODE,
	BUILTIN_ERRNO,
	BUILTIN_VTIMESTAMP,
	BUILTIN_CALLER,
	BUILTIN_UCALLER,
	BUILTINS,
};

enum function_id {
	/* of maps */
	FUNCTION_COUNT,
	FUNCTION_SUM,
	FUNCTION_MIN,
	FUNCTION_MAX,
	FUNCTION_AVG,
	FUNCTION_STATS,
	FUNCTION_STDDEV,
	FUNCTION_HIST,
	FUNCTION_LHIST,
	FUNCTION_QUANTILES,
	FUNCTION_TSERIES,
	FUNCTION_DELETE,
	FUNCTION_HAS_KEY,
	FUNCTION_FIND,
	FUNCTION_LEN,
	FUNCTION_CLEAR,
	FUNCTION_ZERO,
	FUNCTION_PRINT,
	FUNCTION_PRINTA,
	/* of user space */
	FUNCTION_PRINTF,
	FUNCTION_ERRORF,
	FUNCTION_WARNF,
	FUNCTION_FAIL,
	FUNCTION_ASSERT,
	FUNCTION_TIME,
	FUNCTION_CAT,
	FUNCTION_SYSTEM,
	FUNCTION_JOIN,
	FUNCTION_EXIT,
	FUNCTION_SKBOUTPUT,
	/* values */
	FUNCTION_STR,
	FUNCTION_BUF,
	FUNCTION_KSYM,
	FUNCTION_USYM,
	FUNCTION_KSTACK,
	FUNCTION_USTACK,
	FUNCTION_KADDR,
	FUNCTION_UADDR,
	FUNCTION_PERCPU_KADDR,
	FUNCTION_REG,
	FUNCTION_NTOP,
	FUNCTION_PTON,
	FUNCTION_MACADDR,
	FUNCTION_STRFTIME,
	FUNCTION_STRERROR,
	FUNCTION_SYSCALL_NAME,
	FUNCTION_CGROUP_PATH,
	FUNCTION_CGROUPID,
	FUNCTION_NSECS,
	FUNCTION_PID,
	FUNCTION_TID,
	FUNCTION_PPID,
	FUNCTION_COMM,
	FUNCTION_PCOMM,
	FUNCTION_BSWAP,
	FUNCTION_STRNCMP,
	FUNCTION_STRCMP,
	FUNCTION_STRCONTAINS,
	FUNCTION_STRLEN,
	FUNCTION_STRCAP,
	FUNCTION_STRSTR,
	FUNCTION_GLOBMATCH,
	FUNCTION_MEMCMP,
	FUNCTION_SUBSTR,
	FUNCTION_INDEX,
	FUNCTION_STRTOK,
	FUNCTION_BASENAME,
	FUNCTION_DIRNAME,
	FUNCTION_KPTR,
	FUNCTION_UPTR,
	FUNCTION_PATH,
	FUNCTION_SIGNAL,
	FUNCTION_SIGNAL_THREAD,
	FUNCTION_OVERRIDE,
	FUNCTION_WRITE_USER,
	FUNCTION_SOCKET_COOKIE,
	FUNCTION_GETOPT,
	FUNCTION_PROGENYOF,
	FUNCTION_IS_ARRAY,
	FUNCTION_IS_INTEGER,
	FUNCTION_IS_LITERAL,
	FUNCTION_IS_PTR,
	FUNCTION_IS_STR,
	FUNCTION_IS_UNSIGNED,
	FUNCTION_HAS_FIELD,
	FUNCTION_LISTED,
	FUNCTION_KFUNC_EXIST,
	FUNCTION_KFUNC_ALLOWED,
	FUNCTION_STATIC_ASSERT,
	FUNCTION_ASSERT_STR,
	FUNCTION_DEFAULT_STR_LENGTH,
	FUNCTION_UNWATCH,
	FUNCTIONS,
};

#endif
