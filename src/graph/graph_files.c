// SPDX-License-Identifier: BSD-2-Clause
/* Paths of calls as stacks with a time. */
#include "base/report.h"
#include "convert/convert.h"
#include "graph_files.h"
#include "output/field.h"

struct row {
	const char *comm;
	struct frame_stack stack;
	uint64_t ns, count;
};

static const struct field fields[] = {
	DATA(FIELD_STR, struct row, comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_DURATION, struct row, ns, "ns"),
	DATA(FIELD_U64, struct row, count, "count", .role = ROLE_COUNTER),
	DATA(FIELD_STACK, struct row, stack, "stack"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static int add(struct graph_files *files, const struct file_format *format, const char *name, bool overwrite,
	       struct err *err)
{
	return name ? files_add(&files->files, format, name, overwrite, err) : 0;
}

int graph_files_add(struct graph_files *files, const struct graph_settings *settings, const struct output *out,
		    struct err *err)
{
	int ret = add(files, &file_folded, settings->folded, settings->overwrite, err);

	if (!ret)
		ret = add(files, &file_flame, settings->flame, settings->overwrite, err);
	if (!ret)
		ret = add(files, &convert_perfetto.file, settings->perfetto, settings->overwrite, err);
	if (!ret)
		ret = add(files, &convert_trace_dat.file, settings->trace_dat, settings->overwrite, err);
	if (!ret)
		ret = add(files, &convert_recording.file, settings->record, settings->overwrite, err);
	files->stacks = settings->folded || settings->flame;
	if (!ret && files_use_stdout(&files->files) && !output_is_text(out))
		ret = err_set(err, -EINVAL, "stdout gets either rows (--json, --csv) or a file (FILE is -): choose one");
	return ret;
}

const struct file *graph_files_recorded(const struct graph_files *files, const struct file *after)
{
	vec_each(file, &files->files)
		if ((!after || file > after) && convert_format_of(file))
			return file;
	return NULL;
}

void graph_files_add_time(struct graph_files *files, const char *comm, const struct graph_path *path, size_t n, uint64_t ns,
			  uint64_t count)
{
	const struct frame *frames[GRAPH_FILES_FRAMES];
	size_t used = n < GRAPH_FILES_FRAMES ? n : GRAPH_FILES_FRAMES;
	struct row row = {
		.comm = comm,
		.stack = { frames, used },
		.ns = ns,
		.count = count,
	};

	for (size_t i = 0; i < used; i++)
		frames[used - 1 - i] = tree_named(&files->frames, path[i].kernel ? FRAME_KERNEL : FRAME_USER,
						  path[i].function, strlen(path[i].function));
	files_row(&files->files, &schema, &row, NULL);
}

int graph_files_write(struct graph_files *files, const char *title, struct err *err)
{
	int ret = 0;

	files->files.about = (struct files_about){
		.title = title, .counts = "calls", .times = "call", .by_time = true
	};
	vec_each(file, &files->files) {
		struct err one = {};

		if (convert_format_of(file) || !files_write(&files->files, file, &one))
			continue;
		if (ret)
			report_err(err, NULL);
		*err = one;
		ret = one.code;
	}
	return ret;
}

void graph_files_release(struct graph_files *files)
{
	files_release(&files->files);
	tree_release(&files->frames);
}
