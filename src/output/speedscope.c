// SPDX-License-Identifier: BSD-2-Clause
/*
 * speedscope's file format (https://www.speedscope.app/file-format-schema.json): a table of frames, and one "sampled"
 * profile, whose samples are the distinct stacks, from the root to the innermost frame, each with its weight.
 */
#include "files.h"

/* The schema knows units of time; a count has none. */
static const char *unit_of(const struct files *files)
{
	return files->about.by_time ? "microseconds" : "none";
}

static void add_key(struct str *s, const char *key, const char *text)
{
	str_addf(s, "\"%s\":", key);
	str_add_json(s, text, strlen(text));
}

static void add_frame(struct str *s, const struct frame *frame)
{
	str_addc(s, '{');
	add_key(s, "name", frame_name(frame));
	if (frame->file) {
		str_addc(s, ',');
		add_key(s, "file", frame->file);
	}
	str_addc(s, '}');
}

/* Appends the number of each frame, and adds frames that are new to the table. */
static void add_sample(struct str *s, struct set *frames, struct str *table, const struct frame *const *path, size_t n)
{
	str_addc(s, '[');
	for (size_t i = 0; i < n; i++) {
		size_t before = frames->n;
		uint32_t number = set_add(frames, &path[i], sizeof(path[i]));

		if (i)
			str_addc(s, ',');
		str_add_u64(s, number);
		if (number < before)
			continue;
		if (number)
			str_add(table, ",\n");
		add_frame(table, path[i]);
	}
	str_addc(s, ']');
}

static uint64_t add_samples(struct str *samples, struct str *weights, struct str *table, const struct files *files)
{
	const struct tree *tree = &files->tree;
	const struct frame *path[TREE_DEPTH];
	struct set frames = {};
	uint64_t sum = 0;

	for (uint32_t node = tree_next(tree, 0); node; node = tree_next(tree, node)) {
		uint64_t weight = files_weight(files, &tree->v[node].self);

		if (!weight)
			continue;
		if (sum) {
			str_add(samples, ",\n");
			str_addc(weights, ',');
		}
		add_sample(samples, &frames, table, path, tree_path(tree, node, path));
		str_add_u64(weights, weight);
		sum += weight;
	}
	set_release(&frames);
	return sum;
}

static void speedscope_add(struct str *s, const struct files *files)
{
	__str struct str samples = {}, weights = {}, table = {};
	uint64_t sum = add_samples(&samples, &weights, &table, files);

	str_add(s, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"sonde\",");
	add_key(s, "name", files->about.title);
	str_addf(s, ",\n\"shared\":{\"frames\":[%s]},\n\"profiles\":[{\"type\":\"sampled\",", str_or_empty(table.data));
	add_key(s, "name", files->about.title);
	str_addf(s, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[", unit_of(files),
		 (unsigned long long)sum);
	str_addn(s, str_or_empty(samples.data), samples.len);
	str_addf(s, "],\n\"weights\":[%s]}]}\n", str_or_empty(weights.data));
}

const struct file_format file_speedscope = { .name = "speedscope", .add = speedscope_add };
