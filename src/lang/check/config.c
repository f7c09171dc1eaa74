// SPDX-License-Identifier: BSD-2-Clause
/* The settings of a program: defaults, config = { }, and BPFTRACE_* of the environment, which win. */
#include <ctype.h>

#include "checker.h"

#define STRLEN_DEFAULT 1024
#define BUFFER_DEFAULT (2 * 1024 * 1024)
#define NOT_SHOWN      "unstable_macro" /* the settings from here on have no values */
#define STRLEN_SMALL   480		/* where keys have at most 512 bytes: a text and a comm still make a key */

enum setting_kind {
	SETTING_NUMBER,
	SETTING_BOOL,
	SETTING_TEXT,
	SETTING_LICENSE,
	SETTING_MISSING,
	SETTING_STACK,
	SETTING_UNSTABLE,
	SETTING_CACHE,
	SETTING_IGNORED, /* bpftrace's, without a meaning here */
	SETTING_GONE,	 /* without one in bpftrace, too */
};

/* In the order of the record `config`: as bpftrace's, by their types and then by name. */
static const struct setting {
	const char *name;
	enum setting_kind kind;
	size_t at;
	uint32_t min, max; /* of a number */
} settings[] = {
	{ "cpp_demangle", SETTING_BOOL, offsetof(struct lang_config, cpp_demangle) },
	{ "lazy_symbolication", SETTING_BOOL, offsetof(struct lang_config, lazy_symbolication) },
	{ "print_maps_on_exit", SETTING_BOOL, offsetof(struct lang_config, print_maps_on_exit) },
	{ "show_debug_info", SETTING_BOOL, offsetof(struct lang_config, show_debug_info) },
	{ "log_size", SETTING_NUMBER, offsetof(struct lang_config, log_size), 0, UINT32_MAX },
	{ "max_bpf_progs", SETTING_NUMBER, offsetof(struct lang_config, max_bpf_progs), 0, UINT32_MAX },
	{ "max_cat_bytes", SETTING_NUMBER, offsetof(struct lang_config, max_cat_bytes), 0, UINT32_MAX },
	{ "max_map_keys", SETTING_NUMBER, offsetof(struct lang_config, max_map_keys), 1, 1U << 30 },
	{ "max_probes", SETTING_NUMBER, offsetof(struct lang_config, max_probes), 0, UINT32_MAX },
	{ "max_strlen", SETTING_NUMBER, offsetof(struct lang_config, max_strlen), 1, 65536 },
	{ "on_stack_limit", SETTING_NUMBER, offsetof(struct lang_config, on_stack_limit), 0, UINT32_MAX },
	{ "perf_rb_pages", SETTING_NUMBER, offsetof(struct lang_config, perf_rb_pages), 1, 1U << 18 },
	{ "cache_user_symbols", SETTING_CACHE, offsetof(struct lang_config, cache_user_symbols) },
	{ "license", SETTING_LICENSE, offsetof(struct lang_config, license) },
	{ "str_trunc_trailer", SETTING_TEXT, offsetof(struct lang_config, str_trunc_trailer) },
	{ "missing_probes", SETTING_MISSING, offsetof(struct lang_config, missing_probes) },
	{ "stack_mode", SETTING_STACK, offsetof(struct lang_config, stack_mode) },
	{ "unstable_addr", SETTING_GONE },
	{ "unstable_map_decl", SETTING_GONE },
	{ "unstable_tseries", SETTING_UNSTABLE, offsetof(struct lang_config, refuses_tseries) },
	{ "unstable_macro", SETTING_GONE },
	{ "unstable_import", SETTING_GONE },
	{ "use_blazesym", SETTING_IGNORED },
	{ "max_ast_nodes", SETTING_IGNORED },
	{ "max_type_res_iterations", SETTING_GONE },
	{ "symbol_source", SETTING_GONE },
	{ "probe_inline", SETTING_IGNORED },
	{ "debug_output", SETTING_IGNORED },
};

/* max_map_keys is also written MAX_MAP_KEYS and BPFTRACE_MAX_MAP_KEYS. */
static const struct setting *setting_find(const char *name)
{
	if (!strncasecmp(name, "bpftrace_", 9))
		name += 9;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcasecmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/* The number of the word in the list; -1: it is none of them. */
static int setting_word(const char *const *words, const char *value)
{
	for (int i = 0; words[i]; i++)
		if (!strcasecmp(words[i], value))
			return i;
	return -1;
}

static const char *const missing_words[] = { "error", "warn", "ignore", NULL };
static const char *const stack_words[] = { "bpftrace", "perf", "raw", "build_id", NULL };
/* The kernel gives most helpers to programs of these licenses only. */
static const char *const license_words[] = { "GPL", "GPL v2", "GPL and additional rights",
					     "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL",
					     NULL };
static const char *const bool_words[] = { "0", "1", "false", "true", "no", "yes", "off", "on", NULL };
static const char *const cache_words[] = { "PER_PID", "PER_PROGRAM", "NONE", "1", "0", NULL };
static const char *const unstable_words[] = { "error", "warn", "enable", "0", "1", "false", "true", NULL };

/* Sets one; returns NULL or what values there are. */
static const char *setting_apply(struct lang_program *program, const struct setting *setting, const char *value)
{
	char *to = (char *)&program->config + setting->at, *end;
	unsigned long long number;
	int word;

	switch (setting->kind) {
	case SETTING_NUMBER:
		errno = 0;
		number = strtoull(value, &end, 0);
		if (errno || end == value || *end || !isdigit((unsigned char)*value) || number < setting->min ||
		    number > setting->max)
			return pool_addf(&program->pool, "a number from %u to %u", setting->min, setting->max);
		*(uint32_t *)to = number;
		return NULL;
	case SETTING_BOOL:
		word = setting_word(bool_words, value);
		*(bool *)to = word & 1;
		return word < 0 ? "true or false" : NULL;
	case SETTING_TEXT:
		*(const char **)to = pool_add(&program->pool, value);
		return NULL;
	case SETTING_LICENSE:
		word = setting_word(license_words, value);
		*(const char **)to = word < 0 ? "GPL" : license_words[word];
		return word < 0 ? "GPL, GPL v2, GPL and additional rights, Dual BSD/GPL, Dual MIT/GPL or Dual MPL/GPL"
				: NULL;
	case SETTING_MISSING:
		word = setting_word(missing_words, value);
		program->config.missing_probes = word < 0 ? MISSING_ERROR : word;
		return word < 0 ? "error, warn or ignore" : NULL;
	case SETTING_STACK:
		word = setting_word(stack_words, value);
		program->config.stack_mode = word < 0 ? STACK_BPFTRACE : word;
		return word < 0 ? "bpftrace, perf, raw or build_id" : NULL;
	case SETTING_CACHE:
		word = setting_word(cache_words, value);
		*(const char **)to = word < 0 ? cache_words[0] : cache_words[word > 2 ? word - 2 : word];
		return word < 0 ? "PER_PID, PER_PROGRAM or NONE" : NULL;
	case SETTING_UNSTABLE:
		word = setting_word(unstable_words, value);
		*(bool *)to = !word;
		program->config.warns_of_tseries = word == 1;
		return word < 0 ? "error, warn or enable" : NULL;
	default:
		return NULL;
	}
}

static void config_setting(struct checker *c, const struct ast_setting *written)
{
	const struct setting *setting = setting_find(written->name);
	const char *expected;

	if (!setting) {
		struct nearest nearest;

		check_error(c, written->at, "Unrecognized config variable: %s", written->name);
		nearest_init(&nearest, written->name);
		for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
			nearest_offer(&nearest, settings[i].name);
		if (nearest_name(&nearest))
			check_hint(c, written->at, "did you mean '%s'?", nearest_name(&nearest));
		return;
	}
	if (setting->kind == SETTING_GONE)
		check_warning(c, written->at, "%s is deprecated and has no effect", setting->name);
	expected = setting_apply(c->program, setting, written->value);
	if (expected)
		check_error(c, written->at, "Invalid value for %s: '%s' is not %s", setting->name, written->value,
			    expected);
}

static void config_environment(struct checker *c)
{
	char name[64] = "BPFTRACE_";

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const char *value, *expected;
		size_t n = strlen("BPFTRACE_");

		for (const char *p = settings[i].name; *p; p++)
			name[n++] = toupper((unsigned char)*p);
		name[n] = 0;
		value = c->options->getenv ? c->options->getenv(name) : getenv(name);
		expected = value ? setting_apply(c->program, &settings[i], value) : NULL;
		if (expected)
			check_error(c, LANG_NOWHERE, "Invalid value for %s: '%s' is not %s", name, value, expected);
	}
}

/* --- as a value --- */

/* The text of a setting; NULL: it is a number or true or false. */
static const char *setting_text(const struct lang_config *config, const struct setting *setting)
{
	switch (setting->kind) {
	case SETTING_TEXT:
	case SETTING_LICENSE:
	case SETTING_CACHE:
		return *(const char *const *)((const char *)config + setting->at);
	case SETTING_MISSING:
		return missing_words[config->missing_probes];
	case SETTING_STACK:
		return stack_words[config->stack_mode];
	case SETTING_UNSTABLE:
		return config->refuses_tseries ? "error" : config->warns_of_tseries ? "warn" : "enable";
	case SETTING_GONE: /* what they allowed once, all programs may do */
		return "enable";
	default:
		return NULL;
	}
}

static void setting_value(const struct lang_config *config, const struct setting *setting, struct ast *value)
{
	const char *at = (const char *)config + setting->at, *text = setting_text(config, setting);

	value->kind = text ? AST_STRING : setting->kind == SETTING_BOOL ? AST_BOOL
									: AST_INTEGER;
	if (text)
		value->string.text = text;
	else if (setting->kind == SETTING_BOOL)
		value->integer.value = *(const bool *)at;
	else
		value->integer.value = *(const uint32_t *)at;
}

struct ast *check_config_members(struct checker *c, struct span at)
{
	struct ast *first = NULL, **last = &first;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct ast *nodes;

		if (!strcmp(settings[i].name, NOT_SHOWN))
			break;
		nodes = pool_alloc(c->pool, 2 * sizeof(*nodes));
		nodes[0] = (struct ast){ .kind = AST_NAMED, .at = at };
		nodes[0].named.name = settings[i].name;
		nodes[0].named.value = &nodes[1];
		nodes[1] = (struct ast){ .at = at };
		setting_value(&c->program->config, &settings[i], &nodes[1]);
		*last = nodes;
		last = &nodes->next;
	}
	return first;
}

void check_config(struct checker *c)
{
	c->program->config = (struct lang_config){
		.max_map_keys = 4096,
		.max_strlen = c->options->features.large_keys ? STRLEN_DEFAULT : STRLEN_SMALL,
		.max_cat_bytes = 10240,
		.max_probes = UINT32_MAX, /* bpftrace has 1,024: each of its probes is a program */
		.max_bpf_progs = 1024,
		.perf_rb_pages = BUFFER_DEFAULT / getpagesize(),
		.log_size = 1000000,
		.on_stack_limit = 32,
		.missing_probes = MISSING_ERROR,
		.stack_mode = STACK_BPFTRACE,
		.str_trunc_trailer = "..",
		.license = "GPL",
		.cache_user_symbols = cache_words[0],
		.print_maps_on_exit = true,
		.cpp_demangle = true,
		.show_debug_info = true,
	};
	for (const struct ast_setting *setting = c->ast->settings; setting; setting = setting->next)
		config_setting(c, setting);
	config_environment(c);
}
