// SPDX-License-Identifier: BSD-2-Clause
/*
 * regcomp() has no bounds: "us++++++++" doubles its work with each '+', "(^|a?)" two hundred times takes 2 GB,
 * deeply nested parentheses exhaust the stack. No check of the pattern foresees all cases. So a child process
 * compiles the pattern first, within resource limits that the kernel enforces.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "regex.h"

#define FLAGS (REG_EXTENDED | REG_NOSUB)

/* Enough for a list of a thousand names. */
#define MAX_LETTERS 16384
#define MEMORY	    (128UL << 20)
#define SECONDS	    1

/* What the child reports, in this order. */
struct verdict {
	int code; /* returned by regcomp() */
	int at;	  /* offset of the fault, if there is one */
};

/* regcomp() does not report where a fault is. It is taken to begin where the longest beginning that compiles ends. */
static int fault_of(const char *pattern)
{
	for (size_t len = strlen(pattern); len; len--) {
		char *part __free = base_strndup(pattern, len);
		regex_t regex;

		if (regcomp(&regex, part, FLAGS))
			continue;
		regfree(&regex);
		return (int)len;
	}
	return 0;
}

static void limit(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit old, new;

	getrlimit(resource, &old);
	new.rlim_max = hard < old.rlim_max ? hard : old.rlim_max;
	new.rlim_cur = soft < new.rlim_max ? soft : new.rlim_max;
	setrlimit(resource, &new);
}

static size_t mapped_bytes(void)
{
	FILE *f __fclose = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	return f && fscanf(f, "%lu", &pages) == 1 ? pages * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static void __attribute__((noreturn)) child(const char *pattern, int to)
{
	struct verdict verdict = {};
	regex_t regex;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_CPU, SECONDS, SECONDS);
	limit(RLIMIT_AS, mapped_bytes() + MEMORY, RLIM_INFINITY);
	verdict.code = regcomp(&regex, pattern, FLAGS);
	if (verdict.code == REG_ESPACE || write(to, &verdict.code, sizeof(verdict.code)) < 0)
		_exit(1);
	verdict.at = verdict.code ? fault_of(pattern) : 0;
	_exit(write(to, &verdict.at, sizeof(verdict.at)) < 0);
}

/* Reads what the child reported before it ended, maybe by SIGXCPU or SIGSEGV. False: it did not finish regcomp(). */
static bool read_verdict(int from, struct verdict *verdict)
{
	char *to = (char *)verdict;
	size_t have = 0;
	ssize_t n = 1;

	while (have < sizeof(*verdict) && n) {
		n = read(from, to + have, sizeof(*verdict) - have);
		if (n < 0 && errno != EINTR)
			break;
		have += n > 0 ? (size_t)n : 0;
	}
	return have >= sizeof(verdict->code);
}

/* *compiles: whether regcomp() finished within the limits. -errno: no process can be started. */
static int try(const char *pattern, struct verdict *verdict, bool *compiles)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		child(pattern, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		*compiles = read_verdict(ends[0], verdict);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return pid < 0 ? -errno : 0;
}

int regex_compile(regex_t *regex, const char *pattern, struct err *err)
{
	struct verdict verdict = {};
	bool compiles = false;
	char why[100];
	int ret;

	if (strlen(pattern) > MAX_LETTERS)
		return err_at(err, 0, "the regular expression is longer than %d characters", MAX_LETTERS);
	ret = try(pattern, &verdict, &compiles);
	if (ret)
		return err_set(err, ret, "cannot start a process: %s", strerror(-ret));
	if (!compiles)
		return err_at(err, 0, "the regular expression needs too much memory or time: are repetitions nested?");
	if (!verdict.code)
		verdict.code = regcomp(regex, pattern, FLAGS);
	if (!verdict.code)
		return 0;
	regerror(verdict.code, NULL, why, sizeof(why));
	return err_at(err, verdict.at, "bad regular expression '%s': %s", pattern, why);
}

int regex_set(void *dest, const char *pattern, struct err *err)
{
	struct regex_option *option = dest;
	int ret;

	if (option->given)
		regfree(&option->regex);
	ret = regex_compile(&option->regex, pattern, err);
	option->given = !ret;
	return ret;
}

void regex_release(void *dest)
{
	struct regex_option *option = dest;

	if (option->given)
		regfree(&option->regex);
	option->given = false;
}

bool regex_matches(const struct regex_option *option, const char *text)
{
	return !option->given || !regexec(&option->regex, text, 0, NULL, 0);
}
