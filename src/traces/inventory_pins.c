// SPDX-License-Identifier: BSD-2-Clause
/* Makes items of the pins, and finds the processes that use them. Knows nothing of tracefs. */
#include "inventory_part.h"

static void add_pin(struct traces *traces, const struct trace_pin *pin)
{
	static const enum holding_kind kinds_held[] = {
		[BPF_OBJECT_PROGRAM] = HOLDS_PROGRAM,
		[BPF_OBJECT_MAP] = HOLDS_MAP,
		[BPF_OBJECT_LINK] = HOLDS_LINK,
	};
	struct trace_item *item = inventory_add(traces, TRACE_PIN, 0, pin->path);
	const struct holding *holding;
	size_t n;

	item->pin = pin;
	item->text = "";
	item->owner.tool = pin->owner;
	item->unreadable = pin->error;
	item->set = !pin->error;
	if (!item->set)
		return;
	item->text = pool_addf(&traces->strings, "%s%s%s %u%s%s", pin->type ? pin->type : "", pin->type ? " " : "",
			       bpf_object_kind_name(pin->kind), pin->id, *pin->name ? " " : "", pin->name);
	holding = holders_find(&traces->holders, kinds_held[pin->kind], pin->id, &n);
	if (n)
		item->owner.process = processes_find(&traces->processes, holding->pid);
}

/* True if both have the same owner and are in the same directory. */
static bool are_together(const struct trace_pin *a, const struct trace_pin *b)
{
	size_t directory = strrchr(a->path, '/') - a->path + 1;

	return a->owner && b->owner && !strcmp(a->owner, b->owner) && !strncmp(a->path, b->path, directory) && !strchr(b->path + directory, '/');
}

/*
 * Finds the user of a pin that no process has open. A tool uses the pins of one directory together. Some tools
 * close the descriptors of what they have pinned: a running process with the tool's name then counts as the user.
 */
static const struct process_id *find_user(const struct traces *traces, const struct trace_pin *pin)
{
	vec_each(other, traces)
		if (other->kind == TRACE_PIN && other->owner.process && are_together(pin, other->pin))
			return other->owner.process;
	return pin->owner && strcmp(pin->owner, OWNER_SONDE) ? processes_find_command(&traces->processes, pin->owner) : NULL;
}

void inventory_read_pins(struct traces *traces)
{
	pins_read(&traces->pins);
	if (!traces->pins.n)
		return;
	inventory_know_processes(traces);
	vec_each(pin, &traces->pins)
		add_pin(traces, pin);
	vec_each(item, traces) {
		if (item->kind != TRACE_PIN || !item->set)
			continue;
		if (!item->owner.process)
			item->owner.process = find_user(traces, item->pin);
		if (item->owner.process)
			item->owner.state = OWNER_ALIVE;
		else if (!traces->processes.complete)
			item->owner.state = OWNER_UNSEEN;
	}
}
