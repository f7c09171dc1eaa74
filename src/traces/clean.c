// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes to tracefs what removes events and settings. Users of a thing are removed before it: pins, triggers,
 * enabled events, ftrace's settings, then eprobes (which may be attached to synthetic events), synthetic events,
 * probes, and instances last. Removal commands are appended to the lists of events. A list is never truncated:
 * that would remove the events of others, and removes nothing if one event is busy.
 */
#include "base/report.h"
#include "clean.h"
#include "files.h"
#include "parse.h"

struct cleaner {
	const struct traces *traces;
	struct trace_verdicts *verdicts;
	int lists[TRACE_LISTS]; /* descriptors for appending, -1: not open yet */
	size_t done, total;	/* for the progress bar */
};

typedef int (*clean_fn)(struct cleaner *c, const struct trace_item *item);

static int remove_trigger(struct cleaner *c, const struct trace_item *item)
{
	__free char *text = base_printf("!%.*s", (int)parse_trigger_len(item->text), item->text);

	return trace_file_write(c->traces->root, item->file, O_APPEND, text);
}

static int disable(struct cleaner *c, const struct trace_item *item)
{
	return trace_file_write(c->traces->root, item->file, 0, "0");
}

/*
 * Removes functions with a command, such as "schedule:traceoff:count=5" or "schedule:traceoff:unlimited". The
 * kernel does not accept the word "unlimited" that it prints itself.
 */
static int remove_commands(struct cleaner *c, const struct trace_item *item)
{
	static const char unlimited[] = ":unlimited";
	__free char *copy = base_strdup(item->text);
	char *at = copy, *line;

	while ((line = strsep(&at, "\n"))) {
		size_t len = strlen(line);
		__free char *command = NULL;
		int ret;

		if (!strchr(line, ':'))
			continue;
		if (len >= sizeof(unlimited) && !strcmp(line + len - sizeof(unlimited) + 1, unlimited))
			line[len - sizeof(unlimited) + 1] = 0;
		command = base_printf("!%s", line);
		ret = trace_file_write(c->traces->root, item->file, O_APPEND, command);
		if (ret)
			return ret;
	}
	return 0;
}

static int reset_setting(struct cleaner *c, const struct trace_item *item)
{
	const struct trace_setting *setting = item->setting;
	int ret = 0;

	if (setting->reset)
		return trace_file_write(c->traces->root, item->file, 0, setting->reset);
	if (strstr(setting->file, "ftrace_filter"))
		ret = remove_commands(c, item);
	return ret ? ret : trace_file_write(c->traces->root, item->file, O_TRUNC, "");
}

static int empty_buffer(struct cleaner *c, const struct trace_item *item)
{
	return trace_file_write(c->traces->root, item->file, O_TRUNC, "");
}

static int remove_instance(struct cleaner *c, const struct trace_item *item)
{
	return unlinkat(c->traces->root, item->file, AT_REMOVEDIR) ? -errno : 0;
}

/*
 * Removes a pin. If it was the last pin in its owner's directory, the directory is removed as well: the owner
 * made it for its pins.
 */
static int remove_pin(struct cleaner *c, const struct trace_item *item)
{
	__free char *path = base_strdup(item->file);
	char *first = path + strlen(item->pin->mount) + 1, *slash;
	size_t len = strlen(item->owner.tool);

	if (unlink(path))
		return -errno;
	if (strncmp(first, item->owner.tool, len) || first[len] != '/')
		return 0;
	while ((slash = strrchr(first, '/'))) {
		*slash = 0;
		if (rmdir(path))
			break;
	}
	return 0;
}

/* Each command is a write of its own, so that each has its own result. */
static int remove_event(struct cleaner *c, const struct trace_item *item)
{
	__free char *text = base_printf("-:%s/%s\n", item->group, item->name);
	int *fd = &c->lists[trace_list_of(item->kind)];

	if (*fd < 0)
		*fd = openat(c->traces->root, item->file, O_WRONLY | O_APPEND | O_CLOEXEC);
	return *fd < 0 || write(*fd, text, strlen(text)) < 0 ? -errno : 0;
}

static const clean_fn cleaners[] = {
	[TRACE_EPROBE] = remove_event,
	[TRACE_SYNTHETIC] = remove_event,
	[TRACE_PROBE] = remove_event,
	[TRACE_KPROBE] = remove_event,
	[TRACE_UPROBE] = remove_event,
	[TRACE_TRIGGER] = remove_trigger,
	[TRACE_ENABLED] = disable,
	[TRACE_FILTER] = disable,
	[TRACE_SETTING] = reset_setting,
	[TRACE_ENTRIES] = empty_buffer,
	[TRACE_INSTANCE] = remove_instance,
	[TRACE_PIN] = remove_pin,
};

static bool same_event(const struct trace_item *a, const struct trace_item *b)
{
	return trace_is_event(b) && a->kind == b->kind && !strcmp(a->group, b->group) && !strcmp(a->name, b->name);
}

/* Removes an item. Several probes of one event are removed together. Returns how many items these are. */
static size_t clean_item(struct cleaner *c, size_t i)
{
	const struct trace_item *item = &c->traces->v[i];
	int error = cleaners[item->kind](c, item);
	size_t n = 0;

	/* Its owner was faster. */
	if (error == -ENOENT)
		error = 0;
	do {
		c->verdicts->v[i + n].error = error;
		c->verdicts->v[i + n].done = !error;
		n++;
	} while (trace_is_event(item) && i + n < c->traces->n && same_event(item, item + n));
	c->done += n;
	report_progress("cleaning", c->done, c->total);
	return n;
}

/*
 * Removes all items of a kind. An item that is still in use (EBUSY) is tried again as long as other items are
 * being removed.
 */
static void clean_kind(struct cleaner *c, enum trace_kind kind)
{
	bool again = true;

	for (bool first = true; again; first = false) {
		bool busy = false, progress = false;

		for (size_t i = 0; i < c->traces->n;) {
			struct trace_step *step = &c->verdicts->v[i];
			bool due = first ? !step->done : step->error == -EBUSY;

			if (c->traces->v[i].kind != kind || !trace_step_acts(step) || !due) {
				i++;
				continue;
			}
			i += clean_item(c, i);
			progress |= step->done;
			busy |= step->error == -EBUSY;
		}
		again = busy && progress;
	}
}

/* Removes the triggers with an action ("hist:...:onmatch(...)") first: they refer to variables of other triggers. */
static void clean_actions(struct cleaner *c)
{
	for (size_t i = 0; i < c->traces->n; i++)
		if (c->traces->v[i].kind == TRACE_TRIGGER && trace_step_acts(&c->verdicts->v[i]) &&
		    strstr(c->traces->v[i].text, ":on"))
			clean_item(c, i);
}

void traces_clean(const struct traces *traces, struct trace_verdicts *verdicts)
{
	static const enum trace_kind order[] = {
		TRACE_PIN,
		TRACE_TRIGGER,
		TRACE_ENABLED,
		TRACE_FILTER,
		TRACE_SETTING,
		TRACE_EPROBE,
		TRACE_SYNTHETIC,
		TRACE_PROBE,
		TRACE_KPROBE,
		TRACE_UPROBE,
		TRACE_INSTANCE,
		TRACE_ENTRIES,
	};
	struct cleaner cleaner = { .traces = traces, .verdicts = verdicts };

	for (size_t i = 0; i < TRACE_LISTS; i++)
		cleaner.lists[i] = -1;
	for (size_t i = 0; i < verdicts->n; i++)
		cleaner.total += trace_step_acts(&verdicts->v[i]);
	clean_actions(&cleaner);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		clean_kind(&cleaner, order[i]);
	for (size_t i = 0; i < TRACE_LISTS; i++)
		if (cleaner.lists[i] >= 0)
			close(cleaner.lists[i]);
	report_progress(NULL, 0, 0);
}
