// SPDX-License-Identifier: BSD-2-Clause
/* Between a source and the store. Knows no engine. */
#include "base/report.h"
#include "base/str.h"
#include "kept.h"

/* What must not change: the words and all clauses. */
static void add_meaning(struct str *text, const struct config_line *line)
{
	for (size_t i = 0; i < line->n_words; i++) {
		str_add_shell(text, line->words[i], strlen(line->words[i]));
		str_addc(text, ' ');
	}
	str_addf(text, "as %s max %u buckets %g..%g/%u", str_or_empty(line->name), line->max, line->buckets.low,
		 line->buckets.high, line->buckets.step);
}

void kept_begin(struct kept *kept, struct store *store, const struct config_line *line)
{
	__str struct str text = {};

	if (!store_is_active(store))
		return;
	add_meaning(&text, line);
	kept->store = store;
	kept->keep = keep_new(text.data);
	if (store_offer(store, kept->keep, &kept->history))
		kept->history = (struct keep_history){};
}

static uint32_t read_word(const char **at)
{
	uint32_t word;

	memcpy(&word, *at, sizeof(word));
	*at += sizeof(word);
	return word;
}

void kept_each_key(const struct kept *kept, kept_key_fn fn, void *ctx)
{
	const char *at = kept->history.own, *end = at + kept->history.n_own;

	while (at && end - at >= (ptrdiff_t)(2 * sizeof(uint32_t))) {
		uint32_t table = read_word(&at), n = read_word(&at);

		if (n > end - at)
			return;
		fn(table, at, n, ctx);
		at += n;
	}
}

void kept_drop(struct kept *kept)
{
	keep_forget(kept->keep);
	store_drop(kept->store, kept->keep);
	kept->history = (struct keep_history){};
}

static void add_word(struct str *to, uint32_t word)
{
	str_addn(to, (const char *)&word, sizeof(word));
}

void kept_add_keys(struct kept *kept, uint32_t table, const struct set *keys)
{
	if (!kept->keep)
		return;
	vec_each(key, keys) {
		add_word(&kept->keys, table);
		add_word(&kept->keys, key->len);
		str_addn(&kept->keys, key->bytes, key->len);
	}
}

void kept_put(struct kept *kept, struct keep_history history)
{
	struct err err = {};

	if (!kept->keep)
		return;
	history.own = kept->keys.data;
	history.n_own = kept->keys.len;
	if (!kept->failed && store_put(kept->store, kept->keep, &history, &err)) {
		kept->failed = true;
		report_note("%s: its counters begin anew after a restart", err.text);
	}
	str_reset(&kept->keys);
}

void kept_end(struct kept *kept)
{
	if (!kept->keep)
		return;
	store_drop(kept->store, kept->keep);
	keep_free(kept->keep);
	str_release(&kept->keys);
	*kept = (struct kept){};
}
