// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernel functions as the kernel lists them: every name and address, from its own tables or
 * /proc/kallsyms, and ftrace's list of what can be traced.
 */
#include <fnmatch.h>

#include "kallsyms_image.h"
#include "kernel_files.h"
#include "lines.h"
#include "memory.h"

/* Cuts "name\t[module]" or "name [module]" in place. strpbrk() takes longer to begin than most names are. */
static void split_module(char *text, struct ksym *sym)
{
	char *bracket = text;

	sym->name = text;
	sym->module = NULL;
	while ((unsigned char)*bracket > ' ')
		bracket++;
	if (!*bracket)
		return;
	*bracket++ = 0;
	while (*bracket && *bracket != '[')
		bracket++;
	if (*bracket++ != '[')
		return;
	sym->module = bracket;
	bracket[strcspn(bracket, "]")] = 0;
}

/* strtoull() takes 450 instructions for an address, and there are 150,000. */
static uint64_t parse_hex(char *text, char **end)
{
	uint64_t value = 0;

	for (;; text++) {
		unsigned int c = (unsigned char)*text;

		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if (c - 'a' < 6)
			value = value << 4 | (c - 'a' + 10);
		else
			break;
	}
	*end = text;
	return value;
}

/* Where ftrace's records begin: a pointer to the first page of them. */
#define RECORDS "ftrace_pages_start"

/* BPF programs and trampolines are listed as functions of modules that there are not. */
static bool is_made_up(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

struct reading {
	ksym_fn fn;
	void *ctx;
	struct kernel_records *records;
};

static int offer(const struct ksym *sym, char type, void *ctx)
{
	const struct reading *reading = ctx;

	if ((type | 0x20) == 't' || (type | 0x20) == 'w')
		return sym->module && is_made_up(sym->module) ? 0 : reading->fn(sym, reading->ctx);
	if (!sym->module && !strcmp(sym->name, RECORDS))
		reading->records->at = sym->addr;
	return 0;
}

static int offer_line(char *line, struct reading *reading)
{
	struct ksym sym;
	char *end;

	sym.addr = parse_hex(line, &end);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return 0;
	split_module(end + 3, &sym);
	return offer(&sym, end[1], reading);
}

static int read_kallsyms(struct reading *reading, struct err *err)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	__close int fd = kernel_open("/proc/kallsyms", O_RDONLY);
	int error, ret;
	char *line;

	if (fd < 0)
		return err_set(err, -errno, "cannot read /proc/kallsyms: %s", strerror(errno));
	lines->fd = fd;
	while ((line = lines_next(lines, &error))) {
		ret = offer_line(line, reading);
		if (ret)
			return ret;
	}
	if (error)
		return err_set(err, error, "cannot read /proc/kallsyms: %s", strerror(-error));
	return 0;
}

/*
 * Out of the kernel's memory, where that can be: else it is printed, which takes more than four times as long
 * (6.12).
 */
int kernel_each_symbol(ksym_fn fn, void *ctx, struct kernel_records *records, struct err *err)
{
	__cleanup(kallsyms_image_release) struct kallsyms_image image = {};
	__cleanup(kernel_records_release) struct kernel_records own = {};
	struct reading reading = { .fn = fn, .ctx = ctx, .records = records ? records : &own };
	struct memory *memory = kernel_is_real() ? memory_open() : NULL;

	reading.records->memory = memory;
	if (memory && !kallsyms_image_read(&image, memory))
		return kallsyms_image_each(&image, offer, &reading);
	return read_kallsyms(&reading, err);
}

int kernel_each_traceable(ksym_fn fn, void *ctx, bool *has_addr, struct err *err)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	__close int fd = -1;
	int tracefs = kernel_tracefs(), error, ret;
	char *line;

	if (tracefs < 0)
		return err_set(err, tracefs, "the kernel has no tracefs, which lists its traceable functions");
	if (*has_addr)
		fd = openat(tracefs, "available_filter_functions_addrs", O_RDONLY | O_CLOEXEC);
	*has_addr = fd >= 0;
	if (fd < 0)
		fd = openat(tracefs, "available_filter_functions", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "cannot read the kernel's list of traceable functions: %s",
			       strerror(errno));
	lines->fd = fd;
	while ((line = lines_next(lines, &error))) {
		struct ksym sym = {};

		if (*has_addr) {
			sym.addr = parse_hex(line, &line);
			line += strspn(line, " ");
		}
		split_module(line, &sym);
		ret = fn(&sym, ctx);
		if (ret)
			return ret;
	}
	if (error)
		return err_set(err, error, "cannot read the kernel's list of traceable functions: %s",
			       strerror(-error));
	return 0;
}

bool kernel_module_loaded(const char *name_glob)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	__close int fd = kernel_open("/proc/modules", O_RDONLY);
	int error;
	char *line;

	if (fd < 0)
		return false;
	lines->fd = fd;
	while ((line = lines_next(lines, &error))) {
		line[strcspn(line, " ")] = 0;
		if (!fnmatch(name_glob, line, 0))
			return true;
	}
	return false;
}
