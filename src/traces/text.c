// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports verdicts in words, in the manner of bcc's reset-trace: file by file, what was reset and what was left
 * alone.
 */
#include "clean.h"
#include "text.h"

struct summary {
	struct output *out;
	const struct traces *traces;
	const struct trace_verdicts *verdicts;
	bool dry, verbose;
};

static void print_empty(struct summary *t)
{
	output_line(t->out, "%s", "");
}

static void print_checking(struct summary *t, const char *prefix, const char *file)
{
	__free char *path = base_printf("%s%s", prefix, file);
	__free char *name = traces_file_name(t->traces, path);

	if (t->verbose)
		output_line(t->out, "Checking %s", name);
}

static void print_lines(struct summary *t, const char *text)
{
	__free char *copy = base_strdup(text);
	char *at = copy, *line;
	unsigned int n = 0;

	while ((line = strsep(&at, "\n")))
		if (*line || at)
			output_line(t->out, "%6u  %s", ++n, line);
}

/* Prints the old and the new contents of a file. */
static void print_change(struct summary *t, const char *file, const char *before)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	__str struct str after = {};

	if (!t->verbose)
		return;
	output_line(t->out, "%s, before (line enumerated):", name);
	print_lines(t, before);
	if (t->dry)
		return;
	traces_read_file(t->traces, file, &after);
	output_line(t->out, "%s, after (line enumerated):", name);
	print_lines(t, after.data ? after.data : "");
	print_empty(t);
}

static void print_reset(struct summary *t, const char *file)
{
	__free char *name = traces_file_name(t->traces, file);

	output_line(t->out, "%s %s", t->dry ? "Would reset" : "Needed to reset", name);
}

static void print_unrelated(struct summary *t, const char *file, const char *contents, const char *expected)
{
	__free char *name = traces_file_name(t->traces, file);
	const char *slash = strrchr(file, '/');

	output_line(t->out,
		    "Noticed unrelated tracing file %s isn't set as expected. Not resetting (-F to force, -v for verbose).",
		    name);
	if (!t->verbose)
		return;
	output_line(t->out, "Contents of %s is (line enumerated):", slash ? slash + 1 : file);
	print_lines(t, contents);
	output_line(t->out, "Expected \"%s\".", expected);
}

/* True if the step was done; in a dry run, if it would be. */
static bool changed(const struct summary *t, const struct trace_step *step)
{
	return t->dry ? trace_step_acts(step) : step->done;
}

/* Items of one owner that stay in one place. */
struct group {
	const char *place; /* a list of events, or the mount point of a bpffs */
	const char *noun;
	const struct trace_owner *owner;
	size_t n;
};

static bool same_group(const struct group *a, const struct group *b)
{
	return a->owner->pid == b->owner->pid && a->owner->process == b->owner->process && !strcmp(a->owner->tool, b->owner->tool) &&
	       !strcmp(a->place, b->place);
}

static void add_who(struct str *who, const struct trace_owner *owner)
{
	const struct process_id *process = owner->process;

	str_add(who, owner->tool);
	if (owner->pid)
		str_addf(who, ", process %d", owner->pid);
	if (owner->state == OWNER_UNSEEN)
		str_add(who, ", which may be alive outside this pid namespace");
	else if (!process)
		str_addf(who, " (--owner %s removes them)", owner->tool);
	else if (!owner->pid)
		str_addf(who, ", in use by process %d (%s)", process->pid, process->comm);
	else if (process->pid == owner->pid)
		str_addf(who, " (%s)", process->comm);
	else
		str_addf(who, " (%s, %d here)", process->comm, process->pid);
	if (owner->state == OWNER_REUSED)
		str_addf(who, ", another command (--owner %s removes them)", owner->tool);
}

static void print_group(struct summary *t, const struct group *group)
{
	__free char *name = traces_file_name(t->traces, group->place);
	__str struct str who = {};

	add_who(&who, group->owner);
	output_line(t->out, "Left alone in %s: %zu %s%s of %s", name, group->n, group->noun, str_plural(group->n), who.data);
}

/* True for items of this list; the list TRACE_LISTS stands for the pins. */
static bool is_of(const struct trace_item *item, size_t list)
{
	return (trace_is_event(item) || item->kind == TRACE_PIN) && trace_list_of(item->kind) == list;
}

/* Prints a line for each owner whose items stay in a list. */
static void print_owners(struct summary *t, size_t list)
{
	vec(struct group) groups = {};

	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];
		struct group group = { item->file, "event", &item->owner };
		size_t at = 0;

		if (!is_of(item, list) || t->verdicts->v[i].verdict != TRACE_OWNED)
			continue;
		if (item->pin) {
			group.place = *item->pin->mount ? item->pin->mount : "/";
			group.noun = "pin";
		}
		while (at < groups.n && !same_group(&groups.v[at], &group))
			at++;
		if (at == groups.n)
			*vec_push(&groups) = group;
		groups.v[at].n++;
	}
	vec_each(group, &groups)
		print_group(t, group);
	free(groups.v);
}

/* Prints why each item stays. */
static void print_left(struct summary *t, size_t list)
{
	for (size_t i = 0; t->verbose && i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];
		const struct trace_step *step = &t->verdicts->v[i];

		if (!is_of(item, list) || !item->set || changed(t, step) || trace_step_failed(step))
			continue;
		if (item->pin)
			output_line(t->out, "Left %s (%s): %s", item->file, item->text, step->why);
		else
			output_line(t->out, "Left %s/%s: %s", item->group, item->name,
				    step->error ? "perf or a BPF program uses it" : step->why);
	}
}

static void print_list(struct summary *t, size_t list)
{
	const struct trace_list *l = &t->traces->lists[list];
	size_t resets = 0, unrelated = 0, busy = 0;
	__free char *name = traces_file_name(t->traces, l->file);

	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_step *step = &t->verdicts->v[i];

		if (!is_of(&t->traces->v[i], list))
			continue;
		resets += changed(t, step);
		unrelated += step->verdict == TRACE_UNRELATED;
		busy += step->error && !trace_step_failed(step);
	}
	print_checking(t, "", l->file);
	if (resets) {
		print_reset(t, l->file);
		print_change(t, l->file, l->text.data);
	}
	print_owners(t, list);
	if (busy)
		output_line(t->out, "Left alone in %s: %zu event%s in use by perf or BPF programs", name, busy,
			    str_plural(busy));
	if (unrelated)
		print_unrelated(t, l->file, l->text.data, "");
	print_left(t, list);
}

static void print_entries(struct summary *t, const struct trace_item *item, const struct trace_step *step)
{
	print_checking(t, "", item->file);
	if (changed(t, step))
		print_reset(t, item->file);
	else if (t->verbose && item->set)
		output_line(t->out, "%llu recorded %s kept (-F empties the buffer)", (unsigned long long)item->entries,
			    item->entries == 1 ? "entry is" : "entries are");
}

static void print_setting(struct summary *t, const struct trace_item *item, const struct trace_step *step)
{
	print_checking(t, "", item->file);
	if (changed(t, step)) {
		print_reset(t, item->file);
		print_change(t, item->file, item->text);
	} else if (step->verdict == TRACE_UNRELATED) {
		print_unrelated(t, item->file, item->text, item->setting->expected);
	}
}

/* True for enabled events of an instance. Dynamic events are left out: they are reported with their list. */
static bool is_enabled_event(const struct trace_item *item, size_t instance)
{
	return item->kind == TRACE_ENABLED && item->instance == instance && item->event < 0;
}

static void print_enabled(struct summary *t, size_t instance)
{
	const char *prefix = t->traces->instances.v[instance].prefix;
	__free char *file = base_printf("%sevents/enable", prefix);
	__str struct str events = {};
	bool reset = false, unrelated = false;

	print_checking(t, prefix, "set_event");
	print_checking(t, prefix, "events/enable");
	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];

		if (!is_enabled_event(item, instance))
			continue;
		reset |= changed(t, &t->verdicts->v[i]);
		unrelated |= t->verdicts->v[i].verdict == TRACE_UNRELATED;
		str_addf(&events, "%s:%s\n", item->group, item->name);
	}
	if (reset) {
		print_reset(t, file);
		print_change(t, file, events.data);
	}
	if (unrelated)
		print_unrelated(t, file, events.data, "0");
}

/* Reports the triggers or the filter of one event, all in one report. Returns the index of the next item. */
static size_t print_event_file(struct summary *t, size_t i)
{
	const struct trace_item *item = &t->traces->v[i];
	__str struct str text = {};
	bool reset = false;
	size_t end;

	for (end = i; end < t->traces->n && t->traces->v[end].file && !strcmp(t->traces->v[end].file, item->file); end++) {
		str_addf(&text, "%s\n", t->traces->v[end].text);
		reset |= changed(t, &t->verdicts->v[end]);
	}
	if (item->event < 0 && t->verdicts->v[i].verdict == TRACE_UNRELATED) {
		print_unrelated(t, item->file, text.data, item->kind == TRACE_FILTER ? "none" : "");
	} else if (item->event < 0 && reset) {
		print_reset(t, item->file);
		print_change(t, item->file, text.data);
	}
	return end;
}

/* The process that reads the records of an instance may own what is set in it. */
static void print_reader(struct summary *t, size_t instance)
{
	const struct trace_instance *of = &t->traces->instances.v[instance];
	__free char *file = base_printf("%strace", of->prefix), *name = traces_file_name(t->traces, file);
	bool unrelated = false;

	for (size_t i = 0; i < t->traces->n; i++)
		unrelated |= t->traces->v[i].instance == instance && !t->traces->v[i].pin && !trace_is_event(&t->traces->v[i]) &&
			     t->verdicts->v[i].verdict == TRACE_UNRELATED;
	if (of->reader && unrelated)
		output_line(t->out, "Process %d (%s) reads the records of %s.", of->reader->pid, of->reader->comm, name);
}

static void print_instance(struct summary *t, size_t instance)
{
	const struct traces *traces = t->traces;

	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].instance == instance && traces->v[i].kind == TRACE_ENTRIES)
			print_entries(t, &traces->v[i], &t->verdicts->v[i]);
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].instance == instance && traces->v[i].kind == TRACE_SETTING)
			print_setting(t, &traces->v[i], &t->verdicts->v[i]);
	print_enabled(t, instance);
	for (size_t i = 0; i < traces->n;) {
		const struct trace_item *item = &traces->v[i];

		if (item->instance == instance && (item->kind == TRACE_TRIGGER || item->kind == TRACE_FILTER))
			i = print_event_file(t, i);
		else
			i++;
	}
	print_reader(t, instance);
	for (size_t i = 0; i < traces->n; i++) {
		const struct trace_item *item = &traces->v[i];

		if (item->instance != instance || item->kind != TRACE_INSTANCE)
			continue;
		print_checking(t, "", item->file);
		if (changed(t, &t->verdicts->v[i]))
			print_reset(t, item->file);
	}
}

static void print_tracefs(struct summary *t)
{
	for (size_t list = 0; list < TRACE_LISTS; list++)
		print_list(t, list);
	for (size_t i = 0; i < t->traces->instances.n; i++)
		print_instance(t, i);
}

static void print_pins(struct summary *t)
{
	size_t unrelated = 0;

	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];
		const struct trace_step *step = &t->verdicts->v[i];

		if (item->kind != TRACE_PIN)
			continue;
		unrelated += step->verdict == TRACE_UNRELATED;
		if (changed(t, step))
			print_reset(t, item->file);
	}
	print_owners(t, TRACE_LISTS);
	if (unrelated)
		output_line(t->out, "Left alone: %zu pin%s whose path names no owner (-v for verbose)", unrelated,
			    str_plural(unrelated));
	print_left(t, TRACE_LISTS);
}

void traces_print_text(struct output *out, const struct traces *traces, const struct trace_verdicts *verdicts, bool dry,
		       bool verbose)
{
	struct summary t = { out, traces, verdicts, dry, verbose };

	if (verbose) {
		output_line(out, "Resetting tracing state...");
		print_empty(&t);
	}
	/* no instance: tracefs could not be read */
	if (traces->instances.n)
		print_tracefs(&t);
	print_pins(&t);
	if (verbose) {
		print_empty(&t);
		output_line(out, "Done.");
	}
}
