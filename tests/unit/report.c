// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is said on stderr. stderr becomes a socket that keeps the bounds of each write, or a
 * terminal of our own.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/report.h"
#include "base/str.h"

static int reader = -1;

static void stderr_to_socket(void)
{
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	reader = pair[0];
	dup2(pair[1], STDERR_FILENO);
	close(pair[1]);
}

/* The next write to stderr; "" where there is none. */
static const char *next_write(void)
{
	static char line[4096];
	ssize_t n = recv(reader, line, sizeof(line) - 1, MSG_DONTWAIT);

	line[n > 0 ? n : 0] = '\0';
	return line;
}

TestSuite(report, .init = stderr_to_socket);

Test(report, each_line_has_the_name_and_is_one_write)
{
	cr_expect_str_eq(report_name(), "sonde");
	report_error("first %d", 1);
	report_set_name("sonde funccount");
	report_error("second");
	report_note("third");
	report_line("Tracing %s", "all");
	cr_expect_str_eq(next_write(), "sonde: first 1\n");
	cr_expect_str_eq(next_write(), "sonde funccount: second\n");
	cr_expect_str_eq(next_write(), "sonde funccount: third\n");
	cr_expect_str_eq(next_write(), "Tracing all\n");
	cr_expect_str_eq(next_write(), "");
}

Test(report, quiet_and_verbose)
{
	const char *line;

	report_verbose("not yet");
	report_set_verbose(true);
	report_verbose("now");
	report_set_quiet(true);
	report_note("quiet");
	report_line("quiet");
	report_verbose("quiet");
	report_error("still");
	/* verbose lines tell the time since verbose was asked for */
	line = next_write();
	cr_expect(!strncmp(line, "sonde: [", 8) && strstr(line, " ms] now\n"), "%s", line);
	cr_expect_str_eq(next_write(), "sonde: still\n");
	cr_expect_str_eq(next_write(), "");
}

Test(report, foreign_text_is_escaped)
{
	report_error("comm '%s'", "a\nsonde: forged\033[2J\xff");
	cr_expect_str_eq(next_write(), "sonde: comm 'a\\nsonde: forged\\x1b[2J\\xff'\n");
	cr_expect_str_eq(next_write(), "");
}

Test(report, errno_is_left_alone)
{
	errno = ENOENT;
	close(STDERR_FILENO);
	report_error("to nobody");
	cr_expect_eq(errno, ENOENT);
}

Test(report, an_error_points_at_its_place)
{
	static const struct {
		const char *text;
		int at;
		const char *shown, *caret;
	} cases[] = {
		{ "vfs_read+4x", 10, "  vfs_read+4x\n", "            ^\n" },
		{ "kprob:x:y", 0, "  kprob:x:y\n", "  ^\n" },
		{ "u:c:", 4, "  u:c:\n", "      ^\n" },
		{ "short", 99, "  short\n", "       ^\n" },
		{ "\033x", 1, "  \\x1bx\n", "      ^\n" },		/* shown in four */
		{ "\xe6\x97\xa5x", 3, "  \xe6\x97\xa5x\n", "    ^\n" }, /* two columns wide */
		{ "\xe6\x97\xa5x", 1, "  \xe6\x97\xa5x\n", "  ^\n" },	/* within a character */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err;

		err_at(&err, cases[i].at, "case %zu", i);
		report_err(&err, cases[i].text);
		cr_expect_not_null(strstr(next_write(), "sonde: case "));
		cr_expect_str_eq(next_write(), cases[i].shown);
		cr_expect_str_eq(next_write(), cases[i].caret, "case %zu", i);
	}
}

Test(report, an_error_without_a_place_is_one_line)
{
	struct err err;

	err_set(&err, -ENOENT, "no such thing");
	report_err(&err, "text");
	cr_expect_str_eq(next_write(), "sonde: no such thing\n");
	err_at(&err, 0, "empty");
	report_err(&err, "");
	cr_expect_str_eq(next_write(), "sonde: empty\n");
	report_err(&err, NULL);
	cr_expect_str_eq(next_write(), "sonde: empty\n");
	cr_expect_str_eq(next_write(), "");
}

Test(report, no_progress_where_there_is_no_terminal)
{
	setenv("TERM", "xterm", 1);
	report_progress("attaching", 0, 10);
	usleep(1100000);
	report_progress("attaching", 5, 10);
	report_progress(NULL, 0, 0);
	cr_expect_str_eq(next_write(), "");
}

/* stderr becomes a terminal; returns the side on which it is read. */
static int stderr_to_terminal(unsigned short columns)
{
	struct winsize size = { .ws_col = columns, .ws_row = 24 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	cr_assert(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	cr_assert_geq(slave, 0);
	ioctl(slave, TIOCSWINSZ, &size);
	dup2(slave, STDERR_FILENO);
	close(slave);
	fcntl(master, F_SETFL, O_NONBLOCK);
	setenv("TERM", "xterm", 1);
	return master;
}

/* All that reaches the screen within a moment: the kernel hands it over in its own time. */
static const char *screen(int master)
{
	static char text[4096];
	struct pollfd readable = { .fd = master, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (poll(&readable, 1, 50) > 0) {
		n = read(master, text + len, sizeof(text) - 1 - len);
		if (n <= 0)
			break;
		len += n;
	}
	text[len] = '\0';
	return text;
}

Test(report, progress_comes_after_a_second_and_seldom)
{
	int master = stderr_to_terminal(40);

	report_progress("attaching", 0, 200);
	report_progress("attaching", 10, 200);
	cr_expect_str_eq(screen(master), "", "drawn too early");
	usleep(1050000);
	report_progress("attaching", 100, 200);
	report_progress("attaching", 101, 200); /* within a tenth of a second */
	/* 39 columns, the last one stays free */
	cr_expect_str_eq(screen(master), "\rattaching [########........] 100 of 200\033[K");
	usleep(110000);
	report_progress("attaching", 200, 200);
	cr_expect_str_eq(screen(master), "\rattaching [################] 200 of 200\033[K");
	report_note("lost 3");
	cr_expect_str_eq(screen(master), "\r\033[Ksonde: lost 3\r\n",
			 "a report clears the bar first");
	report_progress(NULL, 0, 0);
	cr_expect_str_eq(screen(master), "", "what is clear is not cleared again");
	report_progress("detaching", 1, 2);
	cr_expect_str_eq(screen(master), "", "another second for another thing");
}

Test(report, progress_fits_the_terminal)
{
	static const struct {
		unsigned short columns;
		const char *shown;
	} cases[] = {
		{ 25, "\rattaching [##...] 1 of 2\033[K" },
		{ 24, "\rattaching 1 of 2\033[K" },
		{ 17, "\rattaching 1 of 2\033[K" },
		{ 16, "" },
		{ 300, "\rattaching [####################....................] 1 of 2\033[K" },
		{ 0, "\rattaching [####################....................] 1 of 2\033[K" },
	};
	int master = stderr_to_terminal(80);

	report_progress("attaching", 1, 2);
	usleep(1050000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct winsize size = { .ws_col = cases[i].columns };

		ioctl(master, TIOCSWINSZ, &size);
		usleep(110000);
		report_progress("attaching", 1, 2);
		cr_expect_str_eq(screen(master), cases[i].shown, "%u columns", cases[i].columns);
	}
	setenv("TERM", "dumb", 1);
	usleep(110000);
	report_progress("attaching", 2, 2);
	cr_expect_str_eq(screen(master), "");
	report_progress(NULL, 0, 0);
	cr_expect_str_eq(screen(master), "\r\033[K");
}
