// SPDX-License-Identifier: BSD-2-Clause
#include "kallsyms_text.h"
#include "kernel_files.h"
#include "ksym.h"
#include "lines.h"
#include "modules.h"

/* The kernel lists BPF programs and trampolines as functions of modules that do not exist. */
static bool is_made_up(const char *module)
{
	return !strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11);
}

struct reading {
	struct memory_places *places;
	kallsyms_text_fn fn;
	void *ctx;
};

/* "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]" */
static int offer_line(const struct reading *reading, char *line)
{
	struct ksym sym;
	bool function;
	char *end;

	sym.addr = ksym_parse_address(line, &end);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return 0;
	ksym_parse_name(end + 3, &sym);
	function = ksym_is_function(end[1]);
	/* of any type: Linux 7.2 has variables among its text */
	if (!sym.module)
		memory_places_take(reading->places, &sym);
	return reading->fn(&sym, function && !(sym.module && is_made_up(sym.module)), reading->ctx);
}

int kallsyms_text_each(struct memory_places *places, kallsyms_text_fn fn, void *ctx, struct err *err)
{
	const struct reading reading = { .places = places, .fn = fn, .ctx = ctx };
	__free struct lines *lines = base_alloc(sizeof(*lines));
	__close int fd = kernel_open("/proc/kallsyms", O_RDONLY);
	int error, ret = 0;
	char *line;

	if (fd < 0)
		return err_set(err, -errno, "cannot read /proc/kallsyms: %s", strerror(errno));
	lines->fd = fd;
	while (!ret && (line = lines_next(lines, &error)))
		ret = offer_line(&reading, line);
	if (!ret && error)
		return err_set(err, error, "cannot read /proc/kallsyms: %s", strerror(-error));
	return ret;
}

static int add(const struct ksym *sym, bool function, void *ctx)
{
	ksym_list_add(ctx, sym, function);
	return 0;
}

static int set_end(const struct module_line *module, void *ctx)
{
	if (module->addr)
		ksym_list_set_module(ctx, module->name, module->addr, module->addr + module->size);
	return 0;
}

int kallsyms_text_read(struct ksym_list *list, struct memory_places *places, struct err *err)
{
	int ret = kallsyms_text_each(places, add, list, err);

	if (!ret && list->modules.n)
		modules_each(set_end, list);
	return ret;
}
