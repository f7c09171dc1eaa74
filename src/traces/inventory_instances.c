// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads what is set in each instance of tracefs: settings, events that are enabled, triggers, filters, and how much its
 * ring buffer holds. Files are read whole, but the ring buffers are not read.
 */
#include <dirent.h>
#include <fcntl.h>

#include "files.h"
#include "inventory_part.h"
#include "parse.h"
#include "settings.h"

struct reader {
	struct traces *traces;
	size_t n_events; /* number of dynamic events */
	size_t instance;
	const char *prefix;
	struct str text;
	struct str listed; /* set_event of the instance, with a newline before and after each event */
	struct err *err;
};

static void add_use(struct reader *r, enum trace_kind kind, const char *group, const char *name, const char *text)
{
	static const char *const files[] = {
		[TRACE_ENABLED] = "enable",
		[TRACE_TRIGGER] = "trigger",
		[TRACE_FILTER] = "filter",
	};
	struct traces *traces = r->traces;
	struct pool *strings = &traces->strings;
	ssize_t event = inventory_find_event(traces, r->n_events, group, name);
	struct trace_item *item = inventory_add(
		traces, kind, r->instance, pool_addf(strings, "%sevents/%s/%s/%s", r->prefix, group, name, files[kind]));

	item->group = pool_add(strings, group);
	item->name = pool_add(strings, name);
	item->text = pool_add(strings, text);
	item->event = event;
	/* Several probes can share an event. A filter is no use of it. */
	if (kind == TRACE_FILTER || event < 0)
		return;
	inventory_use_event(traces, r->n_events, event);
}

static int read_file(struct reader *r, const char *file)
{
	__free char *path = base_printf("%s%s", r->prefix, file);

	return inventory_read_file(r->traces, path, &r->text, r->err);
}

/* set_event also lists events that are hit only for a trigger or an eprobe. The event's own file then says "0*". */
static bool is_enabled(struct reader *r, const char *group, const char *name)
{
	__free char *path = base_printf("%sevents/%s/%s/enable", r->prefix, group, name);
	__str struct str text = {};

	return trace_file_read(r->traces->root, path, &text) || !text.len || *text.data != '0';
}

/* Reads the enabled events: a line is "sched:sched_switch", or ":mod:..." for a module that is not loaded yet. */
static int read_enabled(struct reader *r)
{
	int ret = read_file(r, "set_event");
	char *at = r->text.data, *line;

	str_reset(&r->listed);
	str_addf(&r->listed, "\n%s", !ret && r->text.len ? r->text.data : "");
	while (!ret && r->text.len && (line = strsep(&at, "\n"))) {
		char *colon = strchr(line, ':');

		if (!colon || colon == line)
			continue;
		*colon = 0;
		if (is_enabled(r, line, colon + 1))
			add_use(r, TRACE_ENABLED, line, colon + 1, "1");
	}
	return ret == -ENOENT ? 0 : ret;
}

/*
 * An event with a trigger is hit for it and therefore listed in set_event. The trigger files of the others, which
 * are thousands, need not be opened.
 */
static bool may_have_triggers(const struct reader *r, const char *group, const char *name)
{
	__free char *line = base_printf("\n%s:%s\n", group, name);

	return strstr(r->listed.data, line);
}

static int read_triggers(struct reader *r, const char *group, const char *name)
{
	__free char *file = base_printf("events/%s/%s/trigger", group, name);
	int ret = read_file(r, file);
	char *at = r->text.data, *line;

	while (!ret && r->text.len && (line = strsep(&at, "\n")))
		if (*line && *line != '#')
			add_use(r, TRACE_TRIGGER, group, name, line);
	return ret;
}

/*
 * Reads the trigger and filter of an event. The group ftrace holds formats of records, not events: it lacks these
 * files.
 */
static int read_event(struct reader *r, const char *group, const char *name)
{
	__free char *filter = base_printf("events/%s/%s/filter", group, name);
	int ret = may_have_triggers(r, group, name) ? read_triggers(r, group, name) : 0;

	if (!ret)
		ret = read_file(r, filter);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (r->text.len && strncmp(r->text.data, "none\n", 5)) {
		r->text.data[strcspn(r->text.data, "\n")] = 0;
		add_use(r, TRACE_FILTER, group, name, r->text.data);
	}
	return 0;
}

struct names {
	vec(const char *);
};

static void names_release(struct names *names)
{
	free(names->v);
}

static int by_text(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

/*
 * Returns the subdirectories of a directory, sorted, since kernels list them in varying orders; none if the
 * directory does not exist.
 */
static void find_directories(struct traces *traces, const char *path, struct names *names)
{
	int fd = openat(traces->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			*vec_push(names) = pool_add(&traces->strings, entry->d_name);
	if (dir)
		closedir(dir);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_text);
}

static int read_group(struct reader *r, const char *group)
{
	__free char *path = base_printf("%sevents/%s", r->prefix, group);
	struct names names __cleanup(names_release) = {};
	int ret = 0;

	find_directories(r->traces, path, &names);
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = read_event(r, group, names.v[i]);
	return ret;
}

static int read_events(struct reader *r)
{
	__free char *path = base_printf("%sevents", r->prefix);
	struct names names __cleanup(names_release) = {};
	int ret = 0;

	find_directories(r->traces, path, &names);
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = read_group(r, names.v[i]);
	return ret;
}

static int read_setting(struct reader *r, const struct trace_setting *setting)
{
	bool absolute = *setting->file == '/';
	struct trace_item *item;
	__free char *file = NULL;
	int ret;

	/* A file outside tracefs belongs to no instance. */
	if (absolute && r->instance)
		return 0;
	file = base_printf("%s%s", absolute ? "" : r->prefix, setting->file);
	ret = trace_file_read(r->traces->root, file, &r->text);
	if (ret == -ENOENT)
		return 0;
	/* Some hardened kernels forbid single files. The other settings can still be reported. */
	if (ret && ret != -EPERM && ret != -EACCES)
		return err_set(r->err, ret, "cannot read %s/%s: %s", r->traces->path, file, strerror(-ret));
	item = inventory_add(r->traces, TRACE_SETTING, r->instance, pool_add(&r->traces->strings, file));
	if (r->text.len)
		parse_setting(r->text.data);
	item->text = pool_add(&r->traces->strings, r->text.len ? r->text.data : "");
	item->setting = setting;
	item->unreadable = ret;
	item->set = !ret && strcmp(item->text, setting->expected);
	return 0;
}

static int read_settings(struct reader *r)
{
	size_t n;
	const struct trace_setting *settings = trace_settings(&n);
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = read_setting(r, &settings[i]);
	return ret;
}

/* Sums the counts of each processor. Reading the buffer itself would count as a use of it. */
static int read_entries(struct reader *r)
{
	__free char *path = base_printf("%sper_cpu", r->prefix);
	struct names cpus __cleanup(names_release) = {};
	uint64_t entries = 0;
	struct trace_item *item;
	int ret = 0;

	find_directories(r->traces, path, &cpus);
	for (size_t i = 0; i < cpus.n && !ret; i++) {
		__free char *stats = base_printf("per_cpu/%s/stats", cpus.v[i]);

		ret = read_file(r, stats);
		if (!ret && r->text.len)
			entries += parse_entries(r->text.data);
	}
	if (ret && ret != -ENOENT)
		return ret;
	item = inventory_add(r->traces, TRACE_ENTRIES, r->instance,
			     pool_addf(&r->traces->strings, "%strace", r->prefix));
	item->entries = entries;
	item->set = entries > 0;
	return 0;
}

static int read_instance(struct reader *r)
{
	int ret;

	r->prefix = r->traces->instances.v[r->instance].prefix;
	ret = read_settings(r);
	if (!ret)
		ret = read_enabled(r);
	if (!ret)
		ret = read_events(r);
	return ret ? ret : read_entries(r);
}

static void find_instances(struct traces *traces)
{
	struct trace_instance *instance = vec_push(&traces->instances);
	struct names names __cleanup(names_release) = {};

	instance->name = instance->prefix = "";
	find_directories(traces, "instances", &names);
	for (size_t i = 0; i < names.n; i++) {
		struct trace_item *item = inventory_add(traces, TRACE_INSTANCE, traces->instances.n,
							pool_addf(&traces->strings, "instances/%s", names.v[i]));

		item->name = names.v[i];
		instance = vec_push(&traces->instances);
		instance->name = names.v[i];
		instance->prefix = pool_addf(&traces->strings, "instances/%s/", names.v[i]);
	}
}

int inventory_read_instances(struct traces *traces, struct err *err)
{
	struct reader reader = { .traces = traces, .n_events = traces->n, .err = err };
	int ret = 0;

	find_instances(traces);
	for (; reader.instance < traces->instances.n && !ret; reader.instance++)
		ret = read_instance(&reader);
	str_release(&reader.text);
	str_release(&reader.listed);
	return ret;
}
