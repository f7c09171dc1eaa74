// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts by key, which become rows: keys whose stacks have the same names are one row. Output files get each key by
 * itself, with the addresses of its own frames.
 */
#include "base/report.h"
#include "base/clock.h"
#include "output/baseline.h"
#include "stacks_part.h"

/* --- counts --- */

static struct stacks_entry *entry_of(struct stacks *stacks, const struct stack_key *key)
{
	uint32_t number = set_add(&stacks->keys, key, sizeof(*key));

	if (number == stacks->entries.n)
		vec_push(&stacks->entries);
	return &stacks->entries.v[number];
}

void stacks_add(struct stacks *stacks, const struct stack_key *key, uint64_t count, uint64_t ns)
{
	struct stacks_entry *entry = entry_of(stacks, key);

	entry->count += count;
	entry->ns += ns;
}

void stacks_set(struct stacks *stacks, const struct stack_key *key, uint64_t count, uint64_t ns)
{
	struct stacks_entry *entry = entry_of(stacks, key);

	entry->count = count;
	entry->ns = ns;
}

const struct stack_key *stacks_counted(const struct stacks *stacks, size_t i, uint64_t *count, uint64_t *ns)
{
	if (i >= stacks->entries.n)
		return NULL;
	*count = stacks->entries.v[i].count;
	*ns = stacks->entries.v[i].ns;
	return stacks->keys.v[i].bytes;
}

struct files *stacks_files(struct stacks *stacks)
{
	return &stacks->files;
}

/* --- rows --- */

/*
 * Rows are the same if their stacks have the same names and all else is the same. The parts of such a key: a number for
 * each frame, which frames of one name share; then the key without the ids of its stacks.
 */
struct merge {
	bool exact;	       /* places are shown: frames are the same only if their addresses are */
	struct set names;      /* a byte for the kind, and the name */
	struct set frames;     /* addresses of frames */
	vec(uint32_t) name_of; /* a frame's number to the name's */
	struct str key;
	struct set rows;
	struct stacks_rows {
		vec(struct stacks_row);
	} list;
};

static bool shows_places(const struct stacks *stacks)
{
	return stacks->style.addresses || stacks->style.offsets;
}

static void merge_release(struct merge *merge)
{
	set_release(&merge->names);
	set_release(&merge->frames);
	set_release(&merge->rows);
	free(merge->name_of.v);
	free(merge->list.v);
	str_release(&merge->key);
}

static uint32_t name_of(struct merge *merge, const struct frame *frame)
{
	uint32_t number = set_add(&merge->frames, &frame, sizeof(frame));

	if (number == merge->name_of.n) {
		__str struct str text = {};

		str_addc(&text, 'a' + frame->kind);
		str_add(&text, frame->name);
		*vec_push(&merge->name_of) = set_add(&merge->names, text.data, text.len);
	}
	return merge->exact ? number : merge->name_of.v[number];
}

static void add_part(struct merge *merge, const struct frame_stack *part)
{
	uint32_t n = part->n;

	str_addn(&merge->key, (const char *)&n, sizeof(n));
	for (size_t i = 0; i < part->n; i++) {
		n = name_of(merge, part->frames[i]);
		str_addn(&merge->key, (const char *)&n, sizeof(n));
	}
}

static struct stacks_row row_of(struct stacks *stacks, const struct stack_key *key)
{
	struct stacks_named stack = stacks_named(stacks, key->stack), other = {};

	if (key->other)
		other = stacks_named(stacks, key->other);
	return (struct stacks_row){
		.kernel = stack.kernel,
		.user = stack.user,
		.other_kernel = other.kernel,
		.other_user = other.user,
		.key = *key,
	};
}

static void add_row(struct merge *merge, const struct stacks_row *row)
{
	struct stack_key rest = row->key;
	uint32_t number;

	rest.stack = rest.other = 0;
	str_reset(&merge->key);
	add_part(merge, &row->kernel);
	add_part(merge, &row->user);
	add_part(merge, &row->other_kernel);
	add_part(merge, &row->other_user);
	str_addn(&merge->key, (const char *)&rest, sizeof(rest));
	number = set_add(&merge->rows, merge->key.data, merge->key.len);
	if (number == merge->list.n) {
		*vec_push(&merge->list) = *row;
		return;
	}
	merge->list.v[number].count += row->count;
	merge->list.v[number].ns += row->ns;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_count(const void *pa, const void *pb)
{
	const struct stacks_row *a = pa, *b = pb;
	int ret = compare(a->count, b->count);

	return ret ? ret : strncmp(a->key.comm, b->key.comm, sizeof(a->key.comm));
}

static int by_time(const void *pa, const void *pb)
{
	int ret = compare(((const struct stacks_row *)pa)->ns, ((const struct stacks_row *)pb)->ns);

	return ret ? ret : by_count(pa, pb);
}

/* --- output --- */

void stacks_name_all(struct stacks *stacks)
{
	stacks_drain(stacks);
	stacks->hurried = stacks_name(stacks) == -EINTR || stacks->hurried;
}

/* What is new since the last table, of each key that has anything new. */
static void collect(struct stacks *stacks, struct merge *merge)
{
	struct engine_instance *instance = stacks->instance;

	for (size_t i = 0; i < stacks->entries.n; i++) {
		struct stacks_entry *entry = &stacks->entries.v[i];
		struct stacks_row row;

		if (entry->count == entry->printed && entry->ns == entry->printed_ns)
			continue;
		row = row_of(stacks, stacks->keys.v[i].bytes);
		row.count = entry->count - entry->printed;
		row.ns = entry->ns - entry->printed_ns;
		entry->printed = entry->count;
		entry->printed_ns = entry->ns;
		if (stacks->files.n)
			files_row(&stacks->files, stacks->top_of ? stacks->top_of : instance->schema, &row, NULL);
		if (!files_use_stdout(&stacks->files))
			add_row(merge, &row);
	}
	if (merge->list.n)
		qsort(merge->list.v, merge->list.n, sizeof(*merge->list.v),
		      stacks->source->by_time ? by_time : by_count);
}

void stacks_write_files(struct stacks *stacks)
{
	struct engine_context *ctx = stacks->instance->ctx;
	__str struct str note = {};

	stacks_add_note(stacks, &note);
	stacks->files.about.note = note.data;
	stacks->files.about.lasted_ns = clock_monotonic_ns() - ctx->began;
	stacks->files.about.began_ns = clock_wall_ns() - stacks->files.about.lasted_ns;
	stacks->files.about.period_ns = stacks->source->period ? *stacks->source->period : 0;
	vec_each(file, &stacks->files) {
		struct err err = {};

		/* what has no stacks, its owner writes */
		if (!file->format->add || !files_write(&stacks->files, file, &err))
			continue;
		report_err(&err, NULL);
		ctx->failed = true;
	}
	stacks->files.about.note = NULL;
}

void stacks_print(struct stacks *stacks, bool last)
{
	__cleanup(merge_release) struct merge merge = { .exact = shows_places(stacks) };
	struct engine_instance *instance = stacks->instance;

	stacks_name_all(stacks);
	collect(stacks, &merge);
	if (!files_use_stdout(&stacks->files)) {
		engine_table_begin(instance);
		if (stacks->settings->top)
			stacks_functions_print(stacks, merge.list.v, merge.list.n);
		vec_each(row, &merge.list)
			if (!stacks->settings->top)
				output_row(instance->ctx->out, row);
		output_table_end(instance->ctx->out);
	}
	if (last)
		stacks_write_files(stacks);
}

int stacks_snapshot(struct stacks *stacks, engine_row_fn fn, void *ctx)
{
	__cleanup(merge_release) struct merge merge = { .exact = shows_places(stacks) };

	stacks_name_all(stacks);
	for (size_t i = 0; i < stacks->entries.n; i++) {
		struct stacks_row row = row_of(stacks, stacks->keys.v[i].bytes);

		row.count = stacks->entries.v[i].count;
		row.ns = stacks->entries.v[i].ns;
		add_row(&merge, &row);
	}
	vec_each(row, &merge.list)
		fn(row, ctx);
	return 0;
}

/* --- begin and end --- */

int stacks_add_file(struct stacks *stacks, const struct file_format *format, const char *name, struct err *err)
{
	static const char either[] =
		"stdout gets either a table (--json, --csv) or a file (-f, or FILE is -): choose one";
	struct engine_context *ctx = stacks->instance->ctx;
	int ret = name ? files_add(&stacks->files, format, name, stacks->settings->overwrite, err) : 0;

	if (!ret && files_use_stdout(&stacks->files) && !output_is_text(ctx->out))
		ret = err_set(err, -EINVAL, "%s", either);
	ctx->usage |= ret == -EINVAL;
	return ret;
}

static int add_files(struct stacks *stacks, struct err *err)
{
	const struct stacks_settings *settings = stacks->settings;
	int ret;

	if (settings->compare && !settings->flame) {
		stacks->instance->ctx->usage = true;
		return err_set(err, -EINVAL, "--compare compares flame graphs: add --flame FILE");
	}
	ret = stacks_add_file(stacks, &file_folded, settings->folded, err);
	if (!ret && settings->fold)
		ret = stacks_add_file(stacks, &file_folded, "-", err);
	if (!ret)
		ret = stacks_add_file(stacks, &file_flame, settings->flame, err);
	if (!ret && settings->compare)
		ret = baseline_open(&stacks->files, settings->compare, err);
	if (!ret)
		ret = stacks_add_file(stacks, &file_pprof, settings->pprof, err);
	if (!ret)
		ret = stacks_add_file(stacks, &file_speedscope, settings->speedscope, err);
	return ret;
}

/* Addresses, delimiters and annotations are options: stack fields get them in the instance's own schema. */
static void choose_style(struct stacks *stacks)
{
	const struct stacks_settings *settings = stacks->settings;
	struct field *fields = engine_own_fields(stacks->instance);

	stacks->style.addresses = stacks->instance->ctx->verbose || settings->addresses;
	stacks->style.offsets = settings->offsets;
	stacks->style.modules = settings->modules;
	stacks->style.annotated = stacks->files.annotated = settings->annotated;
	if (settings->delimited && !settings->user_only && !settings->kernel_only)
		stacks->style.delimiter = "--";
	for (size_t i = 0; i < stacks->instance->schema->n; i++)
		if (fields[i].type == FIELD_STACK)
			fields[i].style = &stacks->style;
}

int stacks_table_open(struct stacks *stacks, struct err *err)
{
	stacks->files.about = (struct files_about){
		.title = stacks->instance->ctx->title,
		.counts = stacks->source->counts,
		.times = stacks->source->times,
		.by_time = stacks->source->by_time,
	};
	if (stacks->settings->top && stacks->instance->ctx->metrics)
		return err_set(err, -EINVAL, "--top is a table: an exporter has the stacks");
	if (stacks->settings->top) {
		stacks->top_of = stacks->instance->schema;
		stacks->instance->schema = stacks_functions_schema(stacks);
	}
	choose_style(stacks);
	stacks->instance->ctx->hurries = true;
	return add_files(stacks, err);
}

void stacks_table_release(struct stacks *stacks)
{
	files_release(&stacks->files);
	set_release(&stacks->keys);
	free(stacks->entries.v);
}
