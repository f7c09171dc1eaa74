// SPDX-License-Identifier: BSD-2-Clause
/* Texts of programs and places in them. Knows nothing of what they mean. */
#include <fcntl.h>
#include <sys/stat.h>

#include "binary/foreign.h"
#include "source.h"

#define MAX_FILE (1 << 20)

static uint32_t sources_push(struct lang_sources *sources, const char *name, const char *text, size_t len)
{
	uint32_t index = sources->n;
	struct lang_source *source = vec_push(sources);

	*source = (struct lang_source){ .name = name, .text = text, .len = len, .original = index };
	return index;
}

uint32_t lang_sources_add(struct lang_sources *sources, const char *name, const char *text, size_t len)
{
	char *copy = pool_alloc(&sources->pool, len + 1);

	if (len)
		memcpy(copy, text, len);
	return sources_push(sources, pool_add(&sources->pool, name), copy, len);
}

uint32_t lang_sources_alias(struct lang_sources *sources, uint32_t original, struct span used)
{
	struct lang_source from = sources->v[sources->v[original].original];
	uint32_t index = sources_push(sources, from.name, from.text, from.len);

	sources->v[index].used = used;
	sources->v[index].original = from.original;
	return index;
}

/* Reads to the end. The kernel's "Is a directory" would not say which, so err names the path. */
static int read_all(int fd, const char *path, struct str *text, struct err *err)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
		str_addn(text, piece, n);
		if (text->len > MAX_FILE)
			return err_set(err, -E2BIG, "'%s' is too large for a program: more than 1 MB", path);
	}
	return 0;
}

static int open_text(const char *path, struct err *err)
{
	struct stat st;
	uint64_t size;
	int fd;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "'%s' is a directory, not a program", path);
	/* "<(command)" of a shell is a pipe, whose writer is waited for. */
	if (!stat(path, &st) && S_ISFIFO(st.st_mode)) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		return fd >= 0 ? fd : err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	}
	fd = foreign_open(NULL, path, MAX_FILE, &size, err);
	return fd == -EFBIG ? err_set(err, -E2BIG, "'%s' is too large for a program: more than 1 MB", path) : fd;
}

/* Drops the byte order mark, which editors of Windows put before UTF-8, and carriage returns. */
static void drop_windows(struct str *text)
{
	size_t from = text->len >= 3 && !memcmp(text->data, "\xef\xbb\xbf", 3) ? 3 : 0, to = 0;

	for (size_t i = from; i < text->len; i++)
		if (text->data[i] != '\r' || text->data[i + 1] != '\n')
			text->data[to++] = text->data[i];
	text->len = to;
}

int lang_sources_read_open(struct lang_sources *sources, int fd, const char *path, uint32_t *index, struct err *err)
{
	struct str text __str = {};
	int ret = read_all(fd, path, &text, err);

	if (ret)
		return ret;
	if (text.len && memchr(text.data, 0, text.len))
		return err_set(err, -EILSEQ, "'%s' is not a program: it has a NUL byte", path);
	drop_windows(&text);
	*index = lang_sources_add(sources, path, str_or_empty(text.data), text.len);
	return 0;
}

int lang_sources_read(struct lang_sources *sources, const char *path, uint32_t *index, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd __close = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open_text(path, err);

	if (fd < 0)
		return is_stdin ? err_set(err, -errno, "cannot read standard input: %s", strerror(errno)) : fd;
	return lang_sources_read_open(sources, fd, is_stdin ? "stdin" : path, index, err);
}

void lang_sources_release(struct lang_sources *sources)
{
	free(sources->v);
	pool_release(&sources->pool);
	*sources = (struct lang_sources){};
}

void span_line(const struct lang_sources *sources, const struct span *at, uint32_t *line, uint32_t *column)
{
	const char *text = sources->v[at->source].text, *from = text, *newline;

	*line = 1;
	while ((newline = memchr(from, '\n', text + at->begin - from))) {
		from = newline + 1;
		++*line;
	}
	*column = text + at->begin - from + 1;
}

struct span span_join(struct span a, struct span b)
{
	if (b.begin < a.begin)
		a.begin = b.begin;
	if (b.end > a.end)
		a.end = b.end;
	return a;
}
