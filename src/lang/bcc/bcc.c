// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes a program of the language of probes in bcc's notation, and moves what the compiler says about the program to
 * the user's text.
 */
#include "bcc_part.h"
#include "lang/text/lex.h"

/* Keys of a map, as bcc's hashes have them. */
#define MAX_KEYS 10240
/* Bytes of a string, if the program does not ask for more. */
#define MAX_STRING 1000

void bcc_fail(struct bcc *b, struct span at, const char *fmt, ...)
{
	va_list ap;

	if (b->failed)
		return;
	b->failed = true;
	va_start(ap, fmt);
	lang_say(&b->program->messages, LANG_ERROR, at, fmt, ap);
	va_end(ap);
}

/* --- the program's text, and where it comes from --- */

static void add_piece(struct bcc *b, struct span from, bool is_copy)
{
	*vec_push(&b->pieces) = (struct bcc_piece){ b->text.len, from, is_copy };
}

void bcc_add(struct bcc *b, struct span from, const char *fmt, ...)
{
	va_list ap;

	add_piece(b, from, false);
	va_start(ap, fmt);
	str_addv(&b->text, fmt, ap);
	va_end(ap);
}

void bcc_copy(struct bcc *b, struct span from)
{
	add_piece(b, from, true);
	str_addn(&b->text, b->source + from.begin, from.end - from.begin);
}

/* The user's text that a byte of the program comes from. */
static struct span origin(const struct bcc *b, uint32_t at)
{
	size_t low = 0, high = b->pieces.n;
	const struct bcc_piece *piece;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (b->pieces.v[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	piece = &b->pieces.v[low];
	if (!piece->is_copy || at - piece->at >= piece->from.end - piece->from.begin)
		return piece->from;
	at = piece->from.begin + at - piece->at;
	return (struct span){ piece->from.source, at, at + 1 };
}

static void move_messages(struct bcc *b, uint32_t source)
{
	vec_each(message, &b->program->messages) {
		struct span *at = &message->at, first, last;

		if (at->source != source || !b->pieces.n)
			continue;
		first = origin(b, at->begin);
		last = origin(b, at->end > at->begin ? at->end - 1 : at->end);
		*at = first.source == last.source ? span_join(first, last) : first;
	}
}

/* Names that C knows from headers, and fields without args->, as in old examples. */
static void explain_names(struct bcc *b)
{
	const struct lang_message *message = b->program->messages.n ? &b->program->messages.v[0] : NULL;

	if (message && !strncmp(message->text, "Unknown identifier", strlen("Unknown identifier")))
		lang_hint(&b->program->messages, message->at,
			  *b->program->sources.v[message->at.source].text == 't'
				  ? "a field of a tracepoint is args->NAME"
				  : "macros of headers are not known: write the value");
}

/* --- probes --- */

static void add_attach(struct bcc *b, bool is_return)
{
	const struct bcc_spec *spec = &b->spec;
	bool is_user = !bcc_is_empty(&spec->library);
	struct span name;
	const char *word = spec->kind == 't' ? "tracepoint" : spec->kind == 'u' ? "usdt"
						      : is_return		? "retprobe"
										: "probe";

	if (spec->kind == 'p' || spec->kind == 'r')
		bcc_add(b, spec->all, is_user ? "u%s:" : "k%s:", word);
	else
		bcc_add(b, spec->all, "%s:", word);
	if (is_user) {
		bcc_copy(b, spec->library);
		bcc_add(b, spec->all, ":");
	}
	name = spec->function;
	if (spec->is_syscall && !bcc_has_prefix(b, name, BCC_SYSCALL)) {
		name.begin += strlen("sys_"); /* SyS_, too */
		bcc_add(b, spec->function, BCC_SYSCALL);
	}
	bcc_copy(b, name);
	bcc_add(b, spec->all, " {\n");
}

static void add_filter(struct bcc *b)
{
	const struct bcc_request *request = b->request;
	struct span all = b->spec.all;

	bcc_add(b, all, "if (true");
	if (request->without)
		bcc_add(b, all, " && pid != %d", request->without);
	if (request->comm) {
		bcc_add(b, all, " && strcontains(comm, \"");
		for (const char *p = request->comm; *p; p++)
			str_addf(&b->text, lex_is_name(*p) ? "%c" : "\\x%02x", (unsigned char)*p);
		bcc_add(b, all, "\")");
	}
	if (!bcc_is_empty(&b->spec.filter)) {
		bcc_add(b, all, " && ");
		bcc_add_expression(b, b->spec.filter);
	}
	bcc_add(b, all, ") {\n");
}

/* What an expression gives in a type of C's: "(type)(expression)". */
static void add_cast(struct bcc *b, const char *type, struct span value)
{
	bcc_add(b, value, "(%s)", type);
	bcc_add_expression(b, value);
}

static bool is_text(const struct bcc *b, struct span type)
{
	const char *text = b->source + type.begin;
	size_t len = type.end - type.begin;
	const char *star = memchr(text, '*', len);

	return star && memmem(text, len, "char", 4) && !memchr(star + 1, '*', text + len - star - 1);
}

/* "$comm" and the like are texts already; str() leaves those as they are. */
static void add_text(struct bcc *b, struct span value)
{
	bcc_add(b, value, "str(");
	bcc_add_expression(b, value);
	if (b->request->string_size)
		bcc_add(b, value, ", %u", b->request->string_size + 1);
	bcc_add(b, value, ")");
}

/* A value of argdist, of the type that the user gave it. Pointers are numbers. */
static void add_value(struct bcc *b, size_t i)
{
	static const char comm[] = "$COMM";
	struct span type = b->spec.types[i], value = b->spec.values[i];

	/* bcc's example has "u32:$COMM" */
	if (is_text(b, type) || !strncmp(b->source + value.begin, comm, strlen(comm))) {
		add_text(b, value);
		return;
	}
	if (memchr(b->source + type.begin, '*', type.end - type.begin))
		bcc_add(b, type, "(uint64)");
	bcc_add(b, type, "(");
	bcc_copy(b, type);
	bcc_add(b, type, ")");
	bcc_add_expression(b, value);
}

/* Without values, a return probe is about the result, as an int; and other probes count. */
static bool has_values(const struct bcc_spec *spec)
{
	return spec->n_values || spec->kind == 'r';
}

static void add_values(struct bcc *b)
{
	const struct bcc_spec *spec = &b->spec;

	if (!spec->n_values)
		bcc_add(b, spec->all, "(int32)retval");
	for (size_t i = 0; i < spec->n_values; i++) {
		if (i)
			bcc_add(b, spec->all, ", ");
		add_value(b, i);
	}
}

static void add_table(struct bcc *b)
{
	const struct bcc_spec *spec = &b->spec;
	bool is_hist = b->request->probes[b->number].is_hist;

	bcc_add(b, spec->all, "@s%zu", b->number);
	if (has_values(spec)) {
		bcc_add(b, spec->all, is_hist ? " = hist((uint64)(" : "[");
		add_values(b);
		bcc_add(b, spec->all, is_hist ? "))" : "]");
	}
	bcc_add(b, spec->all, is_hist ? ";\n" : " = count();\n");
}

/* --- formats of trace --- */

/* The part of a format behind '%': what it does with its argument. */
struct specifier {
	const char *flags, *size, *behind;
	char conversion;
};

static struct specifier specifier_at(const char *at)
{
	struct specifier found = { .flags = at };

	at += strspn(at, "-+ #0'");
	at += strspn(at, "0123456789");
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	found.size = at;
	at += strspn(at, "hljzt");
	found.conversion = *at;
	found.behind = at + (*at != 0);
	return found;
}

/* The integer that C's printf() takes for a conversion. */
static const char *integer_of(const struct specifier *specifier)
{
	static const char *const types[2][4] = {
		{ "uint32", "uint16", "uint8", "uint64" },
		{ "int32", "int16", "int8", "int64" },
	};
	bool is_signed = specifier->conversion == 'd' || specifier->conversion == 'i';
	size_t n = specifier->behind - specifier->size - 1;
	int size = !n ? 0 : *specifier->size != 'h' ? 3
		    : n > 1			    ? 2
						    : 1;

	if (specifier->conversion == 'c')
		return "int8";
	return specifier->conversion == 'p' ? "uint64" : types[is_signed][size];
}

static void add_argument(struct bcc *b, const struct specifier *specifier, struct span value)
{
	bcc_add(b, value, ", ");
	switch (specifier->conversion) {
	case 's':
		add_text(b, value);
		break;
	case 'K':
	case 'U':
		bcc_add(b, value, specifier->conversion == 'K' ? "ksym(" : "usym(");
		add_cast(b, "uint64", value);
		bcc_add(b, value, ")");
		break;
	default:
		add_cast(b, integer_of(specifier), value);
	}
}

/* Appends the format, with %s in place of %K and %U. Returns how many specifiers with arguments there are. */
static size_t add_format(struct bcc *b, struct specifier *found)
{
	struct span format = b->spec.format, rest = { format.source, format.begin + 1, 0 };
	const char *end = b->source + format.end - 1;
	size_t n = 0;

	if (bcc_is_empty(&format))
		return 0;
	for (const char *p = b->source + rest.begin; p < end; p++) {
		struct specifier specifier;

		if (*p != '%')
			continue;
		specifier = specifier_at(p + 1);
		rest.end = p + 1 - b->source;
		if (specifier.behind > end || !strchr("%sdiuxXopcKU", specifier.conversion)) {
			rest.begin = rest.end - 1;
			bcc_fail(b, rest, "unknown specifier; known: %%s %%d %%u %%x %%c %%p, with h, l, ll; "
					  "%%K and %%U: symbols");
			return 0;
		}
		if (specifier.conversion != '%' && n < BCC_MAX_VALUES)
			found[n++] = specifier;
		if (specifier.conversion == 'K' || specifier.conversion == 'U') {
			bcc_copy(b, rest);
			bcc_add(b, format, "%.*ss", (int)(specifier.size - specifier.flags), specifier.flags);
			rest.begin = specifier.behind - b->source;
		}
		p = specifier.behind - 1;
	}
	rest.end = format.end - 1;
	bcc_copy(b, rest);
	return n;
}

static void add_message(struct bcc *b)
{
	const struct bcc_request *request = b->request;
	const struct bcc_spec *spec = &b->spec;
	struct specifier found[BCC_MAX_VALUES];
	struct span name = spec->function;
	size_t n;

	bcc_add(b, spec->all, "printf(\"%s", BCC_COLUMNS);
	name.end = bcc_find(b, name, "+");
	bcc_copy(b, name);
	bcc_add(b, spec->all, "\\x01\" \"");
	n = add_format(b, found);
	if (n != spec->n_values)
		bcc_fail(b, spec->format, "%zu specifier%s for %zu argument%s", n, str_plural(n), spec->n_values,
			 str_plural(spec->n_values));
	bcc_add(b, spec->all, "\" \"\\x01%s%s\", pid, tid, cpu, comm", request->kernel_stack ? "%s" : "",
		request->user_stack ? "%s" : "");
	for (size_t i = 0; i < spec->n_values && !b->failed; i++)
		add_argument(b, &found[i], spec->values[i]);
	bcc_add(b, spec->all, "%s%s);\n", request->kernel_stack ? ", kstack" : "",
		request->user_stack ? ", ustack" : "");
}

/* --- one probe, or two: what a return probe knows of the entry is kept by thread, as in bcc --- */

static void add_block(struct bcc *b)
{
	add_filter(b);
	if (b->request->traces)
		add_message(b);
	else
		add_table(b);
	bcc_add(b, b->spec.all, "}\n");
}

static void add_entry_probe(struct bcc *b)
{
	const struct bcc_spec *spec = &b->spec;

	add_attach(b, false);
	bcc_add(b, spec->all, "@e%zu[tid] = (nsecs", b->number);
	for (size_t i = 0; i < spec->n_params; i++) {
		char value[BCC_ARGUMENT_LEN];

		bcc_write_argument(spec, i, value);
		bcc_add(b, spec->all, ", %s", value);
	}
	bcc_add(b, spec->all, spec->n_params ? ");\n}\n" : ", 0);\n}\n");
}

static void add_probe(struct bcc *b)
{
	struct span all = b->spec.all;
	size_t len = b->text.len, n = b->pieces.n;
	bool pairs;

	/* once to see whether it needs the entry */
	add_block(b);
	pairs = b->has_latency || b->has_entries;
	b->text.len = len;
	b->pieces.n = n;
	if (b->failed)
		return;
	add_attach(b, b->spec.kind == 'r');
	if (pairs)
		bcc_add(b, all,
			"if (has_key(@e%zu, tid)) {\n$in = @e%zu[tid];\ndelete(@e%zu, tid);\n"
			"$latency = (uint64)(nsecs - $in.0);\n",
			b->number, b->number, b->number);
	add_block(b);
	bcc_add(b, all, pairs ? "}\n}\n" : "}\n");
	if (pairs)
		add_entry_probe(b);
}

/* --- what the caller prints --- */

static const char *text_of(struct bcc *b, struct span at)
{
	return pool_addf(&b->program->pool, "%.*s", (int)(at.end - at.begin), b->source + at.begin);
}

/* "$latency/$entry(size)" is "$latency/size". */
static const char *shown_of(struct bcc *b, struct span at)
{
	static const char entry[] = "$entry(";
	size_t len = at.end - at.begin;
	char *text = pool_alloc(&b->program->pool, len + 1), *found, *end;

	memcpy(text, b->source + at.begin, len);
	while ((found = strstr(text, entry)) && (end = strchr(found, ')'))) {
		memmove(end, end + 1, strlen(end));
		memmove(found, found + strlen(entry), strlen(found + strlen(entry)) + 1);
	}
	return text;
}

static void describe(struct bcc *b, struct bcc_probe *probe)
{
	const struct bcc_spec *spec = &b->spec;
	bool is_named = !bcc_is_empty(&spec->label);

	probe->has_format = !bcc_is_empty(&spec->format);
	probe->label = text_of(b, is_named ? spec->label : spec->all);
	probe->map = pool_addf(&b->program->pool, "@s%zu", b->number);
	probe->values = pool_alloc(&b->program->pool, (spec->n_values + 1) * sizeof(*probe->values));
	for (size_t i = 0; i < spec->n_values; i++)
		probe->values[i] = shown_of(b, spec->values[i]);
	probe->n_values = spec->n_values;
	if (!spec->n_values && has_values(spec))
		probe->values[probe->n_values++] = "retval";
	probe->title = is_named ? probe->label : probe->values[0];
}

static void check_hist(struct bcc *b)
{
	const struct bcc_spec *spec = &b->spec;

	if (spec->n_values > 1)
		bcc_fail(b, span_join(spec->values[0], spec->values[spec->n_values - 1]),
			 "a histogram is of one value: -C counts several");
	else if (!spec->n_values && spec->kind != 'r')
		bcc_fail(b, spec->all, "a histogram needs a value, as in p::f(int fd):int:fd");
	else if (spec->n_values && is_text(b, spec->types[0]))
		bcc_fail(b, spec->types[0], "a histogram is of numbers: -C counts texts");
}

static void compile_probe(struct bcc *b, struct bcc_probe *probe)
{
	uint32_t source = lang_sources_add(&b->program->sources, "probe", probe->text, strlen(probe->text));

	b->source = b->program->sources.v[source].text;
	b->spec = (struct bcc_spec){ .all = { source, 0, strlen(probe->text) } };
	b->has_latency = b->has_entries = b->failed = false;
	b->in_compare = 0;
	if (!(b->request->traces ? bcc_parse_trace(b) : bcc_parse_argdist(b)))
		return;
	if (probe->is_hist)
		check_hist(b);
	describe(b, probe);
	add_probe(b);
}

struct lang_program *bcc_compile(struct bcc_request *request, const struct lang_options *options)
{
	struct lang_program *program = base_alloc(sizeof(*program));
	struct bcc b = { .program = program, .request = request };
	uint32_t source;

	str_addf(&b.text, "config = { max_map_keys = %d; ", MAX_KEYS);
	if (request->string_size > MAX_STRING)
		str_addf(&b.text, "max_strlen = %u; ", request->string_size + 1);
	str_add(&b.text, "}\n");
	for (b.number = 0; b.number < request->n; b.number++)
		compile_probe(&b, &request->probes[b.number]);
	request->program = NULL;
	if (!program->messages.errors) {
		source = lang_sources_add(&program->sources, "program", b.text.data, b.text.len);
		request->program = program->sources.v[source].text;
		lang_compile_source(program, source, options);
		move_messages(&b, source);
		explain_names(&b);
	}
	str_release(&b.text);
	free(b.pieces.v);
	return program;
}

const char *bcc_owner(const struct bcc_request *request, const char *map)
{
	size_t number = strlen(map) > 2 ? strtoul(map + 2, NULL, 10) : request->n; /* "@s1", "@e1" */

	return number < request->n ? request->probes[number].text : map;
}
