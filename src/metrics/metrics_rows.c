// SPDX-License-Identifier: BSD-2-Clause
/* Turns rows into samples, by the roles of their schema's fields. Knows no engine. */
#include "metrics_rows.h"
#include "output/printer.h"

/* What a field is to an exporter. */
enum use {
	USE_NONE,
	USE_LABEL,
	USE_COUNTER,
	USE_GAUGE,
	USE_SUMMARY,
	USE_HISTOGRAM,
};

/* Text columns show what data or metrics have in a better form. */
static bool is_read(const struct field *field)
{
	return field->key && (!field->text_only || field->data_only);
}

static bool is_text(const struct field *field)
{
	return field->type == FIELD_STR || field->type == FIELD_CHARS || field->type == FIELD_PATH;
}

static bool is_list(const struct field *field)
{
	return field->type == FIELD_LIST || field->type == FIELD_ROW;
}

/* Returns the use of a field, whatever the other fields are. */
static enum use use_of_field(const struct field *field)
{
	if (!is_read(field))
		return USE_NONE;
	switch (field_role(field)) {
	case ROLE_LABEL:
		return USE_LABEL;
	case ROLE_TASK:
		return is_text(field) ? USE_LABEL : USE_NONE;
	case ROLE_COUNTER:
		return USE_COUNTER;
	case ROLE_VALUE:
	case ROLE_DURATION:
		return is_list(field) ? USE_NONE : USE_GAUGE;
	case ROLE_SUMMARY:
		return USE_SUMMARY;
	case ROLE_HISTOGRAM:
		return USE_HISTOGRAM;
	default:
		return USE_NONE;
	}
}

static bool is_histogram(enum use use)
{
	return use == USE_HISTOGRAM || use == USE_SUMMARY;
}

/* True if the rows have a histogram: the other numbers are derived from it. */
static bool has_histogram(const struct schema *schema)
{
	for (size_t i = 0; i < schema->n; i++)
		if (is_histogram(use_of_field(&schema->fields[i])))
			return true;
	return false;
}

static enum use use_of(const struct metrics_rows *rows, size_t i)
{
	enum use use = use_of_field(&rows->schema->fields[i]);

	if ((use == USE_COUNTER || use == USE_GAUGE) && has_histogram(rows->schema))
		return USE_NONE;
	return use;
}

/* --- what cannot be exported --- */

static const char *refusal(const struct field *field)
{
	switch (field_role(field)) {
	case ROLE_TASK:
		return is_text(field) ? NULL : "there would be new series with each process or thread";
	case ROLE_STACK:
		return "it is a stack";
	default:
		return field->type == FIELD_ADDRESS ? "there would be new series with each address" : NULL;
	}
}

/* Labels become valid names when they are added: compares them as they will be. */
static bool same_name(const char *a, const char *b)
{
	__str struct str first = {}, second = {};

	metrics_add_name(&first, a);
	metrics_add_name(&second, b);
	return str_same(first.data, second.data);
}

static int check_label(const struct metrics_rows *rows, size_t i, struct err *err)
{
	const struct field *fields = rows->schema->fields;

	for (size_t k = 0; k < i; k++)
		if (use_of(rows, k) == USE_LABEL && same_name(fields[k].key, fields[i].key))
			return err_set(err, -EINVAL, "two labels would be called %s", fields[i].key);
	if (same_name(fields[i].key, "other") || same_name(fields[i].key, "le"))
		return err_set(err, -EINVAL, "no label can be called %s: it has a meaning of its own", fields[i].key);
	return 0;
}

int metrics_rows_check(const struct metrics_rows *rows, struct err *err)
{
	bool has_number = false;

	for (size_t i = 0; i < rows->schema->n; i++) {
		const struct field *field = &rows->schema->fields[i];
		const char *why = is_read(field) ? refusal(field) : NULL;
		enum use use = use_of(rows, i);
		int ret = use == USE_LABEL ? check_label(rows, i, err) : 0;

		if (why)
			return err_set(err, -EINVAL, "%s cannot be a label: %s", field->key, why);
		if (ret)
			return ret;
		has_number |= use != USE_NONE && use != USE_LABEL;
	}
	return has_number ? 0 : err_set(err, -EINVAL, "there is no number to export");
}

/* --- families --- */

static bool ends_with(const struct str *s, const char *end)
{
	size_t n = strlen(end);

	return s->len >= n && !memcmp(s->data + s->len - n, end, n);
}

/* Removes an end of a name that the name gets again, or that its unit replaces. */
static void cut(struct str *s, const char *end)
{
	if (!ends_with(s, end))
		return;
	s->len -= strlen(end);
	s->data[s->len] = '\0';
}

static const char *unit_of(const struct field *field)
{
	return field->type == FIELD_DURATION ? "seconds" : field->type == FIELD_BYTES ? "bytes"
										      : NULL;
}

/* True if the key names the main number of a row: the family has no name of its own. */
static bool is_main(const char *key)
{
	return !strcmp(key, "count") || !strcmp(key, "histogram");
}

/* Formats append these to names of counters and histograms: no other family may end so, or two would have one name. */
static bool is_reserved(const struct str *name)
{
	static const char *const ends[] = { "_total", "_count", "_sum", "_bucket", "_created", "_info" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

static void make_name(struct str *name, const struct metrics_rows *rows, size_t i, const char *unit)
{
	const char *key = rows->schema->fields[i].key;
	bool counts = use_of(rows, i) == USE_COUNTER;
	__str struct str end = {};

	str_add(name, rows->base);
	if (counts || !is_main(key))
		cut(name, "_total");
	if (!is_main(key)) {
		str_addc(name, '_');
		metrics_add_name(name, key);
		cut(name, "_ns");
	}
	if (unit) {
		str_addf(&end, "_%s", unit);
		cut(name, end.data);
		str_add(name, end.data);
	} else if (!counts && is_reserved(name)) {
		str_add(name, "_value");
	}
}

static void make_info(struct metrics_info *info, struct str *name, const struct metrics_rows *rows, size_t i)
{
	static const enum metrics_type types[] = {
		[USE_COUNTER] = METRICS_COUNTER,
		[USE_GAUGE] = METRICS_GAUGE,
		[USE_SUMMARY] = METRICS_SUMMARY,
		[USE_HISTOGRAM] = METRICS_HISTOGRAM,
	};
	const char *unit = unit_of(&rows->schema->fields[i]);

	make_name(name, rows, i, unit);
	*info = (struct metrics_info){ name->data, unit, rows->help, types[use_of(rows, i)] };
}

void metrics_rows_each(const struct metrics_rows *rows, metrics_rows_fn fn, void *ctx)
{
	__str struct str labels = {};

	for (size_t i = 0; i < rows->schema->n; i++)
		if (use_of(rows, i) == USE_LABEL) {
			str_add(&labels, labels.len ? "," : "");
			metrics_add_name(&labels, rows->schema->fields[i].key);
		}
	for (size_t i = 0; i < rows->schema->n; i++) {
		__str struct str name = {};
		enum use use = use_of(rows, i);
		struct metrics_info info;

		if (use == USE_NONE || use == USE_LABEL)
			continue;
		make_info(&info, &name, rows, i);
		fn(&info, str_or_empty(labels.data), ctx);
	}
}

/* Finds the family of each field once for all rows that come one after the other. */
static void find_families(struct metrics *page, const struct metrics_rows *rows)
{
	if (page->fields.schema == rows->schema && !strcmp(page->fields.base.data, rows->base))
		return;
	page->fields.schema = rows->schema;
	str_reset(&page->fields.base);
	str_add(&page->fields.base, rows->base);
	page->fields.n = 0;
	for (size_t i = 0; i < rows->schema->n; i++) {
		size_t *family = vec_push(&page->fields);
		__str struct str name = {};
		enum use use = use_of(rows, i);
		struct metrics_info info;

		*family = METRICS_NO_FAMILY;
		if (use == USE_NONE || use == USE_LABEL)
			continue;
		make_info(&info, &name, rows, i);
		*family = metrics_family(page, &info);
	}
}

/* --- rows --- */

struct adding {
	struct metrics *page;
	const struct metrics_rows *rows;
	const void *row;
	enum metrics_whose whose;
	struct str room, text;
};

static void add_label(struct adding *adding, const struct field *field)
{
	struct value value;

	value_read(&value, field, adding->row, adding->rows->ctx, &adding->room);
	if (value.type == VALUE_TEXT) {
		metrics_label(adding->page, field->key, value.at, value.n);
		return;
	}
	if (value.type == VALUE_NULL)
		return;
	str_reset(&adding->text);
	if (value.type == VALUE_BOOL)
		str_add(&adding->text, value.bits ? "true" : "false");
	else if (value.type == VALUE_U64 || value.type == VALUE_S64)
		value_add_number(&adding->text, &value, 0);
	metrics_label(adding->page, field->key, str_or_empty(adding->text.data), adding->text.len);
}

static void begin(struct adding *adding, size_t family)
{
	const struct schema *schema = adding->rows->schema;

	metrics_begin(adding->page, family, adding->rows->created);
	for (size_t i = 0; adding->whose == METRICS_KEY && i < schema->n; i++)
		if (use_of_field(&schema->fields[i]) == USE_LABEL)
			add_label(adding, &schema->fields[i]);
	if (adding->whose != METRICS_KEY)
		metrics_label(adding->page, "other", "true", strlen("true"));
}

static struct metrics_number number_of(const struct field *field, const struct value *value)
{
	if (value->type == VALUE_REAL)
		return metrics_real(value->real);
	if (value->type == VALUE_S64)
		return metrics_s64(value->bits);
	return field->type == FIELD_DURATION ? metrics_seconds(value->bits) : metrics_u64(value->bits);
}

static void set_hist(struct adding *adding, const struct field *field, enum metrics_type type,
		     const struct hist_row *row)
{
	const struct metrics_scale scale = {
		.hist = row->hist,
		.seconds = field->type == FIELD_DURATION,
		.range = adding->rows->range,
	};

	if (type == METRICS_HISTOGRAM)
		metrics_set_histogram(adding->page, &scale, row->cells);
	else
		metrics_set_summary(adding->page, hist_count(row->hist, row->cells),
				    metrics_hist_sum(row->hist, scale.seconds, row->cells));
}

static void add_field(struct adding *adding, size_t i, size_t family)
{
	const struct field *field = &adding->rows->schema->fields[i];
	__str struct str room = {};
	struct value value;

	value_read(&value, field, adding->row, adding->rows->ctx, &room);
	if (value.type == VALUE_NULL)
		return;
	if (adding->whose == METRICS_OF_OTHER && adding->page->v[family].info.type == METRICS_GAUGE)
		return;
	begin(adding, family);
	if (value.type == VALUE_HIST)
		set_hist(adding, field, adding->page->v[family].info.type, value.at);
	else
		metrics_set(adding->page, number_of(field, &value));
}

void metrics_rows_add(struct metrics *page, const struct metrics_rows *rows, const void *row, enum metrics_whose whose)
{
	struct adding adding = { page, rows, row, whose };

	find_families(page, rows);
	for (size_t i = 0; i < rows->schema->n; i++)
		if (page->fields.v[i] != METRICS_NO_FAMILY)
			add_field(&adding, i, page->fields.v[i]);
	str_release(&adding.room);
	str_release(&adding.text);
}
