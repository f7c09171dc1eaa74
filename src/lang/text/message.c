// SPDX-License-Identifier: BSD-2-Clause
/* What the compiler has to say about places of a program, and its text. */
#include "source.h"

#define MAX_ERRORS   20
#define MAX_MESSAGES 100 /* of all severities */
#define MAX_COLUMNS  150 /* of a line that is shown whole */

static bool is_nowhere(const struct span *at)
{
	return at->source == LANG_NOWHERE.source;
}

static bool is_same_place(const struct span *a, const struct span *b)
{
	return a->source == b->source && a->begin == b->begin && a->end == b->end;
}

/* True for an error at the place of another one, and for more than anybody reads. */
static bool is_dropped(const struct lang_messages *messages, enum lang_severity severity, const struct span *at)
{
	if (messages->n >= MAX_MESSAGES || (severity == LANG_ERROR && messages->errors >= MAX_ERRORS))
		return true;
	vec_each(message, messages)
		if (message->severity == severity && is_same_place(&message->at, at) && !is_nowhere(at))
			return true;
	return false;
}

/* Removes the marks of macros' own variables. */
static void drop_hygiene(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		if (*c != LANG_HYGIENE) {
			*to++ = *c;
			continue;
		}
		while (c[1] >= '0' && c[1] <= '9')
			c++;
	}
	*to = 0;
}

void lang_say(struct lang_messages *messages, enum lang_severity severity, struct span at, const char *fmt, va_list ap)
{
	struct str text __str = {};
	struct lang_message *message;

	if (severity != LANG_HINT)
		messages->drops_hints = is_dropped(messages, severity, &at);
	if (messages->drops_hints)
		return;
	str_addv(&text, fmt, ap);
	drop_hygiene(text.data);
	message = vec_push(messages);
	*message = (struct lang_message){ severity, at, pool_add(&messages->pool, text.data) };
	messages->errors += severity == LANG_ERROR;
}

#define SAY(NAME, SEVERITY) \
	void NAME(struct lang_messages *messages, struct span at, const char *fmt, ...) \
	{ \
		va_list ap; \
\
		va_start(ap, fmt); \
		lang_say(messages, SEVERITY, at, fmt, ap); \
		va_end(ap); \
	}
SAY(lang_error, LANG_ERROR)
SAY(lang_warning, LANG_WARNING)
SAY(lang_hint, LANG_HINT)
#undef SAY

void lang_messages_release(struct lang_messages *messages)
{
	free(messages->v);
	pool_release(&messages->pool);
	*messages = (struct lang_messages){};
}

/* --- text --- */

/* The part of the line that is shown: offsets in the text. */
struct excerpt {
	uint32_t begin, end;
	bool is_cut_before, is_cut_behind;
};

static struct excerpt excerpt_of(const struct lang_source *source, const struct span *at)
{
	struct excerpt e = { .begin = at->begin, .end = at->begin };

	while (e.begin && source->text[e.begin - 1] != '\n' && at->begin - e.begin < MAX_COLUMNS / 2)
		e.begin--;
	/* Never from within a character. */
	while (e.begin < at->begin && ((unsigned char)source->text[e.begin] & 0xc0) == 0x80)
		e.begin++;
	while (e.end < source->len && source->text[e.end] != '\n' && e.end - e.begin < MAX_COLUMNS)
		e.end++;
	e.is_cut_before = e.begin && source->text[e.begin - 1] != '\n';
	e.is_cut_behind = e.end < source->len && source->text[e.end] != '\n';
	return e;
}

/* Adds blanks as wide as the text is shown; a tab stays one, for only the terminal knows its width. */
static void add_blanks(struct str *to, const char *text, size_t n)
{
	struct str shown __str = {};

	for (size_t i = 0, from = 0; i <= n; i++) {
		if (i < n && text[i] != '\t')
			continue;
		str_reset(&shown);
		str_add_shown(&shown, text + from, i - from);
		str_add_fill(to, ' ', str_columns(str_or_empty(shown.data), shown.len));
		if (i < n)
			str_addc(to, '\t');
		from = i + 1;
	}
}

static void add_line(struct str *to, const char *text, size_t n)
{
	const char *tab;

	while ((tab = memchr(text, '\t', n))) {
		str_add_shown(to, text, tab - text);
		str_addc(to, '\t');
		n -= tab + 1 - text;
		text = tab + 1;
	}
	str_add_shown(to, text, n);
}

static void show_excerpt(const struct lang_source *source, const struct span *at, struct str *to)
{
	struct excerpt e = excerpt_of(source, at);
	uint32_t end = at->end < e.end ? at->end : e.end;
	const char *cut = e.is_cut_before ? "..." : "";
	struct str marked __str = {};
	size_t columns;

	str_add(to, cut);
	add_line(to, source->text + e.begin, e.end - e.begin);
	str_addf(to, "%s\n", e.is_cut_behind ? "..." : "");
	str_add_fill(to, ' ', strlen(cut));
	add_blanks(to, source->text + e.begin, at->begin - e.begin);
	if (end > at->begin)
		add_line(&marked, source->text + at->begin, end - at->begin);
	columns = str_columns(str_or_empty(marked.data), marked.len);
	str_add_fill(to, '~', columns ? columns : 1);
	str_addc(to, '\n');
}

void span_add(struct str *to, const struct lang_sources *sources, const struct span *at)
{
	struct span last = { at->source, at->end, at->end };
	uint32_t line, column, end_line, end_column;

	span_line(sources, at, &line, &column);
	span_line(sources, &last, &end_line, &end_column);
	str_add_shown(to, sources->v[at->source].name, strlen(sources->v[at->source].name));
	if (line == end_line)
		str_addf(to, ":%u:%u-%u: ", line, column, end_column > column ? end_column : column + 1);
	else
		str_addf(to, ":%u-%u: ", line, end_line);
}

static void show(const struct lang_sources *sources, const struct span *at, const char *severity, const char *text,
		 struct str *to)
{
	if (!is_nowhere(at))
		span_add(to, sources, at);
	str_addf(to, "%s: ", severity);
	str_add_shown(to, text, strlen(text));
	str_addc(to, '\n');
	if (!is_nowhere(at))
		show_excerpt(&sources->v[at->source], at, to);
}

/* The same error in each use of a macro is one error. */
static bool is_repeated(const struct lang_messages *messages, const struct lang_sources *sources,
			const struct lang_message *message)
{
	uint32_t original;

	if (is_nowhere(&message->at))
		return false;
	original = sources->v[message->at.source].original;
	vec_each(before, messages) {
		if (before == message)
			break;
		if (before->severity == message->severity && !is_nowhere(&before->at) &&
		    before->at.begin == message->at.begin && before->at.end == message->at.end &&
		    sources->v[before->at.source].original == original && !strcmp(before->text, message->text))
			return true;
	}
	return false;
}

static void show_uses(const struct lang_sources *sources, const struct span *at, struct str *to)
{
	const struct lang_source *source;

	if (is_nowhere(at))
		return;
	source = &sources->v[at->source];
	for (int i = 0; i < 10 && source->used.begin != source->used.end; i++) {
		show(sources, &source->used, "NOTE", "expanded from here", to);
		source = &sources->v[source->used.source];
	}
}

void lang_messages_show(const struct lang_messages *messages, const struct lang_sources *sources, bool warnings,
			struct str *to)
{
	static const char *const words[] = { [LANG_ERROR] = "ERROR", [LANG_WARNING] = "WARNING", [LANG_HINT] = "HINT" };
	const struct span *of = NULL;

	vec_each(message, messages) {
		if (message->severity == LANG_HINT) {
			if (!of)
				continue;
			if (!is_same_place(of, &message->at)) {
				show(sources, &message->at, words[LANG_HINT], message->text, to);
				continue;
			}
			str_add(to, "HINT: ");
			str_add_shown(to, message->text, strlen(message->text));
			str_addc(to, '\n');
			continue;
		}
		of = NULL;
		if ((message->severity == LANG_WARNING && !warnings) || is_repeated(messages, sources, message))
			continue;
		show(sources, &message->at, words[message->severity], message->text, to);
		show_uses(sources, &message->at, to);
		of = &message->at;
	}
}
