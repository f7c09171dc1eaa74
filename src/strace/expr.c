// SPDX-License-Identifier: BSD-2-Clause
/* What -e takes: QUALIFIER=SET. Sets are words separated by commas, or all, or none; with ! before them all others. */
#include <signal.h>
#include <strings.h>

#include "base/word.h"
#include "strace_part.h"

typedef int (*add_word_fn)(void *set, const char *word, struct err *err);

/* Calls add() for each word but all and none; *others: all that are not named are in the set. */
static int each_word(const char *text, bool *others, add_word_fn add, void *set, struct err *err)
{
	__free char *copy = base_strdup(text + (*text == '!'));
	char *rest = copy, *word;
	int ret = 0;

	*others = *text == '!';
	while (!ret && (word = strsep(&rest, ","))) {
		if (!strcmp(word, "all"))
			*others = !*others;
		else if (strcmp(word, "none"))
			ret = add(set, word, err);
	}
	return ret;
}

/* --- sets of bits --- */

struct bits {
	uint64_t v;
	const char *const *names; /* of bit 0, 1 ...; each may be several words */
	const char *what;
};

static int add_bit(void *set, const char *word, struct err *err)
{
	struct bits *bits = set;
	struct str known __str = {};

	for (size_t i = 0; bits->names[i]; i++) {
		if (word_is_in(word, bits->names[i])) {
			bits->v |= 1ULL << i;
			return 0;
		}
		str_addf(&known, "%s%.*s", i ? ", " : "", (int)strcspn(bits->names[i], " "), bits->names[i]);
	}
	return err_set(err, -EINVAL, "no such %s: %s (there are %s)", bits->what, word, known.data);
}

static int parse_bits(uint32_t *dest, const char *text, const char *const *names, const char *what, struct err *err)
{
	struct bits bits = { .names = names, .what = what };
	bool others;
	int ret = each_word(text, &others, add_bit, &bits, err);

	if (!ret)
		*dest = others ? ~bits.v : bits.v;
	return ret;
}

int strace_expr_status(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "failed", "successful", "unfinished", "unavailable", "detached", NULL };

	return parse_bits(dest, text, names, "status", err);
}

int strace_expr_hex(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "none", "non-ascii", "all", "non-ascii-chars", NULL };

	for (uint32_t i = 0; names[i]; i++)
		if (!strcmp(names[i], text && *text ? text : "all")) {
			*(uint32_t *)dest = i;
			return 0;
		}
	return err_set(err, -EINVAL, "no such choice of texts: %s (there are none, non-ascii-chars, non-ascii, all)",
		       text);
}

int strace_expr_quiet(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "attach", "exit exits", "path-resolution", "personality",
					     "thread-execve superseded", NULL };

	return parse_bits(dest, text && *text ? text : "attach,personality", names, "message", err);
}

int strace_expr_files(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "path", "dev", "socket", "pidfd", NULL };

	return parse_bits(dest, text && *text ? text : "path", names, "detail of descriptors", err);
}

int strace_expr_pids(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "comm", "pidns", NULL };

	return parse_bits(dest, text, names, "detail of ids of processes", err);
}

int strace_expr_style(void *dest, const char *text, struct err *err)
{
	static const char *const names[] = { "abbrev", "raw", "verbose", NULL };
	uint32_t *style = dest;

	for (uint32_t i = 0; names[i]; i++)
		if (!strcmp(names[i], text)) {
			*style = i;
			return 0;
		}
	return err_set(err, -EINVAL, "no such style: %s (there are raw, abbrev, verbose)", text);
}

/* --- signals --- */

static int add_signal(void *set, const char *word, struct err *err)
{
	uint64_t *signals = set, number = 0;

	if (opt_u64(word, &number) || !number || number > 64) {
		number = 0;
		for (int i = 1; i <= 64; i++) {
			struct str name __str = {};

			strace_signal_name(&name, i);
			if (!strcasecmp(name.data, word) || (!strncmp(name.data, "SIG", 3) &&
							     !strcasecmp(name.data + 3, word)))
				number = i;
		}
	}
	if (!number)
		return err_set(err, -EINVAL, "no such signal: %s", word);
	*signals |= 1ULL << (number - 1);
	return 0;
}

int strace_expr_signals(void *dest, const char *text, struct err *err)
{
	uint64_t *hidden = dest, signals = 0;
	bool others;
	int ret = each_word(text, &others, add_signal, &signals, err);

	if (!ret)
		*hidden = others ? signals : ~signals;
	return ret;
}

/* --- descriptors --- */

static int add_fd(void *set, const char *word, struct err *err)
{
	struct strace_fds *fds = set;
	uint64_t number;

	if (opt_u64(word, &number) || number >= ARRAY_SIZE(fds->v))
		return err_set(err, -EINVAL, "no descriptor: %s (they are numbers up to %zu)", word,
			       ARRAY_SIZE(fds->v) - 1);
	fds->v[number] = 1;
	return 0;
}

int strace_expr_fds(void *dest, const char *text, struct err *err)
{
	struct strace_fds fds = {};
	bool others;
	int ret = each_word(text, &others, add_fd, &fds, err);

	if (ret)
		return ret;
	fds.others = others;
	for (size_t i = 0; others && i < ARRAY_SIZE(fds.v); i++)
		fds.v[i] = !fds.v[i];
	fds.any = others || memchr(fds.v, 1, sizeof(fds.v));
	*(struct strace_fds *)dest = fds;
	return 0;
}

/* --- sets of calls --- */

int strace_expr_calls(void *dest, const char *text, struct err *err)
{
	return strace_set_parse(dest, text, err);
}

/* --- all --- */

static const struct {
	const char *names;
	size_t offset; /* in struct strace_settings */
	int (*parse)(void *dest, const char *text, struct err *err);
} qualifiers[] = {
#define AT(MEMBER) offsetof(struct strace_settings, MEMBER)
	{ "trace t", AT(trace), strace_expr_calls },
	{ "abbrev a", AT(abbrev), strace_expr_calls },
	{ "verbose v", AT(verbose), strace_expr_calls },
	{ "raw x", AT(raw), strace_expr_calls },
	{ "signal signals s", AT(hidden), strace_expr_signals },
	{ "status", AT(status), strace_expr_status },
	{ "quiet silent silence q", AT(hushed), strace_expr_quiet },
	{ "decode-fds decode-fd", AT(details), strace_expr_files },
	{ "decode-pids decode-pid", AT(pids), strace_expr_pids },
	{ "read reads r", AT(dump_read), strace_expr_fds },
	{ "write writes w", AT(dump_written), strace_expr_fds },
};

int strace_expr_refuse(void *dest, const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "refused: sonde never changes what a program does");
}

int strace_expr_parse(struct strace_settings *settings, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	__free char *name = base_strndup(text, equals ? (size_t)(equals - text) : 0);

	if (!equals || *text == '/')
		return strace_set_parse(&settings->trace, text, err);
	if (word_is_in(name, "inject fault"))
		return err_set(err, -EINVAL, "-e %s=... is refused: sonde never changes what a program does", name);
	for (size_t i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (word_is_in(name, qualifiers[i].names))
			return qualifiers[i].parse((char *)settings + qualifiers[i].offset, equals + 1, err);
	return err_set(err, -EINVAL,
		       "-e %s=... is not known (there are trace, abbrev, verbose, raw, signal, status, quiet, "
		       "decode-fds, decode-pids, read, write)",
		       name);
}
