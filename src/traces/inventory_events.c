// SPDX-License-Identifier: BSD-2-Clause
/* Reads the dynamic events from the lists of them in tracefs, each with its owner. */
#include "base/search.h"
#include "age.h"
#include "inventory_part.h"
#include "parse.h"

static const struct {
	const char *file;
	enum trace_kind kind; /* kind of its p and r events */
} lists[TRACE_LISTS] = {
	{ "kprobe_events", TRACE_KPROBE },
	{ "uprobe_events", TRACE_UPROBE },
	{ "dynamic_events", TRACE_PROBE },
};

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

static int read_list(struct traces *traces, size_t list, struct err *err)
{
	struct str *text = &traces->lists[list].text;
	__free char *copy = NULL;
	char *at, *line;
	int ret;

	traces->lists[list].file = lists[list].file;
	ret = inventory_read_file(traces, lists[list].file, text, err);
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

int inventory_read_events(struct traces *traces, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < TRACE_LISTS && !ret; i++)
		ret = read_list(traces, i, err);
	if (!ret && traces->n)
		qsort(traces->v, traces->n, sizeof(*traces->v), by_name);
	return ret;
}

ssize_t inventory_find_event(const struct traces *traces, size_t n, const char *group, const char *name)
{
	size_t at = search_first(i, n, compare_event(&traces->v[i], group, name) >= 0);

	return at < n && !compare_event(&traces->v[at], group, name) ? (ssize_t)at : -1;
}

void inventory_use_event(struct traces *traces, size_t n, size_t event)
{
	for (size_t i = event; i < n && !by_name(&traces->v[i], &traces->v[event]); i++)
		traces->v[i].users++;
}
