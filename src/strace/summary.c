// SPDX-License-Identifier: BSD-2-Clause
/* The table of -c and -C: its columns, its order, and its text. It does not know where counts come from. */
#include "base/word.h"
#include "strace_part.h"

#define U(X) ((unsigned long long)(X))

static uint64_t average(const struct strace_total *total)
{
	return total->calls ? total->ns / total->calls : 0;
}

/* --- columns --- */

static void add_seconds(struct str *out, uint64_t ns, int width)
{
	str_addf(out, "%*.6f", width, ns / 1e9);
}

static void add_percent(struct str *out, const struct strace_total *total, uint64_t all)
{
	/* of all it is 100, also if nothing took time */
	str_addf(out, "%6.2f", !total->name ? 100.0 : all ? 100.0 * total->ns / all
							  : 0.0);
}

static void add_total(struct str *out, const struct strace_total *total, uint64_t all)
{
	add_seconds(out, total->ns, 11);
}

static void add_least(struct str *out, const struct strace_total *total, uint64_t all)
{
	add_seconds(out, total->least, 8);
}

static void add_most(struct str *out, const struct strace_total *total, uint64_t all)
{
	add_seconds(out, total->most, 8);
}

static void add_average(struct str *out, const struct strace_total *total, uint64_t all)
{
	str_addf(out, "%11llu", U(average(total) / 1000));
}

static void add_calls(struct str *out, const struct strace_total *total, uint64_t all)
{
	str_addf(out, "%9llu", U(total->calls));
}

static void add_errors(struct str *out, const struct strace_total *total, uint64_t all)
{
	if (total->errors)
		str_addf(out, "%9llu", U(total->errors));
	else
		str_add_fill(out, ' ', 9);
}

static void add_name(struct str *out, const struct strace_total *total, uint64_t all)
{
	str_addf(out, "%-16s", total->name ? total->name : "total");
}

static const struct {
	const char *names; /* as -U and -S take them */
	const char *heading;
	int width; /* negative: to the left */
	void (*add)(struct str *out, const struct strace_total *total, uint64_t all);
} columns[] = {
	[STRACE_BY_PERCENT] = { "time-percent time", "% time", 6, add_percent },
	[STRACE_BY_TIME] = { "total-time time-total", "seconds", 11, add_total },
	[STRACE_BY_LEAST] = { "min-time shortest time-min", "shortest", 8, add_least },
	[STRACE_BY_MOST] = { "max-time longest time-max", "longest", 8, add_most },
	[STRACE_BY_AVERAGE] = { "avg-time time-avg", "usecs/call", 11, add_average },
	[STRACE_BY_CALLS] = { "calls count", "calls", 9, add_calls },
	[STRACE_BY_ERRORS] = { "errors error", "errors", 9, add_errors },
	[STRACE_BY_NAME] = { "name syscall syscall-name", "syscall", -16, add_name },
};

static int column_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (word_is_in(word, columns[i].names))
			return i;
	return -ENOENT;
}

int strace_summary_columns(struct strace_table *table, const char *text, struct err *err)
{
	__free char *copy = base_strdup(text);
	char *rest = copy, *word;
	bool named = false;

	table->n = 0;
	while ((word = strsep(&rest, ","))) {
		int column = column_of(word);

		if (column < 0)
			return err_set(err, -EINVAL,
				       "no such column: %s (there are time-percent, total-time, min-time, max-time, "
				       "avg-time, calls, errors, name)",
				       word);
		for (size_t i = 0; i < table->n; i++)
			if (table->columns[i] == (unsigned int)column)
				return err_set(err, -EINVAL, "the column %s is there twice", word);
		named |= column == STRACE_BY_NAME;
		table->columns[table->n++] = column;
	}
	if (!named)
		table->columns[table->n++] = STRACE_BY_NAME;
	return 0;
}

int strace_summary_order(struct strace_table *table, const char *word, struct err *err)
{
	int column = column_of(word);

	if (word_is_in(word, "nothing none"))
		column = STRACE_BY_NUMBER;
	if (column < 0)
		return err_set(err, -EINVAL,
			       "no such order: %s (there are time, min-time, max-time, avg-time, calls, errors, "
			       "name, nothing)",
			       word);
	table->order = column == STRACE_BY_PERCENT ? STRACE_BY_TIME : (enum strace_column)column;
	return 0;
}

/* --- order --- */

static uint64_t key_of(const struct strace_total *total, enum strace_column order)
{
	switch (order) {
	case STRACE_BY_LEAST:
		return total->least;
	case STRACE_BY_MOST:
		return total->most;
	case STRACE_BY_AVERAGE:
		return average(total);
	case STRACE_BY_CALLS:
		return total->calls;
	case STRACE_BY_ERRORS:
		return total->errors;
	default:
		return total->ns;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct strace_total *left = a, *right = b;
	const struct strace_table *table = ctx;
	uint64_t x = key_of(left, table->order), y = key_of(right, table->order);

	if (table->order == STRACE_BY_NAME)
		return strcmp(left->name, right->name);
	/* those that are equal are in the order of their numbers */
	if (table->order == STRACE_BY_NUMBER || x == y)
		return (left->number > right->number) - (left->number < right->number);
	return x < y ? 1 : -1;
}

/* --- text --- */

static void add_row(struct str *out, const struct strace_table *table, const struct strace_total *total, uint64_t all)
{
	for (size_t i = 0; i < table->n; i++) {
		if (i)
			str_addc(out, ' ');
		columns[table->columns[i]].add(out, total, all);
	}
	/* a name at the end is not filled up */
	while (out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	str_addc(out, '\n');
}

static void add_rule(struct str *out, const struct strace_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (i)
			str_addc(out, ' ');
		str_add_fill(out, '-', abs(columns[table->columns[i]].width));
	}
	str_addc(out, '\n');
}

static void add_headings(struct str *out, const struct strace_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		int width = columns[table->columns[i]].width;

		if (i)
			str_addc(out, ' ');
		str_addf(out, "%*s", i + 1 < table->n || width > 0 ? width : 0, columns[table->columns[i]].heading);
	}
	str_addc(out, '\n');
	add_rule(out, table);
}

void strace_summary(struct str *out, const struct strace_table *table, struct strace_total *totals, size_t n)
{
	struct strace_total all = {};

	if (!n)
		return;
	qsort_r(totals, n, sizeof(*totals), compare, (void *)table);
	for (size_t i = 0; i < n; i++) {
		all.calls += totals[i].calls;
		all.errors += totals[i].errors;
		all.ns += totals[i].ns;
		if (!i || totals[i].least < all.least)
			all.least = totals[i].least;
		if (totals[i].most > all.most)
			all.most = totals[i].most;
	}
	add_headings(out, table);
	for (size_t i = 0; i < n; i++)
		add_row(out, table, &totals[i], all.ns);
	add_rule(out, table);
	add_row(out, table, &all, all.ns);
}
