// SPDX-License-Identifier: BSD-2-Clause
/* Allocation that cannot fail, growing arrays, lines of small files, and the error value. */
#include "base.h"

static void no_memory(void)
{
	static const char line[] = "sonde: out of memory\n";

	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		_exit(1);
	_exit(1);
}

void *base_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		no_memory();
	return p;
}

void *base_realloc(void *p, size_t n, size_t size)
{
	p = reallocarray(p, n ? n : 1, size);
	if (!p)
		no_memory();
	return p;
}

char *base_strndup(const char *s, size_t n)
{
	char *copy = strndup(s, n);

	if (!copy)
		no_memory();
	return copy;
}

char *base_strdup(const char *s)
{
	return base_strndup(s, strlen(s));
}

char *base_printf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		no_memory();
	return s;
}

bool base_read_line(char *line, size_t size, const char *path, ...)
{
	char *name = NULL;
	bool is_read;
	va_list ap;
	FILE *f;

	va_start(ap, path);
	if (vasprintf(&name, path, ap) < 0)
		no_memory();
	va_end(ap);
	f = fopen(name, "re");
	free(name);
	is_read = f && fgets(line, size, f);
	if (f)
		fclose(f);
	return is_read;
}

void *vec_push_(void **v, size_t *n, size_t *cap, size_t size)
{
	char *last;

	if (*n == *cap) {
		*cap = *cap ? *cap * 2 : 16;
		*v = base_realloc(*v, *cap, size);
	}
	last = (char *)*v + (*n)++ * size;
	memset(last, 0, size);
	return last;
}

static void err_vset(struct err *err, int code, int at, const char *fmt, va_list ap)
{
	if (!err)
		return;
	err->code = code;
	err->at = at;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, -1, fmt, ap);
	va_end(ap);
	return code;
}

int err_at(struct err *err, int at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, -EINVAL, at, fmt, ap);
	va_end(ap);
	return -EINVAL;
}
