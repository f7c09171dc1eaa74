// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints messages on stderr. Knows the command's name, whether stderr is a terminal, and how wide that is. Knows
 * nothing of what is reported.
 */
#include <sys/ioctl.h>

#include "clock.h"
#include "report.h"
#include "str.h"
#include "write.h"

static struct {
	const char *name;
	bool quiet, verbose;
	uint64_t since; /* when verbose was set: verbose lines show how long each step takes */
} report = { .name = "sonde" };

static struct {
	char *what;	/* NULL: no bar */
	uint64_t since; /* time of the first call with this `what` */
	uint64_t drawn; /* time of the last drawing, 0: never drawn */
	bool shown;	/* it is on the screen now */
} bar;

void report_set_name(const char *name)
{
	report.name = name;
}

const char *report_name(void)
{
	return report.name;
}

void report_set_quiet(bool quiet)
{
	report.quiet = quiet;
}

void report_set_verbose(bool verbose)
{
	report.verbose = verbose;
	report.since = clock_monotonic_ns();
}

/* Errors are ignored: there is no better place to report that stderr takes no data. */
static void put(const struct str *s)
{
	int error;

	write_all(STDERR_FILENO, s->data, s->len, &error);
}

static void bar_clear(void)
{
	static const struct str clear = { .data = "\r\033[K", .len = 4 };

	if (bar.shown)
		put(&clear);
	bar.shown = false;
}

/* Writes every line of a report: escaped, and with one write, so that lines of other processes do not mix with it. */
static void say(const char *name, const char *text, size_t n)
{
	struct str line __str = {};
	int saved = errno;

	if (name)
		str_addf(&line, "%s: ", name);
	str_add_shown(&line, text, n);
	str_addc(&line, '\n');
	bar_clear();
	put(&line);
	errno = saved;
}

static void __printf(2, 0) vsay(const char *name, const char *fmt, va_list ap)
{
	struct str text __str = {};

	str_addv(&text, fmt, ap);
	say(name, text.data, text.len);
}

bool report_is_verbose(void)
{
	return report.verbose && !report.quiet;
}

void report_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(report.name, fmt, ap);
	va_end(ap);
}

void report_note(const char *fmt, ...)
{
	va_list ap;

	if (report.quiet)
		return;
	va_start(ap, fmt);
	vsay(report.name, fmt, ap);
	va_end(ap);
}

void report_verbose(const char *fmt, ...)
{
	__str struct str line = {};
	va_list ap;

	if (!report_is_verbose())
		return;
	str_addf(&line, "[%8.3f ms] %s", (clock_monotonic_ns() - report.since) / 1e6, fmt);
	va_start(ap, fmt);
	vsay(report.name, line.data, ap);
	va_end(ap);
}

void report_verbose_lines(const char *what, const char *text)
{
	while (*text) {
		int len = (int)strcspn(text, "\n");

		if (len)
			report_verbose("%s: %.*s", what, len, text);
		text += len + (text[len] == '\n');
	}
}

void report_line(const char *fmt, ...)
{
	va_list ap;

	if (report.quiet)
		return;
	va_start(ap, fmt);
	vsay(NULL, fmt, ap);
	va_end(ap);
}

/* The column of the caret below the text as it is shown: an escaped byte is four columns wide there. */
static size_t caret_column(const char *text, size_t at)
{
	struct str before __str = {};

	/* Not into the middle of a character: its first bytes alone would be shown as escapes. */
	while (at && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	str_add_shown(&before, text, at);
	return before.len ? str_columns(before.data, before.len) : 0;
}

void report_err(const struct err *err, const char *text)
{
	struct str line __str = {};
	size_t len, at;

	say(report.name, err->text, strlen(err->text));
	if (err->at < 0 || !text || !*text)
		return;
	len = strlen(text);
	at = (size_t)err->at < len ? (size_t)err->at : len;
	str_add(&line, "  ");
	str_addn(&line, text, len);
	say(NULL, line.data, line.len);
	str_reset(&line);
	str_add_fill(&line, ' ', 2 + caret_column(text, at));
	str_addc(&line, '^');
	say(NULL, line.data, line.len);
}

/* Returns the columns of the terminal on stderr, 0 if a bar cannot be drawn. */
static size_t terminal_width(void)
{
	const char *term = getenv("TERM");
	struct winsize size = {};

	if (!isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb"))
		return 0;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 80;
	return size.ws_col;
}

/*
 * Draws "what [#####.....] 50 of 100", or as much of it as fits. The last column stays free, so that the cursor
 * does not wrap.
 */
static void bar_draw(size_t done, size_t total, size_t width)
{
	struct str line __str = {}, tail __str = {};
	size_t used, room, full;

	str_addf(&tail, " %zu of %zu", done, total);
	str_add(&line, "\r");
	str_add_shown(&line, bar.what, strlen(bar.what));
	used = str_columns(line.data + 1, line.len - 1) + tail.len + 1;
	if (used > width)
		return;
	room = width - used;
	if (room >= 8) {
		room = room - 3 < 40 ? room - 3 : 40;
		full = total ? (done < total ? done : total) * room / total : 0;
		str_add(&line, " [");
		str_add_fill(&line, '#', full);
		str_add_fill(&line, '.', room - full);
		str_add(&line, "]");
	}
	str_addn(&line, tail.data, tail.len);
	str_add(&line, "\033[K");
	put(&line);
	bar.drawn = clock_monotonic_ns();
	bar.shown = true;
}

void report_progress(const char *what, size_t done, size_t total)
{
	uint64_t now = clock_monotonic_ns();
	size_t width;

	if (!what || !bar.what || strcmp(what, bar.what)) {
		bar_clear();
		free(bar.what);
		bar.what = what ? base_strdup(what) : NULL;
		bar.since = now;
		bar.drawn = 0;
	}
	if (!what || report.quiet || now - bar.since < 1000 * NS_PER_MS)
		return;
	if (bar.drawn && now - bar.drawn < 100 * NS_PER_MS)
		return;
	width = terminal_width();
	if (width)
		bar_draw(done, total, width);
}
