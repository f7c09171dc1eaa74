// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lists what can be probed. Functions, tracepoints, user functions and USDT probes are resolved as those of a program
 * are, so that what is listed can be attached; the rest is a few names. list_types.c writes the types of C.
 */
#include <ctype.h>
#include <fcntl.h>

#include "list_part.h"
#include "probe/match.h"

/* --- lines --- */

static int compare_entries(const void *pa, const void *pb)
{
	const struct list_entry *a = pa, *b = pb;

	return strcmp(a->text, b->text);
}

static void add(struct list *list, const char *text, const char *details)
{
	*vec_push(list) = (struct list_entry){ text, details };
}

/* Passes the lines on, sorted and each once. Returns how many, without the details. */
static int flush(struct list *list, void (*fn)(const char *line, void *ctx), void *ctx)
{
	int n = 0;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), compare_entries);
	for (size_t i = 0; i < list->n; i++) {
		if (i && !strcmp(list->v[i - 1].text, list->v[i].text))
			continue;
		fn(list->v[i].text, ctx);
		if (list->v[i].details)
			fn(list->v[i].details, ctx);
		n++;
	}
	return n;
}

/* --- places --- */

static const char *details_of(struct list *list, enum lang_probe_kind kind, const struct target *target)
{
	struct str text __str = {};

	if (!list->detail)
		return NULL;
	if (kind == PROBE_TRACEPOINT && target->object)
		list_show_format(target, &text);
	else if (kind == PROBE_USDT)
		list_show_usdt(target, &text);
	else if (target->kind == TARGET_KERNEL || kind == PROBE_RAWTRACEPOINT)
		list_show_arguments(list, kind, target, &text);
	if (!text.len)
		return NULL;
	text.data[text.len - 1] = 0;
	return pool_add(&list->pool, text.data);
}

/*
 * A trampoline needs the function in BTF, and a raw tracepoint is none of those that tracefs derives for system
 * calls.
 */
static bool is_listed(struct list *list, enum lang_probe_kind kind, const struct target *target)
{
	struct kernel_types *types = ctypes_kernel(list->types);

	if (kind == PROBE_RAWTRACEPOINT)
		return !target->object || strcmp(target->object, "syscalls");
	if (kind != PROBE_FENTRY && kind != PROBE_FEXIT)
		return true;
	return kernel_types_find(types, kernel_types_module(types, target->object, NULL), target->name,
				 1U << BTF_KIND_FUNC, NULL);
}

/* Whether a program or library is named by a path at which there is nothing. */
static bool is_missing(const char *text)
{
	__cleanup(spec_release) struct spec spec = {};
	const char *path;

	if (spec_parse(text, false, &spec, NULL))
		return false;
	path = spec.object;
	return path && *path == '/' && !strpbrk(path, "*?[") && access(path, F_OK);
}

/* Lists the places of one spec. What matches nothing is no error, but a file that is not there is one. */
static int list_spec(struct list *list, const struct lang_attach *attach, const char *spec, struct err *err)
{
	const struct target_options options = { .kernel = list->kernel, .pid = list->pid };
	struct target_set set = {};
	size_t bad;
	int ret = target_resolve(&spec, 1, &options, &set, &bad, err);

	for (size_t i = 0; !ret && i < set.n; i++)
		if (is_listed(list, attach->kind, &set.v[i]))
			add(list, lang_target_text(attach->kind, attach, &set.v[i], &list->pool),
			    details_of(list, attach->kind, &set.v[i]));
	target_set_release(&set);
	return ret == -ENOENT && !is_missing(spec) ? 0 : ret;
}

/* A pattern of files, or "*" for those that processes have mapped, is several specs. */
static int list_places(struct list *list, const struct lang_attach *attach, struct err *err)
{
	struct lang_specs specs = {};
	size_t n = lang_attach_specs(attach, list->pid, &list->pool, &specs);
	bool is_none = n == 1 && specs.v[0] == attach->spec && lang_attach_has_files(attach);
	int ret = 0;

	for (size_t i = 0; !ret && !is_none && i < n; i++)
		ret = list_spec(list, attach, specs.v[i], err);
	free(specs.v);
	return ret;
}

static int list_attach(struct list *list, const char *text, struct err *err)
{
	const struct span nowhere = {};
	struct lang_messages messages = {};
	struct lang_attach attach;
	int ret = 0;

	if (lang_attach_parse(&attach, text, nowhere, &list->pool, &messages) && attach.spec)
		ret = list_places(list, &attach, err);
	else if (!messages.n)
		add(list, attach.text, NULL);
	else
		ret = err_set(err, -EINVAL, "%s%s%s", messages.v[0].text, messages.n > 1 ? ": " : "",
			      messages.n > 1 ? messages.v[1].text : "");
	lang_messages_release(&messages);
	return ret;
}

/* --- the rest --- */

static void offer(struct list *list, const char *rest, const char *text)
{
	struct match *match = match_new(*rest ? rest : "*", false, NULL);

	if (match && (match_test(match, strchr(text, ':') + 1) || match_test(match, text)))
		add(list, pool_add(&list->pool, text), NULL);
	match_free(match);
}

static void list_events(struct list *list, enum lang_probe_kind kind, const char *rest)
{
	const char *name;

	for (size_t i = 0; (name = lang_event_name(kind, i)); i++) {
		__free char *text = base_printf("%s:%s:", lang_probe_kind_name(kind), name);

		offer(list, rest, text);
	}
}

static void list_clocks(struct list *list, enum lang_probe_kind kind, const char *rest)
{
	static const char *const units[] = { "hz", "ms", "s", "us" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		__free char *text = base_printf("%s:%s:", lang_probe_kind_name(kind), units[i]);

		offer(list, rest, text);
	}
}

struct iterators {
	struct list *list;
	struct match *match;
};

static int offer_iterator(const char *name, uint32_t id, void *ctx)
{
	static const char prefix[] = "bpf_iter__";
	const struct iterators *iterators = ctx;
	const char *object = name + sizeof(prefix) - 1;

	/* struct bpf_iter__task__safe_trusted is for the verifier */
	if (!strncmp(name, prefix, sizeof(prefix) - 1) && !strstr(object, "__") && match_test(iterators->match, object))
		add(iterators->list, pool_addf(&iterators->list->pool, "iter:%s", object),
		    list_show_iterator(iterators->list, object));
	return 0;
}

static int list_iterators(struct list *list, const char *rest, struct err *err)
{
	struct iterators iterators = { list, match_new(*rest ? rest : "*", false, err) };

	if (!iterators.match)
		return err->code;
	kernel_types_each(ctypes_kernel(list->types), 0, 1U << BTF_KIND_STRUCT, offer_iterator, &iterators, NULL);
	match_free(iterators.match);
	return 0;
}

/* What a kind's names are matched with if the pattern leaves them open. */
static const char *any_of(struct list *list, enum lang_probe_kind kind, const char *rest)
{
	if (!*rest)
		rest = "*";
	return kind == PROBE_TRACEPOINT && !strchr(rest, ':') ? pool_addf(&list->pool, "*:%s", rest) : rest;
}

static bool maps_can_be_read(pid_t pid, struct err *err)
{
	__free char *path = base_printf("/proc/%d/maps", pid);
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err_set(err, -errno, "cannot read the memory map of process %d: %s", pid,
			strerror(errno == ENOENT ? ESRCH : errno));
	return fd >= 0;
}

/* is_open: the pattern does not name the kind, so kinds that need more than this are left out. */
static int list_kind(struct list *list, enum lang_probe_kind kind, const char *rest, bool is_open, struct err *err)
{
	const char *word = lang_probe_kind_name(kind);

	switch (kind) {
	case PROBE_INTERVAL:
	case PROBE_PROFILE:
		list_clocks(list, kind, rest);
		return 0;
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
		list_events(list, kind, rest);
		return 0;
	case PROBE_ITER:
		return list_iterators(list, rest, err);
	case PROBE_UPROBE:
	case PROBE_URETPROBE:
	case PROBE_USDT:
		if (strchr(rest, ':') && !(is_open && !strncmp(rest, "*:", 2)))
			return list_attach(list, pool_addf(&list->pool, "%s:%s", word, rest), err);
		if (list->pid && !maps_can_be_read(list->pid, err))
			return err->code;
		if (list->pid)
			return list_attach(list, pool_addf(&list->pool, "%s:*:%s", word, *rest ? rest : "*"), err);
		if (is_open)
			return 0;
		return err_set(err, -EINVAL, "%s needs a binary (%s:/bin/bash:*) or a process (-p)", word, word);
	default:
		if (is_open && memchr(rest, '/', strcspn(rest, ":"))) /* "*:/bin/bash:*" means user probes */
			return 0;
		return list_attach(list, pool_addf(&list->pool, "%s:%s", word, any_of(list, kind, rest)), err);
	}
}

/* Probes of these kinds have a list. A pattern that does not name its kind means the first ones. */
static const enum lang_probe_kind listed[] = {
	PROBE_HARDWARE,
	PROBE_ITER,
	PROBE_FENTRY,
	PROBE_KPROBE,
	PROBE_RAWTRACEPOINT,
	PROBE_SOFTWARE,
	PROBE_TRACEPOINT,
	PROBE_USDT,
	PROBE_UPROBE,
	PROBE_INTERVAL,
	PROBE_PROFILE,
	PROBE_FEXIT,
	PROBE_KRETPROBE,
	PROBE_URETPROBE,
};
#define N_OPEN 9

static bool is_known(const char *word)
{
	for (size_t i = 0; i < lang_n_probe_words; i++)
		if (!strcmp(lang_probe_words[i].name, word) || str_same(lang_probe_words[i].brief, word))
			return true;
	return false;
}

static bool is_word_of(enum lang_probe_kind kind, const char *word)
{
	for (size_t i = 0; i < lang_n_probe_words; i++)
		if (lang_probe_words[i].kind == kind &&
		    (!strcmp(lang_probe_words[i].name, word) || str_same(lang_probe_words[i].brief, word)))
			return true;
	return false;
}

/* "kprobe:tcp_*", "*:tcp_*", "*tcp*" */
static int list_probes(struct list *list, const char *pattern, struct err *err)
{
	const char *colon = strchr(pattern, ':'), *rest = colon ? colon + 1 : pattern;
	__free char *word = colon ? base_strndup(pattern, colon - pattern) : base_strdup("*");
	bool is_open = strpbrk(word, "*?[");
	struct match *match;
	int ret = 0;

	if (!colon && is_known(pattern)) {
		free(word);
		word = base_strdup(pattern);
		rest = "";
		is_open = false;
	}
	if (!is_open && !is_known(word))
		return list_attach(list, pattern, err); /* which says what is wrong */
	match = match_new(word, false, err);
	if (!match)
		return err->code;
	for (size_t i = 0; !ret && i < (is_open ? N_OPEN : ARRAY_SIZE(listed)); i++)
		if (is_open ? match_test(match, lang_probe_kind_name(listed[i])) : is_word_of(listed[i], word))
			ret = list_kind(list, listed[i], rest, is_open, err);
	match_free(match);
	return ret;
}

static int list_one(struct list *list, const char *pattern, struct err *err)
{
	static const char *const words[] = { "struct ", "union ", "enum " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(pattern, words[i], strlen(words[i])))
			return list_types(list, pattern, err);
	return list_probes(list, pattern, err);
}

/* The length of the first of several patterns; commas in parentheses belong to a C++ name. */
static size_t first_len(const char *text)
{
	size_t depth = 0, n = 0;

	for (; text[n] && (text[n] != ',' || depth); n++) {
		depth += text[n] == '(';
		depth -= text[n] == ')' && depth;
	}
	return n;
}

static void list_release(struct list *list)
{
	ctypes_free(list->types);
	kernel_free(list->kernel);
	list_types_release(list);
	free(list->v);
	pool_release(&list->pool);
}

int lang_list(const char *pattern, enum lang_detail detail, pid_t pid, void (*fn)(const char *line, void *ctx),
	      void *ctx, struct err *err)
{
	__cleanup(list_release) struct list list = { .detail = detail, .pid = pid, .kernel = kernel_new() };
	int ret = 0;

	list.types = ctypes_new(&list.pool);
	if (!pattern || !*pattern)
		ret = list_probes(&list, pid ? "u*" : "*", err);
	for (size_t n; !ret && pattern && *pattern; pattern += n + (pattern[n] == ',')) {
		__free char *one = NULL;

		while (isspace((unsigned char)*pattern))
			pattern++;
		n = first_len(pattern);
		one = base_strndup(pattern, n);
		ret = list_one(&list, one, err);
	}
	return ret ? ret : flush(&list, fn, ctx);
}
