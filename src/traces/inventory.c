// SPDX-License-Identifier: BSD-2-Clause
/* The inventory as such: its items, their kinds, and the files that they were read from. */
#include "files.h"
#include "inventory_part.h"
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

int traces_read_file(const struct traces *traces, const char *file, struct str *text)
{
	return trace_file_read(traces->root, file, text);
}

int inventory_read_file(const struct traces *traces, const char *file, struct str *text, struct err *err)
{
	int ret = trace_file_read(traces->root, file, text);
	const char *locked;

	if (!ret || ret == -ENOENT)
		return ret;
	locked = ret == -EPERM ? kernel_locked_down() : NULL;
	return err_set(err, ret, "cannot read %s/%s: %s", traces->path, file, locked ? locked : strerror(-ret));
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

void inventory_know_processes(struct traces *traces)
{
	if (!traces->knows_processes)
		processes_read(&traces->processes);
	traces->knows_processes = true;
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
