// SPDX-License-Identifier: BSD-2-Clause
/* Prints rows as columns for people. Knows widths, headings, and how wide a character is. */
#include "address.h"
#include "clock.h"
#include "folded.h"
#include "printer.h"
#include "words.h"

/* The least width of a column that is cut, however narrow the terminal. */
#define CUT_LEAST 12
/* In front of frames, unless the field's title says otherwise. */
#define STACK_INDENT "    "

/*
 * Pads the text that was appended since `start` to a column: with spaces in front of it, or after it if another column
 * follows.
 */
static void pad(struct str *s, size_t start, int width, bool last)
{
	size_t least = width < 0 ? -width : width, len = s->len - start, columns, spaces;

	if (width < 0 && last)
		return;
	columns = str_columns(s->data + start, len);
	spaces = columns < least ? least - columns : 0;
	str_add_fill(s, ' ', spaces);
	if (width >= 0 && spaces) {
		memmove(s->data + start + spaces, s->data + start, len);
		memset(s->data + start, ' ', spaces);
	}
}

static void add_duration(struct str *s, uint64_t ns, enum field_unit unit, int decimals)
{
	static const uint64_t scales[] = { [UNIT_US] = 1000, [UNIT_MS] = 1000000, [UNIT_SECONDS] = 1000000000 };
	uint64_t scale = unit < ARRAY_SIZE(scales) && scales[unit] ? scales[unit] : 1;
	uint64_t whole = ns / scale, tens = 1, part;

	for (int i = 0; i < decimals; i++)
		tens *= 10;
	part = (ns % scale * tens + scale / 2) / scale;
	str_add_u64(s, whole + part / tens);
	if (decimals)
		str_addf(s, ".%0*llu", decimals, (unsigned long long)(part % tens));
}

static void add_bytes(struct str *s, uint64_t bytes, enum field_unit unit)
{
	const char *units = "KMGT", *letter = "";
	double value = bytes;

	if (unit != UNIT_SHORT) {
		str_add_u64(s, unit == UNIT_KB ? bytes / 1024 : bytes);
		return;
	}
	for (; value >= 999.5 && *units; value /= 1024)
		letter = units++;
	str_addf(s, "%.*f%.1s", *letter && value < 9.95, value, letter);
}

static void add_wall(struct str *s, uint64_t ns, int decimals)
{
	clock_add_time(s, ns);
	if (decimals)
		clock_add_fraction(s, ns, decimals);
}

static void add_number(struct str *s, const struct field *field, const struct value *value, const struct output_clock *clock)
{
	uint64_t bits = value->bits;

	switch (field->type) {
	case FIELD_TIME:
		add_wall(s, bits + clock->wall_offset, field->decimals);
		break;
	case FIELD_ELAPSED:
		clock_add_seconds(s, bits > clock->began ? bits - clock->began : 0, 6);
		break;
	case FIELD_DURATION:
		add_duration(s, bits, field->unit, field->decimals);
		break;
	case FIELD_BYTES:
		add_bytes(s, bits, field->unit);
		break;
	case FIELD_SIGNAL:
		if (!words_add_signal(s, bits))
			str_add(s, field->absent ? field->absent : "unknown");
		break;
	default:
		if (field->base)
			str_addf(s, field->base == 8 ? "%s%0*llo" : "%s%0*llx", str_or_empty(field->prefix), field->digits,
				 (unsigned long long)bits);
		else
			value_add_number(s, value, field->decimals);
	}
}

static void add_value(struct str *s, const struct field *field, struct value *value, const struct output *out);

static void add_list(struct str *s, const struct field *field, struct value *list, const struct output *out)
{
	bool first = true;
	struct value item;

	for (; value_next(list, &item); first = false) {
		if (!first)
			str_add(s, field->separator ? field->separator : " ");
		if (list->quoted && item.type == VALUE_TEXT)
			str_add_shell(s, item.at, item.n);
		else
			add_value(s, field, &item, out);
	}
}

static void add_value(struct str *s, const struct field *field, struct value *value, const struct output *out)
{
	switch (value->type) {
	case VALUE_HIST:
	case VALUE_NULL:
		str_add(s, field->absent ? field->absent : "-");
		break;
	case VALUE_BOOL:
	case VALUE_ROW: /* for programs: people have columns of their own */
		json_add_value(s, field, value, out);
		break;
	case VALUE_U64:
	case VALUE_S64:
	case VALUE_REAL:
		add_number(s, field, value, &out->clock);
		break;
	case VALUE_TEXT:
		str_add_shown(s, value->at, value->n);
		break;
	case VALUE_ADDRESS:
		address_add(s, value->version, value->at);
		break;
	case VALUE_LIST:
		add_list(s, field, value, out);
		break;
	case VALUE_STACK:
		folded_add_stack(s, value->at, value->n);
		break;
	}
	if (value->more)
		str_add(s, value->more);
}

void output_add_text(struct str *s, const struct field *field, const void *row, const void *ctx)
{
	const struct output nowhere = {};
	__str struct str room = {};
	struct value value;

	value_read(&value, field, row, ctx, &room);
	add_value(s, field, &value, &nowhere);
}

static bool is_column(const struct field *field)
{
	return !field->data_only && !field->hidden;
}

/* Cuts a line to the width of the terminal. A character takes at most two columns, so only a few ends must be tried. */
static void cut(struct str *s, size_t start, size_t columns)
{
	if (s->len - start > 4 * columns)
		s->len = start + 4 * columns;
	while (str_columns(s->data + start, s->len - start) > columns)
		do
			s->len--;
		while ((s->data[s->len] & 0xc0) == 0x80);
	s->data[s->len] = 0;
}

/* Returns the bytes of the first character; text is valid UTF-8. */
static size_t char_len(const char *text, const char *end)
{
	size_t n = 1;

	while (text + n < end && (text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Returns where the first n columns end. */
static const char *after_columns(const char *text, const char *end, size_t n)
{
	while (text < end) {
		size_t len = char_len(text, end), columns = str_columns(text, len);

		if (columns > n)
			break;
		n -= columns;
		text += len;
	}
	return text;
}

/* Cuts a column's text, without its padding, in the middle: its two ends are the most useful parts. */
static void add_cut(struct str *s, const char *text, const char *end, size_t columns)
{
	static const char gap[] = "...";
	size_t ends = columns - (sizeof(gap) - 1), have;

	while (end > text + 1 && end[-1] == ' ')
		end--;
	have = str_columns(text, end - text);
	if (have <= columns) {
		str_addn(s, text, end - text);
		return;
	}
	str_addn(s, text, after_columns(text, end, ends - ends / 2) - text);
	str_add(s, gap);
	text = after_columns(text, end, have - ends / 2);
	/* drop a wide character that crosses the edge */
	if (str_columns(text, end - text) > ends / 2)
		text += char_len(text, end);
	str_addn(s, text, end - text);
}

/* Shortens a line that is too long for the terminal in one column, len bytes at `from`. */
static void shorten(struct str *s, size_t line, size_t from, size_t len, size_t width)
{
	size_t all = str_columns(s->data + line, s->len - line), columns = str_columns(s->data + from, len);
	size_t over = all > width ? all - width : 0, left = columns > over + CUT_LEAST ? columns - over : CUT_LEAST, used;
	struct str shorter __str = {};
	const char *end = s->data + from + len;
	bool last = from + len == s->len;

	if (!over || columns <= CUT_LEAST)
		return;
	add_cut(&shorter, s->data + from, end, left);
	used = str_columns(shorter.data, shorter.len);
	str_add_fill(&shorter, ' ', last || used >= left ? 0 : left - used);
	str_addn(&shorter, end, s->data + s->len - end);
	s->len = from;
	str_addn(s, shorter.data, shorter.len);
}

static void add_field(struct output *out, const struct field *field, const void *row)
{
	struct value value;

	value_read(&value, field, row, out->ctx, &out->room);
	add_value(&out->buf, field, &value, out);
}

/* Prints one line; row NULL: the headings. */
static void add_line(struct output *out, const void *row)
{
	size_t line = out->buf.len, cut_from = 0, cut_len = 0;

	for (size_t i = 0; i < out->printed.n; i++) {
		const struct field *field = out->printed.v[i].field;
		size_t start;

		if (i)
			str_addc(&out->buf, ' ');
		start = out->buf.len;
		if (row)
			add_field(out, field, row);
		else
			str_add(&out->buf, field->title);
		pad(&out->buf, start, field->width, i + 1 == out->printed.n);
		if (field->may_cut) {
			cut_from = start;
			cut_len = out->buf.len - start;
		}
	}
	if (out->width && cut_len)
		shorten(&out->buf, line, cut_from, cut_len, out->width);
	if (out->columns)
		cut(&out->buf, line, out->columns);
	str_addc(&out->buf, '\n');
}

/* " [kernel]", " [libc.so.6]" */
static void add_module(struct output *out, const struct frame *frame)
{
	const char *file = frame->file ? frame->file : frame->kind == FRAME_KERNEL ? "kernel"
										   : NULL;

	if (!file)
		return;
	file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	str_add(&out->buf, *file == '[' ? " " : " [");
	str_add_shown(&out->buf, file, strlen(file));
	str_add(&out->buf, *file == '[' ? "" : "]");
}

static void add_frame(struct output *out, const struct field *field, const struct frame *frame)
{
	bool modules = field->style && field->style->modules;

	str_add(&out->buf, field->title ? field->title : STACK_INDENT);
	if (field->style && field->style->addresses)
		str_addf(&out->buf, modules ? "%16llx " : "%-16llx ", (unsigned long long)frame->address);
	str_add_shown(&out->buf, frame->name, strlen(frame->name));
	if (field->style && field->style->offsets && frame->start)
		str_addf(&out->buf, "+0x%llx", (unsigned long long)(frame->address - frame->start));
	if (field->style && field->style->annotated && frame->kind == FRAME_KERNEL)
		str_add(&out->buf, "_[k]");
	if (modules)
		add_module(out, frame);
	str_addc(&out->buf, '\n');
}

/* Adds the lines of a stack. above: the stack field above it, and how many frames that has; NULL: none. */
static void add_frames(struct output *out, const struct field *field, const struct value *value,
		       const struct field *above, size_t n_above)
{
	const struct frame *const *frames = value->at;
	size_t n = value->type == VALUE_STACK ? value->n : 0;

	if (above && above->reversed && !field->reversed)
		str_addf(&out->buf, STACK_INDENT "%-16s %s\n", "--", "--");
	else if (n && n_above && field->style && field->style->delimiter)
		str_addf(&out->buf, STACK_INDENT "%s\n", field->style->delimiter);
	for (size_t i = 0; i < n; i++)
		add_frame(out, field, frames[field->reversed ? n - 1 - i : i]);
}

/* Prints fields below each other: of a stacked schema all, else stacks only. */
static void add_block(struct output *out, const void *row)
{
	const struct field *above = NULL;
	size_t n_above = 0;

	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];
		struct value value;

		if (!is_column(field) || (!out->schema->stacked && field->type != FIELD_STACK))
			continue;
		value_read(&value, field, row, out->ctx, &out->room);
		if (field->type == FIELD_STACK) {
			add_frames(out, field, &value, above, n_above);
			above = field;
			n_above = value.type == VALUE_STACK ? value.n : 0;
		} else if (value.type != VALUE_NULL) {
			str_add(&out->buf, str_or_empty(field->title));
			add_value(&out->buf, field, &value, out);
			str_addc(&out->buf, '\n');
		}
	}
	if (out->schema->stacked)
		str_addc(&out->buf, '\n');
}

/* Prints dashes as wide as the least width of each column. */
static void text_rule(struct output *out)
{
	for (size_t i = 0; i < out->printed.n; i++) {
		const struct field *field = out->printed.v[i].field;

		if (i)
			str_addc(&out->buf, ' ');
		str_add_fill(&out->buf, '-', field->width < 0 ? -field->width : field->width);
	}
	str_addc(&out->buf, '\n');
}

static void add_stamp(struct str *s, const struct output_stamp *stamp)
{
	if (stamp->show_wall)
		clock_add_time(s, stamp->wall_ns);
	if (stamp->show_wall && stamp->show_since)
		str_addc(s, ' ');
	if (stamp->show_since)
		clock_add_seconds(s, stamp->since_ns, 6);
	if (stamp->show_wall || stamp->show_since)
		str_addc(s, '\n');
}

static void choose_columns(struct output *out)
{
	out->printed.n = 0;
	out->has_block = out->schema->stacked;
	for (size_t i = 0; i < out->schema->n; i++) {
		const struct field *field = &out->schema->fields[i];

		if (!is_column(field))
			continue;
		if (field->type == FIELD_STACK)
			out->has_block = true;
		else
			vec_push(&out->printed)->field = field;
	}
}

static void text_begin(struct output *out, const struct output_stamp *stamp, bool first)
{
	choose_columns(out);
	if (!first)
		str_addc(&out->buf, '\n');
	if (stamp)
		add_stamp(&out->buf, stamp);
	if (out->schema->draw || out->schema->stacked)
		return;
	add_line(out, NULL);
	if (out->schema->ruled)
		text_rule(out);
	if (out->columns && out->lines)
		out->lines--;
}

static void text_row(struct output *out, const void *row)
{
	if (out->schema->draw) {
		out->schema->draw(&out->buf, row);
		return;
	}
	if (out->columns) {
		if (!out->lines)
			return;
		out->lines--;
	}
	if (!out->schema->stacked)
		add_line(out, row);
	if (out->has_block)
		add_block(out, row);
}

const struct printer printer_text = { .begin = text_begin, .row = text_row, .rule = text_rule };
