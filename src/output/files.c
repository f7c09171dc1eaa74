// SPDX-License-Identifier: BSD-2-Clause
/* Adds rows to the stacks that files get. Knows which fields make a stack and what its weight is, but no format. */
#include "files.h"
#include "printer.h"

/* What stands in a stack where there is no frame. */
static const struct frame no_stack = { .name = "[no stack]", .kind = FRAME_MARK };

/* A row while it is read: the stack with and without tasks and delimiters, the root first, and what its fields say. */
struct reading {
	struct files *files;
	const void *row, *ctx;
	uint32_t node, exact;
	const struct field *above; /* the stack field before, towards the root */
	size_t n_above;
	struct str room;
	vec(struct files_label) labels;
	struct tree_sum sum;
	bool has_count, has_time;
};

static void add_node(struct reading *reading, const struct frame *frame)
{
	struct tree *tree = &reading->files->tree;

	reading->node = tree_add(tree, reading->node, tree_frame(tree, frame));
}

static void add_mark(struct reading *reading, const char *name)
{
	const struct frame mark = { .name = name, .kind = FRAME_MARK };

	/* the name is constant or an option's value */
	add_node(reading, &mark);
}

static void add_task(struct reading *reading, const struct field *field)
{
	struct tree *tree = &reading->files->tree;
	struct value value;

	value_read(&value, field, reading->row, reading->ctx, &reading->room);
	if (value.type == VALUE_TEXT)
		add_node(reading, tree_named(tree, FRAME_MARK, value.at, value.n));
}

static void add_stack(struct reading *reading, const struct field *field)
{
	const struct frame_style *style = field->style;
	const struct frame *const *frames;
	struct value value;

	value_read(&value, field, reading->row, reading->ctx, &reading->room);
	if (value.type != VALUE_STACK)
		value.n = 0;
	frames = value.at;
	if (reading->above && field->reversed && !reading->above->reversed)
		add_mark(reading, "--");
	else if (value.n && reading->n_above && style && style->delimiter)
		add_mark(reading, style->delimiter);
	for (size_t i = 0; i < value.n; i++) {
		const struct frame *frame = frames[field->reversed ? i : value.n - 1 - i];

		add_node(reading, frame);
		if (reading->files->has_samples)
			reading->exact = tree_add(&reading->files->exact, reading->exact, frame);
	}
	reading->above = field;
	reading->n_above = value.n;
	reading->files->annotated |= style && style->annotated;
}

static bool is_text(const struct field *field)
{
	return field->type == FIELD_STR || field->type == FIELD_CHARS;
}

static bool is_task_name(const struct field *field)
{
	return !field->text_only && field_role(field) == ROLE_TASK && is_text(field);
}

/* From the root on: see files.h. */
static void read_stack(struct reading *reading, const struct schema *schema)
{
	const struct field *field;

	for (field = schema->fields; !schema->stacked && field < schema->fields + schema->n; field++)
		if (is_task_name(field)) {
			add_task(reading, field);
			break;
		}
	for (field = schema->fields + schema->n; field-- > schema->fields;) {
		if (field->type == FIELD_STACK)
			add_stack(reading, field);
		else if (schema->stacked && is_task_name(field))
			add_task(reading, field);
	}
	if (!reading->node)
		add_node(reading, &no_stack);
	if (!reading->exact && reading->files->has_samples)
		reading->exact = tree_add(&reading->files->exact, 0, &no_stack);
}

static uint32_t add_string(struct files *files, const char *text, size_t n)
{
	__str struct str copy = {};

	str_addn(&copy, text, n);
	return set_add(&files->strings, copy.data, n + 1);
}

static void read_label(struct reading *reading, const struct field *field, const struct value *value)
{
	struct files *files = reading->files;
	struct files_label *label;

	if (!files->has_samples || (value->type != VALUE_TEXT && value->type != VALUE_U64 && value->type != VALUE_S64))
		return;
	label = vec_push(&reading->labels);
	label->key = add_string(files, field->key, strlen(field->key));
	if (value->type == VALUE_TEXT)
		label->text = add_string(files, value->at, value->n);
	else
		label->number = value->bits;
}

static void read_field(struct reading *reading, const struct field *field)
{
	enum field_role role = field_role(field);
	struct value value;

	if (field->text_only || (role != ROLE_TASK && role != ROLE_COUNTER && role != ROLE_DURATION))
		return;
	value_read(&value, field, reading->row, reading->ctx, &reading->room);
	if (role == ROLE_TASK) {
		read_label(reading, field, &value);
	} else if (role == ROLE_COUNTER && !reading->has_count) {
		reading->sum.count = value.type == VALUE_U64 ? value.bits : 0;
		reading->has_count = true;
	} else if (role == ROLE_DURATION && !reading->has_time) {
		reading->sum.ns = value.type == VALUE_U64 ? value.bits : 0;
		reading->has_time = true;
	}
}

static void read_sum(struct reading *reading, const struct schema *schema)
{
	/* the empty string is number 0 */
	add_string(reading->files, "", 0);
	for (size_t i = 0; i < schema->n; i++)
		read_field(reading, &schema->fields[i]);
	if (!reading->has_count)
		reading->sum.count = 1;
}

static void add_sum(struct tree_sum *to, const struct tree_sum *sum)
{
	to->count += sum->count;
	to->ns += sum->ns;
}

static void add_sample(struct reading *reading)
{
	struct files *files = reading->files;
	uint32_t labels = set_add(&files->label_set, reading->labels.v, reading->labels.n * sizeof(*reading->labels.v));
	const uint32_t key[] = { reading->exact, labels };
	uint32_t number = set_add(&files->sample_set, key, sizeof(key));

	if (number == files->samples.n)
		*vec_push(&files->samples) = (struct files_sample){ .node = reading->exact, .labels = labels };
	add_sum(&files->samples.v[number].sum, &reading->sum);
}

static bool has_stack(const struct schema *schema)
{
	for (size_t i = 0; i < schema->n; i++)
		if (schema->fields[i].type == FIELD_STACK)
			return true;
	return false;
}

void files_row(struct files *files, const struct schema *schema, const void *row, const void *ctx)
{
	struct reading reading = { .files = files, .row = row, .ctx = ctx };

	if (!has_stack(schema))
		return;
	read_stack(&reading, schema);
	read_sum(&reading, schema);
	add_sum(&files->tree.v[reading.node].self, &reading.sum);
	if (files->has_samples)
		add_sample(&reading);
	str_release(&reading.room);
	free(reading.labels.v);
}

uint64_t files_time(const struct files *files, const struct tree_sum *sum)
{
	return sum->ns ? sum->ns : sum->count * files->about.period_ns;
}

uint64_t files_weight(const struct files *files, const struct tree_sum *sum)
{
	return files->about.by_time ? files_time(files, sum) / 1000 : sum->count;
}

const char *files_unit(const struct files *files)
{
	return files->about.by_time ? "microseconds" : files->about.counts;
}
