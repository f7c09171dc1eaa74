// SPDX-License-Identifier: BSD-2-Clause
/* The table of functions: names, how many arguments each takes, whether it has a value. */
#include "base/nearest.h"
#include "check.h"

#define MANY	  255
#define IN(kind)  (1U << PROBE_##kind)
#define UNSAFE	  .is_unsafe = true
#define STATEMENT .is_statement = true

static const struct function functions[] = {
	/* of maps */
	{ "count", FUNCTION_COUNT, 0, 0 },
	{ "sum", FUNCTION_SUM, 1, 1 },
	{ "min", FUNCTION_MIN, 1, 1 },
	{ "max", FUNCTION_MAX, 1, 1 },
	{ "avg", FUNCTION_AVG, 1, 1 },
	{ "stats", FUNCTION_STATS, 1, 1 },
	{ "stddev", FUNCTION_STDDEV, 1, 1 },
	{ "hist", FUNCTION_HIST, 1, 2 },
	{ "lhist", FUNCTION_LHIST, 4, 4 },
	{ "quantiles", FUNCTION_QUANTILES, 1, 1 },
	{ "tseries", FUNCTION_TSERIES, 3, 4 },
	{ "delete", FUNCTION_DELETE, 1, 2, STATEMENT },
	{ "has_key", FUNCTION_HAS_KEY, 2, 2 },
	{ "find", FUNCTION_FIND, 3, 3 },
	{ "len", FUNCTION_LEN, 1, 1 },
	{ "clear", FUNCTION_CLEAR, 1, 1, STATEMENT },
	{ "zero", FUNCTION_ZERO, 1, 1, STATEMENT },
	/* of user space */
	{ "printf", FUNCTION_PRINTF, 1, MANY, STATEMENT },
	{ "print", FUNCTION_PRINT, 1, 3, STATEMENT },
	{ "printa", FUNCTION_PRINTA, 2, 3, STATEMENT },
	{ "errorf", FUNCTION_ERRORF, 1, MANY, STATEMENT },
	{ "warnf", FUNCTION_WARNF, 1, MANY, STATEMENT },
	{ "debugf", FUNCTION_PRINTF, 1, MANY, STATEMENT },
	{ "fail", FUNCTION_FAIL, 1, MANY, STATEMENT },
	{ "assert", FUNCTION_ASSERT, 1, 2, STATEMENT },
	{ "time", FUNCTION_TIME, 0, 1, STATEMENT },
	{ "cat", FUNCTION_CAT, 1, MANY, STATEMENT },
	{ "system", FUNCTION_SYSTEM, 1, MANY, STATEMENT, UNSAFE },
	{ "join", FUNCTION_JOIN, 1, 2, STATEMENT },
	{ "exit", FUNCTION_EXIT, 0, 1, STATEMENT },
	{ "skboutput", FUNCTION_SKBOUTPUT, 4, 4, STATEMENT, .probes = IN(FENTRY) | IN(FEXIT) },
	/* values */
	{ "str", FUNCTION_STR, 1, 2 },
	{ "buf", FUNCTION_BUF, 1, 2 },
	{ "ksym", FUNCTION_KSYM, 1, 1 },
	{ "usym", FUNCTION_USYM, 1, 1 },
	{ "kstack", FUNCTION_KSTACK, 0, 2 },
	{ "ustack", FUNCTION_USTACK, 0, 2 },
	{ "kaddr", FUNCTION_KADDR, 1, 1 },
	{ "uaddr", FUNCTION_UADDR, 1, 1, .probes = IN(UPROBE) | IN(URETPROBE) | IN(USDT) },
	{ "percpu_kaddr", FUNCTION_PERCPU_KADDR, 1, 2 },
	{ "reg", FUNCTION_REG, 1, 1,
	  .probes = IN(KPROBE) | IN(KRETPROBE) | IN(UPROBE) | IN(URETPROBE) | IN(USDT) | IN(PROFILE) | IN(SOFTWARE) |
		    IN(HARDWARE) | IN(WATCHPOINT) },
	{ "ntop", FUNCTION_NTOP, 1, 2 },
	{ "pton", FUNCTION_PTON, 1, 1 },
	{ "macaddr", FUNCTION_MACADDR, 1, 1 },
	{ "strftime", FUNCTION_STRFTIME, 2, 2 },
	{ "strerror", FUNCTION_STRERROR, 1, 1 },
	{ "syscall_name", FUNCTION_SYSCALL_NAME, 1, 1 },
	{ "cgroup_path", FUNCTION_CGROUP_PATH, 1, 2 },
	{ "cgroupid", FUNCTION_CGROUPID, 1, 1 },
	{ "nsecs", FUNCTION_NSECS, 0, 1 },
	{ "pid", FUNCTION_PID, 0, 1 },
	{ "tid", FUNCTION_TID, 0, 1 },
	{ "ppid", FUNCTION_PPID, 0, 1 },
	{ "comm", FUNCTION_COMM, 0, 1 },
	{ "pcomm", FUNCTION_PCOMM, 0, 1 },
	{ "bswap", FUNCTION_BSWAP, 1, 1 },
	{ "strncmp", FUNCTION_STRNCMP, 3, 3 },
	{ "strcmp", FUNCTION_STRCMP, 2, 2 },
	{ "strcontains", FUNCTION_STRCONTAINS, 2, 2 },
	{ "strlen", FUNCTION_STRLEN, 1, 1 },
	{ "strcap", FUNCTION_STRCAP, 1, 1 },
	{ "strstr", FUNCTION_STRSTR, 2, 2 },
	{ "globmatch", FUNCTION_GLOBMATCH, 2, 2 },
	{ "memcmp", FUNCTION_MEMCMP, 3, 3 },
	{ "substr", FUNCTION_SUBSTR, 2, 3 },
	{ "index", FUNCTION_INDEX, 2, 2 },
	{ "strtok", FUNCTION_STRTOK, 2, 3 },
	{ "basename", FUNCTION_BASENAME, 1, 1 },
	{ "dirname", FUNCTION_DIRNAME, 1, 1 },
	{ "kptr", FUNCTION_KPTR, 1, 1 },
	{ "uptr", FUNCTION_UPTR, 1, 1 },
	{ "path", FUNCTION_PATH, 1, 2, .probes = IN(FENTRY) | IN(FEXIT) | IN(ITER) },
	{ "signal", FUNCTION_SIGNAL, 1, 1, STATEMENT, UNSAFE },
	{ "signal_thread", FUNCTION_SIGNAL_THREAD, 1, 1, STATEMENT, UNSAFE },
	{ "override", FUNCTION_OVERRIDE, 1, 1, STATEMENT, UNSAFE, .probes = IN(KPROBE) },
	{ "write_user", FUNCTION_WRITE_USER, 2, 3, STATEMENT, UNSAFE },
	{ "socket_cookie", FUNCTION_SOCKET_COOKIE, 1, 1, .probes = IN(FENTRY) | IN(FEXIT) },
	{ "getopt", FUNCTION_GETOPT, 1, 3 },
	{ "progenyof", FUNCTION_PROGENYOF, 1, 1 },
	{ "is_array", FUNCTION_IS_ARRAY, 1, 1 },
	{ "is_integer", FUNCTION_IS_INTEGER, 1, 1 },
	{ "is_literal", FUNCTION_IS_LITERAL, 1, 1 },
	{ "is_ptr", FUNCTION_IS_PTR, 1, 1 },
	{ "is_str", FUNCTION_IS_STR, 1, 1 },
	{ "is_unsigned_integer", FUNCTION_IS_UNSIGNED, 1, 1 },
	{ "has_field", FUNCTION_HAS_FIELD, 2, 2 },
	{ "listed", FUNCTION_LISTED, 2, 2 },
	{ "assert_str", FUNCTION_ASSERT_STR, 1, 1, STATEMENT },
	{ "default_str_length", FUNCTION_DEFAULT_STR_LENGTH, 0, 0 },
	{ "kfunc_exist", FUNCTION_KFUNC_EXIST, 1, 1 },
	{ "kfunc_allowed", FUNCTION_KFUNC_ALLOWED, 1, 1 },
	{ "static_assert", FUNCTION_STATIC_ASSERT, 1, 2, STATEMENT },
	{ "unwatch", FUNCTION_UNWATCH, 1, 1, STATEMENT },
};

const struct function *function_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

void function_offer(struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		nearest_offer(nearest, functions[i].name);
}

/* What other tracers have, and what does the same here. */
static const struct {
	const char *name, *hint;
} elsewhere[] = {
	{ "copyinstr", "str(pointer) reads the text at an address" },
	{ "stringof", "str(pointer) reads the text at an address" },
	{ "copyin", "buf(pointer, length) reads bytes" },
	{ "speculation",
	  "keep the values in a map by tid, print them where it is known that they matter, and delete them" },
	{ "speculate", "keep the values in a map by tid, and print them where it is known that they matter" },
	{ "commit", "print what was kept in a map by tid, then delete(@map, tid)" },
	{ "discard", "delete(@map, tid) forgets what was kept by thread" },
	{ "normalize", "print(@map, 0, divisor) divides" },
	{ "denormalize", "print(@map, 0, divisor) divides only what it prints: the map stays as it is" },
	{ "trunc", "print(@map, n) shows the n largest; clear(@map) empties it" },
	{ "quantize", "hist(x) counts by powers of two" },
	{ "lquantize", "lhist(x, min, max, step) counts by equal steps" },
	{ "tracemem", "buf(pointer, length) is printed by %r" },
	{ "strjoin", "printf() joins texts: \"%s%s\"" },
	{ "str_concat", "printf() joins texts: \"%s%s\"" },
	{ "signal_name", "print the number; kill -l names signals" },
	{ "is_err", "(uint64)pointer >= (uint64)-4095 is true of error pointers" },
	{ "container_of", "(struct T *)((uint64)pointer - offsetof(struct T, member))" },
	{ "leader_comm", "pcomm is the name of the process" },
	{ "leader_tid", "pid is the id of the process" },
	{ "dw_ustack", "ustack also unwinds without frame pointers" },
	{ "usdt_arg", "arg0, arg1 ... are the arguments" },
};

const char *function_hint(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(elsewhere); i++)
		if (!strcmp(elsewhere[i].name, name))
			return elsewhere[i].hint;
	return NULL;
}
