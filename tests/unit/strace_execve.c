// SPDX-License-Identifier: BSD-2-Clause
/* Lines of execve: what of its environment could be read. */
#include <criterion/criterion.h>

#include "kernel/syscalls.h"
#include "strace/lines_part.h"

#define ROOM 1024

static const struct strace_settings settings = { .size = 32 };

/* Adds a blob of a step of an argument to a record: of a text, or a number of pointers. */
static void add_read(struct strace_record *record, unsigned int arg, unsigned int step, enum strace_status status,
		     const char *text, unsigned int all)
{
	struct strace_blob *blob = (void *)((char *)(record + 1) + record->size);

	*blob = (struct strace_blob){ arg * STRACE_TYPE_STEPS + step, status, text ? strlen(text) + 1 : 0, all };
	if (text)
		memcpy(blob + 1, text, blob->n);
	record->size += (sizeof(*blob) + blob->n + 7) & ~7U;
}

/* An execve that fails. At its begin the two pointers of its environment could not be read to their end; at its end: */
static void expect_variables(int ret, const char *path, enum strace_status argument, enum strace_status variables,
			     const char *want)
{
	static char begun[sizeof(struct strace_record) + ROOM], ended[sizeof(struct strace_record) + ROOM];
	struct strace_record *enter = (void *)begun, *exit = (void *)ended;
	struct str out __str = {};
	struct strace_line line = {
		.out = &out,
		.settings = &settings,
		.call = strace_call_of(syscall_number("execve")),
		.enter = enter,
		.exit = exit,
	};

	*enter = *exit = (struct strace_record){ .kind = STRACE_ENTER, .nr = syscall_number("execve"), .args = { 0x10, 0x20, 0x30 } };
	exit->kind = STRACE_EXIT;
	exit->ret = ret;
	add_read(enter, 2, 0, STRACE_UNREAD, NULL, 2);
	if (path)
		add_read(exit, 0, 0, STRACE_WHOLE, path, 0);
	add_read(exit, 1, 0, argument, argument == STRACE_WHOLE ? "a" : NULL, 0);
	add_read(exit, 1, 1, STRACE_WHOLE, NULL, 1);
	add_read(exit, 1, 2, variables, NULL, variables == STRACE_WHOLE ? 3 : 2);
	strace_print_args(&line, 0, enter->nr);
	cr_expect_str_eq(out.data, want, "%s and not %s", out.data, want);
}

/* An environment is called unterminated if it is why the call has failed. */
Test(strace, environments_that_cannot_be_read)
{
	expect_variables(-14, "/a", STRACE_WHOLE, STRACE_UNREAD, "\"/a\", [\"a\"], 0x30 /* 2 vars, unterminated */");
	expect_variables(-14, "/a", STRACE_WHOLE, STRACE_WHOLE, "\"/a\", [\"a\"], 0x30 /* 3 vars */");
	expect_variables(-14, NULL, STRACE_WHOLE, STRACE_UNREAD, "0x10, [\"a\"], 0x30");
	expect_variables(-14, "/a", STRACE_UNREAD, STRACE_UNREAD, "\"/a\", 0x20, 0x30");
	expect_variables(-2, "/a", STRACE_WHOLE, STRACE_UNREAD, "\"/a\", [\"a\"], 0x30");
	expect_variables(-2, "/a", STRACE_WHOLE, STRACE_WHOLE, "\"/a\", [\"a\"], 0x30 /* 3 vars */");
}
