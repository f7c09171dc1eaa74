// SPDX-License-Identifier: BSD-2-Clause
/* Carries out what a program's records ask for: prints, runs commands, clears maps, ends. */
#include <fcntl.h>

#include "base/clock.h"
#include "base/report.h"
#include "script_format.h"
#include "script_part.h"
#include "script_system.h"
#include "strace/decode.h"

#define VALUES_MAX 64
/* How often to look for a request to stop. */
#define STOP_RECORDS 64

/* A record: the site and its arguments. */
struct call {
	struct script *script;
	const struct lang_site *site;
	uint64_t time;
	struct script_value values[VALUES_MAX];
	uint32_t n;
};

/* --- output --- */

/* Prints what is in script->text, and empties it. type: as JSON names it. */
static void put_text(struct script *script, const char *type)
{
	__str struct str json = {};

	if (script->form != SCRIPT_TEXT) {
		script_json_text(&json, script->form, type, str_or_empty(script->text.data), script->text.len);
		str_reset(&script->text);
		str_addn(&script->text, json.data, json.len);
	}
	script_output_text(script);
}

static void format(const struct call *call, struct str *to)
{
	script_format_add(to, &call->script->names, str_or_empty(call->site->format), call->values, call->n);
}

static void say_json(struct script *script, const struct lang_site *site, bool is_error, const char *text)
{
	script_json_message(&script->text, &script->program->sources, &site->at, is_error ? "errorf" : "warnf", text);
	script_output_text(script);
}

void script_warn(struct script *script, const struct lang_site *site, const char *text)
{
	__cleanup(lang_messages_release) struct lang_messages messages = {};
	__str struct str shown = {};

	if (script->settings->no_warnings)
		return;
	if (script->form == SCRIPT_JSON) {
		say_json(script, site, false, text);
		return;
	}
	script_output_flush(script);
	lang_warning(&messages, site->at, "%s", text);
	lang_messages_show(&messages, &script->program->sources, true, &shown);
	fputs(str_or_empty(shown.data), stderr);
}

/* A message of the program's: one line feed ends it, the program's or ours. */
static void say(struct script *script, const struct lang_site *site, const struct str *text)
{
	bool is_error = site->kind == SITE_ERRORF;
	__str struct str shown = {};

	if (!is_error && script->settings->no_warnings)
		return;
	if (script->form == SCRIPT_JSON) {
		say_json(script, site, is_error, str_or_empty(text->data));
		return;
	}
	script_output_flush(script);
	span_add(&shown, &script->program->sources, &site->at);
	str_addf(&shown, "%s: %s", is_error ? "ERROR" : "WARNING", str_or_empty(text->data));
	if (shown.data[shown.len - 1] != '\n')
		str_addc(&shown, '\n');
	fputs(shown.data, stderr);
}

/* --- texts --- */

void script_print_text(struct script *script, const struct lang_site *site, const struct script_value *values,
		       uint32_t n, uint64_t time)
{
	script_format_add(&script->text, &script->names, str_or_empty(site->format), values, n);
	put_text(script, "printf");
}

static void do_printf(struct call *call)
{
	call->script->front->print(call->script, call->site, call->values, call->n, call->time);
}

static void do_error(struct call *call)
{
	__str struct str text = {};

	format(call, &text);
	say(call->script, call->site, &text);
	call->script->has_failed |= call->site->kind == SITE_ERRORF;
}

static void do_time(struct call *call)
{
	/* a log has the time of each line */
	if (call->script->export)
		return;
	script_names_add_wall(&call->script->text, call->site->format ? call->site->format : "%H:%M:%S\n",
			      clock_wall_ns());
	put_text(call->script, "time");
}

static void do_join(struct call *call)
{
	if (!call->n)
		return;
	script_value_add(&call->script->text, &call->script->names, &call->values[0], false);
	str_addc(&call->script->text, '\n');
	put_text(call->script, "join");
}

static void do_cat(struct call *call)
{
	struct script *script = call->script;
	__str struct str path = {};
	size_t most = script->program->config.max_cat_bytes;
	__close int fd = -1;
	char bytes[4096];
	ssize_t n = 0;

	format(call, &path);
	/* a FIFO without a writer must not stop us */
	fd = open(str_or_empty(path.data), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		report_error("cannot open '%s': %s", str_or_empty(path.data), strerror(errno));
	while (fd >= 0 && script->text.len < most) {
		size_t left = most - script->text.len;

		n = read(fd, bytes, left < sizeof(bytes) ? left : sizeof(bytes));
		if (n <= 0)
			break;
		str_addn(&script->text, bytes, n);
	}
	put_text(script, "cat");
}

static void on_output(const char *bytes, size_t n, void *ctx)
{
	struct script *script = ctx;

	if (script->form != SCRIPT_TEXT)
		str_addn(&script->text, bytes, n);
	else
		script_output_add(script, bytes, n);
}

static void do_system(struct call *call)
{
	struct script *script = call->script;
	__str struct str command = {};

	format(call, &command);
	output_flush(script->instance->ctx->out);
	if (script_system(str_or_empty(command.data), on_output, script))
		report_error("cannot run '%s': %s", str_or_empty(command.data), strerror(errno));
	if (script->form != SCRIPT_TEXT)
		put_text(script, "syscall");
}

/* --- values and maps --- */

static void do_print(struct call *call)
{
	struct script *script = call->script;

	if (!call->n)
		return;
	if (script->form == SCRIPT_TEXT) {
		script_value_add(&script->text, &script->names, &call->values[0], false);
		str_addc(&script->text, '\n');
	} else {
		script_json_value(&script->text, &script->names, script->form, &call->values[0]);
	}
	script_output_text(script);
}

/* print(args) of a system call. */
static void put_call(struct script *script, const struct str *text)
{
	const struct script_value value = { .type = type_string(&script->program->pool, text->len + 1), .data = text->data, .len = text->len };

	if (script->form == SCRIPT_TEXT) {
		str_addn(&script->text, text->data, text->len);
		str_addc(&script->text, '\n');
	} else {
		script_json_value(&script->text, &script->names, script->form, &value);
	}
	script_output_text(script);
}

static void do_call(struct call *call)
{
	const struct lang_site *site = call->site;
	uint64_t args[STRACE_DECODE_ARGS] = {};
	struct strace_read reads[LANG_MEMORIES];
	__str struct str text = {};
	size_t n = 0;

	for (uint32_t i = 0; i < site->n_registers && i < STRACE_DECODE_ARGS && i + 1 < call->n; i++)
		args[i] = script_value_number(&call->values[i + 1]);
	for (uint32_t i = site->n_registers + 1; i < call->n && n < LANG_MEMORIES; i++) {
		const struct script_value *value = &call->values[i];

		reads[n++] = (struct strace_read){ value->data, value->len, value->is_cut };
	}
	strace_decode_call(&text, script_value_number(&call->values[0]), args, site->call, reads, n);
	put_call(call->script, &text);
}

static void do_call_ends(struct call *call)
{
	__str struct str text = {};

	if (call->n < 2)
		return;
	strace_decode_result(&text, script_value_number(&call->values[0]), script_value_number(&call->values[1]));
	put_call(call->script, &text);
}

static void print_entry(struct script *script, const struct type *type, const void *value)
{
	if (script->form == SCRIPT_TEXT) {
		script_print_value(&script->text, &script->names, type, value, 0);
		str_addc(&script->text, '\n');
	} else {
		script_json_map_value(&script->text, &script->names, script->form, type, value);
	}
	script_output_text(script);
}

/* Whether a key of a map is the one in a record, where a text by itself is as long as it is. */
static bool is_key(const struct lang_map *map, const void *key, const struct script_value *wanted)
{
	struct script_value value = script_value_of(map->key, key);

	return value.len == wanted->len && !memcmp(value.data, wanted->data, value.len);
}

/* A histogram, an average: user space adds up what all processors have of the key. */
static void print_key(struct script *script, const struct lang_map *map, const struct script_value *key)
{
	__cleanup(script_entries_release) struct script_entries entries = {};

	script_map_read(&script->loaded.maps[map->number], &entries);
	vec_each(entry, &entries)
		if (map->key && is_key(map, entry->key, key))
			print_entry(script, map->value, entry->value);
}

static void do_print_entry(struct call *call)
{
	const struct script_value *value = &call->values[1];

	if (call->n == 1) {
		print_key(call->script, call->site->map, &call->values[0]);
	} else if (call->n > 1 && (value->type->kind == TYPE_STRING || value->type->kind == TYPE_BUFFER)) {
		call->values[0] = *value;
		do_print(call);
	} else if (call->n > 1) {
		print_entry(call->script, value->type, value->data);
	}
}

/* shows_nothing: a map without keys that was never set is 0. */
static void print_map(struct script *script, const struct lang_map *map, const struct script_choice *choice,
		      uint64_t time, bool shows_nothing)
{
	__cleanup(script_entries_release) struct script_entries entries = {};
	int ret = script_map_read_shown(&script->loaded.maps[map->number], time, &entries);

	if (ret)
		report_error("cannot read the map %s: %s", map->name, strerror(-ret));
	if (shows_nothing && !entries.n && !map->key && !script_print_is_hist(map->value))
		vec_push(&entries)->value = pool_alloc(&entries.pool, map->value->size + 1);
	if (script->form == SCRIPT_TEXT && choice->format)
		script_format_map(&script->text, &script->names, &entries, choice);
	else if (script->form == SCRIPT_TEXT)
		script_print_map(&script->text, &script->names, &entries, choice);
	else
		script_json_map(&script->text, &script->names, script->form, &entries, choice);
	script_output_text(script);
}

static void do_print_map(struct call *call)
{
	const struct script_choice choice = {
		.top = call->n > 0 ? script_value_number(&call->values[0]) : 0,
		.div = call->n > 1 ? script_value_number(&call->values[1]) : 0,
		.format = call->site->format,
	};

	if (!script_exports(call->script, call->site->map))
		print_map(call->script, call->site->map, &choice, call->time, !choice.format);
}

static int by_name(const void *pa, const void *pb)
{
	return strcmp((*(const struct lang_map *const *)pa)->name, (*(const struct lang_map *const *)pb)->name);
}

void script_print_maps(struct script *script)
{
	size_t n = script->program->maps.n;
	__free const struct lang_map **sorted = base_alloc((n + 1) * sizeof(*sorted));

	if (script->form == SCRIPT_TEXT && !script->instance->source)
		script_output_add(script, "\n\n", 2);
	if (!script->program->config.print_maps_on_exit)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = script->program->maps.v[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		if (sorted[i]->value->kind != TYPE_NONE)
			print_map(script, sorted[i], &(struct script_choice){}, 0, false);
}

static void do_clear(struct call *call)
{
	struct script_map *map = &call->script->loaded.maps[call->site->map->number];
	int ret;

	/* totals only grow, but for those that the program itself reads */
	if (script_exports(call->script, call->site->map) && !call->site->map->is_seen)
		return;
	ret = call->site->kind == SITE_CLEAR ? script_map_clear(map, call->time) : script_map_zero(map, call->time);
	if (ret)
		report_error("cannot clear the map %s: %s", call->site->map->name, strerror(-ret));
}

/* --- the rest --- */

static void do_exit(struct call *call)
{
	struct engine_context *ctx = call->script->instance->ctx;

	ctx->done = true;
	if (call->n)
		ctx->status = script_value_number(&call->values[0]);
}

static void do_missing(struct call *call)
{
	script_warn(call->script, call->site, call->site->format);
}

static void do_division(struct call *call)
{
	script_warn(call->script, call->site,
		    "Divide or modulo by 0 detected. This can lead to unexpected results. 1 is being used as the result.");
}

static void do_fault(struct call *call)
{
	int64_t ret = call->n ? script_value_number(&call->values[0]) : 0;
	__free char *text = base_printf("Failed to %s: %s (%lld)", str_or_empty(call->site->format), strerror(-ret),
					(long long)ret);

	script_warn(call->script, call->site, text);
}

static void (*const actions[])(struct call *call) = {
	[SITE_PRINTF] = do_printf,
	[SITE_ERRORF] = do_error,
	[SITE_WARNF] = do_error,
	[SITE_CAT] = do_cat,
	[SITE_SYSTEM] = do_system,
	[SITE_PRINT] = do_print,
	[SITE_CALL] = do_call,
	[SITE_CALL_ENDS] = do_call_ends,
	[SITE_PRINT_MAP] = do_print_map,
	[SITE_PRINT_ENTRY] = do_print_entry,
	[SITE_CLEAR] = do_clear,
	[SITE_ZERO] = do_clear,
	[SITE_TIME] = do_time,
	[SITE_JOIN] = do_join,
	[SITE_EXIT] = do_exit,
	[SITE_MISSING] = do_missing,
	[SITE_DIVISION] = do_division,
	[SITE_FAULT] = do_fault,
};

/*
 * Printing what is in the buffer may take seconds. A request to stop is noticed meanwhile: what comes after it is not
 * printed for ever.
 */
static void note_stop(struct script *script)
{
	const struct engine_context *ctx = script->instance->ctx;

	if (!ctx->asked_at && ctx->should_stop && !(script->records++ % STOP_RECORDS))
		ctx->should_stop(ctx->should_stop_ctx);
}

void script_on_record(const void *data, size_t size, void *ctx)
{
	const struct lang_record *record = data;
	struct script *script = ctx;
	struct call call = { .script = script };

	note_stop(script);
	if (size < sizeof(*record) || record->size > size - sizeof(*record) || record->site >= script->program->sites.n)
		return;
	call.site = script->program->sites.v[record->site];
	call.time = record->time;
	for (; call.n < call.site->n_args && call.n < VALUES_MAX; call.n++)
		call.values[call.n] = script_value_argument(&call.site->args[call.n], record + 1, record->size);
	if (call.site->kind < ARRAY_SIZE(actions) && actions[call.site->kind])
		actions[call.site->kind](&call);
}
