// SPDX-License-Identifier: BSD-2-Clause
/* From text to lines: words as in a shell, and clauses at the end. Knows no tool. */
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/str.h"
#include "config.h"
#include "options/opt.h"

#define FILE_MOST  (1 << 20)
#define LINES_MOST 1000

struct word {
	char *text;
	bool quoted; /* some of it: it is no word of a clause */
};

struct words {
	vec(struct word);
};

/* A text that is read line by line. */
struct reader {
	const char *at, *end;
	unsigned int line; /* the number of the line that `at` is in */
};

/* --- words --- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Skips a backslash at the end of a line, and the end. */
static bool skip_continuation(struct reader *reader)
{
	const char *at = reader->at;

	if (at == reader->end || *at != '\\')
		return false;
	at++;
	if (at < reader->end && *at == '\r')
		at++;
	if (at == reader->end || *at != '\n')
		return false;
	reader->at = at + 1;
	reader->line++;
	return true;
}

/* What follows an opening quote, up to the closing one. In '...' a backslash is a character like any other. */
static int read_quoted(struct reader *reader, struct str *to, char quote, struct err *err)
{
	for (; reader->at < reader->end && *reader->at != '\n'; reader->at++) {
		char c = *reader->at;

		if (c == quote) {
			reader->at++;
			return 0;
		}
		if (quote == '"' && c == '\\' && reader->at + 1 < reader->end && strchr("\\\"$`", reader->at[1]))
			c = *++reader->at;
		str_addc(to, c);
	}
	return err_set(err, -EINVAL, "a %c is not closed on its line", quote);
}

/* A word that begins at reader->at. */
static int read_word(struct reader *reader, struct word *word, struct err *err)
{
	__str struct str to = {};
	int ret = 0;

	while (!ret && reader->at < reader->end && !is_blank(*reader->at) && *reader->at != '\n') {
		char c;

		if (skip_continuation(reader))
			continue;
		c = *reader->at++;
		if (!c)
			return err_set(err, -EINVAL, "contains a NUL byte; a configuration must be text");
		if (c == '\'' || c == '"') {
			word->quoted = true;
			ret = read_quoted(reader, &to, c, err);
		} else if (c == '\\' && reader->at < reader->end) {
			word->quoted = true;
			str_addc(&to, *reader->at++);
		} else {
			str_addc(&to, c);
		}
	}
	word->text = base_strdup(str_or_empty(to.data));
	if (!ret && strlen(word->text) != to.len)
		return err_set(err, -EINVAL, "contains a NUL byte; a configuration must be text");
	return ret;
}

/* Reads the words up to the end of the line, and adds what was read, without a comment, to `text`. */
static int read_words(struct reader *reader, struct words *words, struct str *text, struct err *err)
{
	int ret = 0;

	while (!ret && reader->at < reader->end && *reader->at != '\n') {
		const char *begin = reader->at;

		if (is_blank(*begin)) {
			reader->at++;
		} else if (skip_continuation(reader)) {
		} else if (*begin == '#') {
			while (reader->at < reader->end && *reader->at != '\n')
				reader->at++;
		} else {
			ret = read_word(reader, vec_push(words), err);
			if (text->len)
				str_addc(text, ' ');
			str_addn(text, begin, reader->at - begin);
		}
	}
	return ret;
}

/* --- clauses --- */

static int set_name(struct config_line *line, const char *text, struct err *err)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	if (line->name)
		return err_set(err, -EINVAL, "'as' is given twice");
	if (!*text || text[n] || (*text >= '0' && *text <= '9'))
		return err_set(err, -EINVAL,
			       "invalid metric name '%s': use letters, digits and '_', not starting with a digit", text);
	line->name = base_strdup(text);
	return 0;
}

static int set_max(struct config_line *line, const char *text, struct err *err)
{
	uint64_t number;

	if (line->max)
		return err_set(err, -EINVAL, "'max' is given twice");
	if (opt_u64(text, &number) || !number || number > CONFIG_MAX_MOST)
		return err_set(err, -EINVAL, "max takes a number from 1 to %d, not '%s'", CONFIG_MAX_MOST, text);
	line->max = number;
	return 0;
}

/* A number with a unit of time or of 1024 bytes, in seconds or bytes. Returns what follows it, NULL: no number. */
static const char *read_bound(const char *text, double *value)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {
		{ "ns", 1e-9 },
		{ "us", 1e-6 },
		{ "ms", 1e-3 },
		{ "s", 1 },
		{ "k", 0x1p10 },
		{ "M", 0x1p20 },
		{ "G", 0x1p30 },
	};
	/* strtod() would take "1." of "1..2" */
	size_t n = strspn(text, "0123456789"), len;
	char number[32];

	if (text[n] == '.' && text[n + 1] != '.')
		n += 1 + strspn(text + n + 1, "0123456789");
	if (!n || n >= sizeof(number))
		return NULL;
	memcpy(number, text, n);
	number[n] = 0;
	*value = strtod(number, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		len = strlen(units[i].name);
		if (!strncmp(text + n, units[i].name, len)) {
			*value *= units[i].factor;
			return text + n + len;
		}
	}
	return text + n;
}

static int set_buckets(struct config_line *line, const char *text, struct err *err)
{
	struct config_buckets *buckets = &line->buckets;
	const char *at = read_bound(text, &buckets->low);
	uint64_t step = 1;

	if (buckets->step)
		return err_set(err, -EINVAL, "'buckets' is given twice");
	if (at && !strncmp(at, "..", 2))
		at = read_bound(at + 2, &buckets->high);
	else
		at = NULL;
	if (at && *at == '/' && (opt_u64(at + 1, &step) || !step || step > 64))
		at = NULL;
	if (!at || (*at && *at != '/') || buckets->low >= buckets->high)
		return err_set(err, -EINVAL, "buckets takes LOW..HIGH or LOW..HIGH/STEP, such as 10us..1s/2, not '%s'",
			       text);
	buckets->step = step;
	return 0;
}

static const struct clause {
	const char *word, *what;
	int (*set)(struct config_line *line, const char *text, struct err *err);
} clauses[] = {
	{ "as", "the name of a metric", set_name },
	{ "max", "the number of rows", set_max },
	{ "buckets", "LOW..HIGH", set_buckets },
};

static const struct clause *find_clause(const struct word *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(clauses); i++)
		if (!word->quoted && !strcmp(word->text, clauses[i].word))
			return &clauses[i];
	return NULL;
}

/* Takes the clauses from the end of the words. */
static int take_clauses(struct config_line *line, struct words *words, struct err *err)
{
	const struct clause *last = find_clause(&words->v[words->n - 1]), *clause;
	int ret = 0;

	if (last)
		return err_set(err, -EINVAL, "'%s' at the end needs %s; quote it if it is an argument of the tool",
			       last->word, last->what);
	while (!ret && words->n > 2 && (clause = find_clause(&words->v[words->n - 2]))) {
		ret = clause->set(line, words->v[words->n - 1].text, err);
		free(words->v[--words->n].text);
		free(words->v[--words->n].text);
	}
	return ret;
}

/* --- lines --- */

static uint64_t hash_of(const struct config_line *line)
{
	const char *name = str_or_empty(line->name);
	uint64_t hash = HASH_STABLE_NONE;

	for (size_t i = 0; i < line->n_words; i++)
		hash = hash_stable(hash, line->words[i], strlen(line->words[i]) + 1);
	hash = hash_stable(hash, name, strlen(name) + 1);
	hash = hash_stable(hash, &line->max, sizeof(line->max));
	hash = hash_stable(hash, &line->buckets.low, sizeof(line->buckets.low));
	hash = hash_stable(hash, &line->buckets.high, sizeof(line->buckets.high));
	return hash_stable(hash, &line->buckets.step, sizeof(line->buckets.step));
}

/* Moves the words into the line. */
static void move_words(struct config_line *line, struct words *words)
{
	line->words = base_alloc((words->n + 1) * sizeof(*line->words));
	for (size_t i = 0; i < words->n; i++)
		line->words[i] = take_ptr(words->v[i].text);
	line->n_words = words->n;
	if (!line->max)
		line->max = CONFIG_MAX_DEFAULT;
	if (!line->buckets.step)
		line->buckets.step = 1;
	line->hash = hash_of(line);
}

static void words_release(struct words *words)
{
	vec_each(word, words)
		free(word->text);
	free(words->v);
}

/* Reads one line, which may go on over several lines of the text, and adds it unless it is empty. */
static int add_line(struct config *config, const char *file, struct reader *reader, struct err *err)
{
	struct config_line line = { .file = file ? base_strdup(file) : NULL, .number = reader->line };
	struct words words __cleanup(words_release) = {};
	struct str text = {};
	int ret = read_words(reader, &words, &text, err);

	if (!ret && words.n && config->n == LINES_MOST)
		ret = err_set(err, -E2BIG, "more than %d lines", LINES_MOST);
	if (!ret && words.n)
		ret = take_clauses(&line, &words, err);
	line.text = text.data;
	if (!ret && words.n) {
		move_words(&line, &words);
		*vec_push(config) = line;
		return 0;
	}
	if (ret)
		config_blame(&line, err);
	config_line_release(&line);
	return ret;
}

int config_add_text(struct config *config, const char *file, const char *text, size_t n, struct err *err)
{
	struct reader reader = { text, text + n, 1 };
	int ret = 0;

	/* editors that are made for another system put this mark of UTF-8 there, which nobody sees */
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		reader.at += 3;
	while (!ret && reader.at < reader.end) {
		ret = add_line(config, file, &reader, err);
		if (!ret && reader.at < reader.end) {
			reader.at++;
			reader.line++;
		}
	}
	return ret;
}

int config_add_argument(struct config *config, const char *text, unsigned int number, struct err *err)
{
	struct reader reader = { text, text + strlen(text), number };
	size_t before = config->n;
	int ret;

	if (strchr(text, '\n'))
		return err_set(err, -EINVAL, "argument %u: one argument is one line", number);
	ret = add_line(config, NULL, &reader, err);
	if (!ret && config->n == before)
		return err_set(err, -EINVAL, "argument %u is empty", number);
	return ret;
}

/* --- files --- */

/* Whether read() returns at once: with data, the end or an error. A file is always ready. */
static bool is_ready(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 0) > 0;
}

/* Reads at most FILE_MOST bytes of a regular file, a pipe or the like. */
static int read_all(int fd, bool waits, struct str *to, struct err *err)
{
	char buffer[4096];
	ssize_t n;

	while (waits || is_ready(fd)) {
		n = read(fd, buffer, sizeof(buffer));
		if (n <= 0)
			return n ? err_set(err, -errno, "%s", strerror(errno)) : 0;
		str_addn(to, buffer, n);
		if (to->len > FILE_MOST)
			return err_set(err, -EFBIG, "larger than 1 MB");
	}
	return err_set(err, -EAGAIN, "it is a FIFO that no process has open for writing");
}

int config_add_file(struct config *config, const char *path, bool waits, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int flags = O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK);
	int fd __close = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, flags);
	__str struct str text = {};
	int ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot read the configuration '%s': %s", path, strerror(errno));
	ret = read_all(fd, waits, &text, err);
	if (ret) {
		__free char *why = base_strdup(err->text);

		return err_set(err, ret, "cannot read the configuration '%s': %s", path, why);
	}
	return config_add_text(config, is_stdin ? "stdin" : path, str_or_empty(text.data), text.len, err);
}

char *config_place(const struct config_line *line)
{
	return line->file ? base_printf("%s:%u", line->file, line->number) : base_printf("argument %u", line->number);
}

int config_blame(const struct config_line *line, struct err *err)
{
	__free char *place = config_place(line), *text = base_strdup(err->text);

	return err_set(err, err->code, "%s: %s", place, text);
}

bool config_line_same(const struct config_line *a, const struct config_line *b)
{
	if (a->hash != b->hash || a->n_words != b->n_words || !str_same(a->name, b->name) || a->max != b->max)
		return false;
	for (size_t i = 0; i < a->n_words; i++)
		if (strcmp(a->words[i], b->words[i]))
			return false;
	return a->buckets.low == b->buckets.low && a->buckets.high == b->buckets.high &&
	       a->buckets.step == b->buckets.step;
}

void config_line_release(struct config_line *line)
{
	for (size_t i = 0; i < line->n_words; i++)
		free(line->words[i]);
	free(line->words);
	free(line->file);
	free(line->text);
	free(line->name);
	*line = (struct config_line){};
}

void config_release(struct config *config)
{
	vec_each(line, config)
		config_line_release(line);
	free(config->v);
	*config = (struct config){};
}
