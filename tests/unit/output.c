// SPDX-License-Identifier: BSD-2-Clause
/* Prints rows as text and JSON, and handles output that cannot be written. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "base/str.h"
#include "output/output.h"

struct row {
	const char *func;
	uint64_t count;
	char comm[4];
	int32_t s32;
	int64_t s64;
	uint32_t u32;
};

static const struct field count_fields[] = {
	FIELD(FIELD_STR, struct row, func, "func", "FUNC", -36),
	FIELD(FIELD_U64, struct row, count, "count", "COUNT", 8),
};
static const struct schema counts = { count_fields, ARRAY_SIZE(count_fields) };

static const struct field all_fields[] = {
	FIELD(FIELD_S32, struct row, s32, "s32", "S32", 5),
	FIELD(FIELD_CHARS, struct row, comm, "comm", "COMM", -6),
	FIELD(FIELD_S64, struct row, s64, "s64", "S64", 0, .data_only = true),
	FIELD(FIELD_U32, struct row, u32, "u32", "U32", 3),
	FIELD(FIELD_ERRNO, struct row, s32, "errno", "ERR", 3),
	FIELD(FIELD_ERROR, struct row, s32, "error", "ERROR", -7),
	FIELD(FIELD_STR, struct row, func, "func", "FUNC", -8),
};
static const struct schema all = { all_fields, ARRAY_SIZE(all_fields) };

/* The text of a table with these rows. The caller frees it. */
static char *print(enum output_format format, const struct schema *schema, const struct row *rows,
		   size_t n, const struct output_stamp *stamp, bool first)
{
	int fd __close = memfd_create("table", 0);
	struct output *out = output_new(fd, format);
	char *text = base_alloc(65536);

	output_table_begin(out, schema, stamp, first);
	for (size_t i = 0; i < n; i++)
		output_row(out, &rows[i]);
	output_table_end(out);
	cr_expect_eq(output_error(out), 0);
	cr_expect_eq(output_rows_lost(out), 0);
	output_free(out);
	cr_assert_geq(pread(fd, text, 65535, 0), 0);
	return text;
}

/* The columns of bcc's funccount: "%-36s %8s" */
Test(output, text_table)
{
	static const struct row rows[] = { { "vfs_read", 1234 },
					   { "a\nb\xff", 7 },
					   { NULL, 123456789 } };
	char *text __free = print(OUTPUT_TEXT, &counts, rows, 3, NULL, true);

	cr_expect_str_eq(text, "FUNC                                    COUNT\n"
			       "vfs_read                                 1234\n"
			       "a\\nb\\xff                                    7\n"
			       "-                                    123456789\n");
}

Test(output, a_long_name_pushes_the_rest_right)
{
	char name[201] = "", want[300];
	struct row row = { name, 5 };
	char *text __free = NULL;

	memset(name, 'x', 200);
	snprintf(want, sizeof(want), "FUNC                                    COUNT\n%s        5\n",
		 name);
	text = print(OUTPUT_TEXT, &counts, &row, 1, NULL, true);
	cr_expect_str_eq(text, want);
}

Test(output, columns_are_counted_as_a_terminal_does)
{
	struct row row = { "\xe6\x97\xa5", 5 }; /* three bytes, two columns */
	char *text __free = print(OUTPUT_TEXT, &counts, &row, 1, NULL, true);

	cr_expect_str_eq(strchr(text, '\n') + 1,
			 "\xe6\x97\xa5                                          5\n");
}

Test(output, every_type_as_text)
{
	static const struct row rows[] = {
		{ "x", 0, { 'a', 'b', 'c', 'd' }, -ENOENT, 0, 7 },
		{ "", 0, "", -EBADF, 0, UINT32_MAX },
		{ "f", 0, "", 3, 0, 0 },
	};
	char *text __free = print(OUTPUT_TEXT, &all, rows, 3, NULL, true);

	cr_expect_str_eq(text, "  S32 COMM   U32 ERR ERROR   FUNC\n"
			       "   -2 abcd     7   2 ENOENT  x\n"
			       "   -9        4294967295   9 EBADF   \n"
			       "    3          0   0 -       f\n");
}

Test(output, every_type_as_json)
{
	static const struct row rows[] = {
		{ "a\"\n", 0, { 'a', 'b', 'c', 'd' }, -1, INT64_MIN, 7 },
		{ NULL, 0, "", INT32_MAX, INT64_MAX, UINT32_MAX },
	};
	char *text __free = print(OUTPUT_JSON, &all, rows, 2, NULL, true);

	cr_expect_str_eq(text, "{\"s32\":-1,\"comm\":\"abcd\",\"s64\":-9223372036854775808,\"u32\":"
			       "7,\"errno\":1,\"error\":\"EPERM\",\"func\":\"a\\\"\\n\"}\n"
			       "{\"s32\":2147483647,\"comm\":\"\",\"s64\":9223372036854775807,"
			       "\"u32\":4294967295,\"errno\":0,\"error\":null,\"func\":null}\n");
}

Test(output, stamps)
{
	static const struct row row = { "f", UINT64_MAX };
	static const struct {
		enum output_format format;
		const char *zone;
		bool stamp, wall, since, first;
		const char *text;
	} cases[] = {
		{ OUTPUT_TEXT, "UTC0", true, true, false, true, "10:00:00\nFUNC " },
		{ OUTPUT_TEXT, "UTC0", true, true, false, false, "\n10:00:00\nFUNC " },
		{ OUTPUT_TEXT, "UTC0", true, false, false, false, "\nFUNC " },
		{ OUTPUT_TEXT, "UTC0", true, false, true, false, "\n5.250000\nFUNC " },
		{ OUTPUT_TEXT, "UTC0", true, true, true, true, "10:00:00 5.250000\nFUNC " },
		{ OUTPUT_TEXT, "UTC0", false, true, true, true, "FUNC " },
		{ OUTPUT_TEXT, "XXX-5:30", true, true, false, true, "15:30:00\nFUNC " },
		{ OUTPUT_JSON, "UTC0", true, false, false, false,
		  "{\"time\":\"2024-05-01T10:00:00.003456+00:00\",\"func\":\"f\",\"count\":"
		  "18446744073709551615}\n" },
		{ OUTPUT_JSON, "XXX-5:30", true, true, true, true,
		  "{\"time\":\"2024-05-01T15:30:00.003456+05:30\",\"func\"" },
		{ OUTPUT_JSON, "XXX3", true, true, false, true,
		  "{\"time\":\"2024-05-01T07:00:00.003456-03:00\",\"func\"" },
		{ OUTPUT_JSON, "UTC0", false, true, false, false, "{\"func\":" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct output_stamp stamp = {
			.wall_ns = 1714557600003456789, /* 2024-05-01 10:00:00 UTC */
			.since_ns = 5250000000,
			.show_wall = cases[i].wall,
			.show_since = cases[i].since,
		};
		char *text __free = NULL;

		setenv("TZ", cases[i].zone, 1);
		tzset();
		text = print(cases[i].format, &counts, &row, 1, cases[i].stamp ? &stamp : NULL, cases[i].first);
		cr_expect_eq(strncmp(text, cases[i].text, strlen(cases[i].text)), 0, "case %zu: %s",
			     i, text);
	}
}

static const struct row one = { "vfs_read", 1 };

Test(output, a_stream_is_flushed_when_asked)
{
	int fd __close = memfd_create("stream", 0);
	struct output *out = output_new(fd, OUTPUT_TEXT);

	output_table_begin(out, &counts, NULL, true);
	output_flush(out);
	cr_expect_eq(lseek(fd, 0, SEEK_CUR), 46, "the headings are out before the first row");
	output_row(out, &one);
	output_flush(out);
	cr_expect_eq(lseek(fd, 0, SEEK_CUR), 92);
	output_free(out);
}

Test(output, a_table_is_buffered)
{
	int fd __close = memfd_create("table", 0);
	struct output *out = output_new(fd, OUTPUT_TEXT);

	output_table_begin(out, &counts, NULL, true);
	output_row(out, &one);
	cr_expect_eq(lseek(fd, 0, SEEK_CUR), 0);
	for (int i = 0; i < 2000; i++)
		output_row(out, &one);
	cr_expect_gt(lseek(fd, 0, SEEK_CUR), 60000, "but not without bound");
	output_free(out);
	cr_expect_eq(lseek(fd, 0, SEEK_CUR), 46 * 2002, "output_free() writes the rest");
}

Test(output, a_full_disk)
{
	int fd __close = open("/dev/full", O_WRONLY);
	struct output *out = output_new(fd, OUTPUT_JSON);

	output_table_begin(out, &counts, NULL, true);
	for (int i = 0; i < 5; i++)
		output_row(out, &one);
	cr_expect_eq(output_error(out), 0);
	output_table_end(out);
	cr_expect_eq(output_error(out), -ENOSPC);
	cr_expect_eq(output_rows_lost(out), 5);
	output_row(out, &one);
	cr_expect_eq(output_rows_lost(out), 6, "later rows are lost too");
	output_free(out);
}

Test(output, a_disk_that_fills_within_a_row)
{
	FILE *file __fclose = tmpfile();
	struct rlimit limit = { 46 * 3 + 10, 46 * 3 + 10 }; /* the headings, two rows and a part */
	struct output *out = output_new(fileno(file), OUTPUT_TEXT);

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	output_table_begin(out, &counts, NULL, true);
	for (int i = 0; i < 7; i++)
		output_row(out, &one);
	output_table_end(out);
	cr_expect_eq(output_error(out), -EFBIG);
	cr_expect_eq(output_rows_lost(out), 5, "%lu", output_rows_lost(out));
	output_free(out);
}

Test(output, a_reader_that_is_gone)
{
	int ends[2];
	struct output *out;

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	close(ends[0]);
	out = output_new(ends[1], OUTPUT_TEXT);
	output_table_begin(out, &counts, NULL, true);
	output_flush(out);
	cr_expect_eq(output_error(out), -EPIPE);
	output_row(out, &one);
	cr_expect_eq(output_rows_lost(out), 1);
	output_free(out);
	close(ends[1]);
}

static void on_alarm(int signo)
{
}

/* A small pipe that somebody made non-blocking, a slow reader and a storm of signals. */
static void slow_reader(int flags)
{
	struct sigaction alarm = { .sa_handler = on_alarm }; /* no SA_RESTART */
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = {};
	struct output *out;
	int ends[2], status;
	pid_t pid;

	cr_assert_eq(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	fcntl(ends[1], F_SETFL, flags);
	pid = fork();
	if (!pid) {
		char bytes[1000];
		size_t sum = 0;
		ssize_t n;

		close(ends[1]);
		while ((n = read(ends[0], bytes, sizeof(bytes))) > 0) {
			sum += n;
			usleep(100);
		}
		_exit(sum == 46 * 4001 ? 0 : 1);
	}
	close(ends[0]);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	out = output_new(ends[1], OUTPUT_TEXT);
	output_table_begin(out, &counts, NULL, true);
	for (int i = 0; i < 4000; i++)
		output_row(out, &one);
	output_table_end(out);
	setitimer(ITIMER_REAL, &never, NULL);
	cr_expect_eq(output_error(out), 0, "%s", strerror(-output_error(out)));
	cr_expect_eq(output_rows_lost(out), 0);
	output_free(out);
	close(ends[1]);
	waitpid(pid, &status, 0);
	cr_expect(WIFEXITED(status) && !WEXITSTATUS(status), "not every byte arrived");
}

Test(output, a_slow_reader_gets_everything)
{
	slow_reader(0);
	slow_reader(O_NONBLOCK);
}

/* One table on a terminal of 4 lines and 20 columns: its first rows, and of each what is in the columns. */
Test(output, a_screen_is_not_left)
{
	const struct row rows[] = {
		{ .func = "vfs_read_something_long", .count = 1 },
		{ .func = "wide_\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", .count = 2 },
		{ .func = "third", .count = 3 },
	};
	struct winsize size = { .ws_row = 4, .ws_col = 20 };
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), program;
	struct output *out;
	char text[1000];
	ssize_t n;

	cr_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	program = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert(program >= 0 && !ioctl(program, TIOCSWINSZ, &size));
	out = output_new(program, OUTPUT_TEXT);
	output_screen(out);
	output_table_begin(out, &counts, NULL, true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		output_row(out, &rows[i]);
	output_table_end(out);
	n = read(terminal, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = 0;
	cr_expect_str_eq(text, "\033[H\033[JFUNC                \r\nvfs_read_something_l\r\n"
			       "wide_\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\r\n");
	output_free(out);
	close(program);
	close(terminal);
}

static const struct field named_fields[] = {
	FIELD(FIELD_U32, struct row, u32, "pid", "PID", -4),
	FIELD(FIELD_STR, struct row, func, "func", "FUNC", -10, .may_cut = true),
	FIELD(FIELD_U64, struct row, count, "count", "COUNT", 8),
};
static const struct schema named = { named_fields, ARRAY_SIZE(named_fields) };
static const struct schema name_last = { named_fields, ARRAY_SIZE(named_fields) - 1 };

/* One row as a terminal of so many columns shows it, without the headings. */
static char *on_terminal(unsigned short columns, const struct schema *schema, const struct row *row)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), program;
	char *text = base_alloc(1000), *line;
	struct output *out;
	size_t have = 0;

	cr_assert(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	program = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert(program >= 0 && !ioctl(program, TIOCSWINSZ, &size));
	out = output_new(program, OUTPUT_TEXT);
	output_table_begin(out, schema, NULL, true);
	output_row(out, row);
	output_table_end(out);
	/* a terminal hands out what it has by and by: the headings, then the row */
	for (line = NULL; !line; line = have ? strchr(text, '\n') : NULL, line = line ? strchr(line + 1, '\n') : NULL) {
		ssize_t n = read(terminal, text + have, 999 - have);

		cr_assert_gt(n, 0);
		have += n;
		text[have] = 0;
	}
	output_free(out);
	close(program);
	close(terminal);
	line = strstr(text, "\r\n");
	cr_assert(line);
	memmove(text, line + 2, strlen(line + 2) + 1);
	return text;
}

Test(output, long_names_are_cut_in_the_middle_on_a_terminal)
{
	struct row row = { .u32 = 7, .count = 12345 };
	char name[201];
	static const struct {
		unsigned short columns;
		const char *func, *line;
	} cases[] = {
		/* 7 "    ", a name of 17 columns, " ", 12345 right-aligned in 8 */
		{ 31, "shop::Cart::add(int, char const*)", "7    shop::C...const*)    12345\r\n" },
		{ 80, "shop::Cart::add(int, char const*)", "7    shop::Cart::add(int, char const*)    12345\r\n" },
		{ 24, "short", "7    short         12345\r\n" },
		/* however narrow it is, 12 columns of the name and the count whole */
		{ 10, "shop::Cart::add(int, char const*)", "7    shop:...st*)    12345\r\n" },
		/* characters of two columns are not cut in two, and the count stays in its place */
		{ 31, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2",
		  "7    \xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2...\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2      12345\r\n" },
		{ 0, "shop::Cart::add(int, char const*)", "7    shop::Cart::add(int, char const*)    12345\r\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *line __free = NULL;

		row.func = cases[i].func;
		line = on_terminal(cases[i].columns, &named, &row);
		cr_expect_str_eq(line, cases[i].line, "%u columns: %s", cases[i].columns, line);
	}
	memset(name, 'x', 100);
	memset(name + 100, 'y', 100);
	name[200] = 0;
	row.func = name;
	for (unsigned short columns = 30; columns <= 230; columns++) {
		char *line __free = on_terminal(columns, &named, &row), *last __free = on_terminal(columns, &name_last, &row);
		size_t whole = 5 + 200 + 1 + 8;

		cr_expect_eq(strlen(line), (columns < whole ? columns : whole) + 2, "%u: %s", columns, line);
		cr_expect(strstr(line, "y    12345\r\n"));
		cr_expect_eq(strlen(last), (columns < 205u ? columns : 205u) + 2, "%u: %s", columns, last);
	}
}

Test(output, no_screen_without_a_terminal)
{
	int fd = memfd_create("out", 0);
	struct output *out = output_new(fd, OUTPUT_TEXT);
	char text[200] = "";

	output_screen(out);
	output_table_begin(out, &counts, NULL, true);
	output_row(out, &one);
	output_table_end(out);
	cr_assert_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
	cr_expect_eq(strncmp(text, "FUNC ", 5), 0);
	output_free(out);
	close(fd);
}
