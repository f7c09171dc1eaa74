// SPDX-License-Identifier: BSD-2-Clause
/*
 * Turns arguments into values. Knows what each type of option accepts and reports why it refuses a value. Knows
 * no option by name.
 */
#include <ctype.h>
#include <getopt.h>

#include "base/nearest.h"
#include "opt.h"

/*
 * getopt_long() gets all tables at once. It returns LONG_BASE + index into scan->v for a long option, the letter
 * for a short one.
 */
#define LONG_BASE 256

struct found {
	const struct opt *opt;
	const char *lacks; /* the reason why the option is refused, or NULL */
	char letter;
	char *dest;
	bool given;
};

struct scan {
	vec(struct found);    /* one for each option */
	struct option *longs; /* ends with an element of zeroes */
	size_t n_longs;
	struct str shorts;
	const struct opt_table *tables;
	size_t n_tables;
	struct found *letters[256]; /* by letter */
};

static void scan_release(struct scan *scan)
{
	free(scan->v);
	free(scan->longs);
	str_release(&scan->shorts);
}

static int argument_of(const struct opt *opt)
{
	if (opt->type == OPT_BOOL || !opt->arg)
		return no_argument;
	return opt->optional_arg ? optional_argument : required_argument;
}

static bool has_long(const struct scan *scan, const char *name)
{
	for (size_t i = 0; i < scan->n_longs; i++)
		if (!strcmp(scan->longs[i].name, name))
			return true;
	return false;
}

char opt_letter(const struct opt_table *table, size_t i)
{
	const struct opt *opt = &table->opts[i];
	size_t len = opt->name ? strlen(opt->name) : 0;

	for (const char *at = table->letters; at && *at; at = strchrnul(at, ' '), at += *at == ' ')
		if (len && !strncmp(at + 2, opt->name, len) && strchr(" ", at[2 + len]))
			return at[0];
	return opt->letter;
}

/* True if the name is one of these, which are separated by blanks. */
static bool is_among(const char *name, const char *names)
{
	size_t len = strlen(name);

	for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ')
		if (!strncmp(at, name, len) && strchr(" ", at[len]))
			return true;
	return false;
}

static const char *lack_of(const struct opt_table *table, const char *name)
{
	for (const struct opt_lack *lack = table->lacks; lack && lack->names; lack++)
		if (is_among(name, lack->names))
			return lack->why;
	return NULL;
}

const char *opt_lacks(const struct opt_table *table, size_t i)
{
	return table->opts[i].name ? lack_of(table, table->opts[i].name) : NULL;
}

static void scan_add_long(struct scan *scan, const struct found *found, const char *name)
{
	if (name && !has_long(scan, name))
		scan->longs[scan->n_longs++] = (struct option){
			.name = name,
			.has_arg = argument_of(found->opt),
			.val = LONG_BASE + (found - scan->v),
		};
}

/* If two options share a name or letter, the first one keeps it: a tool's own table comes before the common ones. */
static void scan_add(struct scan *scan, struct found *found)
{
	const struct opt *opt = found->opt;
	int argument = argument_of(opt);
	char letter = found->letter;

	scan_add_long(scan, found, opt->name);
	scan_add_long(scan, found, opt->also);
	if (letter > 0 && !scan->letters[(int)letter]) {
		scan->letters[(int)letter] = found;
		str_addc(&scan->shorts, letter);
		str_add(&scan->shorts, argument == required_argument ? ":" : argument ? "::"
										      : "");
	}
}

static void scan_init(struct scan *scan, const struct opt_table *tables, size_t n_tables, bool command)
{
	*scan = (struct scan){ .tables = tables, .n_tables = n_tables };
	for (size_t t = 0; t < n_tables; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			struct found *found = vec_push(scan);

			found->opt = &tables[t].opts[i];
			found->letter = opt_letter(&tables[t], i);
			found->lacks = opt_lacks(&tables[t], i);
			found->dest = (char *)tables[t].base + found->opt->offset;
		}
	}
	scan->longs = base_alloc((2 * scan->n + 1) * sizeof(*scan->longs));
	/* '-': arguments are returned in order; '+': the first one ends the options; ':': a missing one is reported */
	str_add(&scan->shorts, command ? "+:" : "-:");
	/* An option that is refused leaves its letter to one that is not. */
	for (int is_refused = 0; is_refused < 2; is_refused++)
		for (size_t i = 0; i < scan->n; i++)
			if (!!scan->v[i].lacks == is_refused)
				scan_add(scan, &scan->v[i]);
}

/* ---- numbers ---- */

/* Reads digits at *p and moves *p behind them. Returns 0, -EINVAL or -ERANGE, as do the functions below. */
static int digits(const char **p, int base, uint64_t *value)
{
	const char *start = *p;
	bool over = false;

	for (*value = 0;; (*p)++) {
		int c = tolower((unsigned char)**p), digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isalnum(c) || digit >= base)
			break;
		over |= __builtin_mul_overflow(*value, (uint64_t)base, value);
		over |= __builtin_add_overflow(*value, (uint64_t)digit, value);
	}
	return *p == start ? -EINVAL : over ? -ERANGE
					    : 0;
}

/* Reads a number at *p, decimal or 0x, and moves *p behind it. */
static int number(const char **p, uint64_t *value)
{
	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X')) {
		*p += 2;
		return digits(p, 16, value);
	}
	return digits(p, 10, value);
}

int opt_u64(const char *text, uint64_t *value)
{
	uint64_t v;
	int rc = number(&text, &v);

	if (*text)
		return -EINVAL;
	if (!rc)
		*value = v;
	return rc;
}

static int sized_u64(const char *text, uint64_t *value)
{
	static const char units[] = "kmg";
	const char *unit;
	uint64_t v;
	int rc = number(&text, &v);

	unit = *text ? strchr(units, tolower((unsigned char)*text)) : NULL;
	if (rc == -EINVAL || (*text && (!unit || text[1])))
		return -EINVAL;
	if (!rc && unit && __builtin_mul_overflow(v, 1ull << 10 * (unit - units + 1), &v))
		return -ERANGE;
	if (!rc)
		*value = v;
	return rc;
}

static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1000000000ull },
		{ "s", 1000000000ull },
		{ "us", 1000ull },
		{ "ms", 1000000ull },
		{ "m", 60 * 1000000000ull },
		{ "h", 3600 * 1000000000ull },
		{ "d", 86400 * 1000000000ull },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

/* Uses integers only, so that 0.1 seconds are 100000000 ns and not a nanosecond less. */
int opt_seconds(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, fraction = 0, scale = 1, unit, sum;
	const char *p = text;
	int rc = 0;

	if (*p != '.')
		rc = digits(&p, 10, &whole);
	if (rc == -EINVAL)
		return rc;
	if (*p == '.') {
		if (!isdigit((unsigned char)*++p))
			return -EINVAL;
		for (; isdigit((unsigned char)*p); p++) {
			if (scale >= 1000000000000ull) /* finer than any unit can show */
				continue;
			fraction = fraction * 10 + (*p - '0');
			scale *= 10;
		}
	}
	unit = unit_ns(p);
	if (!unit)
		return -EINVAL;
	fraction = (unsigned __int128)fraction * unit / scale;
	if (rc || __builtin_mul_overflow(whole, unit, &sum) ||
	    __builtin_add_overflow(sum, fraction, &sum))
		return -ERANGE;
	if (!sum)
		return -EDOM;
	*ns = sum;
	return 0;
}

/* ---- values ---- */

static int set_number(const struct opt *opt, const char *as, void *dest, const char *arg,
		      struct err *err)
{
	bool wide = opt->type == OPT_U64;
	uint64_t max = opt->max ? opt->max : wide ? UINT64_MAX
						  : UINT32_MAX,
		 value = 0;
	int rc = wide ? sized_u64(arg, &value) : opt_u64(arg, &value);

	if (rc == -EINVAL)
		return err_set(err, -EINVAL, "option %s: '%s' is not a number%s", as, arg,
			       wide ? " (units: k, M, G)" : "");
	if (rc || value < opt->min || value > max)
		return err_set(err, -EINVAL, "option %s: %s is out of range (%llu to %llu)", as,
			       arg, (unsigned long long)opt->min, (unsigned long long)max);
	if (wide)
		*(uint64_t *)dest = value;
	else
		*(uint32_t *)dest = value;
	return 0;
}

static int set_seconds(const struct opt *opt, const char *as, void *dest, const char *arg,
		       struct err *err)
{
	uint64_t max = opt->max ? opt->max : UINT64_MAX, value = 0;
	int rc = opt_seconds(arg, &value);

	if (rc == -EINVAL)
		return err_set(
			err, -EINVAL,
			"option %s: '%s' is not a time (seconds, or as in 10ms, 5s, 2m, 1h, 1d)",
			as, arg);
	if (rc == -EDOM)
		return err_set(err, -EINVAL, "option %s: '%s' is too short: the time must be more than 0",
			       as, arg);
	if (rc || value > max)
		return err_set(err, -EINVAL, "option %s: '%s' is too long", as, arg);
	if (value < opt->min)
		return err_set(err, -EINVAL, "option %s: '%s' is too short", as, arg);
	*(uint64_t *)dest = value;
	return 0;
}

static int set_choice(const struct opt *opt, const char *as, int *dest, const char *arg,
		      struct err *err)
{
	struct str all __str = {};
	struct nearest near;

	nearest_init(&near, arg);
	for (int i = 0; opt->choices[i]; i++) {
		if (!strcmp(opt->choices[i], arg)) {
			*dest = i;
			return 0;
		}
		nearest_offer(&near, opt->choices[i]);
		str_addf(&all, "%s%s", i ? ", " : "", opt->choices[i]);
	}
	if (nearest_name(&near))
		return err_set(err, -EINVAL, "option %s: '%s' is not one of %s (did you mean %s?)",
			       as, arg, all.data, nearest_name(&near));
	return err_set(err, -EINVAL, "option %s: '%s' is not one of %s", as, arg, all.data);
}

static int set_call(const struct opt *opt, const char *as, void *dest, const char *arg,
		    struct err *err)
{
	struct err inner = { .at = -1 };
	int rc = opt->call(dest, arg, &inner);

	if (!rc)
		return 0;
	if (!inner.text[0])
		err_set(&inner, rc, "%s", strerror(-rc));
	return arg ? err_set(err, -EINVAL, "option %s '%s': %s", as, arg, inner.text)
		   : err_set(err, -EINVAL, "option %s: %s", as, inner.text);
}

static int no_option(const char *as, size_t len, const char *why, struct err *err)
{
	return err_set(err, -EINVAL, "this tool has no option %.*s: %s", (int)len, as, why);
}

/* as: the option as the user wrote it, "-p" or "--pid". */
static int set_value(const struct found *found, const char *as, const char *arg, struct err *err)
{
	const struct opt *opt = found->opt;
	void *dest = found->dest;

	if (found->lacks)
		return no_option(as, strlen(as), found->lacks, err);
	if (opt->once && found->given)
		return err_set(err, -EINVAL, "option %s: given twice, but only one %s is possible", as, opt->arg);
	if (arg && !arg[0] && (opt->type == OPT_STRING || opt->type == OPT_LIST))
		return err_set(err, -EINVAL, "option %s: its argument (%s) must not be empty", as,
			       opt->arg);
	switch (opt->type) {
	case OPT_BOOL:
		*(bool *)dest = true;
		return 0;
	case OPT_U32:
	case OPT_U64:
		return set_number(opt, as, dest, arg, err);
	case OPT_SECONDS:
		return set_seconds(opt, as, dest, arg, err);
	case OPT_STRING:
		*(const char **)dest = arg ? arg : "";
		return 0;
	case OPT_LIST:
		*vec_push((struct opt_list *)dest) = arg;
		return 0;
	case OPT_CHOICE:
		if (arg)
			return set_choice(opt, as, dest, arg, err);
		*(int *)dest = 0;
		return 0;
	case OPT_CALL:
		return set_call(opt, as, dest, arg, err);
	}
	return -EINVAL;
}

void opt_release(const struct opt_table *tables, size_t n_tables)
{
	for (const struct opt_table *table = tables; table < tables + n_tables; table++)
		for (size_t i = 0; table->base && i < table->n; i++) {
			const struct opt *opt = &table->opts[i];
			void *dest = (char *)table->base + opt->offset;

			if (opt->type == OPT_LIST)
				free(((struct opt_list *)dest)->v);
			if (opt->release)
				opt->release(dest);
		}
}

/* ---- errors of getopt_long() ---- */

/* Reports that several options begin with what the user typed. */
static int ambiguous(const struct scan *scan, const char *typed, size_t len, struct err *err)
{
	struct str all __str = {};

	for (size_t i = 0; i < scan->n_longs; i++)
		if (!strncmp(scan->longs[i].name, typed, len))
			str_addf(&all, "%s--%s", all.len ? " or " : "", scan->longs[i].name);
	return err_set(err, -EINVAL, "option --%.*s is ambiguous: %s", (int)len, typed, all.data);
}

static int unknown_long(const struct scan *scan, const char *typed, struct err *err)
{
	size_t len = strcspn(typed, "="), matches = 0;
	char *name __free = base_strndup(typed, len);
	struct nearest near;

	for (size_t t = 0; t < scan->n_tables; t++)
		if (lack_of(&scan->tables[t], name))
			return no_option(typed - 2, len + 2, lack_of(&scan->tables[t], name), err);
	nearest_init(&near, name);
	for (size_t i = 0; i < scan->n_longs; i++) {
		matches += !strncmp(scan->longs[i].name, name, len);
		if (!scan->v[scan->longs[i].val - LONG_BASE].lacks)
			nearest_offer(&near, scan->longs[i].name);
	}
	if (matches > 1)
		return ambiguous(scan, typed, len, err);
	if (nearest_name(&near))
		return err_set(err, -EINVAL, "unknown option --%s (did you mean --%s?)", name,
			       nearest_name(&near));
	return err_set(err, -EINVAL, "unknown option --%s", name);
}

static struct found *found_of(const struct scan *scan, int val, char *as, size_t size)
{
	struct found *found;

	if (val >= LONG_BASE) {
		found = &scan->v[val - LONG_BASE];
		snprintf(as, size, "--%s", found->opt->name);
	} else {
		found = scan->letters[val];
		snprintf(as, size, "-%c", val);
	}
	return found;
}

/* got: '?' or ':' as getopt_long() returned it. word: the element of argv that it was reading. */
static int refused(const struct scan *scan, int got, const char *word, struct err *err)
{
	const struct found *found;
	char as[64];

	if (got == ':') {
		found = found_of(scan, optopt, as, sizeof(as));
		return err_set(err, -EINVAL, "option %s needs an argument (%s)", as,
			       found->opt->arg);
	}
	if (optopt >= LONG_BASE) {
		found = found_of(scan, optopt, as, sizeof(as));
		return found->lacks ? no_option(as, strlen(as), found->lacks, err)
				    : err_set(err, -EINVAL, "option %s takes no argument", as);
	}
	if (optopt)
		return err_set(err, -EINVAL, "unknown option -%c", optopt);
	return unknown_long(scan, word + 2, err);
}

/* Some of bcc's long options are spelled with '_'. Ours have '-' there, but a script may spell its own with '_'. */
static void respell(const struct scan *scan, int argc, char **argv)
{
	for (; argc-- && strcmp(*argv, "--"); argv++) {
		size_t len = strcspn(*argv, "=");
		__free char *name = NULL;

		if (strncmp(*argv, "--", 2) || !memchr(*argv, '_', len))
			continue;
		name = base_strndup(*argv + 2, len - 2);
		if (has_long(scan, name))
			continue;
		for (char *p = name; *p; p++)
			*p = *p == '_' ? '-' : *p;
		if (has_long(scan, name))
			memcpy(*argv + 2, name, len - 2);
	}
}

static int parse(int argc, char **argv, const struct opt_table *tables, size_t n_tables, bool command,
		 struct opt_list *args, size_t *dashdash, struct err *err)
{
	struct scan scan __cleanup(scan_release) = {};
	struct found *found;
	char as[64];
	int got, rc, at = 1;

	scan_init(&scan, tables, n_tables, command);
	respell(&scan, argc, argv);
	opterr = 0;
	optind = 0; /* glibc and musl: start over, and read the flags in front of the letters again */
	for (; (got = getopt_long(argc, argv, scan.shorts.data, scan.longs, NULL)) != -1; at = optind) {
		if (got == 1) {
			*vec_push(args) = optarg;
			continue;
		}
		if (got == '?' || got == ':')
			return refused(&scan, got, argv[optind - 1], err);
		found = found_of(&scan, got, as, sizeof(as));
		rc = set_value(found, as, optarg, err);
		if (rc)
			return rc;
		found->given = true;
	}
	/* The last call skips nothing but a "--". */
	*dashdash = optind > at || (command && optind < argc) ? args->n : OPT_NO_DASHDASH;
	while (optind < argc)
		*vec_push(args) = argv[optind++];
	return 0;
}

int opt_parse(int argc, char **argv, const struct opt_table *tables, size_t n_tables,
	      struct opt_list *args, size_t *dashdash, struct err *err)
{
	return parse(argc, argv, tables, n_tables, false, args, dashdash, err);
}

int opt_parse_command(int argc, char **argv, const struct opt_table *tables, size_t n_tables,
		      struct opt_list *args, size_t *dashdash, struct err *err)
{
	return parse(argc, argv, tables, n_tables, true, args, dashdash, err);
}
