// SPDX-License-Identifier: BSD-2-Clause
/*
 * reset-trace: takes away what tracers that are gone left in tracefs. What is there, whose it is, what is to be done and
 * the doing of it are src/traces/; here is what is said of it, in the manner of bcc's reset-trace.
 */
#include "base/report.h"
#include "output/words.h"
#include "run/run.h"
#include "traces/clean.h"

#define ERRORS_SHOWN 5

static struct {
	bool force, dry, quiet;
	int owner; /* index in owner_tools, -1 none */
} settings = { .owner = -1 };

static const struct opt options[] = {
	OPT(OPT_BOOL, typeof(settings), force, 'F', "force", NULL, "reset everything, whoever it belongs to"),
	OPT(OPT_BOOL, typeof(settings), dry, 'n', "dry-run", NULL, "say what would be done and change nothing"),
	OPT(OPT_CHOICE, typeof(settings), owner, 0, "owner", "NAME", "take away what this tool made, too, unless its process is alive",
	    .choices = owner_tools),
	OPT(OPT_BOOL, typeof(settings), quiet, 'q', "quiet", NULL, "print nothing but errors"),
};

/* ---- JSON: an object for each thing that is not as the kernel begins ---- */

struct row {
	char *file;
	const char *kind, *instance, *group, *name, *text, *owner, *state, *comm, *action, *why;
	pid_t pid;
	const struct trace_step *step;
};

static void add_event(struct str *s, const void *row, enum output_format format)
{
	const struct row *r = row;
	__str struct str name = {};

	if (!r->name) {
		str_add(s, "null");
		return;
	}
	str_addf(&name, "%s%s%s", r->group ? r->group : "", r->group ? "/" : "", r->name);
	str_add_json(s, name.data, name.len);
}

static void add_pid(struct str *s, const void *row, enum output_format format)
{
	const struct row *r = row;

	if (r->pid)
		str_add_u64(s, r->pid);
	else
		str_add(s, "null");
}

static void add_done(struct str *s, const void *row, enum output_format format)
{
	str_add(s, ((const struct row *)row)->step->done ? "true" : "false");
}

static void add_error(struct str *s, const void *row, enum output_format format)
{
	words_add_error(s, ((const struct row *)row)->step->error);
}

#define JSON_STR(MEMBER, KEY) FIELD(FIELD_STR, struct row, MEMBER, KEY, NULL, 0, .json_only = true)
#define JSON_BY(ADD, KEY)     FIELD_BY(ADD, KEY, NULL, 0, .json_only = true)

static const struct field fields[] = {
	JSON_STR(file, "file"),
	JSON_STR(kind, "kind"),
	JSON_STR(instance, "instance"),
	JSON_BY(add_event, "name"),
	JSON_STR(text, "text"),
	JSON_STR(owner, "owner"),
	JSON_BY(add_pid, "pid"),
	JSON_STR(state, "state"),
	JSON_STR(comm, "comm"),
	JSON_STR(action, "action"),
	JSON_STR(why, "why"),
	JSON_BY(add_done, "done"),
	JSON_BY(add_error, "error"),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const char *state_name(const struct trace_owner *owner)
{
	static const char *const names[] = {
		[OWNER_UNKNOWN] = NULL,
		[OWNER_DEAD] = "dead",
		[OWNER_ALIVE] = "alive",
		[OWNER_UNSEEN] = "unseen",
	};

	return names[owner->state];
}

static void print_row(struct output *out, const struct traces *traces, const struct trace_item *item,
		      const struct trace_step *step)
{
	const struct trace_instance *instance = &traces->instances.v[item->instance];
	struct row row = {
		.file = traces_file_name(traces, item->file),
		.kind = trace_kind_name(item->kind),
		.instance = *instance->name ? instance->name : NULL,
		.group = item->group,
		.name = item->name,
		.text = item->text,
		.owner = item->owner.tool,
		.pid = item->owner.pid,
		.state = state_name(&item->owner),
		.comm = item->owner.process ? item->owner.process->comm : NULL,
		.action = trace_step_action(item, step),
		.why = step->why,
		.step = step,
	};

	output_row(out, &row);
	free(row.file);
}

static void print_rows(struct output *out, const struct traces *traces, const struct trace_plan *plan)
{
	output_table_begin(out, &schema, NULL, false, true);
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].set)
			print_row(out, traces, &traces->v[i], &plan->v[i]);
	output_table_end(out);
}

/* ---- text ---- */

struct teller {
	struct output *out;
	const struct traces *traces;
	const struct trace_plan *plan;
	bool verbose;
};

static void tell_empty(struct teller *t)
{
	output_line(t->out, "%s", "");
}

static void tell_checking(struct teller *t, const char *prefix, const char *file)
{
	__free char *path = base_printf("%s%s", prefix, file);
	__free char *name = traces_file_name(t->traces, path);

	if (t->verbose)
		output_line(t->out, "Checking %s", name);
}

static void tell_lines(struct teller *t, const char *text)
{
	__free char *copy = base_strdup(text);
	char *at = copy, *line;
	unsigned int n = 0;

	while ((line = strsep(&at, "\n")))
		if (*line || at)
			output_line(t->out, "%6u  %s", ++n, line);
}

/* What file held, and what it holds now. */
static void tell_change(struct teller *t, const char *file, const char *before)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	__str struct str after = {};

	if (!t->verbose)
		return;
	output_line(t->out, "%s, before (line enumerated):", name);
	tell_lines(t, before);
	if (settings.dry)
		return;
	traces_read_file(t->traces, file, &after);
	output_line(t->out, "%s, after (line enumerated):", name);
	tell_lines(t, after.data ? after.data : "");
	tell_empty(t);
}

static void tell_reset(struct teller *t, const char *file)
{
	__free char *name = traces_file_name(t->traces, file);

	output_line(t->out, "%s %s", settings.dry ? "Would reset" : "Needed to reset", name);
}

static void tell_unrelated(struct teller *t, const char *file, const char *contents, const char *expected)
{
	__free char *name = traces_file_name(t->traces, file);
	const char *slash = strrchr(file, '/');

	output_line(t->out,
		    "Noticed unrelated tracing file %s isn't set as expected. Not resetting (-F to force, -v for verbose).",
		    name);
	if (!t->verbose)
		return;
	output_line(t->out, "Contents of %s is (line enumerated):", slash ? slash + 1 : file);
	tell_lines(t, contents);
	output_line(t->out, "Expected \"%s\".", expected);
}

/* Done, or to be done. */
static bool changed(const struct trace_step *step)
{
	return settings.dry ? trace_step_acts(step) : step->done;
}

static bool same_owner(const struct trace_owner *a, const struct trace_owner *b)
{
	return a->pid == b->pid && !strcmp(a->tool, b->tool);
}

static void tell_owner(struct teller *t, const char *file, const struct trace_owner *owner, size_t n)
{
	__free char *name = traces_file_name(t->traces, file);
	__str struct str who = {};

	str_add(&who, owner->tool);
	if (owner->pid)
		str_addf(&who, ", process %d", owner->pid);
	if (owner->state == OWNER_UNSEEN)
		str_add(&who, ", which may be alive outside this pid namespace");
	else if (!owner->process)
		str_addf(&who, " (--owner %s takes them away)", owner->tool);
	else if (owner->process->pid == owner->pid)
		str_addf(&who, " (%s)", owner->process->comm);
	else
		str_addf(&who, " (%s, %d here)", owner->process->comm, owner->process->pid);
	output_line(t->out, "Left alone in %s: %zu event%s of %s", name, n, n == 1 ? "" : "s", who.data);
}

/* A line for each owner of what is left in a list. */
static void tell_owners(struct teller *t, size_t list)
{
	const struct traces *traces = t->traces;
	struct {
		struct {
			const struct trace_owner *owner;
			size_t n;
		} * v;
		size_t n, cap;
	} owners = {};

	for (size_t i = 0; i < traces->n; i++) {
		const struct trace_item *item = &traces->v[i];
		size_t at = 0;

		if (!trace_is_event(item) || trace_list_of(item->kind) != list || t->plan->v[i].verdict != TRACE_OWNED)
			continue;
		while (at < owners.n && !same_owner(owners.v[at].owner, &item->owner))
			at++;
		if (at == owners.n)
			vec_push(&owners)->owner = &item->owner;
		owners.v[at].n++;
	}
	vec_each(it, &owners)
		tell_owner(t, traces->lists[list].file, it->owner, it->n);
	free(owners.v);
}

/* Why each that stays does. */
static void tell_left(struct teller *t, size_t list)
{
	for (size_t i = 0; t->verbose && i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];
		const struct trace_step *step = &t->plan->v[i];

		if (trace_is_event(item) && trace_list_of(item->kind) == list && !changed(step) && !trace_step_failed(step))
			output_line(t->out, "Left %s/%s: %s", item->group, item->name,
				    step->error ? "perf or a BPF program uses it" : step->why);
	}
}

static void tell_list(struct teller *t, size_t list)
{
	const struct trace_list *l = &t->traces->lists[list];
	size_t resets = 0, unrelated = 0, busy = 0;
	__free char *name = traces_file_name(t->traces, l->file);

	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_step *step = &t->plan->v[i];

		if (!trace_is_event(&t->traces->v[i]) || trace_list_of(t->traces->v[i].kind) != list)
			continue;
		resets += changed(step);
		unrelated += step->verdict == TRACE_UNRELATED;
		busy += step->error && !trace_step_failed(step);
	}
	tell_checking(t, "", l->file);
	if (resets) {
		tell_reset(t, l->file);
		tell_change(t, l->file, l->text.data);
	}
	tell_owners(t, list);
	if (busy)
		output_line(t->out, "Left alone in %s: %zu event%s in use by perf or BPF programs", name, busy,
			    busy == 1 ? "" : "s");
	if (unrelated)
		tell_unrelated(t, l->file, l->text.data, "");
	tell_left(t, list);
}

static void tell_entries(struct teller *t, const struct trace_item *item, const struct trace_step *step)
{
	tell_checking(t, "", item->file);
	if (changed(step))
		tell_reset(t, item->file);
	else if (t->verbose && item->set)
		output_line(t->out, "%llu recorded entries are kept (-F empties it)", (unsigned long long)item->entries);
}

static void tell_setting(struct teller *t, const struct trace_item *item, const struct trace_step *step)
{
	tell_checking(t, "", item->file);
	if (changed(step)) {
		tell_reset(t, item->file);
		tell_change(t, item->file, item->text);
	} else if (step->verdict == TRACE_UNRELATED) {
		tell_unrelated(t, item->file, item->text, item->setting->expected);
	}
}

/* Of an instance, but for those of dynamic events, which their list has told of. */
static bool is_enabled_event(const struct trace_item *item, size_t instance)
{
	return item->kind == TRACE_ENABLED && item->instance == instance && item->event < 0;
}

static void tell_enabled(struct teller *t, size_t instance)
{
	const char *prefix = t->traces->instances.v[instance].prefix;
	__free char *file = base_printf("%sevents/enable", prefix);
	__str struct str events = {};
	bool reset = false, unrelated = false;

	tell_checking(t, prefix, "set_event");
	tell_checking(t, prefix, "events/enable");
	for (size_t i = 0; i < t->traces->n; i++) {
		const struct trace_item *item = &t->traces->v[i];

		if (!is_enabled_event(item, instance))
			continue;
		reset |= changed(&t->plan->v[i]);
		unrelated |= t->plan->v[i].verdict == TRACE_UNRELATED;
		str_addf(&events, "%s:%s\n", item->group, item->name);
	}
	if (reset) {
		tell_reset(t, file);
		tell_change(t, file, events.data);
	}
	if (unrelated)
		tell_unrelated(t, file, events.data, "0");
}

/* Triggers and filters: of an event with several the file is told once, with all of them. */
static size_t tell_event_file(struct teller *t, size_t i)
{
	const struct trace_item *item = &t->traces->v[i];
	__str struct str text = {};
	bool reset = false;
	size_t end;

	for (end = i; end < t->traces->n && t->traces->v[end].file && !strcmp(t->traces->v[end].file, item->file); end++) {
		str_addf(&text, "%s\n", t->traces->v[end].text);
		reset |= changed(&t->plan->v[end]);
	}
	if (item->event < 0 && t->plan->v[i].verdict == TRACE_UNRELATED) {
		tell_unrelated(t, item->file, text.data, item->kind == TRACE_FILTER ? "none" : "");
	} else if (item->event < 0 && reset) {
		tell_reset(t, item->file);
		tell_change(t, item->file, text.data);
	}
	return end;
}

static void tell_instance(struct teller *t, size_t instance)
{
	const struct traces *traces = t->traces;

	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].instance == instance && traces->v[i].kind == TRACE_ENTRIES)
			tell_entries(t, &traces->v[i], &t->plan->v[i]);
	for (size_t i = 0; i < traces->n; i++)
		if (traces->v[i].instance == instance && traces->v[i].kind == TRACE_SETTING)
			tell_setting(t, &traces->v[i], &t->plan->v[i]);
	tell_enabled(t, instance);
	for (size_t i = 0; i < traces->n;) {
		const struct trace_item *item = &traces->v[i];

		if (item->instance == instance && (item->kind == TRACE_TRIGGER || item->kind == TRACE_FILTER))
			i = tell_event_file(t, i);
		else
			i++;
	}
	for (size_t i = 0; i < traces->n; i++) {
		const struct trace_item *item = &traces->v[i];

		if (item->instance != instance || item->kind != TRACE_INSTANCE)
			continue;
		tell_checking(t, "", item->file);
		if (changed(&t->plan->v[i]))
			tell_reset(t, item->file);
	}
}

static void tell_all(struct teller *t)
{
	if (t->verbose) {
		output_line(t->out, "Resetting tracing state...");
		tell_empty(t);
	}
	for (size_t list = 0; list < TRACE_LISTS; list++)
		tell_list(t, list);
	for (size_t i = 0; i < t->traces->instances.n; i++)
		tell_instance(t, i);
	if (t->verbose) {
		tell_empty(t);
		output_line(t->out, "Done.");
	}
}

/* ---- */

static size_t say_errors(const struct traces *traces, const struct trace_plan *plan, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct trace_item *item = &traces->v[i];
		const struct trace_step *step = &plan->v[i];
		__free char *file = NULL;

		if (!trace_step_failed(step) || (n++ >= ERRORS_SHOWN && !all))
			continue;
		file = traces_file_name(traces, item->file);
		report_error("cannot %s %s%s%s%s%s: %s%s", trace_step_action(item, step), item->group ? item->group : "",
			     item->group ? "/" : "", item->group ? item->name : "", item->group ? " in " : "", file,
			     strerror(-step->error),
			     step->error == -EBUSY && trace_is_event(item) ? " (perf or a BPF program uses it)" : "");
	}
	if (n > ERRORS_SHOWN && !all)
		report_error("and %zu more like these (-v names all)", n - ERRORS_SHOWN);
	return n;
}

/* What this kernel does not let us see is no reason to be silent about it. */
static void say_unreadable(const struct traces *traces)
{
	__str struct str files = {};
	int error = 0;

	for (size_t i = 0; i < traces->n; i++) {
		if (!traces->v[i].unreadable)
			continue;
		str_addf(&files, "%s%s", files.len ? ", " : "", traces->v[i].file);
		error = traces->v[i].unreadable;
	}
	if (files.len)
		report_note("not checked, for it cannot be read: %s: %s", files.data, strerror(-error));
}

static bool anything_to_do(const struct trace_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (trace_step_acts(&plan->v[i]))
			return true;
	return false;
}

static int reset(struct run *run, const struct traces *traces)
{
	struct trace_policy policy = {
		.force = settings.force,
		.owner = settings.owner < 0 ? NULL : owner_tools[settings.owner],
	};
	struct trace_plan plan __cleanup(trace_plan_release) = {};
	struct teller teller = { run->out, traces, &plan, run->options.verbose };

	trace_plan_make(&plan, traces, &policy);
	if (!settings.dry)
		traces_clean(traces, &plan);
	if (run->options.json && !settings.quiet)
		print_rows(run->out, traces, &plan);
	else if (!settings.quiet)
		tell_all(&teller);
	output_flush(run->out);
	say_unreadable(traces);
	if (say_errors(traces, &plan, run->options.verbose))
		return 1;
	return settings.dry && anything_to_do(&plan) ? 3 : 0;
}

static int reset_trace(struct run *run, struct err *err)
{
	struct traces traces __cleanup(traces_release) = {};
	int ret;

	report_set_quiet(settings.quiet);
	ret = traces_read(&traces, err);
	return ret ? ret : reset(run, &traces);
}

TOOL_NAMED(reset_trace, "reset-trace", .also = "reset", .brief = "clean up after tracers that were killed", .args = "",
	   OPTIONS(options), .settings = &settings, .schema = &schema, .act = reset_trace,
	   .description =
		   "Takes away the kprobe, uprobe and other dynamic events that a tracer left in tracefs when it crashed or was "
		   "killed, and what was enabled of them. Each is attributed by its name: those of bcc, libbpf, dtrace, systemtap "
		   "and ply hold the process that made them. Those of a dead process go, those of a living one stay. Where the "
		   "name says nothing an event goes when it is not enabled and has no trigger, and neither perf nor a BPF program "
		   "uses it; perf probe's stay. An instance goes when nothing is set or recorded in it.\n\n"
		   "A process id may have been given to another process since: then the events stay, with the process named. "
		   "Processes in other pid namespaces are known by their ids in there. Within a pid namespace nobody can be "
		   "proven dead.\n\n"
		   "ftrace's own settings, enabled events, triggers and filters belong to nobody that could be asked. They are "
		   "checked, and told where they are not as the kernel begins; -F resets them. The ring buffers are not read, "
		   "and emptied with -F only; but newer kernels empty one themselves when an event that was enabled in it is removed.\n\n"
		   "Exits 0 when all is clean, 1 when something could not be cleaned, and with -n 3 when there is something to "
		   "clean.",
	   EXAMPLES({ "sonde reset-trace", "clean up; silent when there was nothing to do" },
		    { "sonde reset-trace -n -v", "what would be done, file by file" },
		    { "sonde reset-trace --owner perf", "perf probe's events as well" },
		    { "sonde reset-trace -F", "everything, also what is in use by others" }));
