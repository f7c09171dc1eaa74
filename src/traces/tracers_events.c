// SPDX-License-Identifier: BSD-2-Clause
/* Turns the inventory of tracefs into tracers: events with their hits, settings, and the readers of each instance. */
#include "base/search.h"
#include "files.h"
#include "parse.h"
#include "verdicts.h"
#include "tracers_part.h"

static const char *instance_of(const struct tracers *tracers, const struct trace_item *item)
{
	const char *name = tracers->traces.instances.v[item->instance].name;

	return *name ? name : NULL;
}

static struct tracer *add(struct tracers *tracers, const struct trace_item *item, const char *kind, const char *name)
{
	struct tracer *tracer = tracers_add(tracers, kind, name);
	__free char *file = item->file ? traces_file_name(&tracers->traces, item->file) : NULL;

	tracer->instance = instance_of(tracers, item);
	tracer->file = file ? pool_add(&tracers->strings, file) : NULL;
	return tracer;
}

/* ---- dynamic events ---- */

/* Nothing in tracefs uses it. perf could use it, if any process holds a perf event. */
static bool is_orphan(const struct tracers *tracers, const struct trace_step *step)
{
	size_t n;

	holders_find(&tracers->traces.holders, HOLDS_PERF_EVENT, 0, &n);
	return step->verdict == TRACE_CLEAN || (step->verdict == TRACE_TRY && !n && !tracers->traces.holders.unreadable);
}

static bool has_target(const struct tracer *tracer, const char *name)
{
	for (size_t i = 0; i < tracer->targets.n; i++)
		if (tracer->targets.v[i] && !strcmp(tracer->targets.v[i], name))
			return true;
	return false;
}

static void set_owner(struct tracers *tracers, struct tracer *tracer, const struct trace_item *item,
		      const struct trace_step *step)
{
	const struct trace_owner *owner = &item->owner;

	/* the owner of a BPF program attached to it is certain */
	for (size_t i = 0; i < tracers->first_event; i++) {
		const struct tracer *program = &tracers->v[i];

		if (strcmp(program->kind, "tracepoint") || !has_target(program, item->name))
			continue;
		tracer->state = TRACER_HELD;
		vec_each(process, &program->processes)
			tracer_add_process(tracer, process->pid, process->comm);
	}
	if (tracer->state == TRACER_HELD)
		return;
	if (!owner->tool)
		return;
	tracer->state = is_orphan(tracers, step) ? TRACER_ORPHAN : TRACER_INFERRED;
	tracer->tool = owner->tool;
	tracer->pid = owner->pid;
	tracer->dead = owner->state == OWNER_DEAD;
	if (owner->process)
		tracer_add_process(tracer, owner->process->pid, owner->process->comm);
}

/* Returns PLACE of "p:group/name PLACE ...", without the leading zeros of an offset. */
static const char *place_of(struct tracers *tracers, const struct trace_item *item)
{
	const char *at = item->text + strcspn(item->text, " "), *zeros;
	size_t len;

	at += strspn(at, " ");
	len = strcspn(at, " ");
	zeros = strstr(at, ":0x0");
	if (!len || !zeros || zeros > at + len)
		return len ? pool_addf(&tracers->strings, "%.*s", (int)len, at) : NULL;
	zeros += strlen(":0x");
	return pool_addf(&tracers->strings, "%.*s%.*s", (int)(zeros - at), at, (int)(at + len - zeros - strspn(zeros, "0")),
			 zeros + strspn(zeros, "0"));
}

static bool is_same(const struct tracer *tracer, const struct trace_item *item)
{
	return tracer->group && !strcmp(tracer->group, item->group) && !strcmp(tracer->name, item->name);
}

/* Items of one event follow each other; an event has several if it has several places. */
static void add_event(struct tracers *tracers, const struct trace_item *item, const struct trace_step *step)
{
	struct tracer *tracer = tracers->n ? &tracers->v[tracers->n - 1] : NULL;

	if (!tracer || !is_same(tracer, item)) {
		tracer = add(tracers, item, pool_addf(&tracers->strings, "%s event", trace_kind_name(item->kind)), item->name);
		tracer->group = item->group;
		set_owner(tracers, tracer, item, step);
	}
	tracer->enabled |= item->users > 0;
	tracer_add_target(tracer, place_of(tracers, item));
}

/*
 * ---- hits of dynamic events: the profile has the lines of the list in the same order, by name without the group
 * ----
 */

static char *next_word(char **at)
{
	char *word;

	do
		word = strsep(at, " \t");
	while (word && !*word);
	return word;
}

struct profile {
	const char *file;
	enum trace_kind kind;
	bool has_path;
};

static int compare_event(const struct tracer *tracer, const struct parsed_event *event)
{
	int ret = strcmp(tracer->group, event->group);

	return ret ? ret : strcmp(tracer->name, event->name);
}

/* All tracers after the first event are dynamic events, sorted by name. */
static struct tracer *find_event(struct tracers *tracers, const struct parsed_event *event)
{
	size_t first = tracers->first_event;
	size_t at = first + search_first(i, tracers->n - first, compare_event(&tracers->v[first + i], event) >= 0);

	return at < tracers->n && !compare_event(&tracers->v[at], event) ? &tracers->v[at] : NULL;
}

static bool read_counts(const struct profile *profile, char *line, const char *event, uint64_t *hits, uint64_t *missed)
{
	char *name, *word;

	if (profile->has_path)
		next_word(&line);
	name = next_word(&line);
	if (!name || strcmp(name, event))
		return false;
	word = next_word(&line);
	*hits = word ? strtoull(word, NULL, 10) : 0;
	word = next_word(&line);
	*missed = word ? strtoull(word, NULL, 10) : TRACER_NONE;
	return true;
}

static void add_hits(struct tracers *tracers, const struct profile *profile, const struct trace_list *list)
{
	__str struct str text = {};
	__free char *copy = base_strdup(list->text.len ? list->text.data : "");
	char *events = copy, *counts, *event, *line;
	struct parsed_event parsed;
	uint64_t hits, missed;

	if (!list->text.len || traces_read_file(&tracers->traces, profile->file, &text) || !text.len)
		return;
	counts = text.data;
	while ((event = strsep(&events, "\n")) && (line = strsep(&counts, "\n"))) {
		struct tracer *tracer;

		if (!parse_event(event, profile->kind, &parsed) || !read_counts(profile, line, parsed.name, &hits, &missed))
			continue;
		tracer = find_event(tracers, &parsed);
		if (!tracer)
			continue;
		tracer->hits = (tracer->hits == TRACER_NONE ? 0 : tracer->hits) + hits;
		if (missed != TRACER_NONE)
			tracer->missed = (tracer->missed == TRACER_NONE ? 0 : tracer->missed) + missed;
	}
}

/* ---- settings: their owner is probably the process that reads the instance's records ---- */

static struct tracer *add_infer(struct tracers *tracers, const struct trace_item *item, const char *kind, const char *name)
{
	const struct process_id *reader = tracers->traces.instances.v[item->instance].reader;
	struct tracer *tracer = add(tracers, item, kind, name);

	if (reader) {
		tracer->state = TRACER_INFERRED;
		tracer_add_process(tracer, reader->pid, reader->comm);
	}
	return tracer;
}

static void add_use(struct tracers *tracers, const struct trace_item *item)
{
	struct tracer *tracer = tracers->n ? &tracers->v[tracers->n - 1] : NULL;
	const char *kind = trace_kind_name(item->kind), *instance = instance_of(tracers, item);

	/* the row of the dynamic event shows this */
	if (item->event >= 0 && item->kind == TRACE_ENABLED)
		return;
	if (item->kind != TRACE_ENABLED) {
		tracer = add_infer(tracers, item, kind, pool_addf(&tracers->strings, "%s:%s", item->group, item->name));
		tracer_add_target(tracer, item->text);
		return;
	}
	/* the enabled events of one group share a row */
	if (!tracer || tracer->kind != kind || strcmp(tracer->name, item->group) || tracer->instance != instance)
		tracer = add_infer(tracers, item, kind, item->group);
	tracer_add_target(tracer, item->name);
}

static void add_instance(struct tracers *tracers, const struct trace_item *item)
{
	struct tracer *tracer = add_infer(tracers, item, trace_kind_name(item->kind), item->name);
	__free char *size = base_printf("%s/buffer_total_size_kb", item->file);
	__str struct str text = {};

	if (!traces_read_file(&tracers->traces, size, &text) && text.len)
		tracer->memory = strtoull(text.data, NULL, 10) * 1024;
}

static void add_setting(struct tracers *tracers, const struct trace_item *item)
{
	struct tracer *tracer = add_infer(tracers, item, trace_kind_name(item->kind), item->setting->file);
	__free char *copy = base_strdup(item->text);
	char *at = copy, *line;

	while ((line = strsep(&at, "\n")))
		tracer_add_target(tracer, *line ? pool_add(&tracers->strings, line) : NULL);
}

static void add_set(struct tracers *tracers, const struct trace_item *item)
{
	switch (item->kind) {
	case TRACE_ENABLED:
	case TRACE_TRIGGER:
	case TRACE_FILTER:
		return add_use(tracers, item);
	case TRACE_SETTING:
		return add_setting(tracers, item);
	case TRACE_INSTANCE:
		return add_instance(tracers, item);
	default:
		return;
	}
}

/* ---- readers of the ring buffers ---- */

/* Returns NAME of "instances/NAME/...", NULL for the top instance. */
static const char *instance_of_file(struct tracers *tracers, const char *file)
{
	static const char prefix[] = "instances/";

	if (strncmp(file, prefix, sizeof(prefix) - 1))
		return NULL;
	file += sizeof(prefix) - 1;
	return pool_addf(&tracers->strings, "%.*s", (int)strcspn(file, "/"), file);
}

static void add_reader(struct tracers *tracers, const struct holding *holding)
{
	const char *instance = instance_of_file(tracers, holding->file);
	struct tracer *tracer = NULL;

	vec_each(it, tracers)
		if (!strcmp(it->kind, "trace_pipe") && it->processes.v->pid == holding->pid && str_same(it->instance, instance))
			tracer = it;
	if (!tracer) {
		tracer = tracers_add(tracers, "trace_pipe", holding->file);
		tracer->instance = instance;
		tracer->state = TRACER_HELD;
		tracer_add_process(tracer, holding->pid, holding->comm);
	}
	tracer_add_target(tracer, holding->file);
}

static void add_readers(struct tracers *tracers)
{
	size_t n;
	const struct holding *files = holders_find(&tracers->traces.holders, HOLDS_TRACE_FILE, 0, &n);

	for (size_t i = 0; i < n; i++)
		if (inventory_is_for_readers(files[i].file))
			add_reader(tracers, &files[i]);
}

void tracers_add_events(struct tracers *tracers)
{
	static const struct profile profiles[] = {
		{ "kprobe_profile", TRACE_KPROBE, false },
		{ "uprobe_profile", TRACE_UPROBE, true },
	};
	const struct traces *traces = &tracers->traces;
	struct trace_verdicts verdicts __cleanup(trace_verdicts_release) = {};
	const struct trace_policy policy = {};

	tracers->first_event = tracers->n;
	trace_verdicts_make(&verdicts, traces, &policy);
	for (size_t i = 0; i < traces->n; i++)
		if (trace_is_event(&traces->v[i]))
			add_event(tracers, &traces->v[i], &verdicts.v[i]);
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		add_hits(tracers, &profiles[i], &traces->lists[trace_list_of(profiles[i].kind)]);
	for (size_t i = 0; i < traces->n; i++)
		if (!trace_is_event(&traces->v[i]) && traces->v[i].set)
			add_set(tracers, &traces->v[i]);
	add_readers(tracers);
}
