// SPDX-License-Identifier: BSD-2-Clause
/*
 * Takes the text of an attach point apart: which kind, and what it says of the place. What kernel and user functions,
 * tracepoints and USDT probes are called is probe/spec.h's; this file only brings bpftrace's forms into that one.
 */
#include <ctype.h>
#include <linux/perf_event.h>
#include <signal.h>

#include "base/nearest.h"
#include "probe/spec.h"
#include "probes.h"

const struct lang_probe_word lang_probe_words[] = {
	{ "begin", NULL, PROBE_BEGIN },
	{ "BEGIN", NULL, PROBE_BEGIN },
	{ "end", NULL, PROBE_END },
	{ "END", NULL, PROBE_END },
	{ "interval", "i", PROBE_INTERVAL },
	{ "self", NULL, PROBE_SIGNAL },
	{ "test", NULL, PROBE_TEST },
	{ "bench", NULL, PROBE_BENCH },
	{ "kprobe", "k", PROBE_KPROBE },
	{ "kretprobe", "kr", PROBE_KRETPROBE },
	{ "fentry", "f", PROBE_FENTRY },
	{ "kfunc", NULL, PROBE_FENTRY },
	{ "fexit", "fr", PROBE_FEXIT },
	{ "kretfunc", NULL, PROBE_FEXIT },
	{ "tracepoint", "t", PROBE_TRACEPOINT },
	{ "rawtracepoint", "rt", PROBE_RAWTRACEPOINT },
	{ "uprobe", "u", PROBE_UPROBE },
	{ "uretprobe", "ur", PROBE_URETPROBE },
	{ "usdt", "U", PROBE_USDT },
	{ "profile", "p", PROBE_PROFILE },
	{ "software", "s", PROBE_SOFTWARE },
	{ "hardware", "h", PROBE_HARDWARE },
	{ "watchpoint", "w", PROBE_WATCHPOINT },
	{ "asyncwatchpoint", "aw", PROBE_WATCHPOINT },
	{ "iter", "it", PROBE_ITER },
};
const size_t lang_n_probe_words = ARRAY_SIZE(lang_probe_words);

const char *lang_probe_kind_name(enum lang_probe_kind kind)
{
	const struct lang_probe_word *word = lang_probe_words;

	while (word->kind != kind)
		word++;
	return word->name;
}

#define PARTS_MAX 5

struct parse {
	struct lang_attach *attach;
	struct pool *pool;
	struct lang_messages *messages;
	char *text; /* a copy, whose colons are replaced by NULs as it is taken apart */
	char *rest; /* what follows the word and its colon; "": nothing */
};

/* Reports an error; false, as a value. */
#define fail(p, ...) \
	({ \
		lang_error((p)->messages, (p)->attach->at, __VA_ARGS__); \
		false; \
	})

/* --- numbers --- */

/* "1000", "0x3e8", "1_000", "1e3". *end: behind it. False: there is none, or it is too large. */
static bool parse_number(const char *text, uint64_t *value, const char **end)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *at = text;
	char digits[32], *stop;
	size_t n = 0;

	for (; (*at >= '0' && *at <= '9') || *at == '_' || (is_hex && n && strchr("xXabcdefABCDEF", *at) && *at); at++)
		if (*at != '_' && n < sizeof(digits) - 1)
			digits[n++] = *at;
	digits[n] = 0;
	if (!n || *text == '_')
		return false;
	errno = 0;
	*value = strtoull(digits, &stop, is_hex ? 16 : 10);
	if (errno || *stop)
		return false;
	*end = at;
	if (is_hex || *at != 'e' || at[1] < '0' || at[1] > '9')
		return true;
	for (unsigned long power = strtoul(at + 1, &stop, 10); power-- && *value;)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	*end = stop;
	return true;
}

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60 * 1000000000ULL },
	{ "h", 3600 * 1000000000ULL },
	{ "d", 86400 * 1000000000ULL },
};

#define PERIOD_MIN 1000 /* ns, bpftrace's */

static bool set_period(struct parse *p, uint64_t count, const char *unit)
{
	struct lang_attach *attach = p->attach;

	if (!count)
		return fail(p, "the period of %s cannot be 0", lang_probe_kind_name(attach->kind));
	if (!strcmp(unit, "hz")) {
		attach->period = 1000000000 / count;
		return attach->period || fail(p, "%s cannot run more than 1,000,000,000 times a second",
					      lang_probe_kind_name(attach->kind));
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit))
			continue;
		if (__builtin_mul_overflow(count, units[i].ns, &attach->period))
			return fail(p, "the period of %s is too long", lang_probe_kind_name(attach->kind));
		/* A number alone: hz or s was forgotten. */
		return attach->period >= PERIOD_MIN ||
		       fail(p, "the period of %s is at least 1us, not %llu ns (%s:hz:99, %s:1s)",
			    lang_probe_kind_name(attach->kind), (unsigned long long)attach->period,
			    lang_probe_kind_name(attach->kind), lang_probe_kind_name(attach->kind));
	}
	return fail(p, "'%s' is not a unit of time (hz, s, ms, us, ns)", unit);
}

/* "s:1", "hz:99", "1s", "1000000" (ns) */
static bool parse_clock(struct parse *p)
{
	const char *kind = lang_probe_kind_name(p->attach->kind);
	char *colon = strchr(p->rest, ':');
	const char *end, *number = colon ? colon + 1 : p->rest;
	uint64_t count;

	if (!*p->rest)
		return fail(p, "%s needs a period: %s:1s, %s:hz:99", kind, kind, kind);
	if (!parse_number(number, &count, &end))
		return fail(p, "'%s' is not a number", number);
	if (!colon)
		return set_period(p, count, *end ? end : "ns");
	if (*end)
		return fail(p, "unexpected '%s' after the number", end);
	*colon = 0;
	return set_period(p, count, p->rest);
}

/* --- perf events --- */

struct event {
	const char *name, *other; /* NULL: none */
	uint32_t number;
	uint64_t period;
};

static const struct event software[] = {
	{ "cpu-clock", "cpu", PERF_COUNT_SW_CPU_CLOCK, 1000000 },
	{ "task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK, 1000000 },
	{ "page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS, 100 },
	{ "context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES, 1000 },
	{ "cpu-migrations", NULL, PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
	{ "minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN, 100 },
	{ "major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
	{ "alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1 },
	{ "emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS, 1 },
	{ "dummy", NULL, PERF_COUNT_SW_DUMMY, 1 },
	{ "bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT, 1 },
};

static const struct event hardware[] = {
	{ "cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000000 },
	{ "instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS, 1000000 },
	{ "cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES, 1000000 },
	{ "cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES, 1000000 },
	{ "branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 100000 },
	{ "branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES, 100000 },
	{ "bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES, 100000 },
	{ "frontend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 1000000 },
	{ "backend-stalls", NULL, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 1000000 },
	{ "ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES, 1000000 },
};

/* The events of a kind; NULL: it is not one of perf's. */
static const struct event *events_of(enum lang_probe_kind kind, size_t *n)
{
	*n = kind == PROBE_SOFTWARE ? ARRAY_SIZE(software) : ARRAY_SIZE(hardware);
	return kind == PROBE_SOFTWARE ? software : kind == PROBE_HARDWARE ? hardware
									  : NULL;
}

const char *lang_event_name(enum lang_probe_kind kind, size_t i)
{
	size_t n;
	const struct event *events = events_of(kind, &n);

	if (!events || i < n)
		return events ? events[i].name : NULL;
	for (size_t other = 0; other < n; other++)
		if (events[other].other && i-- == n)
			return events[other].other;
	return NULL;
}

static bool unknown_event(struct parse *p, const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; lang_event_name(p->attach->kind, i); i++)
		nearest_offer(&near, lang_event_name(p->attach->kind, i));
	fail(p, "perf has no %s event '%s'", lang_probe_kind_name(p->attach->kind), name);
	if (nearest_name(&near))
		lang_hint(p->messages, p->attach->at, "did you mean '%s'?", nearest_name(&near));
	return false;
}

/* "faults:100", "faults:", "faults" */
static bool parse_event(struct parse *p)
{
	size_t n;
	const struct event *events = events_of(p->attach->kind, &n);
	char *colon = strchr(p->rest, ':');
	const char *end = "";

	if (colon)
		*colon = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(events[i].name, p->rest) && !str_same(events[i].other, p->rest))
			continue;
		p->attach->event = events[i].number;
		p->attach->period = events[i].period;
		if (colon && colon[1] && (!parse_number(colon + 1, &p->attach->period, &end) || *end))
			return fail(p, "'%s' is not a number of events", colon + 1);
		return p->attach->period || fail(p, "the number of events cannot be 0");
	}
	return unknown_event(p, p->rest);
}

static bool parse_access(struct parse *p, const char *text)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = { TARGET_READ, TARGET_WRITE, TARGET_EXECUTE };

	for (const char *at = text; *at; at++) {
		const char *letter = strchr(letters, *at);

		if (!letter || p->attach->access & bits[letter - letters])
			return fail(p, "'%s' is not a kind of access: r, w, rw or x", text);
		p->attach->access |= bits[letter - letters];
	}
	if (p->attach->access & TARGET_EXECUTE && p->attach->access != TARGET_EXECUTE)
		return fail(p, "a watchpoint watches either for execution (x) or for accesses (r, w, rw)");
	return p->attach->access || fail(p, "the access is missing: r, w, rw or x");
}

/* FUNCTION+argN, the memory that an argument points to. */
static bool is_argument(const char *text)
{
	const char *plus = strstr(text, "+arg");

	return plus && isdigit((unsigned char)plus[strlen("+arg")]);
}

/* "0x10000000:8:rw" */
static bool parse_watchpoint(struct parse *p)
{
	struct lang_attach *attach = p->attach;
	const char *at;

	if (!parse_number(p->rest, &attach->address, &at))
		return is_argument(p->rest)
			       ? fail(p, "watchpoint:%.*s is not supported, what an argument points to: print it "
					 "with a probe of the function, and watch that address "
					 "(watchpoint:0x10000000:8:rw)",
				      (int)strcspn(p->rest, ":"), p->rest)
			       : fail(p, "a watchpoint needs an address: watchpoint:0x10000000:8:rw");
	if (*at++ != ':' || !parse_number(at, &attach->length, &at) || *at++ != ':')
		return fail(p, "the form is watchpoint:ADDRESS:LENGTH:ACCESS (watchpoint:0x10000000:8:rw)");
	if (attach->length != 1 && attach->length != 2 && attach->length != 4 && attach->length != 8)
		return fail(p, "a watchpoint watches 1, 2, 4 or 8 bytes");
	return parse_access(p, at);
}

/* --- probes of the run loop, iterators --- */

static bool parse_nothing(struct parse *p)
{
	return !*p->rest || fail(p, "unexpected ':%s' after %s", p->rest, lang_probe_kind_name(p->attach->kind));
}

static bool parse_signal(struct parse *p)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {
		{ "SIGUSR1", SIGUSR1 },
		{ "SIGUSR2", SIGUSR2 },
		{ "SIGHUP", SIGHUP },
		{ "SIGWINCH", SIGWINCH },
		{ "SIGALRM", SIGALRM },
	};
	static const char word[] = "signal:";
	const char *name = p->rest + sizeof(word) - 1;

	if (strncmp(p->rest, word, sizeof(word) - 1))
		return fail(p, "the form of this probe is self:signal:SIGUSR1");
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!strcmp(signals[i].name, name) || !strcmp(signals[i].name + 3, name)) {
			p->attach->signal = signals[i].number;
			return true;
		}
	return fail(p, "'%s' is none of SIGUSR1, SIGUSR2, SIGHUP, SIGWINCH and SIGALRM", name);
}

static bool parse_named(struct parse *p)
{
	p->attach->object = p->rest;
	return *p->rest || fail(p, "%s needs a name: %s:NAME", lang_probe_kind_name(p->attach->kind),
				lang_probe_kind_name(p->attach->kind));
}

/* "task", "task:list", "task:/sys/fs/bpf/list" */
static bool parse_iter(struct parse *p)
{
	char *colon = strchr(p->rest, ':');

	if (colon) {
		*colon++ = 0;
		if (!*colon)
			return fail(p, "the name of the pin is missing");
		p->attach->pin = *colon == '/' ? colon : pool_addf(p->pool, "/sys/fs/bpf/%s", colon);
	}
	p->attach->object = p->rest;
	return *p->rest || fail(p, "iter needs an object: iter:task, iter:task_file, iter:task_vma");
}

/* --- places: what probe/spec.h parses --- */

static bool set_spec(struct parse *p, const char *spec)
{
	struct spec parsed;
	struct err err = {};

	p->attach->spec = spec;
	if (spec_parse(spec, false, &parsed, &err))
		return fail(p, "%s", err.text);
	spec_release(&parsed);
	return true;
}

static bool parse_function(struct parse *p)
{
	bool is_trampoline = p->attach->kind == PROBE_FENTRY || p->attach->kind == PROBE_FEXIT;

	if (is_trampoline && !strncmp(p->rest, "bpf:", 4))
		return fail(p, "attaching to BPF programs is not supported; kernel functions are");
	return set_spec(p, pool_addf(p->pool, "%s:%s", lang_probe_kind_name(p->attach->kind), p->rest));
}

/* "NAME", ":NAME" and ":PROVIDER:NAME" mean all binaries of the process. */
static bool parse_usdt(struct parse *p)
{
	const char *colon = strchr(p->rest, ':');

	p->attach->needs_process = *p->rest && (!colon || colon == p->rest);
	if (p->attach->needs_process)
		return set_spec(p, pool_addf(p->pool, "usdt:*%s%s", colon ? "" : ":", p->rest));
	return parse_function(p);
}

/* spec.h has no module before a raw tracepoint: their names are unique in the kernel. */
static bool parse_raw(struct parse *p)
{
	char *colon = strchr(p->rest, ':');

	if (colon) {
		*colon = 0;
		if (strcmp(p->rest, "vmlinux") && !kernel_module_loaded(p->rest))
			return fail(p, "no kernel module '%s' is loaded", p->rest);
	}
	return set_spec(p, pool_addf(p->pool, "rawtracepoint:%s", colon ? colon + 1 : p->rest));
}

/* "BIN:NAME", "BIN:NAME+4", "BIN:0x1234", "BIN:1234", with "cpp:" before BIN or NAME */
/* FILE@SOURCE:LINE, which bpftrace finds in DWARF; a file may have an @ in its name. */
static bool is_source_line(const char *binary, int len)
{
	__free char *path = base_strndup(binary, len);

	return strchr(path, '@') && access(path, F_OK);
}

static bool parse_user(struct parse *p)
{
	static const char cpp[] = "cpp:";
	size_t n = sizeof(cpp) - 1;
	const char *binary = p->rest, *name, *end;
	const char *word = lang_probe_kind_name(p->attach->kind);
	unsigned long long number;
	uint64_t address;
	int len;

	if (!strncmp(binary, cpp, n) && strchr(binary + n, ':') && binary[n] != ':')
		binary += n;
	name = strchr(binary, ':');
	if (!name)
		return fail(p, "%s needs a binary and a function: %s:/bin/bash:readline", word, word);
	len = name++ - binary;
	if (is_source_line(binary, len))
		return fail(p, "lines of sources are not supported, for that needs DWARF: %s:FILE:FUNCTION, "
			       "or FUNCTION+OFFSET, as in objdump -d",
			    word);
	if (!strncmp(name, cpp, n) && name[n] != ':')
		name += n;
	if (!parse_number(name, &address, &end) || *end)
		return set_spec(p, pool_addf(p->pool, "%s:%.*s:%s", word, len, binary, name));
	number = address;
	return set_spec(p, pool_addf(p->pool, "%s:%.*s:0x%llx", word, len, binary, number));
}

static bool (*const parsers[PROBE_KINDS])(struct parse *p) = {
	[PROBE_BEGIN] = parse_nothing,
	[PROBE_END] = parse_nothing,
	[PROBE_INTERVAL] = parse_clock,
	[PROBE_SIGNAL] = parse_signal,
	[PROBE_TEST] = parse_named,
	[PROBE_BENCH] = parse_named,
	[PROBE_KPROBE] = parse_function,
	[PROBE_KRETPROBE] = parse_function,
	[PROBE_FENTRY] = parse_function,
	[PROBE_FEXIT] = parse_function,
	[PROBE_TRACEPOINT] = parse_function,
	[PROBE_RAWTRACEPOINT] = parse_raw,
	[PROBE_UPROBE] = parse_user,
	[PROBE_URETPROBE] = parse_user,
	[PROBE_USDT] = parse_usdt,
	[PROBE_PROFILE] = parse_clock,
	[PROBE_SOFTWARE] = parse_event,
	[PROBE_HARDWARE] = parse_event,
	[PROBE_WATCHPOINT] = parse_watchpoint,
	[PROBE_ITER] = parse_iter,
};

static const struct lang_probe_word *find_word(const char *text, size_t len)
{
	for (size_t i = 0; i < lang_n_probe_words; i++) {
		const struct lang_probe_word *word = &lang_probe_words[i];

		if ((strlen(word->name) == len && !memcmp(word->name, text, len)) ||
		    (word->brief && strlen(word->brief) == len && !memcmp(word->brief, text, len)))
			return word;
	}
	return NULL;
}

static bool unknown_word(struct parse *p, size_t len)
{
	__free char *word = base_strndup(p->text, len);
	struct nearest near;

	nearest_init(&near, word);
	for (size_t i = 0; i < lang_n_probe_words; i++)
		nearest_offer(&near, lang_probe_words[i].name);
	fail(p, "unknown kind of probe '%s'", word);
	if (nearest_name(&near))
		lang_hint(p->messages, p->attach->at, "did you mean '%s'?", nearest_name(&near));
	return false;
}

bool lang_attach_parse(struct lang_attach *attach, const char *text, struct span at, struct pool *pool,
		       struct lang_messages *messages)
{
	size_t len = strcspn(text, ":");
	const struct lang_probe_word *word = find_word(text, len);
	struct parse p = { .attach = attach, .pool = pool, .messages = messages };

	*attach = (struct lang_attach){ .at = at };
	p.text = (char *)pool_add(pool, text);
	if (!word)
		return unknown_word(&p, len);
	p.rest = p.text + len + (text[len] == ':');
	attach->kind = word->kind;
	attach->text = pool_addf(pool, "%s%s", lang_probe_kind_name(word->kind), text + len);
	return parsers[word->kind](&p);
}
