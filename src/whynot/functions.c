// SPDX-License-Identifier: BSD-2-Clause
/* Which functions of the running kernel are watched, and what their results are. */
#include "base/report.h"
#include "whynot_part.h"

/* Names of functions, bucketed by their first letter. */
struct wanted {
	struct names {
		vec(struct name {
			const char *text;
			size_t n;
			bool begin; /* of names */
		});
	} by_letter[256];
};

static void add_name(struct wanted *wanted, const char *text, size_t n, bool begin)
{
	struct name *name = vec_push(&wanted->by_letter[(unsigned char)*text]);

	name->text = text;
	name->n = n;
	name->begin = begin;
}

static void add_words(struct wanted *wanted, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, " ");
		bool begin = n && words[n - 1] == '*';

		add_name(wanted, words, n - begin, begin);
		words += n + (words[n] == ' ');
	}
}

static void release_wanted(struct wanted *wanted)
{
	for (size_t i = 0; i < ARRAY_SIZE(wanted->by_letter); i++)
		free(wanted->by_letter[i].v);
}

static bool is_wanted(const struct wanted *wanted, const char *name)
{
	size_t n;

	while (*name == '_')
		name++;
	n = strcspn(name, ".");
	vec_each(one, &wanted->by_letter[(unsigned char)*name])
		if (one->begin ? n >= one->n && !memcmp(name, one->text, one->n)
			       : n == one->n && !memcmp(name, one->text, n))
			return true;
	return false;
}

/* The name without what the compiler has added: vfs_read.part.0 is vfs_read. */
static const char *plain_name(struct target_set *set, const char *name)
{
	size_t n = strcspn(name, ".");

	return name[n] ? pool_addf(&set->pool, "%.*s", (int)n, name) : name;
}

/* Which results are failures; 0: it has none that can be told. */
static uint8_t failures_of(struct whynot_functions *functions, const struct target *target, const struct decider *known)
{
	uint8_t more = known ? known->fails : 0;

	switch (prototypes_result_of(functions->prototypes, target)) {
	case PROTOTYPES_INT:
		return WHYNOT_ERROR | WHYNOT_32 | more;
	case PROTOTYPES_WIDE:
		return WHYNOT_ERROR | WHYNOT_64 | more;
	case PROTOTYPES_BOOL:
		return more ? WHYNOT_8 | more : 0;
	case PROTOTYPES_UNKNOWN:
		/* a clone by the compiler: the types of its original may not be its own */
		if (known && more)
			return more | (known->flags & DECIDER_WIDE ? WHYNOT_64 : WHYNOT_8);
		return known ? WHYNOT_ERROR | WHYNOT_32 : 0;
	default:
		return 0;
	}
}

static void choose(struct whynot_functions *functions, const struct wanted *wanted, const struct wanted *hot)
{
	struct target_set *set = &functions->set;
	size_t n = 0;

	for (size_t i = 0; i < set->n && n < WHYNOT_SLOTS; i++) {
		struct target target = set->v[i];

		if (target.kind != TARGET_KERNEL || target.no_return || !is_wanted(wanted, target.name) ||
		    is_wanted(hot, target.name))
			continue;
		target.slot = n;
		functions->names[n] = plain_name(set, target.name);
		functions->known[n] = whynot_known(functions->names[n]);
		set->v[n] = target;
		set->slots[n] = target.label;
		prototypes_forget(functions->prototypes, n);
		if (failures_of(functions, &target, functions->known[n]))
			n++;
	}
	set->n = set->n_slots = functions->n = n;
}

static void add_wide(struct wanted *wanted)
{
	for (const char *const *words = whynot_wide; *words; words++)
		add_words(wanted, *words);
}

/* Those of the table that are marked. */
static void add_few(struct wanted *wanted)
{
	for (const struct decider *one = whynot_deciders; one->name; one++)
		if (one->flags & DECIDER_FEW)
			add_name(wanted, one->name, strlen(one->name), one->flags & DECIDER_BEGIN);
}

/* A regular expression that target_resolve() takes is no longer than 16384 bytes. */
#define PATTERN_MAX 15000
#define PATTERNS    8

/*
 * All names in a few patterns, which the caller releases: one name after the other would take seconds. Returns how
 * many.
 */
static size_t make_patterns(const struct wanted *wanted, struct str patterns[PATTERNS])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(wanted->by_letter); i++) {
		vec_each(name, &wanted->by_letter[i]) {
			if (n + 1 < PATTERNS && patterns[n].len > PATTERN_MAX)
				n++;
			str_addf(&patterns[n], "%s%.*s%s", patterns[n].len ? "|" : "^_*(", (int)name->n, name->text,
				 name->begin ? "" : "(\\.|$)");
		}
	}
	for (size_t i = 0; i <= n; i++)
		str_addc(&patterns[i], ')');
	return n + 1;
}

static int resolve(struct whynot_functions *functions, const struct wanted *wanted, struct err *err)
{
	const struct target_options options = { .both = true, .regex = true };
	struct str patterns[PATTERNS] = {};
	const char *specs[PATTERNS];
	size_t n = make_patterns(wanted, patterns), bad;
	int ret;

	for (size_t i = 0; i < n; i++)
		specs[i] = patterns[i].data;
	ret = target_resolve(specs, n, &options, &functions->set, &bad, err);
	for (size_t i = 0; i < n; i++)
		str_release(&patterns[i]);
	return ret;
}

int whynot_functions_find(struct whynot_functions *functions, bool few, struct err *err)
{
	struct wanted wanted = {}, hot = {};
	size_t n;
	int ret;

	add_words(&hot, whynot_hot);
	add_few(&wanted);
	if (!few) {
		add_wide(&wanted);
		for (const struct decider *one = whynot_deciders; one->name; one++)
			add_name(&wanted, one->name, strlen(one->name), one->flags & DECIDER_BEGIN);
	}
	ret = resolve(functions, &wanted, err);
	report_verbose("%zu functions are known", functions->set.n);
	if (!ret) {
		n = functions->set.n;
		functions->prototypes = prototypes_new(n);
		functions->known = base_alloc((n + 1) * sizeof(*functions->known));
		functions->names = base_alloc((n + 1) * sizeof(*functions->names));
		choose(functions, &wanted, &hot);
	}
	release_wanted(&wanted);
	release_wanted(&hot);
	if (!ret && !functions->n)
		return err_set(err, -ENOENT, "this kernel lets none of the functions be traced that decide");
	return ret;
}

void whynot_functions_release(struct whynot_functions *functions)
{
	prototypes_free(functions->prototypes);
	free(functions->known);
	free(functions->names);
	target_set_release(&functions->set);
}

/* What is looked at, of several arguments: rather the file than its directory. */
static uint8_t object_of(struct whynot_functions *functions, const struct target *target)
{
	static const struct {
		const char *name;
		enum whynot_object object;
	} structs[] = {
		{ "path", WHYNOT_PATH },
		{ "file", WHYNOT_FILE },
		{ "dentry", WHYNOT_DENTRY },
		{ "inode", WHYNOT_INODE },
		{ "user_namespace", WHYNOT_USER_NS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(structs); i++) {
		size_t which;
		int argument = prototypes_find_argument(functions->prototypes, target, &structs[i].name, 1, &which);

		if (argument >= 0)
			return WHYNOT_OBJECT_OF(argument, structs[i].object);
	}
	return 0;
}

void whynot_functions_fill(struct whynot_functions *functions, struct whynot_function *to)
{
	for (size_t i = 0; i < functions->n; i++) {
		const struct target *target = &functions->set.v[i];

		to[i].fails = failures_of(functions, target, functions->known[i]);
		to[i].text = prototypes_text(functions->prototypes, target);
		to[i].object = object_of(functions, target);
	}
}
