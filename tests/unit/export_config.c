// SPDX-License-Identifier: BSD-2-Clause
/* The configuration of an export: words, clauses, places of errors. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/config.h"

static void read_lines(struct config *config, const char *text)
{
	struct err err = {};

	cr_assert_eq(config_add_text(config, "F", text, strlen(text), &err), 0, "%s", err.text);
}

/* The text is one line, which has these words, separated by "|". */
static void expect_words(const char *text, const char *wanted)
{
	struct config config = {};
	char words[400] = "";

	read_lines(&config, text);
	cr_assert_eq(config.n, 1);
	for (size_t i = 0; i < config.v[0].n_words; i++) {
		strcat(words, i ? "|" : "");
		strcat(words, config.v[0].words[i]);
	}
	cr_expect_str_eq(words, wanted);
	cr_expect_null(config.v[0].words[config.v[0].n_words]);
	config_release(&config);
}

static void expect_error(const char *text, const char *wanted)
{
	struct config config = {};
	struct err err = {};

	cr_expect_eq(config_add_text(&config, "F", text, strlen(text), &err), -EINVAL);
	cr_expect_eq(err.code, -EINVAL);
	cr_expect_str_eq(err.text, wanted);
	config_release(&config);
}

Test(export_config, splits_words_as_a_shell_does)
{
	expect_words("runqlat", "runqlat");
	expect_words("  a\tb  c  \n", "a|b|c");
	expect_words("a 'b c' \"d e\" f\\ g", "a|b c|d e|f g");
	expect_words("a b'c'\"d\"e", "a|bcde");
	expect_words("a '' \"\"", "a||");
	expect_words("a '\\n' \"\\\"\\\\\\n\"", "a|\\n|\"\\\\n");
	expect_words("trace -e 'k:vfs_read { @[comm] = count(); }'", "trace|-e|k:vfs_read { @[comm] = count(); }");
	expect_words("a # b 'c", "a");
	expect_words("a b#c '#' \\#d", "a|b#c|#|#d");
	expect_words("a \\\n  b\\\nc", "a|bc");
	expect_words("a b\r\n", "a|b");
}

Test(export_config, skips_what_is_empty_and_counts_lines)
{
	struct config config = {};

	read_lines(&config, "# begin\n\n  one  x \\\n y # end\n\t\r\ntwo\n# last \\\nthree");
	cr_assert_eq(config.n, 3);
	cr_expect_str_eq(config.v[0].text, "one x y");
	cr_expect_eq(config.v[0].number, 3);
	cr_expect_eq(config.v[1].number, 6);
	cr_expect_eq(config.v[2].number, 8);
	for (size_t i = 0; i < config.n; i++)
		cr_expect_str_eq(config.v[i].file, "F");
	config_release(&config);
	read_lines(&config, "");
	cr_expect_eq(config.n, 0);
}

Test(export_config, takes_clauses_from_the_end)
{
	struct config config = {};
	const struct config_line *line;

	read_lines(&config, "a b as x_1 max 64 buckets 10us..1.5s/2\n"
			    "a buckets 1k..4M max 1 \n"
			    "a\n"
			    "a as b 'as' x\n");
	line = config.v;
	cr_expect_eq(line[0].n_words, 2);
	cr_expect_str_eq(line[0].name, "x_1");
	cr_expect_eq(line[0].max, 64);
	cr_expect_float_eq(line[0].buckets.low, 1e-5, 1e-12);
	cr_expect_float_eq(line[0].buckets.high, 1.5, 1e-12);
	cr_expect_eq(line[0].buckets.step, 2);
	cr_expect_str_eq(line[0].text, "a b as x_1 max 64 buckets 10us..1.5s/2");
	cr_expect_null(line[1].name);
	cr_expect_eq(line[1].max, 1);
	cr_expect_float_eq(line[1].buckets.low, 1024, 0);
	cr_expect_float_eq(line[1].buckets.high, 4 << 20, 0);
	cr_expect_eq(line[1].buckets.step, 1);
	cr_expect_eq(line[2].max, CONFIG_MAX_DEFAULT);
	cr_expect_float_eq(line[2].buckets.high, 0, 0);
	cr_expect_eq(line[3].n_words, 5);
	cr_expect_null(line[3].name);
	config_release(&config);
}

Test(export_config, says_where_an_error_is)
{
	expect_error("a\n\nb 'c\nd'", "F:3: a ' is not closed on its line");
	expect_error("a \"b", "F:1: a \" is not closed on its line");
	expect_error("a as",
		     "F:1: 'as' at the end needs the name of a metric; quote it if it is an argument of the tool");
	expect_error("max",
		     "F:1: 'max' at the end needs the number of rows; quote it if it is an argument of the tool");
	expect_error("a as 1x",
		     "F:1: invalid metric name '1x': use letters, digits and '_', not starting with a digit");
	expect_error("a as x-y",
		     "F:1: invalid metric name 'x-y': use letters, digits and '_', not starting with a digit");
	expect_error("a as x as y", "F:1: 'as' is given twice");
	expect_error("a max 0", "F:1: max takes a number from 1 to 10000, not '0'");
	expect_error("a max 10001", "F:1: max takes a number from 1 to 10000, not '10001'");
	expect_error("a max 1 max 2", "F:1: 'max' is given twice");
	expect_error("a buckets 1..2 buckets 1..2", "F:1: 'buckets' is given twice");
	for (const char *const *bad = (const char *const[]){ "2..1", "1..1", "1", "..1", "1..", "1..2/0", "1..2/65",
							     "1..2x", "1..2/2x", "x..1", "1.2.3..4", NULL };
	     *bad; bad++) {
		__free char *text = base_printf("a buckets %s", *bad);
		__free char *wanted = base_printf("F:1: buckets takes LOW..HIGH or LOW..HIGH/STEP, such as 10us..1s/2, "
						  "not '%s'",
						  *bad);

		expect_error(text, wanted);
	}
}

Test(export_config, refuses_a_byte_that_is_no_text)
{
	struct config config = {};
	struct err err = {};

	cr_expect_eq(config_add_text(&config, "F", "a\nb\0c", 5, &err), -EINVAL);
	cr_expect_str_eq(err.text, "F:2: contains a NUL byte; a configuration must be text");
	config_release(&config);
	cr_expect_eq(config_add_text(&config, "F", "a 'b\0c'", 7, &err), -EINVAL);
	config_release(&config);
}

Test(export_config, knows_lines_that_mean_the_same)
{
	struct config config = {};

	read_lines(&config, "a b max 128 # x\na  'b'\na b as c\na 'b c'\na b max 2\n"
			    "a b buckets 1..2\na b buckets 1..2/1\n");
	for (size_t i = 0; i < config.n; i++)
		for (size_t j = 0; j < config.n; j++)
			cr_expect_eq(config_line_same(&config.v[i], &config.v[j]),
				     i == j || (i < 2 && j < 2) || (i > 4 && j > 4), "%zu %zu", i, j);
	config_release(&config);
}

Test(export_config, takes_arguments_as_lines)
{
	struct config config = {};
	struct err err = {};
	__free char *place = NULL;

	cr_expect_eq(config_add_argument(&config, "runqlat max 3", 2, &err), 0);
	cr_assert_eq(config.n, 1);
	place = config_place(&config.v[0]);
	cr_expect_str_eq(place, "argument 2");
	cr_expect_eq(config_add_argument(&config, " # nothing", 3, &err), -EINVAL);
	cr_expect_str_eq(err.text, "argument 3 is empty");
	cr_expect_eq(config_add_argument(&config, "a\nb", 4, &err), -EINVAL);
	cr_expect_eq(config_add_argument(&config, "a 'b", 5, &err), -EINVAL);
	cr_expect_str_eq(err.text, "argument 5: a ' is not closed on its line");
	cr_expect_eq(config.n, 1);
	config_release(&config);
}

Test(export_config, reads_files)
{
	struct config config = {};
	struct err err = {};
	char path[] = "/tmp/sonde-config.XXXXXX";
	int fd = mkstemp(path);
	static const char text[] = "one\n\ntwo max x\n";

	cr_assert_eq(write(fd, text, 5), 5);
	cr_expect_eq(config_add_file(&config, path, true, &err), 0);
	cr_expect_eq(config.n, 1);
	cr_assert_eq(write(fd, text + 5, sizeof(text) - 6), (ssize_t)sizeof(text) - 6);
	cr_expect_eq(config_add_file(&config, path, true, &err), -EINVAL);
	cr_expect(strstr(err.text, ":3: max takes a number"), "%s", err.text);
	config_release(&config);
	close(fd);
	unlink(path);
	cr_expect_eq(config_add_file(&config, path, true, &err), -ENOENT);
	cr_expect(strstr(err.text, "cannot read the configuration '/tmp/sonde-config."), "%s", err.text);
	cr_expect_eq(config_add_file(&config, "/", true, &err), -EISDIR);
}

/* A reload must not stop scrapes until somebody writes. */
Test(export_config, does_not_wait_at_a_reload)
{
	struct config config = {};
	struct err err = {};
	char dir[] = "/tmp/sonde-config.XXXXXX", path[64];
	int fd;

	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_expect_eq(config_add_file(&config, path, false, &err), -EAGAIN);
	cr_expect(strstr(err.text, "no process has open for writing"), "%s", err.text);
	/* somebody has begun */
	fd = open(path, O_RDWR);
	cr_assert_eq(write(fd, "runqlat\n", 8), 8);
	cr_expect_eq(config_add_file(&config, path, false, &err), -EAGAIN);
	cr_expect_eq(config.n, 0);
	close(fd);
	unlink(path);
	rmdir(dir);
}

Test(export_config, skips_the_mark_at_the_beginning_of_a_file)
{
	struct config config = {};
	struct err err = {};
	const char *text = "\xef\xbb\xbf# comment\r\nrunqlat\r\n";

	cr_assert_eq(config_add_text(&config, "F", text, strlen(text), &err), 0, "%s", err.text);
	cr_assert_eq(config.n, 1);
	cr_expect_str_eq(config.v[0].words[0], "runqlat");
	cr_expect_eq(config.v[0].number, 2);
	config_release(&config);
	text = "\xef\xbb\xbfrunqlat";
	cr_assert_eq(config_add_text(&config, "F", text, strlen(text), &err), 0, "%s", err.text);
	cr_assert_eq(config.n, 1);
	cr_expect_str_eq(config.v[0].words[0], "runqlat");
	config_release(&config);
}
