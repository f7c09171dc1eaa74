/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fact of an exec: "did exec", then PID PPID UID COMM RET ERROR PATH ARGS (as JSON) LINE (as a table shows it) and
 * the line's words as hex, each with a NUL behind it. Ids are those of the proc file system that PROC in the
 * environment names, /proc without.
 */
#ifndef SONDE_TESTS_PROGRAMS_EXECS_H
#define SONDE_TESTS_PROGRAMS_EXECS_H

#include <sys/prctl.h>

#include "workload.h"

/* A number of /proc/self/status. */
static inline long exec_status(const char *key)
{
	const char *proc = getenv("PROC");
	char path[256], line[256];
	size_t len = strlen(key);
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/self/status", proc ? proc : "/proc");
	f = fopen(path, "r");
	if (!f)
		err(1, "%s", path);
	while (value < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && line[len] == ':')
			value = atol(line + len + 1);
	fclose(f);
	return value;
}

/* Who reads them looks at short ones. */
static inline void tell_hex(struct tell *tell, const char *text)
{
	size_t n = strnlen(text, 4095) + 1;

	while (n--)
		fprintf(tell->f, "%02x", (unsigned char)*text++);
}

/* args: all of them; more: those that belong to the line behind the path. */
static inline void tell_exec(long ret, const char *path, char *const *args, char *const *more)
{
	struct tell *tell = tell_begin("exec");
	char comm[16] = "";

	prctl(PR_GET_NAME, comm);
	tell_number(tell, exec_status("Tgid"));
	tell_number(tell, exec_status("PPid"));
	tell_number(tell, getuid());
	tell_json(tell, comm);
	tell_number(tell, ret);
	tell_error(tell, ret);
	tell_json(tell, path);
	tell_json_array(tell, args);
	tell_shown(tell, path);
	for (char *const *arg = more; *arg; arg++) {
		fputc(' ', tell->f);
		tell_shown_more(tell, *arg);
	}
	fputc('\t', tell->f);
	tell_hex(tell, path);
	for (char *const *arg = more; *arg; arg++)
		tell_hex(tell, *arg);
	tell_end(tell);
}

#endif
