// SPDX-License-Identifier: BSD-2-Clause
/* The list of tools, which the linker collects, and the options that all tools share. */
#include <sys/stat.h>

#include "base/nearest.h"
#include "elsewhere.h"
#include "run.h"
#include "scripts.h"

/* The linker sets these to the start and end of the section of TOOL(). Weak: a program without tools links too. */
extern const struct tool *const __start_sonde_tools[] __attribute__((weak));
extern const struct tool *const __stop_sonde_tools[] __attribute__((weak));

static int by_name(const void *pa, const void *pb)
{
	return strcmp((*(const struct tool *const *)pa)->name, (*(const struct tool *const *)pb)->name);
}

const struct tool *const *tool_list(size_t *n)
{
	static const struct tool **list;
	static size_t n_list;
	size_t n_own = __stop_sonde_tools - __start_sonde_tools, n_scripts;
	const struct tool *const *scripts;

	if (!list) {
		scripts = scripts_list(&n_scripts);
		list = base_alloc((n_own + n_scripts) * sizeof(*list));
		memcpy(list, __start_sonde_tools, n_own * sizeof(*list));
		n_list = n_own;
		/* a script does not hide a tool */
		for (size_t i = 0; i < n_scripts; i++)
			if (tool_find(scripts[i]->name) == scripts[i])
				list[n_list++] = scripts[i];
		qsort(list, n_list, sizeof(*list), by_name);
	}
	*n = n_list;
	return list;
}

const struct tool *tool_find(const char *name)
{
	struct err err = {};

	for (const struct tool *const *t = __start_sonde_tools; t < __stop_sonde_tools; t++)
		if (!strcmp((*t)->name, name) || str_same((*t)->also, name) || str_same((*t)->peer, name))
			return *t;
	return scripts_find(name, &err);
}

static int set_nearest(struct err *err, const char *name, const struct elsewhere *elsewhere)
{
	size_t len = strcspn(name, " ");
	bool itself = !*elsewhere->of || (strlen(elsewhere->of) == len && !strncmp(elsewhere->of, name, len));
	const char *of = itself ? "" : elsewhere->of, *open = itself ? "" : " (", *close = itself ? "" : ")";

	if (!strcmp(elsewhere->here, "-"))
		return err_set(err, -ENOENT, "there is no tool '%s'%s%s%s, and nothing like it", name, open, of, close);
	return err_set(err, -ENOENT, "there is no tool '%s'%s%s%s; the nearest is: %s", name, open, of, close,
		       elsewhere->here);
}

int tool_unknown(const char *name, struct err *err)
{
	size_t n;
	const struct tool *const *tools;
	struct nearest nearest;
	struct elsewhere elsewhere;

	if (!scripts_find(name, err) && err->code != -ENOENT)
		return err->code;
	if (elsewhere_find(name, &elsewhere))
		return set_nearest(err, name, &elsewhere);
	tools = tool_list(&n);
	nearest_init(&nearest, name);
	for (size_t i = 0; i < n; i++)
		nearest_offer(&nearest, tools[i]->name);
	if (nearest_name(&nearest))
		return err_set(err, -ENOENT, "there is no tool '%s' (did you mean %s?)", name, nearest_name(&nearest));
	return err_set(err, -ENOENT, "there is no tool '%s': 'sonde help' lists the tools", name);
}

/* In bcc's tools -c is a processor, a parent process or a flag: the errors name our options for these. */
static int set_command(void *command, const char *text, struct err *err)
{
	struct stat st;
	uint64_t number;

	if (!*text)
		return err_set(err, -EINVAL, "the command must not be empty");
	if (*text == '-')
		return err_set(err, -EINVAL, "this is an option, but -c takes a command to run");
	if (!opt_u64(text, &number))
		return err_set(err, -EINVAL,
			       "-c takes a command to run (for a processor: --cpu %s; for a parent: --ppid %s)", text,
			       text);
	if (strchr(text, '/') && !stat(text, &st) && S_ISDIR(st.st_mode))
		return err_set(err, -EINVAL,
			       "-c takes a command; '%s' is a directory (for a cgroup: --cgroup %s)", text,
			       text);
	*(const char **)command = text;
	return 0;
}

static bool has_pid(const struct run_pids *pids, uint32_t pid)
{
	for (size_t i = 0; i < pids->n; i++)
		if (pids->v[i] == pid)
			return true;
	return false;
}

/* As pidof(8) prints them, or with commas. */
static int add_pids(void *dest, const char *text, struct err *err)
{
	struct run_pids *pids = dest;
	__free char *copy = base_strdup(text);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = strsep(&rest, ", \t\n"))) {
		uint64_t pid;

		if (!*word)
			continue;
		if (opt_u64(word, &pid) == -EINVAL)
			return err_set(err, -EINVAL, "'%s' is not a number", word);
		if (opt_u64(word, &pid) || !pid || pid > INT32_MAX)
			return err_set(err, -EINVAL, "%s is out of range (1 to %d)", word, INT32_MAX);
		if (!has_pid(pids, pid))
			*vec_push(pids) = pid;
		n++;
	}
	return n ? 0 : err_set(err, -EINVAL, "there is no process in it");
}

static void free_pids(void *dest)
{
	struct run_pids *pids = dest;

	free(pids->v);
	*pids = (struct run_pids){};
}

#define ONE_PROCESS \
	OPT(OPT_U32, struct run_options, pid, 'p', "pid", "PID", "only this process", .min = 1, .once = true)
#define PROCESSES \
	OPT(OPT_CALL, struct run_options, pids, 'p', "pid", "PID", \
	    "only this process; may be repeated, and take several: 12,34 or \"$(pidof NAME)\"", .call = add_pids, \
	    .release = free_pids)
#define FILTERS \
	OPT(OPT_U32, struct run_options, tid, 0, "tid", "TID", "only this thread", .min = 1, .once = true), \
		OPT(OPT_STRING, struct run_options, cgroup, 0, "cgroup", "CGROUP", \
		    "only tasks in this cgroup (v2, path or id) and below it", .once = true), \
		OPT(OPT_STRING, struct run_options, comm, 0, "comm", "NAME", "only tasks with this command name", \
		    .once = true), \
		OPT(OPT_STRING, struct run_options, uid, 0, "uid", "USER", "only this user, by name or number", \
		    .once = true), \
		OPT(OPT_STRING, struct run_options, cpu_text, 0, "cpu", "N", "only on this processor", .once = true)
#define COMMAND(WHAT) \
	OPT(OPT_CALL, struct run_options, command, 'c', "command", "CMD", \
	    WHAT "; Ctrl-C stops CMD, a second one kills it", .call = set_command, .also = "cmd")

static const struct opt filters[] = { ONE_PROCESS, FILTERS,
				      COMMAND("run CMD, trace only CMD and its children, end with CMD") };

/* For engines that trace several processes. */
static const struct opt filters_of_several[] = { PROCESSES, FILTERS,
						 COMMAND("run CMD, trace only CMD and its children, end with CMD") };

/* For tools that trace whatever task runs, so that they lack --pid: a command filters nothing. */
static const struct opt filters_of_all[] = { ONE_PROCESS, FILTERS, COMMAND("run CMD, trace all tasks meanwhile, end with CMD") };

/* For tools that print tables. Tools that stream print each row at once. */
static const struct opt tables_only[] = {
	OPT(OPT_SECONDS, struct run_options, interval, 'i', "interval", "SECONDS", "print a table every SECONDS"),
};

/* The first OUTPUT_TRACING options are only for tools that trace. */
#define OUTPUT_TRACING 3
static const struct opt output[] = {
	OPT(OPT_BOOL, struct run_options, time, 'T', "time", NULL, "show the time of day (HH:MM:SS)"),
	OPT(OPT_BOOL, struct run_options, timestamp, 't', "timestamp", NULL, "show the seconds since tracing started"),
	OPT(OPT_SECONDS, struct run_options, duration, 'd', "duration", "SECONDS", "stop after SECONDS"),
	OPT(OPT_BOOL, struct run_options, json, 'j', "json", NULL, "print JSON, one object for each row"),
	OPT(OPT_BOOL, struct run_options, csv, 0, "csv", NULL, "print CSV (RFC 4180), the columns of --json"),
	OPT(OPT_BOOL, struct run_options, quiet, 'q', "quiet", NULL, "print only results and errors"),
	OPT(OPT_BOOL, struct run_options, verbose, 'v', "verbose", NULL,
	    "report each step, and list everything that was left out"),
	OPT(OPT_BOOL, struct run_options, help, 'h', "help", NULL, "print this help"),
};

/* The tables of a tool with an engine. */
static size_t tracing_tables(const struct tool *tool, struct run_options *options, void *settings,
			     struct opt_table *tables)
{
	const struct engine *engine = tool->engine;
	size_t n = 0;

	if (engine->n_options)
		tables[n++] = (struct opt_table){ engine->options_title, engine->options, engine->n_options,
						  settings, tool->letters, tool->lacks };
	tables[n] = (struct opt_table){ "filters", filters, ARRAY_SIZE(filters), options, tool->letters, tool->lacks };
	if (engine->several_processes)
		tables[n].opts = filters_of_several;
	if (opt_lacks(&tables[n], 0)) /* no --pid */
		tables[n].opts = filters_of_all;
	n++;
	if (!engine->take || tool->tables)
		tables[n++] = (struct opt_table){ "tables", tables_only, ARRAY_SIZE(tables_only), options, NULL,
						  tool->lacks };
	return n;
}

size_t run_tables(const struct tool *tool, struct run_options *options, const struct engine_instance *instance,
		  struct opt_table tables[TOOL_TABLES])
{
	size_t n = 0, skip = tool->engine ? 0 : OUTPUT_TRACING;

	if (tool->n_options)
		tables[n++] = (struct opt_table){ NULL, tool->options, tool->n_options,
						  instance ? instance->tool_settings : NULL, tool->letters, tool->refuses };
	if (tool->engine)
		n += tracing_tables(tool, options, instance ? instance->settings : NULL, tables + n);
	tables[n++] = (struct opt_table){ "output", output + skip, ARRAY_SIZE(output) - skip, options, tool->letters,
					  tool->lacks };
	return n;
}

void tool_init_instance(const struct tool *tool, struct engine_instance *instance, struct engine_context *ctx)
{
	engine_init(instance, tool->engine, tool->source, tool->schema, ctx);
	engine_add_settings(instance, tool->settings_size, tool->defaults);
}

size_t tool_command_at(const struct tool *tool, const struct opt_list *args, size_t dashdash)
{
	size_t at = dashdash;

	if (dashdash == OPT_NO_DASHDASH)
		return args->n;
	while (tool->own_dashes && at < args->n && args->v[at][0] == '-')
		at++;
	return at;
}

struct doc tool_doc(const struct tool *tool, struct opt_table tables[TOOL_TABLES])
{
	return (struct doc){
		.name = tool->name,
		.also = tool->also,
		.brief = tool->brief,
		.group = tool->group,
		.args = tool->args,
		.offers_args = tool->offers,
		.unlinked = tool->unlinked,
		.description = tool->description,
		.examples = tool->examples,
		.n_examples = tool->n_examples,
		.tables = tables,
		.n_tables = run_tables(tool, NULL, NULL, tables),
	};
}
