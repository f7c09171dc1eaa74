// SPDX-License-Identifier: BSD-2-Clause
/* One line at work: its tool, options, engine and totals. Knows no HTTP, no loop and no other source. */
#include <fcntl.h>

#include "attach/attach.h"
#include "base/clock.h"
#include "base/report.h"
#include "run/filter_parse.h"
#include "source_part.h"

/* Bytes of a line in the label `line` and in messages. */
#define LABEL_MOST 100

/* --- the name in messages --- */

const char *source_enter(const struct source *source)
{
	const char *before = report_name();

	report_set_name(source->title);
	return before;
}

/* --- options --- */

static size_t option_tables(struct source *source, struct opt_table tables[TOOL_TABLES])
{
	return run_tables(source->tool, &source->options, &source->instance, tables);
}

/* What opt_parse() has allocated. */
static void free_lists(struct source *source)
{
	struct opt_table tables[TOOL_TABLES];

	opt_release(tables, option_tables(source, tables));
	free(source->args.v);
	source->args = (struct opt_list){};
}

/* Options of a run that prints and ends. */
static int check_options(const struct source *source, struct err *err)
{
	const struct run_options *options = &source->options;
	const struct {
		bool given;
		const char *name, *why;
	} meaningless[] = {
		{ options->help, "help", "a line prints nothing" },
		{ options->command, "command", "a service runs no command" },
		{ options->interval, "interval", "totals are read by each scrape" },
		{ options->duration, "duration", "a service does not end by itself" },
		{ options->json, "json", "the scraper chooses the format" },
		{ options->csv, "csv", "the scraper chooses the format" },
		{ options->time, "time", "the scraper knows the time" },
		{ options->timestamp, "timestamp", "the scraper knows the time" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(meaningless); i++)
		if (meaningless[i].given)
			return err_set(err, -EINVAL, "--%s has no meaning here: %s", meaningless[i].name,
				       meaningless[i].why);
	return 0;
}

/* The tool's options and arguments, into an instance that has their defaults. */
static int parse(struct source *source, struct err *err)
{
	struct opt_table tables[TOOL_TABLES];
	size_t n = option_tables(source, tables), dashdash;
	int ret;

	memcpy(source->words.v, source->line.words + source->tool_word, source->words.n * sizeof(*source->words.v));
	ret = opt_parse(source->words.n, (char **)source->words.v, tables, n, &source->args, &dashdash, err);
	if (!ret && dashdash != OPT_NO_DASHDASH &&
	    (!source->tool->own_dashes || tool_command_at(source->tool, &source->args, dashdash) < source->args.n))
		ret = err_set(err, -EINVAL, "'--' has no meaning here: a service runs no command");
	if (!ret)
		ret = check_options(source, err);
	if (!ret && setting_is(source->instance.tool_settings, source->tool->act_instead, false))
		ret = err_set(err, -EINVAL, "with these options %s prints a list, and counts nothing",
			      source->tool->name);
	return ret;
}

static void forget_tables(struct source *source)
{
	for (size_t i = 0; i < source->n_tables; i++) {
		free(source->tables[i].base);
		set_release(&source->tables[i].keys);
	}
	free(source->tables);
	source->tables = NULL;
	source->n_tables = 0;
}

static void unprepare(struct source *source)
{
	const char *name = source_enter(source);

	forget_tables(source);
	free_lists(source);
	engine_release(&source->instance);
	report_set_name(name);
	output_free(source->ctx.out);
	free(source->ctx.command.path);
	if (source->ctx.cgroup >= 0)
		close(source->ctx.cgroup);
	if (source->task >= 0)
		close(source->task);
	source->task = -1;
	source->ctx = (struct engine_context){ .cgroup = -1 };
	source->prepared = false;
}

/* Makes an instance with the line's options. */
static int prepare(struct source *source, struct err *err)
{
	const char *name;
	int ret;

	source->options = (struct run_options){};
	source->ctx = (struct engine_context){ .cgroup = -1, .title = source->line.text };
	name = source_enter(source);
	tool_init_instance(source->tool, &source->instance, &source->ctx);
	ret = parse(source, err);
	report_set_name(name);
	if (ret)
		unprepare(source);
	else
		source->prepared = true;
	return ret;
}

/* --- the life of a source --- */

static int find_tool(struct source *source, struct err *err)
{
	const struct config_line *line = &source->line;
	const struct tool *tool;

	source->tool_word = line->n_words > 1 && !strcmp(line->words[0], "sonde");
	tool = tool_find(line->words[source->tool_word]);
	if (!tool)
		return tool_unknown(line->words[source->tool_word], err);
	if (!tool->engine)
		return err_set(err, -EINVAL, "%s counts nothing that could be exported", tool->name);
	if (!tool->engine->snapshot)
		return err_set(err, -EINVAL, "%s has no totals to export: count its events by 'trace'", tool->name);
	source->tool = tool;
	return 0;
}

/* "sonde_" and the tool's name, as a valid one. */
char *source_default_name(const struct tool *tool)
{
	char *name = base_printf("sonde_%s", tool->name);

	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	return name;
}

/*
 * Cuts before a byte that goes on with a character. Long lines may differ at their ends only, and their labels must not
 * be the same: each name is there once.
 */
static char *label_of(const char *text, const char *name)
{
	size_t n = strlen(text);

	if (n <= LABEL_MOST)
		return base_strdup(text);
	n = LABEL_MOST;
	while (n && (text[n] & 0xc0) == 0x80)
		n--;
	return base_printf("%.*s... as %s", (int)n, text, name);
}

static int set_up(struct source *source, struct err *err)
{
	int ret = find_tool(source, err);

	if (ret)
		return ret;
	source->name = base_strdup(source->line.name ?: "");
	if (!*source->name) {
		free(source->name);
		source->name = source_default_name(source->tool);
	}
	source->label = label_of(source->line.text, source->name);
	source->title = base_printf("%s: %s", report_name(), source->label);
	source->words.n = source->line.n_words - source->tool_word;
	source->words.v = base_alloc((source->words.n + 1) * sizeof(*source->words.v));
	return prepare(source, err);
}

struct source *source_new(struct config_line *line, struct err *err)
{
	struct source *source = base_alloc(sizeof(*source));

	source->line = *line;
	*line = (struct config_line){};
	source->ctx.cgroup = source->task = -1;
	if (!set_up(source, err))
		return source;
	err->code = -EINVAL;
	config_blame(&source->line, err);
	source_free(source);
	return NULL;
}

void source_move(struct source *source, struct config_line *line)
{
	struct config_line *ours = &source->line;
	unsigned int number = ours->number;
	char *file = ours->file;

	/* the words stay: the tool's options point to them */
	ours->file = line->file;
	ours->number = line->number;
	line->file = file;
	line->number = number;
}

void source_free(struct source *source)
{
	if (!source)
		return;
	if (source->prepared)
		unprepare(source);
	kept_end(&source->kept);
	config_line_release(&source->line);
	free(source->words.v);
	free(source->name);
	free(source->label);
	free(source->title);
	free(source->why);
	free(source);
}

/* --- what outlives us --- */

uint32_t source_count_keys(const struct source *source)
{
	uint32_t n = 0;

	for (size_t i = 0; i < source->n_tables; i++)
		n += source->tables[i].keys.n;
	return n;
}

void source_keep(struct source *source)
{
	for (size_t i = 0; i < source->n_tables; i++)
		kept_add_keys(&source->kept, i, &source->tables[i].keys);
	kept_put(&source->kept, (struct keep_history){ .created_ns = source->began,
						       .gap_ns = source->gap_ns,
						       .paused_ns = source->paused_ns });
	source->kept.n_keys = source_count_keys(source);
}

static void restore_key(uint32_t table, const void *bytes, size_t n, void *ctx)
{
	struct source *source = ctx;

	if (table < source->n_tables)
		set_add(&source->tables[table].keys, bytes, n);
}

/* --- attaching --- */

/* What an engine prints goes nowhere: scripts may print lines, and their maps at the end. */
static struct output *open_output(void)
{
	static int nowhere = -1;

	if (nowhere < 0)
		nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return output_new(nowhere, OUTPUT_TEXT);
}

static void fill_context(struct source *source, const struct source_host *host)
{
	const struct run_options *options = &source->options;
	struct engine_context *ctx = &source->ctx;

	source->metrics = (struct engine_metrics){
		.max_keys = source->line.max,
		.sampling = host->sampling,
		.keep = source->kept.keep,
	};
	ctx->metrics = &source->metrics;
	ctx->pid = options->pid;
	ctx->tid = options->tid;
	ctx->verbose = options->verbose;
	ctx->quiet = true; /* what an engine notes of its probes is a metric */
	ctx->should_stop = host->should_stop;
	ctx->should_stop_ctx = host->ctx;
	ctx->out = open_output();
	source->instance.args = source->args;
}

static void add_table(struct source *source, const struct engine_table *from)
{
	struct source_table *table = &source->tables[source->n_tables++];

	table->base = *from->name ? base_printf("%s_%s", source->name, from->name) : base_strdup(source->name);
	table->rows = (struct metrics_rows){
		.base = table->base,
		.help = source->tool->brief,
		.schema = from->schema,
		.ctx = output_context(source->ctx.out),
		.created = source->began,
		.range = { source->line.buckets.low, source->line.buckets.high, source->line.buckets.step },
	};
}

/* Most engines have one table, whose schema is the instance's. */
static void find_tables(struct source *source)
{
	const struct engine *engine = source->tool->engine;
	const struct engine_table only = { "", source->instance.schema }, *tables = &only;
	size_t n = engine->tables ? engine->tables(&source->instance, &tables) : 1;

	source->tables = base_alloc((n + 1) * sizeof(*source->tables));
	for (size_t i = 0; i < n; i++)
		add_table(source, &tables[i]);
}

/* What only the engine could find out. */
static int check_opened(const struct source *source, struct err *err)
{
	const struct engine_context *ctx = &source->ctx;
	int ret = 0;

	if (ctx->answered)
		return err_set(err, -EINVAL, "with these options %s counts nothing", source->tool->name);
	/* without arguments it is the tool's default */
	if (source->args.n && (ctx->interval || ctx->duration))
		return err_set(err, -EINVAL, "'%s' has no meaning here: totals are read by each scrape",
			       source->args.v[0]);
	for (size_t i = 0; !ret && i < source->n_tables; i++)
		ret = metrics_rows_check(&source->tables[i].rows, err);
	return ret;
}

/*
 * In the course of weeks another task gets the number. A directory in /proc stays that of the task that it was opened
 * of; a pidfd would do the same, but of a thread only since Linux 6.9.
 */
static int open_task(struct source *source, struct err *err)
{
	uint32_t id = source->options.tid ?: source->options.pid;
	__free char *path = base_printf("/proc/%u", id);

	if (!id)
		return 0;
	source->task = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return source->task < 0 ? err_set(err, -ESRCH, "there is no process or thread %u", id) : 0;
}

bool source_has_task(const struct source *source)
{
	return source->task < 0 || !faccessat(source->task, "stat", F_OK, 0);
}

static int attach(struct source *source, const struct source_host *host, struct err *err)
{
	struct engine_context *ctx = &source->ctx;
	int ret = open_task(source, err);

	if (ret)
		return ret;
	ret = filter_parse(&ctx->filter, &source->options, false, &ctx->cgroup, err);
	if (ret)
		return ret;
	fill_context(source, host);
	ret = engine_open(&source->instance, err);
	if (ret && ctx->usage)
		return err->code = -EINVAL;
	/* -EINVAL is ours to say: of an engine it may be the kernel's */
	if (ret)
		return ret == -EINVAL ? err->code = -EIO : ret;
	ctx->began = clock_monotonic_ns();
	source->deadline = source->tool->engine->take ? ctx->began : UINT64_MAX;
	source->began = keep_is_adopted(source->kept.keep) ? source->kept.history.created_ns : clock_wall_ns();
	source->paused_ns = source->kept.history.paused_ns;
	source->gap_ns = source->kept.history.gap_ns;
	source_end_pause(source);
	find_tables(source);
	kept_each_key(&source->kept, restore_key, source);
	ret = check_opened(source, err);
	if (ret)
		return ret;
	report_set_quiet(true);
	source->tool->engine->armed(&source->instance);
	report_set_quiet(false);
	return 0;
}

/* Attaches, with messages that name the line. */
static int try_attach(struct source *source, const struct source_host *host, struct err *err)
{
	int ret = source->prepared ? 0 : prepare(source, err);
	const char *name;

	if (ret)
		return ret;
	name = source_enter(source);
	ret = attach(source, host, err);
	if (!ret)
		source_keep(source);
	report_set_name(name);
	return ret;
}

int source_open(struct source *source, const struct source_host *host, struct err *err)
{
	int ret;

	kept_begin(&source->kept, host->store, &source->line);
	ret = try_attach(source, host, err);
	if (ret && ret != -EINTR && keep_is_adopted(source->kept.keep)) {
		report_verbose("%s: %s", source->title, err->text);
		unprepare(source);
		kept_drop(&source->kept);
		ret = try_attach(source, host, err);
	}
	free(source->why);
	source->why = NULL;
	source->up = !ret;
	if (!ret)
		return 0;
	source->why = base_strdup(err->text);
	if (source->prepared)
		unprepare(source);
	kept_end(&source->kept);
	config_blame(&source->line, err);
	return ret;
}

void source_close(struct source *source, const char *why)
{
	if (!source->up)
		return;
	source->up = false;
	source->why = base_strdup(why);
	unprepare(source);
	kept_end(&source->kept);
}
