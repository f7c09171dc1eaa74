// SPDX-License-Identifier: BSD-2-Clause
/* Takes probes of bcc's notation apart. Knows where each part begins and ends, and of signatures what they name. */
#include "bcc_part.h"
#include "kernel/syscalls.h"
#include "lang/text/lex.h"

uint32_t bcc_skip_quoted(const struct bcc *b, uint32_t pos, uint32_t end)
{
	char quote = b->source[pos++];

	while (pos < end && b->source[pos] != quote)
		pos += b->source[pos] == '\\' && pos + 1 < end ? 2 : 1;
	return pos < end ? pos + 1 : end;
}

uint32_t bcc_find(const struct bcc *b, struct span at, const char *stops)
{
	uint32_t pos = at.begin, depth = 0, choices = 0;

	while (pos < at.end) {
		char c = b->source[pos];

		if (c == '"' || c == '\'') {
			pos = bcc_skip_quoted(b, pos, at.end);
			continue;
		}
		if (!depth && c == ':' && choices)
			choices--;
		else if (!depth && strchr(stops, c))
			return pos;
		else if (!depth && c == '?')
			choices++;
		depth += c == '(' || c == '[';
		depth -= (c == ')' || c == ']') && depth;
		pos++;
	}
	return at.end;
}

struct span bcc_trim(const struct bcc *b, struct span at)
{
	while (at.begin < at.end && strchr(" \t\r\n", b->source[at.begin]))
		at.begin++;
	while (at.end > at.begin && strchr(" \t\r\n", b->source[at.end - 1]))
		at.end--;
	return at;
}

/* Takes what comes before one of `stops` off the front of *rest, which then begins with the stop, or is empty. */
static struct span take(const struct bcc *b, struct span *rest, const char *stops)
{
	struct span taken = *rest;

	taken.end = rest->begin = bcc_find(b, *rest, stops);
	return taken;
}

static bool begins(const struct bcc *b, const struct span *rest, char c)
{
	return rest->begin < rest->end && b->source[rest->begin] == c;
}

/* "a, b, c" */
static size_t split(struct bcc *b, struct span list, struct span *to, const char *what)
{
	size_t n = 0;

	while (!b->failed) {
		struct span at = take(b, &list, ","), item = bcc_trim(b, at);

		if (bcc_is_empty(&item))
			bcc_fail(b, at, "expected %s here", what);
		else if (n == BCC_MAX_VALUES)
			bcc_fail(b, at, "more than %d values", BCC_MAX_VALUES);
		else
			to[n++] = item;
		if (bcc_is_empty(&list))
			break;
		list.begin++;
	}
	return n;
}

/* --- signatures --- */

static void add_param(struct bcc *b, struct span at)
{
	const char *text = b->source;
	struct bcc_param *param = &b->spec.params[b->spec.n_params];
	struct span all = at;

	if (memchr(text + at.begin, '(', at.end - at.begin)) {
		bcc_fail(b, at, "a pointer to a function is void * here");
		return;
	}
	at.end = bcc_find(b, at, "[");
	*param = (struct bcc_param){
		.is_array = at.end < all.end,
		/* system calls get pointers to user memory only */
		.is_user = memmem(text + at.begin, at.end - at.begin, "__user", 6) ||
			   (b->spec.is_syscall &&
			    (at.end < all.end || memchr(text + at.begin, '*', at.end - at.begin))),
	};
	at = bcc_trim(b, at);
	param->name = param->type = at;
	while (param->name.begin > at.begin && lex_is_name(text[param->name.begin - 1]))
		param->name.begin--;
	param->name.begin = param->name.end;
	while (param->name.begin > at.begin && lex_is_name(text[param->name.begin - 1]))
		param->name.begin--;
	param->type.end = param->name.begin;
	param->type = bcc_trim(b, param->type);
	if (bcc_is_empty(&param->type)) {
		param->type = at;
		param->name.begin = param->name.end;
	}
	b->spec.n_params++;
}

/* "(struct file *file, size_t count)"; rest begins with the parenthesis. */
static void parse_signature(struct bcc *b, struct span *rest)
{
	struct span params[BCC_MAX_VALUES], list = { rest->source, rest->begin + 1, rest->end };
	size_t n;

	list.end = bcc_find(b, list, ")");
	if (list.end == rest->end) {
		bcc_fail(b, *rest, "expected ')' at the end of the signature");
		return;
	}
	rest->begin = list.end + 1;
	list = bcc_trim(b, list);
	if (bcc_is_empty(&list))
		return;
	if (b->spec.kind == 't' || b->spec.kind == 'u') {
		bcc_fail(b, list, "only functions have a signature: in tracepoints args->NAME is a field, in USDT "
				  "probes arg1, arg2 ... are the arguments");
		return;
	}
	n = split(b, list, params, "a parameter, as in int fd");
	for (size_t i = 0; i < n && i < BCC_MAX_PARAMS && !b->failed; i++)
		add_param(b, params[i]);
}

/* --- the place --- */

static void set_kind(struct bcc *b, struct span at)
{
	if (at.end - at.begin == 1 && strchr("prtu", b->source[at.begin]))
		b->spec.kind = b->source[at.begin];
	else
		bcc_fail(b, at, "expected the kind of the probe: p (entry), r (return), t (tracepoint) or u (USDT)");
}

/* What becomes a part of an attach point, which is text without quotes. */
static void check_name(struct bcc *b, struct span at, const char *what)
{
	if (bcc_is_empty(&at))
		bcc_fail(b, b->spec.all, "expected %s", what);
	for (uint32_t i = at.begin; i < at.end; i++)
		if ((signed char)b->source[i] <= ' ' || strchr("{};,\"'()#%\\", b->source[i])) {
			bcc_fail(b, (struct span){ at.source, i, i + 1 }, "expected %s; no name has this character",
				 what);
			return;
		}
}

static bool is_syscall(const struct bcc *b, struct span name)
{
	__free char *call = NULL;

	if (bcc_has_prefix(b, name, BCC_SYSCALL))
		return true;
	/* SyS_ was the name before Linux 4.17. */
	if (!bcc_has_prefix(b, name, "sys_") && !bcc_has_prefix(b, name, "SyS_"))
		return false;
	name.begin += strlen("sys_");
	call = base_strndup(b->source + name.begin, name.end - name.begin);
	return syscall_number(call) >= 0;
}

static bool check_place(struct bcc *b)
{
	const struct bcc_spec *spec = &b->spec;

	if (b->failed)
		return false;
	if (spec->kind == 't') {
		check_name(b, spec->library, "a category, as in t:sched:sched_switch");
		check_name(b, spec->function, "an event, as in t:sched:sched_switch");
	} else if (spec->kind == 'u' || !bcc_is_empty(&spec->library)) {
		check_name(b, spec->library, "a library, as in u:pthread:pthread_start or p:c:malloc");
		check_name(b, spec->function, "a probe");
	} else {
		check_name(b, spec->function, "a function");
		b->spec.is_syscall = is_syscall(b, spec->function);
	}
	return !b->failed;
}

/* --- argdist: KIND:[LIBRARY]:FUNCTION(SIGNATURE)[:TYPES:EXPRESSIONS[:FILTER]][#LABEL] --- */

static struct span rest_behind(struct span rest)
{
	rest.begin++;
	return rest;
}

static void parse_values(struct bcc *b, struct span rest)
{
	struct bcc_spec *spec = &b->spec;
	struct span types, values;

	if (bcc_is_empty(&rest))
		return;
	if (!begins(b, &rest, ':')) {
		bcc_fail(b, rest, "expected ':' and the type of a value, as in p::f(int fd):int:fd");
		return;
	}
	rest.begin++;
	types = take(b, &rest, ":");
	if (bcc_is_empty(&rest)) {
		bcc_fail(b, types, "expected types, ':' and values, as in p::f(int fd):int:fd");
		return;
	}
	rest.begin++;
	values = take(b, &rest, ":");
	spec->n_types = split(b, types, spec->types, "a type");
	spec->n_values = split(b, values, spec->values, "an expression");
	if (!b->failed && spec->n_types != spec->n_values)
		bcc_fail(b, span_join(types, values), "%zu type%s for %zu value%s", spec->n_types,
			 str_plural(spec->n_types), spec->n_values, str_plural(spec->n_values));
	if (!bcc_is_empty(&rest))
		spec->filter = bcc_trim(b, rest_behind(rest));
}

bool bcc_parse_argdist(struct bcc *b)
{
	struct bcc_spec *spec = &b->spec;
	struct span rest = spec->all, kind;
	uint32_t label = bcc_find(b, rest, "#");

	if (label < rest.end)
		spec->label = bcc_trim(b, (struct span){ rest.source, label + 1, rest.end });
	rest.end = label;
	rest = bcc_trim(b, rest);
	kind = take(b, &rest, ":");
	set_kind(b, kind);
	if (b->failed)
		return false;
	if (begins(b, &rest, ':'))
		rest.begin++;
	spec->library = take(b, &rest, ":");
	if (bcc_is_empty(&rest)) {
		bcc_fail(b, spec->all, "expected KIND:LIBRARY:FUNCTION, as in p::vfs_read or p:c:malloc");
		return false;
	}
	rest.begin++;
	spec->function = rest;
	while (rest.begin < rest.end && !strchr("(:", b->source[rest.begin]))
		rest.begin++;
	spec->function.end = rest.begin;
	if (check_place(b) && begins(b, &rest, '('))
		parse_signature(b, &rest);
	if (!b->failed)
		parse_values(b, bcc_trim(b, rest));
	return !b->failed;
}

/* --- trace: [[KIND]:[LIBRARY]:]FUNCTION[(SIGNATURE)] [(PREDICATE)] ["FORMAT"[, EXPRESSIONS]] --- */

static void parse_name(struct bcc *b, struct span name)
{
	struct bcc_spec *spec = &b->spec;
	struct span parts[4] = {};
	size_t n = 0;

	while (n < ARRAY_SIZE(parts)) {
		parts[n++] = take(b, &name, ":");
		if (bcc_is_empty(&name))
			break;
		name.begin++;
	}
	spec->kind = 'p';
	if (n >= 3 && !bcc_is_empty(&parts[0]))
		set_kind(b, parts[0]);
	if (n >= 2)
		spec->library = parts[n == 2 ? 0 : 1];
	spec->function = parts[n == 1 ? 0 : n == 2 ? 1
						   : 2];
	/* u:LIBRARY:PROVIDER:PROBE */
	if (n == 4 && spec->kind == 'u')
		spec->function.end = parts[3].end;
	else if (n == 4)
		bcc_fail(b, parts[3], "expected KIND:LIBRARY:FUNCTION, as in r:c:read");
}

static void parse_message(struct bcc *b, struct span rest)
{
	struct bcc_spec *spec = &b->spec;

	if (bcc_is_empty(&rest))
		return;
	if (!begins(b, &rest, '"')) {
		bcc_fail(b, rest, "expected a predicate in parentheses or a format in double quotes");
		return;
	}
	spec->format = rest;
	rest.begin = spec->format.end = bcc_skip_quoted(b, rest.begin, rest.end);
	if (rest.begin - spec->format.begin < 2 || b->source[rest.begin - 1] != '"') {
		bcc_fail(b, spec->format, "expected '\"' at the end of the format");
		return;
	}
	rest = bcc_trim(b, rest);
	if (bcc_is_empty(&rest))
		return;
	if (begins(b, &rest, ','))
		spec->n_values = split(b, rest_behind(rest), spec->values, "an expression");
	else
		bcc_fail(b, rest, "expected ',' and the arguments of the format");
}

bool bcc_parse_trace(struct bcc *b)
{
	struct bcc_spec *spec = &b->spec;
	struct span rest = bcc_trim(b, spec->all), name = rest;

	while (rest.begin < rest.end && !strchr(" \t\r\n(\"", b->source[rest.begin]))
		rest.begin++;
	name.end = rest.begin;
	parse_name(b, name);
	if (!check_place(b))
		return false;
	if (begins(b, &rest, '('))
		parse_signature(b, &rest);
	rest = bcc_trim(b, rest);
	if (!b->failed && begins(b, &rest, '(')) {
		spec->filter = rest;
		rest.begin++;
		spec->filter.end = rest.begin = bcc_find(b, rest, ")");
		if (bcc_is_empty(&rest))
			bcc_fail(b, spec->filter, "expected ')' at the end of the predicate");
		spec->filter.begin++;
		rest.begin++;
	}
	if (!b->failed)
		parse_message(b, bcc_trim(b, rest));
	return !b->failed;
}
