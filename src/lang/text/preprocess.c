// SPDX-License-Identifier: BSD-2-Clause
/* The stack of files, and the expansion of #define. */
#include <sys/stat.h>

#include "preprocess.h"

#define MAX_FILES 50

void preprocess_fail(struct preprocessor *pp, struct span at, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	if (pp->failed)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	lang_error(pp->messages, at, "%s", str_or_empty(text));
	free(text);
	pp->failed = true;
}

struct define *preprocess_add(struct preprocessor *pp, const char *name)
{
	uint32_t index = set_add(&pp->names, name, strlen(name));

	while (pp->defines.n <= index)
		vec_push(&pp->defines);
	return &pp->defines.v[index];
}

struct define *preprocess_find(struct preprocessor *pp, const char *name)
{
	struct define *define = preprocess_add(pp, name);

	return define->is_defined ? define : NULL;
}

static void push_file(struct preprocessor *pp, uint32_t source, bool is_header)
{
	struct preprocess_file *file = vec_push(&pp->files);

	lexer_init(&file->lexer, pp->sources, source, pp->pool, pp->messages);
	file->n_conditions = pp->conditions.n;
	file->is_header = is_header;
}

static const char *find_file(struct preprocessor *pp, const char *path, uint32_t from);

/* The files of --include are read before the program; what is in no directory is one of the kernel's headers. */
static void push_includes(struct preprocessor *pp, uint32_t source)
{
	__str struct str text = {};

	for (size_t i = 0; i < pp->options->n_includes; i++) {
		const char *path = pp->options->includes[i];

		str_addf(&text, find_file(pp, path, source) ? "#include \"%s\"\n" : "#include <%s>\n", path);
	}
	if (text.len)
		push_file(pp, lang_sources_add(pp->sources, "--include", text.data, text.len), false);
}

/* Defines a name as the number 1. */
static void predefine(struct preprocessor *pp, const char *name, uint32_t source)
{
	struct define *define = preprocess_add(pp, name);

	define->is_defined = true;
	define->body = (struct span){ source, 0, 1 };
}

void preprocess_init(struct preprocessor *pp, struct lang_sources *sources, uint32_t source,
		     const struct parse_options *options, struct pool *pool, struct lang_messages *messages)
{
	uint32_t one = lang_sources_add(sources, "built in", "1", 1);

	*pp = (struct preprocessor){
		.sources = sources,
		.pool = pool,
		.messages = messages,
		.options = options,
	};
	push_file(pp, source, false);
	push_includes(pp, source);
	if (options->has_btf)
		predefine(pp, "BPFTRACE_HAVE_BTF", one);
#if defined(__x86_64__)
	predefine(pp, "__x86_64__", one);
#elif defined(__aarch64__)
	predefine(pp, "__aarch64__", one);
#endif
	predefine(pp, "__linux__", one);
}

void preprocess_release(struct preprocessor *pp)
{
	set_release(&pp->names);
	set_release(&pp->read);
	free(pp->defines.v);
	free(pp->files.v);
	free(pp->conditions.v);
	free(pp->queue.v);
}

struct preprocess_file *preprocess_file(struct preprocessor *pp)
{
	return pp->queue_at < pp->queue.n ? NULL : &pp->files.v[pp->files.n - 1];
}

/* --- import --- */

static bool is_readable(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

const char *preprocess_find_header(struct preprocessor *pp, const char *path)
{
	for (size_t i = 0; i < pp->options->n_include_dirs; i++) {
		const char *full = pool_addf(pp->pool, "%s/%s", pp->options->include_dirs[i], path);

		if (is_readable(full))
			return full;
	}
	return NULL;
}

/* The path of a file that is named in another one: beside it, below -I, or as it is. NULL: there is none. */
static const char *find_file(struct preprocessor *pp, const char *path, uint32_t from)
{
	const char *slash = strrchr(pp->sources->v[from].name, '/'), *full = path;

	if (*path == '/')
		return is_readable(path) ? path : NULL;
	if (slash)
		full = pool_addf(pp->pool, "%.*s/%s", (int)(slash - pp->sources->v[from].name),
				 pp->sources->v[from].name, path);
	if (is_readable(full))
		return full;
	full = preprocess_find_header(pp, path);
	return full ? full : is_readable(path) ? path
					       : NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* True if the file was read before. */
static bool is_known(struct preprocessor *pp, const char *path)
{
	struct {
		uint64_t device, inode;
	} id = {};
	struct stat st;
	size_t n = pp->read.n;

	if (stat(path, &st))
		return false;
	id.device = st.st_dev;
	id.inode = st.st_ino;
	set_add(&pp->read, &id, sizeof(id));
	return pp->read.n == n;
}

bool preprocess_import(struct preprocessor *pp, const char *path, struct span at)
{
	const char *full = find_file(pp, path, at.source);
	struct err err = {};
	uint32_t index;

	/* What bpftrace keeps in its library is built in here. */
	if (!full && (!strcmp(path, "stdlib") || !strncmp(path, "stdlib/", 7)))
		return true;
	if (ends_with(path, ".bpf.c") || ends_with(path, ".o"))
		preprocess_fail(pp, at, "'%s': BPF code in C cannot be imported; write a macro in a .bt file instead",
				path);
	else if (!full)
		preprocess_fail(pp, at, "there is no file '%s' beside this program or in a directory of -I", path);
	else if (!pp->read.n)
		is_known(pp, pp->sources->v[at.source].name); /* the program itself may be imported by an import */
	if (pp->failed || is_known(pp, full))
		return !pp->failed;
	if (pp->read.n > MAX_FILES)
		preprocess_fail(pp, at, "the program imports more than %d files", MAX_FILES);
	else if (lang_sources_read(pp->sources, full, &index, &err))
		preprocess_fail(pp, at, "%s", err.text);
	else
		push_file(pp, index, ends_with(path, ".h"));
	return !pp->failed;
}

/* --- #define --- */

static void expand(struct preprocessor *pp, struct define *define, const char *name, const struct token *use,
		   int depth);

static void expand_token(struct preprocessor *pp, const struct token *token, const struct token *use, int depth)
{
	struct define *define = token->kind == TOKEN_NAME ? preprocess_find(pp, token->text) : NULL;
	struct token *copy;

	if (define && !define->is_active) {
		expand(pp, define, token->text, use, depth + 1);
		return;
	}
	if (++pp->n_expanded > PREPROCESS_MAX_EXPANDED) {
		preprocess_fail(pp, use->at, "#define makes more than %d tokens of this program",
				PREPROCESS_MAX_EXPANDED);
		return;
	}
	copy = vec_push(&pp->queue);
	*copy = *token;
	copy->at = use->at;
	copy->begins_line = use->begins_line;
	copy->is_expanded = true;
}

/* Appends what the define stands for. Places are those of the use, for that is what the user looks at. */
static void expand(struct preprocessor *pp, struct define *define, const char *name, const struct token *use, int depth)
{
	struct span body = define->body;
	size_t index = define - pp->defines.v;
	struct token token;
	struct lexer lexer;

	if (define->is_function) {
		preprocess_fail(pp, use->at,
				"'%s' is a #define with parameters, which do not exist here: write macro %s(x) { ... }",
				name, name);
		return;
	}
	if (depth > 100) {
		preprocess_fail(pp, use->at, "#defines are nested more than 100 levels deep");
		return;
	}
	lexer_init(&lexer, pp->sources, body.source, pp->pool, pp->messages);
	lexer.pos = body.begin;
	lexer.end = body.end;
	define->is_active = true;
	while (!pp->failed) {
		lexer_next(&lexer, &token);
		if (token.kind == TOKEN_END)
			break;
		expand_token(pp, &token, use, depth);
	}
	/* The array may have moved meanwhile. */
	pp->defines.v[index].is_active = false;
	if (lexer.failed)
		pp->failed = true;
}

/* Replaces a name by what it stands for; false: it stands for itself. */
static bool replace(struct preprocessor *pp, const struct token *token)
{
	struct define *define = preprocess_find(pp, token->text);

	pp->queue.n = pp->queue_at = 0;
	if (!define)
		return false;
	expand(pp, define, token->text, token, 0);
	return true;
}

/* --- tokens --- */

/* Ends a file. False: it was the last one. */
static bool pop_file(struct preprocessor *pp)
{
	struct preprocess_file *file = &pp->files.v[pp->files.n - 1];

	if (file->lexer.failed)
		pp->failed = true;
	if (pp->conditions.n > file->n_conditions) {
		preprocess_fail(pp, pp->conditions.v[pp->conditions.n - 1].at, "this #if has no #endif");
		return false;
	}
	if (pp->failed || pp->files.n == 1) {
		pp->comment = pp->files.v[0].lexer.comment;
		return false;
	}
	pp->files.n--;
	return true;
}

void preprocess_next(struct preprocessor *pp, struct token *token)
{
	for (;;) {
		struct lexer *lexer;

		if (pp->failed) {
			*token = (struct token){ .kind = TOKEN_END, .at = token->at };
			return;
		}
		if (pp->queue_at < pp->queue.n) {
			*token = pp->queue.v[pp->queue_at++];
			return;
		}
		lexer = &pp->files.v[pp->files.n - 1].lexer;
		lexer_next(lexer, token);
		if (token->kind == TOKEN_END && pop_file(pp))
			continue;
		if (token->kind == TOKEN_OPERATOR && token->begins_line && token->text[0] == '#') {
			preprocess_directive(pp, lexer, token->at.begin);
			continue;
		}
		if (token->kind == TOKEN_NAME && replace(pp, token))
			continue;
		return;
	}
}
