// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads tracefs and its instances and makes items of their contents. Every file is read whole, but the ring
 * buffers are not read.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/search.h"
#include "age.h"
#include "files.h"
#include "inventory_part.h"
#include "parse.h"
#include "settings.h"
#include "kernel/kernel.h"

static const struct {
	const char *name;
	size_t list;
} kinds[] = {
	[TRACE_EPROBE] = { "eprobe", 2 },
	[TRACE_SYNTHETIC] = { "synthetic", 2 },
	[TRACE_PROBE] = { "probe", 2 },
	[TRACE_KPROBE] = { "kprobe", 0 },
	[TRACE_UPROBE] = { "uprobe", 1 },
	[TRACE_ENABLED] = { "enabled", TRACE_LISTS },
	[TRACE_TRIGGER] = { "trigger", TRACE_LISTS },
	[TRACE_FILTER] = { "filter", TRACE_LISTS },
	[TRACE_SETTING] = { "setting", TRACE_LISTS },
	[TRACE_ENTRIES] = { "entries", TRACE_LISTS },
	[TRACE_INSTANCE] = { "instance", TRACE_LISTS },
	[TRACE_PIN] = { "pin", TRACE_LISTS },
};

static const struct {
	const char *file;
	enum trace_kind kind; /* kind of its p and r events */
} lists[TRACE_LISTS] = {
	{ "kprobe_events", TRACE_KPROBE },
	{ "uprobe_events", TRACE_UPROBE },
	{ "dynamic_events", TRACE_PROBE },
};

size_t trace_list_of(enum trace_kind kind)
{
	return kinds[kind].list;
}

const char *trace_kind_name(enum trace_kind kind)
{
	return kinds[kind].name;
}

char *traces_file_name(const struct traces *traces, const char *file)
{
	return *file == '/' ? base_strdup(file) : base_printf("%s/%s", traces->path, file);
}

struct trace_item *inventory_add(struct traces *traces, enum trace_kind kind, size_t instance, const char *file)
{
	struct trace_item *item = vec_push(traces);

	item->kind = kind;
	item->set = true;
	item->instance = instance;
	item->file = file;
	item->event = -1;
	return item;
}

/*
 * Reads a file. If it does not exist, the kernel lacks the feature: -ENOENT without a message. Anything else is
 * an error.
 */
static int read_or_absent(struct traces *traces, const char *file, struct str *text, struct err *err)
{
	int ret = trace_file_read(traces->root, file, text);

	if (!ret || ret == -ENOENT)
		return ret;
	return err_set(err, ret, "cannot read %s/%s: %s%s", traces->path, file, strerror(-ret),
		       ret == -EPERM ? " (is the kernel locked down?)" : "");
}

void inventory_know_processes(struct traces *traces)
{
	if (!traces->knows_processes)
		processes_read(&traces->processes);
	traces->knows_processes = true;
}

/* ---- dynamic events ---- */

static void add_event(struct traces *traces, size_t list, const char *line)
{
	struct parsed_event event;
	struct trace_item *item;

	if (!parse_event(line, lists[list].kind, &event))
		return;
	item = inventory_add(traces, event.kind, 0, lists[list].file);
	item->group = pool_add(&traces->strings, event.group);
	item->name = pool_add(&traces->strings, event.name);
	item->text = pool_add(&traces->strings, line);
	item->owner = owner_of_event(item->group, item->name);
	if (!item->owner.pid)
		return;
	inventory_know_processes(traces);
	owner_look_up(&item->owner, &traces->processes);
	/* An event that is older than the process with the owner's id was made by an earlier process with that id. */
	if (item->owner.process && age_event_precedes(traces->root, item->group, item->name, item->owner.process->pid)) {
		item->owner.state = OWNER_DEAD;
		item->owner.process = NULL;
	}
}

int traces_read_file(const struct traces *traces, const char *file, struct str *text)
{
	return trace_file_read(traces->root, file, text);
}

static int read_list(struct traces *traces, size_t list, struct err *err)
{
	struct str *text = &traces->lists[list].text;
	__free char *copy = NULL;
	char *at, *line;
	int ret;

	traces->lists[list].file = lists[list].file;
	ret = read_or_absent(traces, lists[list].file, text, err);
	if (ret || !text->len)
		return ret == -ENOENT ? 0 : ret;
	at = copy = base_strdup(text->data);
	while ((line = strsep(&at, "\n")))
		add_event(traces, list, line);
	return 0;
}

static int compare_event(const struct trace_item *item, const char *group, const char *name)
{
	int ret = strcmp(item->group, group);

	return ret ? ret : strcmp(item->name, name);
}

static int by_name(const void *pa, const void *pb)
{
	const struct trace_item *a = pa, *b = pb;
	int ret = compare_event(a, b->group, b->name);

	return ret ? ret : (int)a->kind - (int)b->kind;
}

/*
 * Returns the index of the first dynamic event of this name, -1 if there is none. The first n items are the
 * dynamic events, sorted by name.
 */
static ssize_t find_event(const struct traces *traces, size_t n, const char *group, const char *name)
{
	size_t at = search_first(i, n, compare_event(&traces->v[i], group, name) >= 0);

	return at < n && !compare_event(&traces->v[at], group, name) ? (ssize_t)at : -1;
}

/* ---- one instance ---- */

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
	ssize_t event = find_event(traces, r->n_events, group, name);
	struct trace_item *item = inventory_add(
		traces, kind, r->instance, pool_addf(strings, "%sevents/%s/%s/%s", r->prefix, group, name, files[kind]));

	item->group = pool_add(strings, group);
	item->name = pool_add(strings, name);
	item->text = pool_add(strings, text);
	item->event = event;
	/* Several probes can share an event. A filter is no use of it. */
	if (kind == TRACE_FILTER || event < 0)
		return;
	for (size_t i = event; i < r->n_events && !by_name(&traces->v[i], &traces->v[event]); i++)
		traces->v[i].users++;
}

static int read_file(struct reader *r, const char *file)
{
	__free char *path = base_printf("%s%s", r->prefix, file);

	return read_or_absent(r->traces, path, &r->text, r->err);
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
	const char **v;
	size_t n, cap;
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
	item = inventory_add(r->traces, TRACE_ENTRIES, r->instance, pool_addf(&r->traces->strings, "%strace", r->prefix));
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

/* ---- everything ---- */

static int open_root(struct traces *traces, struct err *err)
{
	char link[64], path[4096];
	struct stat st;
	ssize_t len;

	/* Without /proc no owner can be found to be alive. */
	if (access("/proc/self/stat", F_OK))
		return err_set(err, -ENOENT, "/proc is not mounted: mount -t proc proc /proc");
	traces->root = kernel_tracefs();
	if (traces->root < 0)
		return err_set(err, traces->root, "cannot open tracefs: %s%s", strerror(-traces->root),
			       geteuid() ? " (try sudo)" : "");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", traces->root);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = 0;
	/* A mount of our own has no path. */
	traces->path = len > 1 ? pool_add(&traces->strings, path) : "tracefs";
	if (!fstatat(traces->root, "current_tracer", &st, 0))
		return 0;
	if (errno != ENOENT)
		return err_set(err, -errno, "cannot read %s: %s%s", traces->path, strerror(errno),
			       geteuid() ? " (try sudo)" : "");
	/*
	 * A kernel that is locked down from boot makes no files in tracefs. One that is locked down later refuses
	 * to open them.
	 */
	return err_set(err, -EPERM, "%s is empty (is the kernel locked down?)", traces->path);
}

static int read_tracefs(struct traces *traces, struct err *err)
{
	struct reader reader = { .traces = traces, .err = err };
	int ret = open_root(traces, err);

	for (size_t i = 0; i < TRACE_LISTS && !ret; i++)
		ret = read_list(traces, i, err);
	if (ret)
		return ret;
	reader.n_events = traces->n;
	if (traces->n)
		qsort(traces->v, traces->n, sizeof(*traces->v), by_name);
	find_instances(traces);
	for (; reader.instance < traces->instances.n && !ret; reader.instance++)
		ret = read_instance(&reader);
	str_release(&reader.text);
	str_release(&reader.listed);
	return ret;
}

int traces_read(struct traces *traces, struct err *err)
{
	int ret;

	*traces = (struct traces){};
	ret = read_tracefs(traces, err);
	/* An incomplete inventory would lead to wrong verdicts. */
	if (ret)
		traces->n = traces->instances.n = 0;
	holders_read(&traces->holders, traces->root);
	inventory_find_readers(traces);
	inventory_read_pins(traces);
	return ret;
}

void traces_release(struct traces *traces)
{
	for (size_t i = 0; i < TRACE_LISTS; i++)
		str_release(&traces->lists[i].text);
	free(traces->instances.v);
	free(traces->v);
	processes_release(&traces->processes);
	pins_release(&traces->pins);
	holders_release(&traces->holders);
	pool_release(&traces->strings);
	*traces = (struct traces){};
}
